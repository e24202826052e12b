"""Saves people's answers about their background."""

from collections.abc import Mapping

from accounts.models import (
    Background,
    User,
)


def save_background(*, user: User, answers: Mapping[str, str]) -> None:
    """Saves a person's answers (field -> answer) about their background, or deletes them if all are empty."""
    if any(answers.values()):
        Background.objects.update_or_create(user=user, defaults=dict(answers))
    else:
        Background.objects.filter(user=user).delete()
