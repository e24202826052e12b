"""The instructions of a question: records who has read them and passed their check, and pays for it once."""

from collections.abc import Mapping

from django.utils import timezone

from accounts.models import Consent, User
from collection.models import LedgerEntry
from collection.models.querysets import READING_OF_QUESTION
from collection.pay import earn, reason_for
from shared.transactions import one_transaction
from validation.annotators.membership import may_join
from validation.models import Assignment, Question, QuestionCheck, QuestionReading


def has_read(*, question: Question, annotator: User) -> bool:
    """Returns whether this annotator has read the instructions and passed their check, or has had a batch before."""
    passed = QuestionReading.objects.filter(question=question, annotator=annotator, passed_at__isnull=False)
    return passed.exists() or Assignment.objects.filter(question=question, annotator=annotator).exists()


@one_transaction
def read_instructions(
    *, question: Question, annotator: User, answers: Mapping[int, str], tries_before: int = 0
) -> list[QuestionCheck]:
    """Records that the annotator read the instructions.

    `answers`: the order of a check question -> label; `tries_before`: wrong answers that the page has already
    reported.

    Returns the questions with wrong or missing answers; the check is passed if there are none. Annotators may try
    again without limit, since the check explains and does not select.
    """
    QuestionReading.objects.get_or_create(question=question, annotator=annotator)
    reading = QuestionReading.objects.select_for_update().get(question=question, annotator=annotator)
    if reading.passed_at is not None:
        return []
    wrong = [check for check in question.check_questions.all() if answers.get(check.order) != check.label]
    reading.tries = min(reading.tries + tries_before + 1, 32_767)
    reading.passed_at = None if wrong else timezone.now()
    reading.save(update_fields=["tries", "passed_at"])
    if not wrong and pays_for_reading(question=question, annotator=annotator):
        pay_for_reading(question=question, annotator=annotator)
    return wrong


def pays_for_reading(*, question: Question, annotator: User) -> bool:
    """Returns whether passing the check pays this person: they may label under this question now, and agreed to it.

    Others are paid with their first batch.
    """
    agreed = Consent.objects.is_given(annotator, question.corpus.consent_form_id)
    return bool(question.reading_pay_cents) and agreed and may_join(question, annotator)


def pay_for_reading(*, question: Question, annotator: User) -> None:
    """Pays what the question says, once, to somebody who has passed its check."""
    passed = QuestionReading.objects.filter(question=question, annotator=annotator, passed_at__isnull=False)
    if question.reading_pay_cents and passed.exists():
        earn(
            user=annotator,
            corpus_id=question.corpus_id,
            kind=LedgerEntry.Kind.READING,
            cents=question.reading_pay_cents,
            reason=reason_for(LedgerEntry.Kind.READING, prompt=question.asked, name=question.corpus.name),
            key=f"{READING_OF_QUESTION}{question.pk}",
        )


def check_waits(*, question: Question, annotator: User) -> bool:
    """Returns whether the question has a check that this annotator has not passed yet."""
    return question.check_questions.exists() and not has_read(question=question, annotator=annotator)
