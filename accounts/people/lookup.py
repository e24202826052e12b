"""Looks up the people whom a command line names."""

from django.core.management.base import CommandError

from accounts.models import User


def researcher(username: str) -> User:
    """Returns the researcher in whose name the command acts. Raises CommandError."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None or not user.is_researcher:
        raise CommandError(
            f"There is no researcher {username!r}. Give the user name of the researcher who decides this: --by NAME."
        )
    return user
