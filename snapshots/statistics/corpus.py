"""Count sizes, lengths, overlap, edits, parses and labels: the statistics that describe a corpus.

MultiNLI section 2.2, Tables 1 to 3 and Figure 2; SNLI Table 2 and Figure 2; MPE Tables 1 and 3.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from nli.agreement import in_order, split_of
from nli.gold import Rule
from nli.labels import NO_GOLD
from nli.lines import HYPOTHESIS, PARTITIONS, PREMISE
from snapshots.files.trees import root
from snapshots.statistics.chosen_pairs import Chooser, as_rows, seen_of
from snapshots.statistics.distributions import share, sorted_counts, spread
from snapshots.statistics.pairs import Pair
from snapshots.statistics.single_premises import DEFINITIONS as SCENE_DEFINITIONS
from snapshots.statistics.single_premises import Scenes
from snapshots.statistics.words import TOKEN, is_word, stop_words, tokens

EDITION = 7  # increases when a definition changes: statistics of two editions are never compared
SUBSTANTIAL = 0.37
TOLD_EVERY = 10_000

DEFINITIONS = {
    "token": TOKEN,
    "pairs": "Pairs of the snapshot, those without a gold label among them.",
    "premise_words": (
        "Tokens of a premise, punctuation counted; the sentences of a premise of several "
        "are added up. Over pairs: a premise of three pairs counts three times."
    ),
    "hypothesis_words": "Tokens of a hypothesis, punctuation counted.",
    "tokens": "Tokens of the premises and hypotheses of all pairs.",
    "types": "Different tokens among those, without regard to case.",
    "overlap": (
        "The share of a hypothesis's tokens, without stop words and punctuation and without regard to "
        "case, that occur in any sentence of its premise; hypotheses that have no such token are left "
        "out. Stop words are taken out of English corpora only."
    ),
    "substantial_overlap": (
        "Pairs whose premise shares more than 37% of its tokens with the hypothesis (each token as often "
        "as both have it, case and punctuation kept). Of the readings tried, only this one comes near the"
        " 29% and 30% that MultiNLI (section 2.2) reports for SNLI and itself."
    ),
    "deletion": (
        "The hypothesis is the premise with words left out: its words stand in the premise in the same "
        "order, and the premise has more. Words here are tokens without punctuation, case ignored."
    ),
    "insertion": "The premise with one or more words put in: the other way round.",
    "one_word": (
        "The hypothesis is the premise with exactly one word added, replaced or moved (MultiNLI's second "
        "figure)."
    ),
    "s_rooted": (
        "Sentences whose parse is rooted in S, of those that came with a parse. Parses are those of the "
        "published corpus."
    ),
    "s_rooted_derived": (
        "Derived: the same of sentences whose tree was derived here by rule from a dependency parse, S where the "
        "root verb has a subject. Published shares are of Stanford parses: they are no measure for these."
    ),
    "agreement": (
        "Individual labels that equal the gold label, over pairs that have all their labels and a gold label."
    ),
    "votes": (
        "How the labels that count are split, the largest group first; pairs with all their labels only."
    ),
    "gold_labels": "Pairs by gold label; - is none.",
    "individual_labels": "Labels that count, the author's among them, of pairs with all their labels.",
    "answers_left_out": "Answers of people that name several labels. They are in no figure about labels.",
    "examples": (
        "One pair a genre with all its labels, of dev where dev has one: the first in the order of a hash"
        " of seed and name."
    ),
}


class _Cell:
    """Counts over the pairs of one partition, genre and gold label. A group is the sum of its cells."""

    MEASURES = (
        "premise_words",
        "hypothesis_words",
        "overlap",
        "shared",
        "edits",
        "premise_roots",
        "hypothesis_roots",
        "premise_derived_roots",
        "hypothesis_derived_roots",
        "agreeing",
        "votes",
        "gold_labels",
        "individual_labels",
        "left_out",
    )

    def __init__(self) -> None:
        self.counts: dict[str, Counter[Any]] = {name: Counter() for name in self.MEASURES}

    def __add__(self, other: "_Cell") -> "_Cell":
        both = _Cell()
        for name, counts in both.counts.items():
            counts.update(self.counts[name])
            counts.update(other.counts[name])
        return both


def measure(
    pairs: Iterable[Pair],
    *,
    labels: Sequence[str],
    seats: int | None,
    reads: Mapping[str, str] = {},
    language: str = "en",
    seed: int = 0,
    single_premises: Rule | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[str, Any]:
    """Computes all statistics by partition, genre and gold label, in one pass over `pairs`.

    labels: the gold labels, in order. seats: the number of labels of a pair with all labels; None where it varies. reads:
    the gold label that each label of an annotator stands for, if their schemes differ. single_premises: the rule for single
    premises, if the corpus asks for their labels. progress: called every ten thousand pairs; it may raise an error to stop.
    """
    stops = stop_words(language)
    cells: defaultdict[tuple[str, str, str], _Cell] = defaultdict(_Cell)
    types: defaultdict[str, set[str]] = defaultdict(set)
    examples: dict[str, tuple[tuple[bool, str], Pair]] = {}
    scenes, chooser = Scenes(single_premises, labels, seed), Chooser(seed)
    for done, pair in enumerate(pairs, start=1):
        premise = [tokens(sentence, language) for sentence in pair.premise]
        hypothesis = tokens(pair.hypothesis, language)
        _count(
            cells[pair.partition, pair.genre, pair.label].counts,
            pair,
            premise,
            hypothesis,
            stops,
            seats,
            reads,
        )
        for sentence in (*premise, hypothesis):
            types[pair.partition].update(token.lower() for token in sentence)
        scenes.add(pair)
        if _has_all_labels(pair, seats):
            _keep_example(examples, pair, seed)
            chooser.add(seen_of(pair, reads))
        if done % TOLD_EVERY == 0:
            progress(done)
    return {
        "edition": EDITION,
        "definitions": {**DEFINITIONS, **SCENE_DEFINITIONS},
        "labels": list(labels),
        "seats": seats,
        "seed": seed,
        "groups": [
            {**where, **_figures(cell, _types(types, where["partition"], where))}
            for where, cell in _groups(cells, labels)
        ],
        "examples": [_example(examples[genre][1]) for genre in sorted(examples)],
        "chosen": as_rows(chooser.chosen(labels)),
        "single_premises": scenes.figures(),
    }


def _count(
    counts: dict[str, Counter[Any]],
    pair: Pair,
    premise: list[tuple[str, ...]],
    hypothesis: tuple[str, ...],
    stops: frozenset[str],
    seats: int | None,
    reads: Mapping[str, str],
) -> None:
    whole = [token for sentence in premise for token in sentence]
    counts["premise_words"][len(whole)] += 1
    counts["hypothesis_words"][len(hypothesis)] += 1
    known = {token.lower() for token in whole}
    value = overlap((token.lower() for token in hypothesis), known, stops)
    if value is not None:
        counts["overlap"][value] += 1
    if whole:
        shared = sum((Counter(whole) & Counter(hypothesis)).values())
        counts["shared"][shared / len(whole) > SUBSTANTIAL] += 1
    for edit in edits(_words(whole), _words(hypothesis)):
        counts["edits"][edit] += 1
    for side, name, parse in (
        (PREMISE, "premise", pair.premise_parse),
        (HYPOTHESIS, "hypothesis", pair.hypothesis_parse),
    ):
        if parse:
            kind = "derived_roots" if side in pair.derived_parses else "roots"
            counts[f"{name}_{kind}"][root(parse)] += 1
    counts["gold_labels"][pair.label] += 1
    counts["left_out"]["answers"] += pair.left_out
    if _has_all_labels(pair, seats):
        counts["individual_labels"].update(pair.labels)
        counts["votes"][split_of(Counter(pair.labels).values())] += 1
        if pair.label != NO_GOLD:
            counts["agreeing"].update(reads.get(label, label) == pair.label for label in pair.labels)


def _has_all_labels(pair: Pair, seats: int | None) -> bool:
    """Returns whether labels of the pair can agree, and none is missing (nli.agreement.has_all_labels)."""
    given = len(pair.labels)
    return given > 1 and (not (pair.left_out or pair.waiting) if seats is None else given == seats)


def overlap(hypothesis: Iterable[str], premise: set[str], stops: frozenset[str]) -> float | None:
    """Returns the share of the content tokens of `hypothesis` that are in `premise`; None without content tokens."""
    content = [token for token in hypothesis if is_word(token) and token not in stops]
    return sum(token in premise for token in content) / len(content) if content else None


def _words(sentence: Iterable[str]) -> list[str]:
    return [token.lower() for token in sentence if is_word(token)]


def edits(premise: list[str], hypothesis: list[str]) -> Iterator[str]:
    """Yields the edits ("same", "deletion", "insertion", "one_word") that make the hypothesis of the premise."""
    if premise == hypothesis:
        yield "same"
        return
    if not premise or not hypothesis:
        return
    if len(hypothesis) < len(premise) and _is_within(hypothesis, premise):
        yield "deletion"
    if len(hypothesis) > len(premise) and _is_within(premise, hypothesis):
        yield "insertion"
        if len(hypothesis) == len(premise) + 1:
            yield "one_word"
    elif len(hypothesis) == len(premise) and _is_one_replaced_or_moved(premise, hypothesis):
        yield "one_word"


def _is_within(part: list[str], whole: list[str]) -> bool:
    rest = iter(whole)
    return all(word in rest for word in part)  # `in` advances the iterator, so the order counts


def _is_one_replaced_or_moved(one: list[str], other: list[str]) -> bool:
    differing = [index for index, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    first, last = differing[0], differing[-1]
    if first == last:
        return True
    a, b = one[first : last + 1], other[first : last + 1]
    return a[1:] + a[:1] == b or a[-1:] + a[:-1] == b


def _keep_example(examples: dict[str, tuple[tuple[bool, str], Pair]], pair: Pair, seed: int) -> None:
    place = (pair.partition != "dev", hashlib.sha256(f"{seed}:{pair.name}".encode()).hexdigest())
    if pair.genre not in examples or place < examples[pair.genre][0]:
        examples[pair.genre] = (place, pair)


def _example(pair: Pair) -> dict[str, Any]:
    return {
        "genre": pair.genre,
        "name": pair.name,
        "premise": list(pair.premise),
        "hypothesis": pair.hypothesis,
        "gold_label": pair.label,
        "labels": list(pair.labels),
    }


def partition_order(partition: str) -> tuple[int, str]:
    """Returns the key by which train, dev and test are sorted, and other names behind them."""
    return (PARTITIONS.index(partition) if partition in PARTITIONS else len(PARTITIONS), partition)


def _groups(
    cells: dict[tuple[str, str, str], _Cell], labels: Sequence[str]
) -> Iterator[tuple[dict[str, str | None], _Cell]]:
    """Yields each partition and all together, each as a whole, by genre and by gold label. None stands for all."""
    partitions = sorted({key[0] for key in cells}, key=partition_order)
    label_order = {label: index for index, label in enumerate((*labels, NO_GOLD))}
    for partition in (None, *partitions):
        chosen = {key: cell for key, cell in cells.items() if partition in (None, key[0])}
        yield {"partition": partition, "genre": None, "label": None}, _sum(chosen.values())
        by_genre = sorted(chosen, key=lambda key: key[1])
        for genre, keys in groupby(by_genre, key=lambda key: key[1]):
            yield {"partition": partition, "genre": genre, "label": None}, _sum(chosen[key] for key in keys)
        by_label = sorted(chosen, key=lambda key: label_order.get(key[2], len(label_order)))
        for label, keys in groupby(by_label, key=lambda key: key[2]):
            yield {"partition": partition, "genre": None, "label": label}, _sum(chosen[key] for key in keys)


def _sum(cells: Iterable[_Cell]) -> _Cell:
    return sum(cells, _Cell())


def _types(types: dict[str, set[str]], partition: str | None, where: dict[str, str | None]) -> int | None:
    """Counts the different tokens of a partition or of all; None for a part of a partition."""
    if where["genre"] is not None or where["label"] is not None:
        return None
    found = types.values() if partition is None else [types[partition]]
    return len(set().union(*found))


def _s_rooted(counts: dict[str, Counter[Any]], kind: str) -> dict[str, dict[str, float | int | None]]:
    sides = {side: counts[f"{side}_{kind}"] for side in ("premise", "hypothesis")}
    return {side: {"share": share(roots, "S"), "parses": roots.total()} for side, roots in sides.items()}


def _figures(cell: _Cell, types: int | None) -> dict[str, Any]:
    counts = cell.counts
    pairs = sum(counts["gold_labels"].values())
    lengths = {name: counts[name] for name in ("premise_words", "hypothesis_words")}
    edit = counts["edits"]
    return {
        "pairs": pairs,
        **{name: {**spread(values), "histogram": sorted_counts(values)} for name, values in lengths.items()},
        "tokens": sum(length * times for values in lengths.values() for length, times in values.items()),
        "types": types,
        "overlap": spread(counts["overlap"]),
        "substantial_overlap": share(counts["shared"], True),
        **{name: edit[name] / pairs if pairs else None for name in ("deletion", "insertion", "one_word")},
        "s_rooted": _s_rooted(counts, "roots"),
        "s_rooted_derived": _s_rooted(counts, "derived_roots"),
        "agreement": share(counts["agreeing"], True),
        "votes": {split: counts["votes"][split] for split in in_order(counts["votes"])},
        "gold_labels": sorted_counts(counts["gold_labels"]),
        "individual_labels": sorted_counts(counts["individual_labels"]),
        "answers_left_out": counts["left_out"]["answers"],
    }
