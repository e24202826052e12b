"""What a researcher must pass before a page or REST address answers, and for whom an answer is made.

Apps above register gates, since roles of an installation are decided here, and those of a corpus are not.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.http import HttpRequest

from accounts.models import User

Known = TypeVar("Known")
# Each raises Http404 or PermissionDenied if this researcher may not have what the address names.
GATES: list[Callable[[HttpRequest, User], None]] = []


@dataclass
class _Answer:
    """For whom an answer is made, and what was asked for about them while it is."""

    user: User | None
    known: dict[str, Any] = field(default_factory=dict)


# Each returns (slug, name) of the corpora to which a researcher may bind a token.
CORPORA: list[Callable[[User], Iterable[tuple[str, str]]]] = []
_ANSWER: ContextVar[_Answer | None] = ContextVar("answer", default=None)


def viewer() -> User | None:
    """Returns the researcher for whom this request is answered; None in workers, in commands, and for annotators.

    It is for names in queries and texts, such as the snapshots to mix into a run: `Snapshot.objects.of(viewer())`.
    """
    answer = _ANSWER.get()
    return answer.user if answer else None


def known_of(user: User, name: str, ask: Callable[[], Known]) -> Known:
    """Returns what `ask` returns about a person; of the viewer it is asked once for an answer."""
    answer = _ANSWER.get()
    if answer is None or answer.user is not user:
        return ask()
    if name not in answer.known:
        answer.known[name] = ask()
    found: Known = answer.known[name]
    return found


@contextmanager
def answering(user: User | None) -> Iterator[None]:
    """Makes the block an answer for this person, who passes the gates by `let_in`."""
    before = _ANSWER.set(_Answer(user if user is not None and user.is_researcher else None))
    try:
        yield
    finally:
        _ANSWER.reset(before)


def let_in(request: HttpRequest, user: User) -> None:
    """Lets a researcher through all gates, and makes them the viewer. Raises Http404, PermissionDenied."""
    answer = _ANSWER.get()
    if answer is None:
        raise RuntimeError(
            "A view that lets researchers in answers within `answering`, as ResearcherView does."
        )
    if user.is_researcher:
        answer.user = user
        for gate in GATES:
            gate(request, user)
