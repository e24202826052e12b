"""Saves what people share of their background."""

from collections.abc import Mapping

from accounts.models import (
    Background,
    User,
)


def tell_background(*, user: User, answers: Mapping[str, str]) -> None:
    """Keeps what somebody told of their background; without any answer nothing is kept. Answers are keyed by field."""
    if any(answers.values()):
        Background.objects.update_or_create(user=user, defaults=dict(answers))
    else:
        Background.objects.filter(user=user).delete()
