"""Gives researchers their roles in a corpus, and takes them away."""

from django.db.models import Q

from accounts.models import User
from accounts.sign_in.security_log import note
from collection.errors import CollectionError
from collection.models import Corpus, CorpusMember
from collection.models.querysets import CHANGES
from shared.transactions import one_transaction

Role = CorpusMember.Role


class MemberRefused(CollectionError):
    """The change is not made; the text says why and what to do."""


def researcher_named(who: str) -> User:
    """Returns the researcher with this user name or code. Raises MemberRefused."""
    who = who.strip().replace("\0", "")
    found = User.objects.filter(Q(username=who) | Q(code=who), is_active=True).first()
    if found is None or not found.is_researcher:
        raise MemberRefused(
            f"There is no researcher {who or '?'} here. Give the user name or the code of an account with the role"
            " researcher; an administrator makes one."
        )
    return found


@one_transaction
def give_role(*, corpus: Corpus, user: User, role: str, by: User | None) -> CorpusMember:
    """Makes a researcher a member in this role, or gives a member another one. Raises MemberRefused.

    by: who decides it; None for the operator.
    """
    held = _lock(corpus)
    if not user.is_researcher:
        raise MemberRefused(f"{user} is no researcher, and only researchers belong to a corpus.")
    if role not in Role.values:
        raise MemberRefused(f"There is no role {role!r}. There are: {', '.join(Role.values)}.")
    if role != Role.OWNER:
        _keep_an_owner(held, user)
    old = CorpusMember.objects.filter(corpus=held, user=user).first()
    if old is not None and old.role == role:
        return old
    made, _ = CorpusMember.objects.update_or_create(corpus=held, user=user, defaults={"role": role, "by": by})
    note("role given", corpus=held.slug, user=user.code, role=role, by=by.code if by else "operator")
    return made


@one_transaction
def remove_member(*, corpus: Corpus, user: User, by: User | None) -> None:
    """Ends a membership: the corpus is closed to them from the next request on. Raises MemberRefused."""
    held = _lock(corpus)
    _keep_an_owner(held, user)
    if not CorpusMember.objects.filter(corpus=held, user=user).delete()[0]:
        raise MemberRefused(f"{user.username} does not belong to {corpus}.")
    note("role ended", corpus=held.slug, user=user.code, by=by.code if by else "operator")


def refuse_strangers(slug: str, by: User | None) -> bool:
    """Returns whether there is no corpus of this slug. Raises MemberRefused if there is one that `by` may not change."""
    is_there = Corpus.objects.filter(slug=slug).exists()
    if is_there and not Corpus.objects.of(by, CHANGES).filter(slug=slug).exists():
        raise MemberRefused(
            f"There is a corpus {slug} already, which you may not change. Choose another short name."
        )
    return not is_there


def found(*, corpus: Corpus, by: User | None) -> None:
    """Makes whoever made a new corpus its owner. A corpus that the operator made belongs to administrators."""
    if by is not None:
        give_role(corpus=corpus, user=by, role=Role.OWNER, by=by)


def _lock(corpus: Corpus) -> Corpus:
    """Locks the corpus, so that two changes of its members come one after the other."""
    return Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)


def _keep_an_owner(corpus: Corpus, user: User) -> None:
    """Refuses to take the role of the last owner away. Call with the corpus locked."""
    owners = CorpusMember.objects.filter(corpus=corpus, role=Role.OWNER, user__is_active=True)
    owners = owners.exclude(user__role=User.Role.ANNOTATOR)
    if [each.user_id for each in owners] == [user.pk]:
        raise MemberRefused(
            f"{user.username} is the only owner of {corpus}. Make somebody else an owner first."
        )
