"""The fixed cast: Ana writes, Vera validates, Rosa researches, Stan may see nothing."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db.models.signals import post_save
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from accounts.sign_in.tokens import create_api_token
from collection.models import Corpus, CorpusMember

PASSWORD = "correct horse battery staple"


def person(name: str, role: str = "annotator") -> User:
    """Returns the person of this name, with the password of all tests; makes them at the first call."""
    user = User.objects.filter(username=name).first()
    return user or User.objects.create_user(name, password=PASSWORD, role=role)


def people(names: Iterable[str]) -> dict[str, User]:
    """Returns annotators by name, existing ones by one query."""
    wanted = list(names)
    found = {user.username: user for user in User.objects.filter(username__in=wanted)}
    return {name: found.get(name) or person(name) for name in wanted}


_GROUPS = threading.local()


@contextmanager
def several_groups() -> Iterator[None]:
    """Makes nobody a member of anything within the block: see the fixture `one_group`."""
    _GROUPS.are_several = True
    try:
        yield
    finally:
        _GROUPS.are_several = False


@contextmanager
def one_group() -> Iterator[None]:
    """Makes every researcher an owner of every corpus, whichever is made first."""

    def joined(sender: type, instance: Any, created: bool, **more: Any) -> None:
        if not created or getattr(_GROUPS, "are_several", False):
            return
        if sender is Corpus:
            pairs = [
                (instance.pk, who)
                for who in User.objects.filter(role="researcher").values_list("pk", flat=True)
            ]
        elif instance.role == "researcher":
            pairs = [(corpus, instance.pk) for corpus in Corpus.objects.values_list("pk", flat=True)]
        else:
            return
        CorpusMember.objects.bulk_create(
            CorpusMember(corpus_id=corpus, user_id=who, role="owner") for corpus, who in pairs
        )

    for model in (Corpus, User):
        post_save.connect(joined, sender=model, weak=False, dispatch_uid=f"one group: {model.__name__}")
    try:
        yield
    finally:
        for model in (Corpus, User):
            post_save.disconnect(sender=model, dispatch_uid=f"one group: {model.__name__}")


def ana() -> User:
    return person("ana")


def vera() -> User:
    return person("vera")


def rosa() -> User:
    return person("rosa", role="researcher")


def stan() -> User:
    """Returns Stan, an annotator in no pool, without consent."""
    return person("stan")


def signed_in(user: User) -> Client:
    """Returns a test client in which this person is signed in."""
    client = Client()
    client.force_login(user)
    return client


def with_token(user: User, scope: str = "all") -> APIClient:
    """Returns a REST client with a new token of this person."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {create_api_token(user=user, name='test', scope=scope)}")
    return client
