"""Runs exams: judges known labels at once, and leaves texts to a researcher."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, ngettext

from accounts.models import Grant, User
from accounts.people.consents import require_consent
from accounts.people.qualifications import grant
from collection.advice import TOO_LONG
from collection.joining.entry_links import opened_to
from collection.models import Exam, ExamAnswer, ExamAttempt, ExamItem, Exclusion
from collection.texts import one_line
from shared.transactions import one_transaction

ENDED = gettext_lazy("A researcher ended your part in this study, so the exam cannot be taken again.")


class ExamRefused(Exception):
    """The exam cannot be taken now. The text says why and what to do."""


class ExamIncomplete(Exception):
    """Some answers are invalid. `errors`: item number (from 0) -> what to do about it."""

    def __init__(self, errors: dict[int, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = errors


@dataclass(frozen=True)
class Standing:
    """A person's standing in an exam. `why_not`: why it cannot be taken now; empty if it can."""

    holds: bool
    last: ExamAttempt | None
    tries_left: int
    why_not: str

    @property
    def waits(self) -> bool:
        """Returns whether a researcher has still to read the latest try."""
        return self.last is not None and self.last.passed is None

    @property
    def has_failed(self) -> bool:
        """Returns whether no try is left and no result is awaited."""
        return self.tries_left == 0 and self.last is not None and self.last.passed is False


def _refusals(annotator: User) -> list[tuple[Q, str]]:
    """Lists reasons against taking an exam, as conditions on exams with sentences. The first that holds counts."""
    mine = ExamAttempt.objects.filter(annotator=annotator, exam=OuterRef("pk"))
    tried = _counted(annotator).filter(exam=OuterRef("pk")).order_by().values("exam").annotate(n=Count("pk"))
    given = Grant.objects.filter(user=annotator, qualification=OuterRef("qualification"))
    excluded = Exclusion.objects.of(annotator).filter(corpus=OuterRef("corpus"))
    return [
        (Q(Exists(excluded)), str(ENDED)),
        (Q(Exists(given.standing())), gettext("You can already work here.")),
        (Q(Exists(given.ended())), str(ENDED)),
        (
            Q(Exists(mine.waiting())),
            gettext(
                "A researcher reads what you wrote. You need not stay on this page. The start page shows the result once"
                " it is there."
            ),
        ),
        (
            ~opened_to(annotator, "corpus"),
            gettext("This is not the study that you came for. It needs a link of its own."),
        ),
        (
            Q(is_open=False),
            gettext("This exam is closed: nobody else is needed. Your earlier results stay."),
        ),
        (
            Q(tries__lte=Coalesce(Subquery(tried.values("n")), 0)),
            gettext("You have used all your tries. Thank you for your time."),
        ),
    ]


def _counted(annotator: User) -> QuerySet[ExamAttempt]:
    """Returns a person's tries that count: of exams that they were asked to take again, those since then."""
    asked_again = Grant.objects.filter(
        user=annotator,
        qualification=OuterRef("exam__qualification"),
        revoked_at__gt=OuterRef("sent_at"),
        revoked_by=None,
    )
    return ExamAttempt.objects.filter(~Exists(asked_again), annotator=annotator)


def may_take(annotator: User) -> Q:
    """Returns a condition on exams: this person can take it now, and has not passed."""
    return Q(*(~refused for refused, _ in _refusals(annotator)))


def standing_of(exam: Exam, annotator: User) -> Standing:
    attempts = list(_counted(annotator).filter(exam=exam).order_by("-number"))
    refusals = _refusals(annotator)
    conditions = {f"refused_{number}": refused for number, (refused, _) in enumerate(refusals)}
    refused = Exam.objects.annotate(**conditions).values_list(*conditions).get(pk=exam.pk)
    reasons = [words for holds, (_, words) in zip(refused, refusals, strict=True) if holds]
    return Standing(
        holds=refused[1],
        last=attempts[0] if attempts else None,
        tries_left=max(exam.tries - len(attempts), 0),
        why_not=str(reasons[0]) if reasons else "",
    )


@one_transaction
def send_exam(*, exam: Exam, annotator: User, answers: Mapping[int, str]) -> ExamAttempt:
    """Stores the answers (by the item's order) and judges known labels at once.

    Below the pass mark the attempt has failed. Otherwise it has passed, unless texts were written: those
    wait for a researcher. Raises ExamRefused, ExamIncomplete, ConsentMissing.
    """
    require_consent(user=annotator, form_id=exam.corpus.consent_form_id)
    # Locked, so that the second of two clicks sees the attempt of the first.
    User.objects.select_for_update(of=("self",)).get(pk=annotator.pk)
    standing = standing_of(exam, annotator)
    if standing.why_not:
        raise ExamRefused(standing.why_not)
    items = list(exam.items.all())
    texts = {item.order: " ".join(one_line(answers.get(item.order, "")).split()) for item in items}
    errors = {item.order: error for item in items if (error := _error(item, texts[item.order], exam))}
    if errors:
        raise ExamIncomplete(errors)
    known = [item for item in items if item.hypothesis]
    right = sum(texts[item.order] == item.label for item in known)
    score = 100 * right // len(known) if known else None
    failed = score is not None and score < exam.pass_mark
    passed = False if failed else (True if len(known) == len(items) else None)
    attempt = ExamAttempt.objects.create(
        exam=exam,
        annotator=annotator,
        number=ExamAttempt.objects.filter(exam=exam, annotator=annotator).count() + 1,
        score=score,
        passed=passed,
        judged_at=None if passed is None else timezone.now(),
    )
    ExamAnswer.objects.bulk_create(_answer(attempt, item, texts[item.order]) for item in items)
    if passed:
        _qualify(attempt, by=None)
    return attempt


def judge_exam(*, attempt: ExamAttempt, passed: bool, judgement: str, by: User) -> bool:
    """Stores a researcher's verdict with a comment. Returns False if the attempt had been judged before."""
    with transaction.atomic():
        waiting = ExamAttempt.objects.waiting().filter(pk=attempt.pk)
        judged = waiting.update(
            passed=passed, judged_at=timezone.now(), judged_by=by, judgement=judgement.strip()
        )
        if judged and passed:
            _qualify(attempt, by=by)
    return judged > 0


def _qualify(attempt: ExamAttempt, by: User | None) -> None:
    grant(user=attempt.annotator, qualification=attempt.exam.qualification, how=Grant.How.EXAM, by=by)


def _error(item: ExamItem, text: str, exam: Exam) -> str:
    corpus = exam.corpus
    if item.hypothesis:
        return "" if text in exam.labels else gettext("Please choose an answer.")
    if len(text) < corpus.min_hypothesis_chars:
        return gettext("Please write a sentence here.")
    if len(text) > corpus.max_hypothesis_chars:
        count = len(text) - corpus.max_hypothesis_chars
        return ngettext(*TOO_LONG, count) % {"count": count}
    return ""


def _answer(attempt: ExamAttempt, item: ExamItem, text: str) -> ExamAnswer:
    return ExamAnswer(
        attempt=attempt,
        order=item.order,
        premise=item.premise,
        hypothesis=item.hypothesis or text,
        wanted_label=item.label,
        label=text if item.hypothesis else "",
    )
