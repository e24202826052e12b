"""Grants and revokes qualifications."""

from django.db import transaction
from django.utils import timezone

from accounts.errors import AccountsError
from accounts.models import Grant, Qualification, User


class ReasonMissing(AccountsError):
    """A reason is missing."""


@transaction.atomic
def grant(*, user: User, qualification: Qualification, how: str, by: User | None = None) -> Grant | None:
    """Grants a qualification. Returns the standing grant if the person holds it already.

    Returns None if a researcher revoked it before: then only a researcher can grant it again.
    """
    mine = Grant.objects.filter(user=user, qualification=qualification)
    standing = mine.standing().first()
    if standing is not None:
        return standing
    if by is None and mine.ended().exists():
        return None
    made, _ = Grant.objects.get_or_create(
        user=user, qualification=qualification, revoked_at=None, defaults={"how": how, "granted_by": by}
    )
    return made


def revoke(*, grant: Grant, because: str, by: User) -> bool:
    """Revokes a qualification and stores the reason. Returns False if it was revoked before.

    Raises ReasonMissing. The person keeps their texts and pay.
    """
    because = because.strip()
    if not because:
        raise ReasonMissing("Please give a reason. It is stored with the record.")
    standing = Grant.objects.filter(pk=grant.pk).standing()
    return standing.update(revoked_at=timezone.now(), revoked_because=because, revoked_by=by) > 0


def ask_again(*, user: User, qualification: Qualification, because: str) -> None:
    """Takes back a qualification by a rule of the corpus: who held it may take its exam again, with all its tries."""
    mine = Grant.objects.standing().filter(user=user, qualification=qualification)
    mine.update(revoked_at=timezone.now(), revoked_because=because, revoked_by=None)
