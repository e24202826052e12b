"""The instructions of a question: who has read them, and how the short check after them went."""

from collections.abc import Mapping

from django.utils import timezone

from accounts.models import User
from shared.transactions import one_transaction
from validation.models import Assignment, Question, QuestionCheck, QuestionReading


def has_read(*, question: Question, annotator: User) -> bool:
    """Whether this person has read the instructions and passed their check, on whatever device.

    Who was handed a batch before had read them, too.
    """
    passed = QuestionReading.objects.filter(question=question, annotator=annotator, passed_at__isnull=False)
    return passed.exists() or Assignment.objects.filter(question=question, annotator=annotator).exists()


@one_transaction
def read_instructions(
    *, question: Question, annotator: User, answers: Mapping[int, str]
) -> list[QuestionCheck]:
    """Says that the instructions were read; `answers`: the order of a check question -> label.

    Returns the questions that were answered wrong or not at all. Without any the check is passed; else it may
    be tried again, as often as it takes: it explains, it does not select.
    """
    QuestionReading.objects.get_or_create(question=question, annotator=annotator)
    reading = QuestionReading.objects.select_for_update().get(question=question, annotator=annotator)
    if reading.passed_at is not None:
        return []
    wrong = [check for check in question.check_questions.all() if answers.get(check.order) != check.label]
    reading.tries = min(reading.tries + 1, 32_767)
    reading.passed_at = None if wrong else timezone.now()
    reading.save(update_fields=["tries", "passed_at"])
    return wrong


def check_waits(*, question: Question, annotator: User) -> bool:
    """Whether the question has a check that this person has yet to pass."""
    return question.check_questions.exists() and not has_read(question=question, annotator=annotator)
