"""Decides who may label under a question."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext, gettext_lazy

from accounts.models import Grant, User
from collection.joining.entry_links import is_open_to, opened_to
from collection.joining.exams import standing_of
from collection.models import Exam, Exclusion
from shared.bidi import isolated
from shared.transactions import one_transaction
from validation.errors import NotInPool
from validation.models import Membership, Question

ENDED = gettext_lazy("You cannot judge sentences for this study at present. You keep what you earned.")


@dataclass(frozen=True)
class WayIn:
    """What comes before somebody's first batch: nothing, an exam, or a refusal, which reading and passing cannot change."""

    exam: Exam | None = None
    refusal: str = ""


def invite(*, question: Question, annotator: User) -> Membership:
    """Adds somebody to the question's pool; a member stays as they are. Raises NotInPool if they are excluded."""
    if Question.objects.filter(is_excluded(annotator), pk=question.pk).exists():
        raise NotInPool(
            f"{annotator.code} is excluded from {question.corpus.name}. Please undo the exclusion first."
        )
    return Membership.objects.get_or_create(question=question, annotator=annotator)[0]


@one_transaction
def pause(*, question: Question, annotator: User) -> bool:
    """Pauses a member: they get no more batches. Their labels stay, and they can submit their open batch.

    Returns False if they were not active.
    """
    return _change_status(question, annotator, Membership.Status.ACTIVE, Membership.Status.PAUSED)


@one_transaction
def resume(*, question: Question, annotator: User) -> bool:
    """Resumes a paused member. Returns False if they were not paused."""
    return _change_status(question, annotator, Membership.Status.PAUSED, Membership.Status.ACTIVE)


def _change_status(question: Question, annotator: User, before: str, after: str) -> bool:
    members = Membership.objects.filter(question=question, annotator=annotator, status=before)
    return bool(members.update(status=after))


def may_join(question: Question, annotator: User) -> bool:
    return Question.objects.filter(may_label(annotator), pk=question.pk).exists()


def may_label(annotator: User) -> Q:
    """Returns a condition on questions: this annotator is an active member of the pool or may join it.

    Without an invitation, annotators may join an open pool if they hold its qualification.
    """
    mine = Membership.objects.filter(annotator=annotator, question=OuterRef("pk"))
    held = Grant.objects.standing().filter(user=annotator, qualification=OuterRef("qualification"))
    qualified = Q(qualification=None) | Q(Exists(held))
    return Q(Exists(mine.filter(status=Membership.Status.ACTIVE))) | qualified & may_qualify(annotator)


def may_qualify(annotator: User) -> Q:
    """Returns a condition on questions: only the pool's qualification, if any, can keep the annotator out.

    Annotators who came through a platform's link may join only pools of that link's corpus.
    """
    mine = Membership.objects.filter(annotator=annotator, question=OuterRef("pk"))
    open_to_them = Q(pool_is_open=True) & opened_to(annotator, "corpus")
    return open_to_them & ~Q(Exists(mine)) & ~is_excluded(annotator)


def is_excluded(annotator: User) -> Q:
    """Returns a condition on questions: this annotator is excluded from the corpus at present."""
    standing = Exclusion.objects.of(annotator).filter(corpus=OuterRef("corpus"))
    return Q(Exists(standing))


def has_ended(question: Question, annotator: User) -> bool:
    """Returns whether a researcher ended this annotator's work on the corpus."""
    return Question.objects.filter(is_excluded(annotator), pk=question.pk).exists()


def open_exam(question: Question) -> Exam | None:
    """Returns the open exam that grants the question's qualification."""
    if not question.pool_is_open:
        return None
    return Exam.objects.filter(qualification=question.qualification_id, is_open=True).first()


def way_in(question: Question, annotator: User) -> WayIn:
    if has_ended(question, annotator):
        return WayIn(refusal=str(ENDED))
    if may_join(question, annotator):
        return WayIn()
    lacks_only_it = Question.objects.filter(may_qualify(annotator), pk=question.pk).exists()
    exam = open_exam(question) if lacks_only_it else None
    if exam is not None:
        standing = standing_of(exam, annotator)
        return WayIn(exam, standing.why_not if standing.has_failed else "")
    was_member = Membership.objects.filter(question=question, annotator=annotator).exists()
    return WayIn(refusal=str(ENDED) if was_member else outside_sentence(question, annotator))


def outside_sentence(question: Question, annotator: User) -> str:
    """Returns the sentence for somebody who is not in the pool and may not join it."""
    if question.pool_is_open and not is_open_to(annotator, question.corpus_id):
        return gettext(
            "You came to this site for another study. To judge sentences for this one, please ask its researchers."
        )
    if not question.pool_is_open or question.qualification is None:
        return gettext(
            "This work is for invited people. If you would like to join, please ask the researchers."
        )
    exam = getattr(question.qualification, "exam", None)
    if exam is not None and exam.is_open:
        return gettext("Before you can judge here, you must pass the exam.")
    return gettext("To judge here you need a qualification: “%(name)s”. Please ask the researchers.") % {
        "name": isolated(question.qualification.name)
    }
