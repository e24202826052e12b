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
from shared.transactions import one_transaction


def has_passed(*, annotator: User, version: PromptVersion) -> bool:
    """Returns whether this person has read this version and passed its check, on any device."""
    return PromptReading.objects.filter(
        annotator=annotator, version=version, passed_at__isnull=False
    ).exists()


@one_transaction
def read_prompt(
    *, annotator: User, version: PromptVersion, answers: Mapping[int, str]
) -> list[CheckQuestion]:
    """Says that the prompt was read; `answers`: the order of a check question -> label.

    Returns the questions that were answered wrong or not at all. Without any the check is passed; else it may
    be tried again, as often as it takes: it explains, it does not select.
    """
    reading, _ = PromptReading.objects.select_for_update().get_or_create(annotator=annotator, version=version)
    if reading.passed_at is not None:
        return []
    wrong = [
        question
        for question in version.check_questions.all()
        if answers.get(question.order) != question.label
    ]
    reading.tries = min(reading.tries + 1, 32_767)
    reading.passed_at = None if wrong else timezone.now()
    reading.save(update_fields=["tries", "passed_at"])
    return wrong


def set_prompt_status(*, prompt: Prompt, status: str) -> None:
    """Opens, pilots or closes a prompt. Opening ends a pilot: its empty seats can no longer be claimed.

    Raises NotPossible for a status that there is not.
    """
    if status not in Prompt.Status.values:
        raise NotPossible(
            f"“{status}” is no state of a prompt. Choose one of: {', '.join(Prompt.Status.values)}."
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
    """Opens premises of each genre of the prompt to its pilots, `writers` of them at each. Returns how many seats.

    Takes the premises whose turn among the real seats comes last, and none that somebody has been given: a
    pilot who saw a premise is not given it again, so the pilot costs the corpus as little as it can.
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
