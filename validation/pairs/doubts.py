"""Calls the functions of `modeling` that measure how sure a run is about each pair.

They are found by their dotted names, because `validation` must not import `modeling`.
"""

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
