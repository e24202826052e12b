"""Decides who may label under a question."""

from django.db.models import Exists, OuterRef, Q

from accounts.models import Grant, User
from collection.joining.entry_links import opened_to
from collection.models import Exclusion
from shared.transactions import one_transaction
from validation.errors import NotInPool
from validation.models import Membership, Question


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
