"""Submits tasks and pays for them, skips them, and stores drafts."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial

from django.utils import timezone
from django.utils.translation import gettext, ngettext

from accounts.idempotency import record_submission
from accounts.models import Consent, User
from accounts.people.consents import require_consent
from collection.advice import AFTER_TYPING, LEVELS, OFF, TOO_LONG, Advice, Task, advise, words_of
from collection.errors import DraftChanged, InvalidWriting, TaskOver, UnknownAssignment
from collection.joining.visits import finish_visits
from collection.models import (
    WHY,
    AdviceGiven,
    Corpus,
    DraftText,
    Guidance,
    LedgerEntry,
    Pair,
    Prompt,
    WritingAssignment,
    WritingSeat,
    WritingSignals,
)
from collection.models.withdrawal import ENDED, PILOT, SURPLUS
from collection.pay import earn, key_of_text, reason_for
from collection.premises.filters.candidates import candidate
from collection.premises.filters.language import ForeignLanguage, detected_language
from collection.texts import one_line
from collection.writing import guidance
from collection.writing.claiming import assignments, close, lease_seat, lock_writer, release_seat
from collection.writing.problem_reports import report_problem
from collection.writing.reviews import draw_for_review
from collection.writing.starts import avoided, join_family, note_edits, starts_of
from collection.writing.who_may_write import why_not_writing
from nli.tokens import tokeniser
from shared.days import start_of_day
from shared.transactions import one_transaction

# Corpus -> label -> words that give it away. The site, which counts them, adds it.
GIVE_AWAYS: list[Callable[[Corpus], Mapping[str, Collection[str]]]] = []
Outcome, SkipReason = WritingAssignment.Outcome, WritingAssignment.SkipReason


@dataclass(frozen=True)
class Signals:
    """How a task was typed, as the page counted it. Researchers read it; it decides nothing."""

    active_ms: int = 0
    keystrokes: int = 0
    pastes: int = 0
    pasted_chars: int = 0
    bursts: int = 0
    inserted_chars: int = 0


@dataclass(frozen=True)
class WritingResult:
    """The result of a submission. `repeated`: it had been saved before, and nothing was changed.

    `finishes_visit`: it was the last task of a visit through a platform's link.
    """

    pairs: list[Pair] = field(default_factory=list)
    surplus: bool = False
    cents: int = 0
    repeated: bool = False
    finishes_visit: bool = False


def submit_writing(
    *,
    annotator: User,
    token: str,
    texts: Mapping[str, str],
    key: str,
    problem: str = "",
    signals: Signals | None = None,
    model_helped: bool = False,
) -> WritingResult:
    """Saves one hypothesis for each label, pays, and closes the assignment.

    An expired lease does no harm while the seat is free. If somebody else has the seat, the texts are stored
    as withdrawn pairs and paid all the same (`surplus`). `model_helped`: the writer says that a language model
    helped. Raises UnknownAssignment, TaskOver (it was skipped or reported), ConsentMissing, KeyReused, and
    InvalidWriting; after that the same key may be sent with corrected texts.
    """
    assignment = _own_assignment(annotator, token)
    require_consent(user=annotator, form_id=assignment.corpus.consent_form_id)
    texts = {label: one_line(text).strip() for label, text in texts.items()}
    wanted = {label: texts.get(label, "") for label in assignment.labels}
    errors = _unusable(texts, {*wanted, *assignment.reasons})
    told = guidance.ask(assignment, wanted)
    usable = {label: text for label, text in wanted.items() if label not in errors}
    advice = advice_on(assignment, usable, told=told)
    refused = [each for each in advice if each.refuses]
    reasons = {name: texts.get(name, "") for name in assignment.reasons}
    errors |= _unusable_reasons(reasons)
    if errors or refused:
        _count_advice(assignment, refused)
        raise InvalidWriting({each.label: in_words(each) for each in refused} | errors)
    content: dict[str, object] = {"assignment": token, "texts": texts, "problem": problem.strip()}
    if model_helped:
        content["model_helped"] = True

    @one_transaction
    def save() -> WritingResult:
        if not record_submission(user=annotator, key=key, content=content):
            return _earlier_result(assignment)
        locked = assignments().select_for_update(of=("self",)).get(pk=assignment.pk)
        if locked.outcome in locked.SENT:
            return _earlier_result(locked)
        if not locked.may_be_sent:
            raise TaskOver
        _count_advice(locked, advice)
        if model_helped:
            WritingAssignment.objects.filter(pk=locked.pk).update(model_helped=True)
        if signals is not None:
            WritingSignals.objects.create(assignment=locked, **asdict(signals))
        kept: Mapping[str, Guidance] = {}
        if guidance.is_guided(locked):
            kept = guidance.note(locked, wanted, _new_in(locked.drafts.all(), wanted), told, ())
        return _save_writing(locked, wanted, reasons, problem.strip(), kept)

    return save()


def _save_writing(
    assignment: WritingAssignment,
    texts: Mapping[str, str],
    reasons: Mapping[str, str],
    problem: str,
    kept: Mapping[str, Guidance],
) -> WritingResult:
    now = timezone.now()
    ended = why_not_writing(assignment.corpus, assignment.annotator) is not None
    mine = not ended and lease_seat(assignment.seat, assignment.annotator, now)
    if mine:
        WritingSeat.objects.filter(pk=assignment.seat_id).update(submitted_at=now)
    withdrawn = "" if mine else ENDED if ended else SURPLUS
    if assignment.seat.is_pilot:
        withdrawn = PILOT
    prompt = assignment.prompt_version.prompt
    arm = prompt.slug if prompt.arm_of_id or prompt.arms.exists() else ""
    pairs = [
        Pair(
            corpus_id=assignment.corpus_id,
            premise_id=assignment.seat.premise_id,
            hypothesis=text,
            scheme=assignment.corpus.scheme,
            author_id=assignment.annotator_id,
            author_label=label,
            author_reason=reasons.get(f"{WHY}{label}", ""),
            prompt_version_id=assignment.prompt_version_id,
            assignment=assignment,
            arm=arm,
            withdrawn_at=now if withdrawn else None,
            withdrawn_because=withdrawn,
        )
        for label, text in texts.items()
    ]
    join_family(assignment, pairs)
    Pair.objects.bulk_create(pairs)
    note_edits(assignment, pairs)
    guidance.give_to_pairs(kept, pairs)
    if not withdrawn:
        draw_for_review(assignment, pairs)
    if problem:
        report_problem(assignment=assignment, text=problem)
    close(assignment, Outcome.SUBMITTED if mine else Outcome.SURPLUS, now)
    assignment.drafts.all().delete()
    cents = assignment.pay_cents
    earn(
        user=assignment.annotator,
        corpus_id=assignment.corpus_id,
        kind=LedgerEntry.Kind.WRITING,
        cents=cents,
        reason=reason_for(LedgerEntry.Kind.WRITING, count=len(pairs), name=assignment.corpus.name),
        key=key_of_text(assignment.token),
    )
    finishes = finish_visits(user=assignment.annotator_id, corpus=assignment.corpus_id)
    return WritingResult(pairs=pairs, surplus=not mine, cents=cents, finishes_visit=finishes)


@one_transaction
def skip_writing(
    *,
    annotator: User,
    token: str,
    problem: str = "",
    reason: str = "",
    texts: Mapping[str, str] | None = None,
) -> int:
    """Releases a premise, and reports a `problem` if there is one. Idempotent.

    `texts`: what was typed (label -> text). It stays as a draft that cannot be sent, unless the person
    took back their consent; None keeps what was saved before.
    `reason` is one of WritingAssignment.SkipReason, or empty. The prompt says what skipping an upsetting text pays,
    and how often a day. Returns the cents. Raises UnknownAssignment.
    """
    lock_writer(annotator)  # otherwise two simultaneous skips could both be paid as the last one of the day
    assignment = _own_assignment(annotator, token)
    assignment = assignments().select_for_update(of=("self",)).get(pk=assignment.pk)
    if assignment.closed_at is not None:
        return 0
    now = timezone.now()
    problem = problem.strip()
    cents = _skip_pay(assignment, now) if reason == SkipReason.UPSETTING else 0
    if problem:
        report_problem(assignment=assignment, text=problem)
    release_seat(assignment)
    # With a reason to skip the outcome is a skip; the report itself is stored as well.
    outcome = Outcome.REPORTED if problem and not reason else Outcome.SKIPPED
    close(assignment, outcome, now, skip_reason=reason)
    if texts is None:
        assignment.drafts.filter(label=DraftText.PROBLEM).delete()
    else:
        typed = _to_store(assignment, {**texts, DraftText.PROBLEM: ""})  # the problem is reported
        form = assignment.corpus.consent_form_id
        agrees = not typed or form is None or Consent.objects.is_given(annotator, form)
        _store(assignment, typed if agrees else {})
    earn(
        user=annotator,
        corpus_id=assignment.corpus_id,
        kind=LedgerEntry.Kind.SKIP,
        cents=cents,
        reason=reason_for(LedgerEntry.Kind.SKIP, name=assignment.corpus.name),
        key=f"skip:{assignment.token}",
    )
    return cents


def _skip_pay(assignment: WritingAssignment, now: datetime) -> int:
    """Returns the pay for skipping an upsetting premise: 0 once the day's paid skips are used up."""
    version = assignment.prompt_version
    if not version.skip_pay_cents:
        return 0
    today = WritingAssignment.objects.filter(
        annotator=assignment.annotator_id,
        prompt_version__prompt__in=Prompt.objects.arms_of(version.prompt.root.pk),
        skip_reason=SkipReason.UPSETTING,
        closed_at__gte=start_of_day(now),
    )
    return version.skip_pay_cents if today.count() < version.paid_skips_per_day else 0


@dataclass(frozen=True)
class SavedDraft:
    """`version` names the draft as it is now; empty where nothing is stored. `new`: the fields whose texts are new."""

    saved_at: datetime
    version: str
    new: frozenset[str] = frozenset()


def version_of(drafts: Iterable[DraftText]) -> str:
    """Returns a name for these drafts of a task: it changes with every save."""
    return max((each.saved_at.isoformat() for each in drafts), default="")


@one_transaction
def save_draft(
    *, annotator: User, token: str, texts: Mapping[str, str], base: str | None = None
) -> SavedDraft | None:
    """Saves the fields of an unsent task (label -> text, `problem` among them) in place of the earlier draft.

    `base`: the version from which the writer's device started; None overwrites whatever is there. Returns None where
    the task is over. Raises DraftChanged where another device has saved other texts since, UnknownAssignment,
    ConsentMissing.
    """
    assignment = _own_assignment(annotator, token)
    require_consent(user=annotator, form_id=assignment.corpus.consent_form_id)
    # Locked, so that a draft on its way cannot come back after the task was sent, and two devices take turns.
    assignment = assignments().select_for_update(of=("self",)).get(pk=assignment.pk)
    if not assignment.may_be_sent:
        return None
    before = list(assignment.drafts.all())
    there = {each.label: each.text for each in before}
    if base is not None and base != version_of(before) and there != _to_store(assignment, texts):
        raise DraftChanged(there, version_of(before))
    drafts = _store(assignment, texts)
    saved_at = max((each.saved_at for each in drafts), default=timezone.now())
    return SavedDraft(saved_at, version_of(drafts), frozenset(_new_in(before, texts)))


def _new_in(drafts: Iterable[DraftText], texts: Mapping[str, str]) -> set[str]:
    """Returns the fields whose text is another than in the draft, apart from blanks around it."""
    there = {each.label: one_line(each.text).strip() for each in drafts}
    return {label for label, text in texts.items() if one_line(text).strip() != there.get(label, "")}


@dataclass(frozen=True)
class Looked:
    """What a writer is told about unsent sentences: label -> advice, and label -> what the run in the loop answered."""

    advice: Mapping[str, str]
    answers: Mapping[str, str]


def look_at(assignment: WritingAssignment, texts: Mapping[str, str], new: Collection[str] = ()) -> Looked:
    """Gives advice on what somebody types, and the answers of a run in the loop, and keeps what `guidance` keeps.

    `texts`: of the labels; `new`: those whose wording was not there before, as `save_draft` returns them.
    """
    told = guidance.ask(assignment, texts)
    advice = [each for each in advice_on(assignment, texts, told=told) if each.kind not in AFTER_TYPING]
    filled = {label: text for label, text in texts.items() if text.strip()}
    kept = _note(assignment, filled, new, told, advice) if guidance.is_guided(assignment) else {}
    answers = guidance.answers_in_words(assignment, kept, filled)
    return Looked({each.label: in_words(each) for each in advice}, answers)


@one_transaction
def _note(
    assignment: WritingAssignment,
    texts: Mapping[str, str],
    new: Collection[str],
    told: guidance.Told,
    advice: Sequence[Advice],
) -> Mapping[str, Guidance]:
    # Locked, so that no answer on its way is kept after the sentences were sent, and two devices take turns.
    locked = assignments().select_for_update(of=("self",)).get(pk=assignment.pk)
    return guidance.note(locked, texts, new, told, advice) if locked.may_be_sent else {}


def _to_store(assignment: WritingAssignment, texts: Mapping[str, str]) -> dict[str, str]:
    """Returns the fields of a task (label -> text) with more than what stood in them, as long as a draft may be."""
    starts = starts_of(assignment, {})
    typed = {label: text for label, text in texts.items() if text.strip() not in ("", starts.get(label))}
    fields = {*assignment.labels, *assignment.reasons, DraftText.PROBLEM} if typed else set()
    return {
        label: text.replace("\0", "")[: DraftText.LONGEST] for label, text in typed.items() if label in fields
    }


def _store(assignment: WritingAssignment, texts: Mapping[str, str]) -> list[DraftText]:
    """Stores these fields of a task in place of its earlier draft."""
    new = _to_store(assignment, texts)
    assignment.drafts.exclude(label__in=new).delete()
    return DraftText.objects.bulk_create(
        [DraftText(assignment=assignment, label=label, text=text) for label, text in new.items()],
        update_conflicts=True,
        unique_fields=["assignment", "label"],
        update_fields=["text", "saved_at"],
    )


def discard_draft(*, annotator: User, token: str) -> None:
    """Deletes the draft of one task. Raises UnknownAssignment."""
    _own_assignment(annotator, token).drafts.all().delete()


def discard_drafts(*, annotator: User) -> None:
    """Deletes all drafts of a person, as when they are erased."""
    DraftText.objects.filter(assignment__annotator=annotator).delete()


def in_words(advice: Advice) -> str:
    """Returns the words of an advice in the reader's language, and whether the text can be sent all the same."""
    words = ngettext(*advice.text, advice.count) if isinstance(advice.text, tuple) else gettext(advice.text)
    said = words % {"count": advice.count, "word": advice.word}
    return said if advice.refuses else said + " " + gettext("You can send it all the same.")


def advice_on(
    assignment: WritingAssignment,
    texts: Mapping[str, str],
    starts: Mapping[str, str] | None = None,
    told: guidance.Told = guidance.Told(),  # noqa: B008 it cannot be changed
) -> list[Advice]:
    """Returns the advice on texts for this assignment, at the corpus's own levels. `starts`: if not those of `starts_of`.

    `told`: what frozen runs said of the texts.
    """
    corpus = assignment.corpus
    used = Pair.objects.filter(author=assignment.annotator_id, corpus=corpus).used_before(
        texts.values(), besides=assignment
    )
    levels = dict(corpus.advice_settings.values_list("advice", "level"))
    looks_at_language = levels.get("other_language", LEVELS["other_language"]) != OFF
    task = Task(
        premise=assignment.seat.premise.sentences,
        shortest=corpus.min_hypothesis_chars,
        longest=corpus.max_hypothesis_chars,
        used_before=used,
        is_other_language=partial(_is_other_language, corpus.language) if looks_at_language else None,
        levels=levels,
        starts=starts_of(assignment, texts) if starts is None else starts,
        split=tokeniser(corpus.language, words_of),
        avoid=avoided(assignment.prompt_version),
        give_aways=GIVE_AWAYS[0](corpus) if assignment.prompt_version.coach and GIVE_AWAYS else {},
        found_alone=told.found_alone() if assignment.prompt_version.coach else (),
    )
    return advise(texts, task)


def _is_other_language(tag: str, text: str) -> bool:
    """Uses the filter of premises; the first call loads its model."""
    language = detected_language(tag)
    return language is not None and ForeignLanguage(language)(candidate(1, [text]))


def _count_advice(assignment: WritingAssignment, advice: list[Advice]) -> None:
    AdviceGiven.objects.bulk_create(
        AdviceGiven(assignment=assignment, label=each.label, advice=each.kind, refused=each.refuses)
        for each in advice
    )


def _unusable_reasons(reasons: Mapping[str, str]) -> dict[str, str]:
    """Returns an error for each reason that is missing or too long."""
    errors = {}
    for name, text in reasons.items():
        if (more := len(text) - DraftText.LONGEST_REASON) > 0:
            errors[name] = ngettext(*TOO_LONG, more) % {"count": more}
        elif not text:
            errors[name] = gettext("Please say why.")
    return errors


def _unusable(texts: Mapping[str, str], wanted: Collection[str]) -> dict[str, str]:
    """Returns an error for each text whose field does not exist."""
    return {label: "This task has no field of that name." for label in texts if label not in wanted}


def _own_assignment(annotator: User, token: str) -> WritingAssignment:
    assignment = assignments().filter(token=token, annotator=annotator).first()
    if assignment is None:
        raise UnknownAssignment("This task was not handed to you. Open the writing page for a new one.")
    return assignment


def _earlier_result(assignment: WritingAssignment) -> WritingResult:
    pairs = list(assignment.pairs.order_by("pk"))
    outcome = WritingAssignment.objects.values_list("outcome", flat=True).get(pk=assignment.pk)
    return WritingResult(pairs=pairs, surplus=outcome == Outcome.SURPLUS, repeated=True)
