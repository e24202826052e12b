"""A pair as the measures see it, and how it is read from a line of a snapshot's file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Pair:
    """`premise` is one sentence or several; `label` the gold label or "-"; `labels` the ones that count.

    Parses are bracketed trees, empty where there are none; `derived_parses` names the sides ("sentence1", "sentence2")
    whose trees did not come with the corpus. `prompt_version` and `author` may be empty.
    `single_premise_labels` has the labels of each sentence of the premise by itself, where these were asked for.
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


def pair_of(partition: str, line: Mapping[str, Any]) -> Pair:
    """The pair of one line of train.jsonl, dev.jsonl or test.jsonl."""
    return Pair(
        premise=tuple(line.get("premise_sentences") or [line["sentence1"]]),
        hypothesis=line["sentence2"],
        label=line["gold_label"],
        genre=line["genre"],
        partition=partition,
        name=line["pairID"],
        author=line["author"],
        prompt_version=line.get("prompt_version", ""),
        labels=tuple(line["annotator_labels"]),
        premise_parse=line["sentence1_parse"],
        hypothesis_parse=line["sentence2_parse"],
        derived_parses=tuple(line.get("derived_parses", ())),
        single_premise_labels=tuple(map(tuple, line.get("single_premise_labels", ()))),
    )
