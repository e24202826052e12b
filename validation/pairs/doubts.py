"""The doubts of runs about pairs, from the app of the runs, which is above this one: hence by dotted names."""

from typing import Any

from django.utils.module_loading import import_string

DOUBTS = "modeling.results.doubts.doubts_of"
RUNS = "modeling.results.doubts.runs_with_predictions"


def runs_for(corpus_id: int) -> list[tuple[int, str]]:
    """Returns (number, name) of the newest runs that predicted pairs of the corpus."""
    found: list[tuple[int, str]] = import_string(RUNS)(corpus_id)
    return found


def doubts_of(run: int, corpus_id: int) -> Any:
    """Returns a modeling.results.doubts.Doubts; None if the run predicted no pair of the corpus, or elsewhere."""
    return import_string(DOUBTS)(run, corpus_id)
