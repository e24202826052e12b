"""Grants and revokes qualifications."""

from django.db import transaction
from django.utils import timezone

from accounts.errors import AccountsError
from accounts.models import Grant, Qualification, User


class ReasonMissing(AccountsError):
    """Something that needs a reason came without one."""


@transaction.atomic
def grant(*, user: User, qualification: Qualification, how: str, by: User | None = None) -> Grant | None:
    """Gives a qualification; somebody who holds it keeps what they have.

    None: a researcher took it back from this person once, and only a researcher gives it again.
    """
    mine = Grant.objects.filter(user=user, qualification=qualification)
    standing = mine.standing().first()
    if standing is not None:
        return standing
    if by is None and mine.exists():
        return None
    made, _ = Grant.objects.get_or_create(
        user=user, qualification=qualification, revoked_at=None, defaults={"how": how, "granted_by": by}
    )
    return made


def revoke(*, grant: Grant, because: str, by: User) -> bool:
    """Takes a qualification back. The reason is kept. False: it had been taken back before.

    Raises ReasonMissing. What the person earned and wrote stays theirs.
    """
    because = because.strip()
    if not because:
        raise ReasonMissing("Please say why: the reason is kept with the record.")
    standing = Grant.objects.filter(pk=grant.pk).standing()
    return standing.update(revoked_at=timezone.now(), revoked_because=because, revoked_by=by) > 0
