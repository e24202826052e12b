"""Records readings of prompts with their check, and runs pilots of prompts."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone

from accounts.models import Consent, User
from collection.errors import NotPossible
from collection.models import (
    CheckQuestion,
    Exclusion,
    Pair,
    PilotWriter,
    Premise,
    Prompt,
    PromptReading,
    PromptVersion,
    WritingSeat,
)
from collection.models.withdrawal import PILOT
from collection.premises.partitions import partition_of
from collection.premises.writing_seats import new_seat
from collection.writing.claiming import lock_writer
from collection.writing.reading_pay import pay_for_reading, pays_for_reading
from nli.lines import HELD_OUT
from shared.transactions import one_transaction

# Whether a snapshot of a corpus is being made. The app of snapshots, which is above this one, adds it when it starts.
FREEZES: list[Callable[[int], bool]] = []


@one_transaction
def read_prompt(
    *, annotator: User, version: PromptVersion, answers: Mapping[int, str], tries_before: int = 0
) -> list[CheckQuestion]:
    """Records that the prompt was read.

    `answers`: the order of a check question -> label; `tries_before`: wrong answers that the page has already
    reported.

    Returns the questions that were answered wrong or not at all. If there are none, the check is passed. Otherwise
    it may be repeated without limit, since it explains and does not select. Passing pays what the version says,
    once for each prompt, and only whom `pays_for_reading` names; others are paid with their first task.
    """
    lock_writer(annotator)  # an exclusion at this moment comes before, or waits
    reading, _ = PromptReading.objects.select_for_update().get_or_create(annotator=annotator, version=version)
    if reading.passed_at is not None:
        return []
    wrong = [
        question
        for question in version.check_questions.all()
        if answers.get(question.order) != question.label
    ]
    reading.tries = min(reading.tries + tries_before + 1, 32_767)
    reading.passed_at = None if wrong else timezone.now()
    reading.save(update_fields=["tries", "passed_at"])
    if not wrong and pays_for_reading(annotator=annotator, version=version):
        pay_for_reading(annotator=annotator, version=version)
    return wrong


def knows_another(*, annotator: User, prompt: Prompt) -> bool:
    """Returns whether this person has read the instructions of another prompt of the corpus and passed their check."""
    others = PromptReading.objects.filter(version__prompt__corpus=prompt.corpus_id, passed_at__isnull=False)
    return others.filter(annotator=annotator).exclude(version__prompt=prompt).exists()


@one_transaction
def set_prompt_status(*, prompt: Prompt, status: str) -> None:
    """Opens, pilots or closes a prompt. Opening ends a pilot: its empty seats can no longer be claimed.

    Raises NotPossible for an unknown status, and for a pilot of an arm alone.
    """
    if status not in Prompt.Status.values:
        raise NotPossible(
            f"“{status}” is not a status of a prompt. Choose one of: {', '.join(Prompt.Status.values)}."
        )
    if status == Prompt.Status.PILOT:
        _no_arm(prompt)
    # As a draw does: it comes before, or it waits, and sees the state.
    list(
        Prompt.objects.filter(pk__in=(prompt.root.pk, prompt.pk))
        .order_by("pk")
        .select_for_update(of=("self",), no_key=True)
    )
    prompt.status = status
    prompt.save(update_fields=["status"])
    prompt.note_change()


def _no_arm(prompt: Prompt) -> None:
    if prompt.arm_of_id:
        raise NotPossible(f"An arm is piloted with the prompt whose arm it is, “{prompt.root.name}”.")


def choose_pilot(*, prompt: Prompt, code: str) -> PilotWriter:
    """Lets an annotator write under the prompt while it is piloted. Raises NotPossible for an unknown code or an arm."""
    _no_arm(prompt)
    annotator = User.objects.annotators().filter(code=code.strip()).first()
    if annotator is None:
        raise NotPossible(f"No annotator has the code “{code.strip()}”. Codes are listed under People.")
    return PilotWriter.objects.get_or_create(prompt=prompt, annotator=annotator)[0]


def dismiss_pilot(*, prompt: Prompt, code: str) -> None:
    """Takes a person off the pilot. Their texts stay."""
    PilotWriter.objects.filter(prompt=prompt, annotator__code=code.strip()).delete()


@one_transaction
def make_pilot_seats(
    *, prompt: Prompt, premises_per_genre: int, writers: int = 1, may_enter_train: bool = False
) -> int:
    """Makes seats for `writers` pilots at premises of each genre of the prompt. Returns the number of seats.

    It selects the premises whose turn among the real seats comes last, and none that somebody has claimed. A pilot
    never gets a premise twice, so this choice costs the corpus the least. `may_enter_train`: the pilots read that what
    they write may become training data (`release_pilots`). Raises NotPossible for an arm.
    """
    _no_arm(prompt)
    Prompt.objects.select_for_update(of=("self",), no_key=True).get(pk=prompt.pk)
    seats = WritingSeat.objects.filter(premise=OuterRef("pk"))
    untouched = Premise.objects.open().filter(
        ~Exists(seats.filter(is_pilot=True)), ~Exists(seats.filter(assignments__isnull=False))
    )
    made = []
    for genre in prompt.genre_set.order_by("pk"):
        last = WritingSeat.objects.real().filter(
            genre=genre, position=1, premise__in=untouched.filter(genre=genre)
        )
        for seat in last.select_related("premise").order_by("-turn")[:premises_per_genre]:
            made += [
                new_seat(seat.premise, number, is_pilot=True, may_enter_train=may_enter_train)
                for number in range(1, writers + 1)
            ]
    WritingSeat.objects.bulk_create(made, batch_size=2000)
    return len(made)


# Why a text of a pilot stays out of train; the first that holds is told.
NOT_TOLD = "written where pilots read that their sentences are not published"
NO_CONSENT = "whose author does not agree to the consent form at present"
EXCLUDED = "of people who were excluded from the corpus"
NOT_TRAINED_ON = "of genres that are not trained on"
IN_DEV_OR_TEST = "at premises of dev or test, or of their group"


def pilots_to_release(prompt: Prompt) -> QuerySet[Any]:
    """Returns the withdrawn texts of a prompt's pilots. `kept_because`: why one stays out; empty if it may enter train."""
    corpus = prompt.corpus
    agree = Consent.objects.filter(user=OuterRef("author"), form=corpus.consent_form_id, withdrawn_at=None)
    excluded = Exclusion.objects.standing().filter(corpus=corpus, annotator=OuterRef("author"))
    same_group = Pair.objects.filter(corpus=corpus, premise__group=OuterRef("premise__group"))
    held_out = same_group.alias(placed=partition_of()).filter(placed__in=HELD_OUT)
    obstacles = (
        (Q(assignment__seat__may_enter_train=False), NOT_TOLD),
        (~Exists(agree) if corpus.consent_form_id else Q(pk=None), NO_CONSENT),
        (Exists(excluded), EXCLUDED),
        (Q(premise__genre__in_training=False), NOT_TRAINED_ON),
        (Exists(held_out), IN_DEV_OR_TEST),
    )
    texts = Pair.objects.filter(prompt_version__prompt=prompt, withdrawn_because=PILOT)
    ways = [When(condition, then=Value(reason)) for condition, reason in obstacles]
    return texts.annotate(kept_because=Case(*ways, default=Value("")))


def count_pilots_to_release(prompt: Prompt) -> dict[str, int]:
    """Returns the number of withdrawn pilot texts by `kept_because`."""
    kept = pilots_to_release(prompt).order_by().values_list("kept_because")
    return dict(kept.annotate(number=Count("pk")))


@one_transaction
def release_pilots(*, prompt: Prompt) -> int:
    """Restores the texts of pilots that may enter train, as SNLI did (Bowman et al. 2015, footnote 3). Returns their number.

    They are in train in every snapshot, and bind their premise's group to it; `metadata` names the pilot. Raises
    NotPossible while a snapshot of the corpus is being made, since it may place the same premises elsewhere.
    """
    if any(is_being_made(prompt.corpus_id) for is_being_made in FREEZES):
        raise NotPossible("A snapshot of this corpus is being made. Release the texts when it is done.")
    keys = list(pilots_to_release(prompt).filter(kept_because="").values_list("pk", flat=True))
    return Pair.objects.filter(pk__in=keys, withdrawn_because=PILOT).update(
        withdrawn_at=None, withdrawn_because="", published_partition="train", metadata={"pilot": prompt.slug}
    )
