"""Erases a person's account."""

import hashlib
import hmac

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.utils import timezone

from accounts.errors import AccountsError
from accounts.models import (
    Background,
    PlatformIdentity,
    SignInAttempt,
    SiteKey,
    User,
)
from accounts.sign_in.throttle import (
    account_key,
    account_of_participant,
    account_of_second_step,
)

ERASED_ID = "erased:"  # what the digest of a platform's id begins with
ERASED = "(erased)"  # replaces what somebody wrote about a person who is erased


class OnlyAdministrator(AccountsError):
    """Without this person nobody could create accounts."""

    def __init__(self) -> None:
        super().__init__(
            "You are the only administrator. Make somebody else one first, then delete your account."
        )


@transaction.atomic
def erase_person(*, user: User) -> None:
    """Erases what identifies a person, and ends the account. Raises OnlyAdministrator.

    The code stays, with the texts, labels, pay and consents under it: they are the evidence of the corpus. Of a
    platform's id only a keyed digest stays, so that somebody who was excluded cannot come back as a new person.
    """
    administrators = User.objects.select_for_update().filter(role=User.Role.ADMINISTRATOR, is_active=True)
    if [each.pk for each in administrators] == [user.pk]:
        raise OnlyAdministrator
    ids = user.platform_identities.all()
    participants = (account_of_participant(row.platform, row.participant) for row in ids)
    known_as = [user.username, account_of_second_step(user.username), *participants]
    SignInAttempt.objects.filter(account__in=[account_key(name) for name in known_as]).delete()
    user.api_tokens.all().delete()
    user.saved_filters.all().delete()
    user.browsers.all().delete()
    Authenticator.objects.filter(user=user).delete()
    SocialAccount.objects.filter(user=user).delete()
    Background.objects.filter(user=user).delete()
    user.consents.filter(withdrawn_at=None).update(withdrawn_at=timezone.now())
    user.grants.exclude(revoked_because="").update(revoked_because=ERASED)
    for identity in ids:
        forget_participant(identity)
    user.username, user.email, user.is_active = f"erased-{user.code}", "", False
    user.set_unusable_password()
    user.save(update_fields=["username", "email", "is_active", "password"])


def forget_participant(identity: PlatformIdentity) -> None:
    """Replaces a platform's id by its digest. Who comes back is recognised."""
    identity.participant = erased_id(identity.platform, identity.participant)
    identity.save(update_fields=["participant"])


def erased_id(platform: str, participant: str) -> str:
    """Returns a keyed digest that replaces a platform's id: the same id gives the same digest."""
    return _digest(SiteKey.objects.get_or_create(name="erased ids")[0], platform, participant)


def stored_ids(platform: str, participant: str) -> list[str]:
    """Returns what may stand for a platform's id: the id and, once somebody was erased, its digest."""
    keys = SiteKey.objects.filter(name="erased ids")
    return [participant, *(_digest(key, platform, participant) for key in keys)]


def _digest(key: SiteKey, platform: str, participant: str) -> str:
    digest = hmac.new(key.value.encode(), f"{platform}\n{participant}".encode(), hashlib.sha256).hexdigest()
    return f"{ERASED_ID}{digest}"
