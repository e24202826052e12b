"""Read the pairs of a partition's file. Only this module of the training program knows the published field names.

A pair without a gold label is dropped and counted. Any other error is reported with file, line and reason: a reader that
guesses would train on labels that nobody gave.
"""

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from modeling.baselines.config import DataFile
from modeling.baselines.errors import BaselineError
from modeling.baselines.files import sha256_of
from nli.answers import COUNTS
from nli.gold import WITHHELD, Rule
from nli.labels import COLLAPSED, NO_GOLD, SCHEMES, label_index, vote_index
from nli.lines import ALL, EXTRA, IN_SEATS, TEXTS, is_a, premises_of, votes_in
from nli.single_premises import labels_of_premises

NO_GENRE = "no genre"  # SNLI's own files have none
UNKNOWN = -1  # the label of a pair whose labels are withheld


@dataclass(frozen=True, slots=True)
class Pair:
    """One premise (of several sentences in some corpora) and one hypothesis; `label` is the index of the gold label."""

    pair_id: str
    premise: tuple[str, ...]
    hypothesis: str
    label: int
    genre: str
    votes: tuple[int, ...] = ()  # how many people gave each label; empty if the file has no votes
    # Those in the seats, and those beyond, where there are some beyond (nli.lines.SETS).
    seats: tuple[int, ...] = ()
    extra: tuple[int, ...] = ()
    # The label of each single premise that has one (MPE paper, section 5.2).
    premise_labels: tuple[int, ...] = ()
    group: str = ""  # of premises; empty if the premise is one by itself

    def votes_of(self, which: str) -> tuple[int, ...]:
        """Returns how many people gave each label in one of nli.lines.SETS; empty without any."""
        if which == EXTRA:
            return self.extra
        return self.seats if which == IN_SEATS and self.extra else self.votes


@dataclass(frozen=True)
class Partition:
    """The pairs of a file that have a gold label, in the file's order; `dropped` counts the others.

    `unscored`: of these the pairs whose labels are withheld. They are predicted, and learnt or scored by nobody here.
    """

    pairs: tuple[Pair, ...] = ()
    dropped: int = 0
    unscored: tuple[Pair, ...] = ()


def without_premise(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """Returns the pairs as a hypothesis-only twin reads them: each with one empty premise, so that not even the number of
    premises shows.
    """
    return tuple(replace(pair, premise=("",)) for pair in pairs)


def held_back(pairs: Sequence[Pair], share: float, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Returns the pairs to learn from, and those to hold back: whole premises or groups, drawn by the seed, `share` at most.

    Where none is so small, it is the smallest, if that is a quarter of the pairs or less; else none.
    """
    of = [pair.group or "\n".join(pair.premise) for pair in pairs]
    sizes = Counter(of)
    groups = sorted(sizes)
    random.Random(seed).shuffle(groups)
    left, drawn = round(share * len(pairs)), set[str]()
    for group in groups:
        if sizes[group] <= left:
            drawn.add(group)
            left -= sizes[group]
    if (
        share
        and groups
        and not drawn
        and sizes[least := min(groups, key=sizes.__getitem__)] <= len(pairs) / 4
    ):
        drawn.add(least)
    held: tuple[list[Pair], list[Pair]] = ([], [])
    for pair, group in zip(pairs, of, strict=True):
        held[group in drawn].append(pair)
    return held


def read_partition(file: DataFile, labels: Sequence[str], collapse: bool = False) -> Partition:
    """Reads the pairs of a JSON Lines file, labels as indices into `labels`; `collapse` reads them as two classes.

    Raises BaselineError for a missing file, another SHA-256, or an invalid line.
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
    rule = file.single_premises.rule if file.single_premises else None
    pairs: list[Pair] = []
    unscored: list[Pair] = []
    dropped = 0
    seen: set[str] = set()
    with file.path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                pair = read_pair(line, index, votes, rule)
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
            (unscored if pair.label == UNKNOWN else pairs).append(pair)
    return Partition(tuple(pairs), dropped + len(unscored), tuple(unscored))


def read_pair(
    line: bytes, index: dict[str, int], votes: dict[str, int], premises: Rule | None = None
) -> Pair | None:
    """Returns the pair of a line; None if it has no gold label, with the label UNKNOWN if it is withheld.

    Raises ValueError for an invalid line.

    index: gold label -> its index. votes: the same for the labels that annotators give, which may be a finer scheme.
    premises: the rule for the labels of single premises.
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
    is_withheld = label == "" and row.get("gold_source") == WITHHELD
    if not is_withheld and label not in index:
        two = SCHEMES[COLLAPSED]
        can = index.keys() == set(two) and label in label_index(two, collapse=True)
        hint = " (set collapse to read it as that)" if can else ""
        raise ValueError(f"the label {label!r} is not one of: {', '.join(index)}{hint}")
    has_extra = row.get("all_label_counts") is not None
    return Pair(
        pair_id=text_of(row, "pairID"),
        premise=premise_of(row),
        hypothesis=text_of(row, "sentence2"),
        label=UNKNOWN if is_withheld else index[label],
        genre=text_of(row, "genre") if row.get("genre") is not None else NO_GENRE,
        votes=votes_of(row, votes),
        seats=votes_of(row, votes, IN_SEATS) if has_extra else (),
        extra=votes_of(row, votes, EXTRA) if has_extra else (),
        premise_labels=premise_labels_of(row, premises, votes),
        group=text_of(row, "group") if row.get("group") is not None else "",
    )


def votes_of(row: dict[str, Any], index: dict[str, int], which: str = ALL) -> tuple[int, ...]:
    """Returns how many people gave each label, by index; empty without any (nli.lines.votes_in)."""
    given = row.get("annotator_labels") or []
    for name in COUNTS:
        counts = row.get(name, {})
        if counts is not None and not (
            isinstance(counts, dict) and all(isinstance(each, int) for each in counts.values())
        ):
            raise ValueError(f"{name} must be an object of numbers")
    if not is_a(TEXTS, given):
        raise ValueError("annotator_labels must be a list of texts")
    cast = votes_in(row, which)
    for one in cast:
        if one not in index:
            raise ValueError(f"the annotator label {one!r} is not one of: {', '.join(index)}")
    found: Counter[int] = Counter()
    for one, number in cast.items():
        found[index[one]] += number
    return tuple(found[place] for place in range(max(index.values()) + 1)) if cast else ()


def premise_labels_of(row: dict[str, Any], rule: Rule | None, index: dict[str, int]) -> tuple[int, ...]:
    """Returns the label of each single premise that has one, by index; empty without a rule, or where labels are missing."""
    given = row.get("single_premise_labels") or []
    if not isinstance(given, list) or not all(isinstance(one, list) for one in given):
        raise ValueError("single_premise_labels must be a list of lists of texts")
    if rule is None:
        return ()
    for one in (one for labels in given for one in labels):
        if one not in rule.labels:
            raise ValueError(f"the single-premise label {one!r} is not one of: {', '.join(rule.labels)}")
    return tuple(index[label] for label in labels_of_premises(given, rule) or () if label is not None)


def premise_of(row: dict[str, Any]) -> tuple[str, ...]:
    """Returns the premise's sentences: `premise_sentences` if there are several, else `sentence1`."""
    several = row.get("premise_sentences")
    if several is None:
        text_of(row, "sentence1")
    elif not several or not is_a(TEXTS, several):
        raise ValueError("premise_sentences must be a list of texts")
    return tuple(premises_of(row))


def text_of(row: dict[str, Any], key: str) -> str:
    """Returns the text under `key`. Raises ValueError if it is missing or not a text."""
    value = row.get(key)
    if not isinstance(value, str):
        raise ValueError(f"{key} is {'missing' if key not in row else 'not a text'}")
    return value
