"""Looks up the researcher in whose name a command acts on a corpus."""

from django.core.management.base import CommandError

from accounts.models import User
from accounts.people.lookup import researcher
from collection.models import Corpus
from collection.models.querysets import CHANGES


def researcher_of(username: str, corpus: Corpus) -> User:
    """Returns the researcher of that name, who may change the corpus. Raises CommandError."""
    user = researcher(username)
    if not Corpus.objects.of(user, CHANGES).filter(pk=corpus.pk).exists():
        raise CommandError(
            f"{username} may not change {corpus}. Name a researcher of it, or make them one: members {corpus} --add"
            f" {username}"
        )
    return user
