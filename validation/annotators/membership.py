"""Who may label under a question."""

from django.db.models import Exists, OuterRef, Q

from accounts.models import Grant, User
from collection.joining.entry_links import opened_to
from collection.models import Exclusion
from shared.transactions import one_transaction
from validation.errors import NotInPool
from validation.models import Membership, Question


def invite(*, question: Question, annotator: User) -> Membership:
    """Puts somebody into the question's pool; who is in it already stays as they are. Raises NotInPool if excluded."""
    if Question.objects.filter(is_excluded(annotator), pk=question.pk).exists():
        raise NotInPool(f"{annotator.code} is excluded from {question.corpus.name}. Undo that first.")
    return Membership.objects.get_or_create(question=question, annotator=annotator)[0]


@one_transaction
def pause(*, question: Question, annotator: User) -> bool:
    """Hands this member out nothing more for now. Labels stay, and what is in hand can be sent and counts."""
    return _turn(question, annotator, Membership.Status.ACTIVE, Membership.Status.PAUSED)


@one_transaction
def resume(*, question: Question, annotator: User) -> bool:
    """Lets a member who was paused go on. False, as in `pause`: they were not."""
    return _turn(question, annotator, Membership.Status.PAUSED, Membership.Status.ACTIVE)


def _turn(question: Question, annotator: User, before: str, after: str) -> bool:
    members = Membership.objects.filter(question=question, annotator=annotator, status=before)
    return bool(members.update(status=after))


def may_join(question: Question, annotator: User) -> bool:
    return Question.objects.filter(may_label(annotator), pk=question.pk).exists()


def may_label(annotator: User) -> Q:
    """A condition on questions: this person is a member who is not paused or excluded, or may join.

    Without an invitation one joins a pool that is open, holding its qualification.
    """
    mine = Membership.objects.filter(annotator=annotator, question=OuterRef("pk"))
    held = Grant.objects.standing().filter(user=annotator, qualification=OuterRef("qualification"))
    qualified = Q(qualification=None) | Q(Exists(held))
    return Q(Exists(mine.filter(status=Membership.Status.ACTIVE))) | qualified & may_qualify(annotator)


def may_qualify(annotator: User) -> Q:
    """A condition on questions: with its qualification, if there is one, this person may join the pool.

    Who came through a platform's link joins pools of that link's corpus alone.
    """
    mine = Membership.objects.filter(annotator=annotator, question=OuterRef("pk"))
    open_to_them = Q(pool_is_open=True) & opened_to(annotator, "corpus")
    return open_to_them & ~Q(Exists(mine)) & ~is_excluded(annotator)


def is_excluded(annotator: User) -> Q:
    """A condition on questions: a researcher excluded this person from the corpus, and did not undo it."""
    standing = Exclusion.objects.of(annotator).filter(corpus=OuterRef("corpus"))
    return Q(Exists(standing))
