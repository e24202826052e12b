"""Whom a command names on its command line."""

from django.core.management.base import CommandError

from accounts.models import User


def researcher(username: str) -> User:
    """The researcher who is held to have done it. Raises CommandError."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None or not user.is_researcher:
        raise CommandError(
            f"There is no researcher {username!r}. Name who decides this, with --by and a researcher's user name."
        )
    return user
