"""Read the pairs of a partition's file. Only this module of the training program knows the published field names.

A pair without a gold label is dropped and counted. Any other error is reported with file, line and reason: a reader that
guesses would train on labels that nobody gave.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from modeling.baselines.config import DataFile
from modeling.baselines.errors import BaselineError
from modeling.baselines.files import sha256_of
from nli.labels import COLLAPSED, COLLAPSIBLE, NO_GOLD, SCHEMES, label_index, vote_index

NO_GENRE = "no genre"  # SNLI's own files have none


@dataclass(frozen=True, slots=True)
class Pair:
    """One premise (of several sentences in some corpora), one hypothesis; `label` is the gold's index."""

    pair_id: str
    premise: tuple[str, ...]
    hypothesis: str
    label: int
    genre: str
    votes: tuple[int, ...] = ()  # how many people gave each label; empty if the file has no votes
    premise_labels: tuple[
        int, ...
    ] = ()  # the label of each single premise that has one (MPE paper, section 5.2)


@dataclass(frozen=True)
class Partition:
    """The pairs of one file that have a gold label, in the file's order, and how many had none."""

    pairs: tuple[Pair, ...] = ()
    dropped: int = 0


def without_premise(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """The pairs as a hypothesis-only twin reads them: each with one empty premise, so that not even the number of
    premises shows.
    """
    return tuple(replace(pair, premise=("",)) for pair in pairs)


def read_partition(file: DataFile, labels: Sequence[str], collapse: bool = False) -> Partition:
    """The pairs of a JSON Lines file, labels as indices into `labels`; `collapse` reads labels as entailed or not-entailed.

    Raises BaselineError for a file that is missing, one whose SHA-256 is another, and a bad line.
    """
    # The hash comes first: a truncated file must be reported as that, not as a file with a malformed last line.
    found = sha256_of(file.path)
    if found != file.sha256:
        raise BaselineError(
            f"The file {file.path} is not the expected one (sha256 {found} instead of {file.sha256}): "
            "it is incomplete or was changed. Export the snapshot again."
        )
    index = label_index(labels, collapse)
    votes = vote_index(labels) | index
    pairs: list[Pair] = []
    dropped = 0
    seen: set[str] = set()
    with file.path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                pair = read_pair(line, index, votes)
                if pair is None:
                    dropped += 1
                    continue
                if pair.pair_id in seen:
                    raise ValueError(f"the pairID {pair.pair_id!r} occurs a second time")
            except ValueError as error:
                raise BaselineError(
                    f"{file.path}, line {number}: {error}. Correct the corpus and export the snapshot again."
                ) from error
            seen.add(pair.pair_id)
            pairs.append(pair)
    return Partition(tuple(pairs), dropped)


def read_pair(line: bytes, index: dict[str, int], votes: dict[str, int]) -> Pair | None:
    """The pair of one line; None where it has no gold label. Raises ValueError for a bad line.

    index: of each gold label. votes: of each label that an annotator may give, maybe of a finer scheme.
    """
    try:
        row: Any = json.loads(line)
    except ValueError as error:
        raise ValueError(f"this is not JSON ({error})") from error
    if not isinstance(row, dict):
        raise ValueError("this is not a JSON object")
    label = text_of(row, "gold_label")
    if label == NO_GOLD:
        return None
    if label not in index:
        can = index.keys() == set(SCHEMES[COLLAPSED]) and any(
            label in SCHEMES[scheme] for scheme in COLLAPSIBLE
        )
        hint = " (set collapse to read it as that)" if can else ""
        raise ValueError(f"the label {label!r} is not one of: {', '.join(index)}{hint}")
    return Pair(
        pair_id=text_of(row, "pairID"),
        premise=premise_of(row),
        hypothesis=text_of(row, "sentence2"),
        label=index[label],
        genre=text_of(row, "genre") if row.get("genre") is not None else NO_GENRE,
        votes=votes_of(row, votes),
        premise_labels=premise_labels_of(row, votes),
    )


def votes_of(row: dict[str, Any], index: dict[str, int]) -> tuple[int, ...]:
    """Return how many people gave each label, by index; empty without `annotator_labels`. A blank is no vote.

    Where more were asked than decide (`all_label_counts`), all of them count: they say more about how people disagree.
    """
    everybody = row.get("all_label_counts")
    if everybody is None:
        given = row.get("annotator_labels") or []
    elif isinstance(everybody, dict) and all(isinstance(number, int) for number in everybody.values()):
        given = [one for one, number in everybody.items() for _ in range(number)]
    else:
        raise ValueError("all_label_counts must be an object of numbers")
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise ValueError("annotator_labels must be a list of texts")
    cast = [one for one in given if one not in ("", NO_GOLD)]
    for one in cast:
        if one not in index:
            raise ValueError(f"the annotator label {one!r} is not one of: {', '.join(index)}")
    counts = Counter(index[one] for one in cast)
    return tuple(counts[place] for place in range(max(index.values()) + 1)) if cast else ()


def premise_labels_of(row: dict[str, Any], index: dict[str, int]) -> tuple[int, ...]:
    """Return the label that most people gave to each single premise with the hypothesis; a premise without labels, or
    with a tie, has none.
    """
    given = row.get("single_premise_labels") or []
    if not isinstance(given, list) or not all(isinstance(one, list) for one in given):
        raise ValueError("single_premise_labels must be a list of lists of texts")
    found = []
    for labels in given:
        for one in labels:
            if one not in index:
                raise ValueError(f"the single-premise label {one!r} is not one of: {', '.join(index)}")
        ranked = Counter(index[one] for one in labels).most_common(2)
        if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]):
            found.append(ranked[0][0])
    return tuple(found)


def premise_of(row: dict[str, Any]) -> tuple[str, ...]:
    """The premise's sentences: `premise_sentences` where there are several, else `sentence1`."""
    several = row.get("premise_sentences")
    if several is None:
        return (text_of(row, "sentence1"),)
    if not isinstance(several, list) or not several or not all(isinstance(one, str) for one in several):
        raise ValueError("premise_sentences must be a list of texts")
    return tuple(several)


def text_of(row: dict[str, Any], key: str) -> str:
    """The text under `key`. Raises ValueError where it is missing or no text."""
    value = row.get(key)
    if not isinstance(value, str):
        raise ValueError(f"{key} is {'missing' if key not in row else 'not a text'}")
    return value
