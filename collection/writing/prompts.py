"""Records readings of prompts with their check, and runs pilots of prompts."""

from collections.abc import Mapping

from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import User
from collection.errors import NotPossible
from collection.models import (
    CheckQuestion,
    PilotWriter,
    Premise,
    Prompt,
    PromptReading,
    PromptVersion,
    WritingSeat,
)
from collection.premises.writing_seats import new_seat
from collection.writing.claiming import lock_writer
from collection.writing.reading_pay import pay_for_reading, pays_for_reading
from shared.transactions import one_transaction


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


def set_prompt_status(*, prompt: Prompt, status: str) -> None:
    """Opens, pilots or closes a prompt. Opening ends a pilot: its empty seats can no longer be claimed.

    Raises NotPossible for an unknown status.
    """
    if status not in Prompt.Status.values:
        raise NotPossible(
            f"“{status}” is not a status of a prompt. Choose one of: {', '.join(Prompt.Status.values)}."
        )
    Prompt.objects.filter(pk=prompt.pk).update(status=status)


def choose_pilot(*, prompt: Prompt, code: str) -> PilotWriter:
    """Lets an annotator write under the prompt while it is piloted. Raises NotPossible for an unknown code."""
    annotator = User.objects.annotators().filter(code=code.strip()).first()
    if annotator is None:
        raise NotPossible(f"No annotator has the code “{code.strip()}”. Codes are listed under People.")
    return PilotWriter.objects.get_or_create(prompt=prompt, annotator=annotator)[0]


def dismiss_pilot(*, prompt: Prompt, code: str) -> None:
    """Takes a person off the pilot. Their texts stay."""
    PilotWriter.objects.filter(prompt=prompt, annotator__code=code.strip()).delete()


@one_transaction
def make_pilot_seats(*, prompt: Prompt, premises_per_genre: int, writers: int = 1) -> int:
    """Makes seats for `writers` pilots at premises of each genre of the prompt. Returns the number of seats.

    It selects the premises whose turn among the real seats comes last, and none that somebody has claimed. A pilot
    never gets a premise twice, so this choice costs the corpus the least.
    """
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
            made += [new_seat(seat.premise, number, is_pilot=True) for number in range(1, writers + 1)]
    WritingSeat.objects.bulk_create(made, batch_size=2000)
    return len(made)
