"""Who may label."""

from accounts.models import Grant, User
from validation.actions.errors import NotInPool
from validation.models import Exclusion, Membership, Question


def invite(*, question: Question, annotator: User) -> Membership:
    """Puts somebody into the question's pool; who is in it already stays as they are."""
    return Membership.objects.get_or_create(question=question, annotator=annotator)[0]


def locked_member(question: Question, annotator: User) -> Membership:
    """The locked row of this annotator in the pool: their claims stand in line behind it. Raises NotInPool."""
    locked = Membership.objects.select_for_update().filter(question=question, annotator=annotator)
    member = locked.first()
    if member is None and _may_join(question, annotator):
        Membership.objects.get_or_create(question=question, annotator=annotator)
        member = locked.first()
    if member is None:
        why = "This work is for invited annotators. Ask the researchers if you would like to join."
        if question.pool_is_open and question.qualification is not None:
            why = (
                f"This work asks for a qualification: {question.qualification.name}. The start page says how."
            )
        raise NotInPool(why)
    if member.status != Membership.Status.ACTIVE:
        raise NotInPool("You are not labelling for this corpus at present. What you did stays paid.")
    return member


def _may_join(question: Question, annotator: User) -> bool:
    """Without an invitation: the pool is open, its qualification is held, and nobody excluded them."""
    standing = Exclusion.objects.filter(corpus=question.corpus_id, annotator=annotator, undone_at=None)
    return (
        question.pool_is_open
        and Grant.objects.is_held(annotator, question.qualification_id)
        and not standing.exists()
    )
