"""Define a pair as the statistics need it, and read it from a line of a snapshot's file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nli.labels import NO_GOLD
from nli.lines import HYPOTHESIS, PREMISE, premises_of


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of a snapshot.

    premise: its sentences. label: the gold label or "-". labels: the annotators' labels that count. Parses are bracketed
    trees, or empty; derived_parses names the sides ("sentence1", "sentence2") whose trees were derived here.
    prompt_version, author and author_label may be empty. single_premise_labels: the labels of each sentence of the premise
    by itself, if the corpus asks for them. left_out: answers that name several labels, and are none of `labels`. waiting:
    seats without an answer, under a gold rule that is over all answers.
    """

    premise: tuple[str, ...]
    hypothesis: str
    label: str
    genre: str = ""
    partition: str = ""
    name: str = ""
    author: str = ""
    prompt_version: str = ""
    labels: tuple[str, ...] = ()
    premise_parse: str = ""
    hypothesis_parse: str = ""
    derived_parses: tuple[str, ...] = ()
    single_premise_labels: tuple[tuple[str, ...], ...] = ()
    left_out: int = 0
    waiting: int = 0
    author_label: str = ""


def pair_of(partition: str, line: Mapping[str, Any]) -> Pair:
    """Reads the pair from a line of train.jsonl, dev.jsonl or test.jsonl."""
    return Pair(
        premise=tuple(premises_of(line)),
        hypothesis=line[HYPOTHESIS],
        label=line["gold_label"] or NO_GOLD,  # withheld
        genre=line["genre"],
        partition=partition,
        name=line["pairID"],
        author=line["author"],
        prompt_version=line.get("prompt_version", ""),
        labels=tuple(line["annotator_labels"]),
        premise_parse=line[f"{PREMISE}_parse"],
        hypothesis_parse=line[f"{HYPOTHESIS}_parse"],
        derived_parses=tuple(line.get("derived_parses", ())),
        single_premise_labels=tuple(map(tuple, line.get("single_premise_labels", ()))),
        left_out=line.get("answers_left_out", 0),
        waiting=line.get("seats_waiting", 0),
        author_label=line["author_label"] or "",
    )
