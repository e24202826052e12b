"""Figures of a snapshot's gold labels, votes and examples, and of single premises."""

from collections.abc import Iterator
from typing import Any

from collection.templatetags.labels import colours_of
from nli.agreement import in_order, is_unanimous
from nli.labels import COLLAPSED, NO_GOLD, SCHEMES, in_two_classes
from shared.figures import ALL, Figure, Picture, picture, rows_of
from shared.findings import compared, in_place, most_frequent, named_rows
from shared.intervals import wilson
from shared.numbers import percent
from shared.tables import Column, Table, interval
from snapshots.statistics.corpus import DEFINITIONS
from snapshots.statistics.corpus_figures import (
    CORPUS,
    Data,
    all_or,
    by_partition,
    defined,
    group_of,
)
from snapshots.statistics.scope import SNAPSHOT
from snapshots.statistics.single_premises import DEFINITIONS as SCENE_DEFINITIONS
from validation.statistics.definitions import PUBLISHED

# MPE, section 5.1: the mean share of annotators who agree with the final label.
MPE_AGREEMENT = {ALL: 0.70, "entailment": 0.82, "neutral": 0.42, "contradiction": 0.78}


def labels_of(data: Data) -> tuple[str, ...]:
    return (*data["labels"], NO_GOLD)


def _labels(data: Data) -> Iterator[list[Any]]:
    for partition, group in by_partition(data):
        counts = [group["gold_labels"].get(label, 0) for label in labels_of(data)]
        yield [partition, *counts, *(count / group["pairs"] for count in counts)]


def _labels_drawn(table: Table, data: Data) -> Picture:
    given = [label for label in labels_of(data) if any(row[label] for row in table.rows)]
    found = colours_of(label for label in given if label != NO_GOLD)
    colours = {**found, NO_GOLD: "--step-5"} if found else {}
    shown = {f"{label}, share": colours[label] for label in given} if colours else {}
    series = [f"{label}, share" for label in given]
    return picture("bars", y="partition", series=series, x_domain=[0, 1], colours=shown)


def _labels_found(table: Table) -> str:
    row, ending = table.rows[-1], ", pairs"
    counts = {
        column.name.removesuffix(ending): row[column.key]
        for column in table.columns
        if column.kind == "count" and column.key != NO_GOLD
    }
    gold = sum(counts.values())
    whole = gold + row[NO_GOLD]
    few = f"{gold:,} of {whole:,} pairs have a gold label" if gold else "no pair has a gold label"
    return in_place(most_frequent("gold label", counts, whole) or few)


LABELS = Figure(
    "labels",
    "Gold labels (MPE, Table 3)",
    SNAPSHOT,
    _labels,
    (
        Column("partition"),
        Column("{}", "{}, pairs", "count", DEFINITIONS["gold_labels"], each=labels_of),
        Column("{}, share", "{}", "share", each=labels_of),
    ),
    _labels_drawn,
    lambda table: _labels_found(table) if table.rows else "",
    CORPUS,
)


def _in_two_classes(data: Data) -> Iterator[list[Any]]:
    reads = in_two_classes(data["labels"]) or {}
    for partition, group in by_partition(data) if reads else ():
        classes = dict.fromkeys(SCHEMES[COLLAPSED], 0)
        for label, two in reads.items():
            classes[two] += group["gold_labels"].get(label, 0)
        total = sum(classes.values())
        yield [partition, *classes.values(), max(classes.values()) / total if total else None]


TWO_CLASSES = Figure(
    "two-classes",
    "Gold labels read as two classes: entailment, or 5 of a scale, is entailed (Diverse NLI Collection, Table 3)",
    SNAPSHOT,
    _in_two_classes,
    (
        Column("partition"),
        *(Column(label, kind="count") for label in SCHEMES[COLLAPSED]),
        Column("share of the commoner class", kind="share", definition="Of the pairs with a gold label."),
    ),
    source=CORPUS,
    only_with_rows=True,
)


def _splits(data: Data) -> list[str]:
    return in_order({split for group in data["groups"] for split in group["votes"]})


def _votes(data: Data) -> Iterator[list[Any]]:
    splits = _splits(data)
    for label in (None, *labels_of(data)):
        group = group_of(data, label=label)
        total = sum(group["votes"].values()) if group else 0
        if group is not None and total:
            numbers = [group["votes"].get(split, 0) for split in splits]
            yield [all_or(label), total, *numbers, *(number / total for number in numbers)]


def _votes_found(table: Table) -> str:
    (row,) = rows_of(table, {"gold label": ALL}) or [{}]
    unanimous = sum(
        row[column.key]
        for column in table.columns
        if column.kind == "share" and row and is_unanimous(column.key.removesuffix(", share"))
    )
    snli, multinli = PUBLISHED["unanimous"]
    return (
        f"All labels are the same in {percent(unanimous)} of the pairs (SNLI, Table 3: {percent(snli)}; MultiNLI, Table 2:"
        f" {percent(multinli)})."
        if row
        else ""
    )


VOTES = Figure(
    "votes",
    "How the votes are split",
    SNAPSHOT,
    _votes,
    (
        Column("gold label"),
        Column("pairs", kind="count", definition=DEFINITIONS["votes"]),
        Column("{}", "{}, pairs", "count", each=_splits),
        Column("{}, share", "{}", "share", each=_splits),
    ),
    lambda table, data: picture(
        "bars",
        y="gold label",
        series=[f"{split}, share" for split in _splits(data)],
        n="pairs",
        x_domain=[0, 1],
    ),
    _votes_found,
    CORPUS,
)


def _agreement_by_label(data: Data) -> Iterator[list[Any]]:
    for label in (None, *data["labels"]):
        group = group_of(data, label=label) or {"votes": {}, "agreement": None}
        pairs, share = sum(group["votes"].values()), group["agreement"]
        if share is not None:
            yield [all_or(label), pairs, share, *wilson(share, pairs), MPE_AGREEMENT.get(all_or(label))]


def _agreement_found(table: Table) -> str:
    labels = [row for row in table.rows if row["gold label"] != ALL]
    what = "the share of labels that equal the gold label"
    return in_place(
        compared(what, named_rows(labels, "gold label", "agreement", "pairs"), "gold label") or what
    )


AGREEMENT_BY_LABEL = Figure(
    "agreement-by-label",
    "Agreement by gold label (MPE, section 5.1)",
    SNAPSHOT,
    _agreement_by_label,
    (
        Column("gold label"),
        Column("pairs", kind="count", definition="Pairs with all their labels."),
        Column("agreement", "labels = gold label", "share", DEFINITIONS["agreement"]),
        *interval(
            "The 95% interval after Wilson, as if each pair were one answer: the labels of a pair depend on it."
        ),
        Column("MPE", kind="share", source="MPE, section 5.1"),
    ),
    picture("dots", y="gold label", x="agreement", low="low", high="high", n="pairs", others=["MPE"]),
    _agreement_found,
    CORPUS,
    only_with_rows=True,
)


# Examples


def _examples(data: Data) -> Iterator[list[Any]]:
    """Yields examples with labels as first letters, as in the papers; in full if two labels begin alike (minor, major)."""
    labels = {*data["labels"], *(label for example in data["examples"] for label in example["labels"])}
    letters = {label: label[:1].upper() for label in labels}
    if len({*letters.values()}) < len(letters):
        letters = {label: label for label in letters}
    for each in data["examples"]:
        given = " ".join(letters[label] for label in each["labels"])
        premise = " / ".join(each["premise"])
        yield [each["genre"], premise, each["gold_label"], given, each["hypothesis"], each["name"]]


EXAMPLES = Figure(
    "examples",
    "Examples (SNLI and MultiNLI, Table 1)",
    SNAPSHOT,
    _examples,
    (
        Column("genre"),
        Column("premise", kind="sentence"),
        Column("gold label"),
        Column("labels"),
        Column("hypothesis", kind="sentence"),
        Column("pair", kind="pair"),
    ),
    source=CORPUS,
    notes=defined("examples"),
)


# Single premises


def _agreeing(data: Data) -> list[str]:
    """Returns the numbers from 0 to the largest number of agreeing premises."""
    groups = data["single_premises"]["groups"]
    return [str(number) for number in range(max((len(group["agree"]) for group in groups), default=0))]


def _single_premises(data: Data) -> Iterator[list[Any]]:
    groups = data["single_premises"]["groups"]
    for group in groups if len(groups) > 2 else groups[:1]:
        shares = [group["agree"].get(number, 0.0) for number in _agreeing(data)]
        votes = [group["majority_of_premises"], group["more_of_premises"]]
        yield [all_or(group["partition"]), group["pairs"], *shares, *votes]


def _scene_examples(data: Data) -> Iterator[list[Any]]:
    for each in data["single_premises"]["examples"]:
        premises = " / ".join(each["premise"])
        yield [each["agree"], ", ".join(each["labels"]), premises, each["hypothesis"], each["gold_label"]]


SINGLE_PREMISES = Figure(
    "single-premises",
    "Single premises and all of them (MPE, Table 4)",
    SNAPSHOT,
    _single_premises,
    (
        Column("partition"),
        Column("pairs", kind="count", definition=SCENE_DEFINITIONS["single_premises"]),
        Column("{} agree", "", "share", each=_agreeing),
        Column("most premises agree", kind="share", definition=SCENE_DEFINITIONS["premise_votes"]),
        Column("voting scheme", kind="share"),
    ),
    source=CORPUS,
    only_with_rows=True,
)
SINGLE_PREMISE_EXAMPLES = Figure(
    "single-premise-examples",
    "One pair for each number of premises that agree (MPE, Table 4)",
    SNAPSHOT,
    _scene_examples,
    (
        Column("agree", kind="count"),
        *(Column(name) for name in ("labels of the premises", "premises", "hypothesis", "gold label")),
    ),
    source=CORPUS,
    notes=(SCENE_DEFINITIONS["scene_examples"],),
    only_with_rows=True,
)

FIGURES = (
    *(TWO_CLASSES, LABELS, VOTES, AGREEMENT_BY_LABEL),
    *(EXAMPLES, SINGLE_PREMISES, SINGLE_PREMISE_EXAMPLES),
)
