"""Who may label."""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from accounts.models import Grant, User
from collection.joining.entry_links import opened_to
from collection.models import Exclusion
from validation.actions.errors import NotInPool
from validation.models import Membership, Question
from validation.seats import locked_membership

ENDED = "You are not labelling for this corpus at present. What you did stays paid."


def invite(*, question: Question, annotator: User) -> Membership:
    """Puts somebody into the question's pool; who is in it already stays as they are. Raises NotInPool if excluded."""
    if Question.objects.filter(is_excluded(annotator), pk=question.pk).exists():
        raise NotInPool(f"{annotator.code} is excluded from {question.corpus.name}. Undo that first.")
    return Membership.objects.get_or_create(question=question, annotator=annotator)[0]


@transaction.atomic
def pause(*, question: Question, annotator: User) -> bool:
    """Hands this member out nothing more for now. Labels stay, and what is in hand can be sent and counts."""
    return _turn(question, annotator, Membership.Status.ACTIVE, Membership.Status.PAUSED)


@transaction.atomic
def resume(*, question: Question, annotator: User) -> bool:
    """Lets a member who was paused go on. False, as in `pause`: they were not."""
    return _turn(question, annotator, Membership.Status.PAUSED, Membership.Status.ACTIVE)


def _turn(question: Question, annotator: User, before: str, after: str) -> bool:
    members = Membership.objects.filter(question=question, annotator=annotator, status=before)
    return bool(members.update(status=after))


def locked_member(question: Question, annotator: User) -> Membership:
    """The locked row of this annotator in the pool: their claims stand in line behind it. Raises NotInPool."""
    member = locked_membership(question.pk, annotator.pk)
    if member is None and _may_join(question, annotator):
        Membership.objects.get_or_create(question=question, annotator=annotator)
        member = locked_membership(question.pk, annotator.pk)
    if member is None:
        why = "This work is for invited annotators. Ask the researchers if you would like to join."
        if question.pool_is_open and question.qualification is not None:
            why = (
                f"This work asks for a qualification: {question.qualification.name}. The start page says how."
            )
        raise NotInPool(why)
    return active(member)


def active(member: Membership) -> Membership:
    """The same, if they may label at present. Raises NotInPool."""
    if member.status != Membership.Status.ACTIVE:
        raise NotInPool(ENDED)
    return member


def _may_join(question: Question, annotator: User) -> bool:
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
