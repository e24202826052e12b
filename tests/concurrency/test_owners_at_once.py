"""Two owners who remove each other at once: one stays. First the race without the lock."""

import time
from contextlib import suppress

import pytest

from accounts.models import User
from collection.members import actions
from collection.members.actions import MemberRefused, give_role, remove_member
from collection.models import Corpus, CorpusMember
from tests.cast import person, several_groups
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus

pytestmark = pytest.mark.django_db(transaction=True)


def two_owners() -> tuple[Corpus, list[User]]:
    with several_groups():
        corpus, owners = make_corpus(), [person(name, role="researcher") for name in ("olga", "omar")]
    for owner in owners:
        give_role(corpus=corpus, user=owner, role="owner", by=None)
    return corpus, owners


def remove_each_other(corpus: Corpus, owners: list[User]) -> int:
    """Returns how many owners are left."""

    def remove(user: User, by: User) -> None:
        with suppress(MemberRefused):
            remove_member(corpus=corpus, user=user, by=by)

    olga, omar = owners
    at_once([lambda: remove(olga, omar), lambda: remove(omar, olga)])
    return CorpusMember.objects.filter(corpus=corpus, role="owner").count()


def slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets both look for other owners before one is gone."""
    look = actions._keep_an_owner

    def look_and_wait(corpus: Corpus, user: User) -> None:
        look(corpus, user)
        time.sleep(0.3)

    monkeypatch.setattr(actions, "_keep_an_owner", look_and_wait)


def test_without_the_lock_nobody_is_left(monkeypatch):
    slowly(monkeypatch)
    monkeypatch.setattr(actions, "_lock", lambda corpus: corpus)
    assert remove_each_other(*two_owners()) == 0


def test_one_of_two_owners_who_remove_each_other_stays(monkeypatch):
    corpus, owners = two_owners()
    slowly(monkeypatch)
    assert remove_each_other(corpus, owners) == 1
