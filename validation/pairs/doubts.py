"""How sure a run is about each pair, for the list of pairs; `modeling` adds what measures it when it starts."""

from collections.abc import Callable
from typing import Any

# (run, corpus) -> a modeling.results.doubts.Doubts; None if the run predicted no pair of the corpus, or elsewhere.
DOUBTS: list[Callable[[int, int], Any]] = []
# corpus -> (number, name) of the newest runs that predicted pairs of it.
RUNS: list[Callable[[int], list[tuple[int, str]]]] = []


def runs_for(corpus_id: int) -> list[tuple[int, str]]:
    return [run for runs in RUNS for run in runs(corpus_id)]


def doubts_of(run: int, corpus_id: int) -> Any:
    return next((doubts(run, corpus_id) for doubts in DOUBTS), None)
