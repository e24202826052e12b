"""The fixed cast: Ana writes, Vera validates, Rosa researches, Stan may see nothing."""

from collections.abc import Iterable

from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from accounts.sign_in.tokens import create_api_token

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
