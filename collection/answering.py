"""Asks frozen runs about sentences while somebody writes them. The site, which has the runs, adds how. Imports no Django."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


class CannotAnswer(Exception):
    """The run cannot answer writers. Its text says why, and what to do."""


@dataclass(frozen=True)
class FrozenRun:
    """A run and its hypothesis-only twin, by the hashes of their files. A run that reads no premise is its twin."""

    run: int
    twin: int
    run_sha256: str
    twin_sha256: str
    run_name: str


NO_RUN = FrozenRun(0, 0, "", "", "")


@dataclass(frozen=True)
class Answer:
    """The label that is most probable to a run, and its probability."""

    label: str
    probability: float


@dataclass(frozen=True)
class Answers:
    """What a run and its twin answer to one sentence."""

    run: Answer
    twin: Answer


# (number, scheme of the labels, whether the twin alone is needed) -> the frozen run. Raises CannotAnswer.
FREEZE: list[Callable[[int, str, bool], FrozenRun]] = []
# (run, premise, sentences) -> an answer to each sentence, in milliseconds. Raises CannotAnswer where none comes.
ASK: list[Callable[[FrozenRun, Sequence[str], Sequence[str]], Sequence[Answers]]] = []


def freeze(number: int, scheme: str, *, alone: bool) -> FrozenRun:
    """Returns a finished run and its twin. `alone`: the twin is enough. Raises CannotAnswer."""
    if not FREEZE:
        raise CannotAnswer("no part of the site knows runs")
    return FREEZE[0](number, scheme, alone)


def answers_to(run: FrozenRun, premise: Sequence[str], texts: Mapping[str, str]) -> dict[str, Answers]:
    """Returns label -> the answers to its text. Raises CannotAnswer."""
    if not ASK:
        raise CannotAnswer("No part of the site answers for runs.")
    return dict(zip(texts, ASK[0](run, premise, list(texts.values())), strict=True))
