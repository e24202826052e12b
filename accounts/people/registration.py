"""Creates accounts, and saves what people say about their background."""

from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext

from accounts.errors import AccountsError
from accounts.models import (
    Background,
    PlatformIdentity,
    User,
    new_code,
)
from accounts.people.erasure import ERASED_ID, stored_ids
from shared.bidi import isolated


class NameTaken(AccountsError):
    """Somebody else has this user name or code."""


def create_person(
    *,
    username: str,
    password: str | None,
    role: str = "annotator",
    kind: str = "person",
    code: str | None = None,
) -> User:
    """Creates an account; without a password nobody can sign in to it. Raises NameTaken."""
    fields = {"role": role, "kind": kind, "is_superuser": role == User.Role.ADMINISTRATOR}
    if code is not None:
        fields["code"] = code
    try:
        with transaction.atomic():
            return User.objects.create_user(username, password=password, **fields)
    except IntegrityError:
        taken = User.objects.filter(Q(username=username) | Q(code=code or "")).exists()
        if not taken:
            raise
        raise NameTaken(
            gettext("The name %(name)s is taken. Please choose another one.") % {"name": isolated(username)}
        ) from None


@transaction.atomic
def person_from_platform(*, platform: str, participant: str) -> User:
    """Returns the account of a platform's participant, and creates it at their first visit.

    It has no password: they come through the platform's link. Two first visits at once create one account. An id that
    was forgotten is known again: they are paid by it.
    """
    found = known_participant(platform=platform, participant=participant)
    if found is not None:
        if found.is_active:
            ids = found.platform_identities.filter(platform=platform, participant__startswith=ERASED_ID)
            ids.update(participant=participant)
        return found
    code = new_code()
    try:
        with transaction.atomic():
            user = create_person(username=f"{platform}-{code}", password=None, code=code)
            PlatformIdentity.objects.create(user=user, platform=platform, participant=participant)
            return user
    except IntegrityError:  # the other visit was faster, and the savepoint undid this account
        return User.objects.get(
            platform_identities__platform=platform, platform_identities__participant=participant
        )


def known_participant(*, platform: str, participant: str) -> User | None:
    """Returns the account of a platform's participant, an erased one, too; None before their first visit."""
    return User.objects.filter(
        platform_identities__platform=platform,
        platform_identities__participant__in=stored_ids(platform, participant),
    ).first()


def save_background(*, user: User, answers: Mapping[str, str]) -> None:
    """Saves a person's answers (field -> answer) about their background, or deletes them if all are empty."""
    if any(answers.values()):
        Background.objects.update_or_create(user=user, defaults=dict(answers))
    else:
        Background.objects.filter(user=user).delete()
