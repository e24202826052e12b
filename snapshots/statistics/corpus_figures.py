"""Figures of a snapshot's sizes, lengths, overlap, edits, labels and votes, beside those of the papers."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from nli.lines import PARTITIONS
from schemas.published import column_of
from shared.figures import ALL, Figure, Picture, picture, rows_of, whole
from shared.findings import compared, in_place, most_frequent, named_rows
from shared.intervals import MIDDLE, wilson
from shared.numbers import percent
from shared.tables import Column, Table, interval
from snapshots.statistics.chosen_pairs import RULES
from snapshots.statistics.corpus import DEFINITIONS
from snapshots.statistics.scope import NO_GOLD_NAME, SNAPSHOT

Data = Mapping[str, Any]
CORPUS = "corpus"
SIDES = {"premise": "premise_words", "hypothesis": "hypothesis_words"}
# SNLI Table 2 (mean tokens of a premise, a hypothesis) and MultiNLI Table 3 (mean tokens of a premise).
SNLI_WORDS = tuple(column_of("SNLI", "lengths", f"{side} mean")["all"] for side in ("premise", "hypothesis"))
MULTINLI_PREMISE_WORDS = column_of("MultiNLI", "lengths", "premise mean")["all"]
WIDE_ENOUGH = 25  # words: so that the published means are always in the picture
# MultiNLI, section 2.2.
SNLI_EDITS, MULTINLI_EDITS = (
    {
        name: share / 100
        for name, share in column_of("MultiNLI", "edits", about=of).items()
        if not isinstance(share, str)
    }
    for of in ("SNLI", "")
)
ERRORS = "The mean, and 1.96 standard errors on each side of it, as if all pairs were independent."
EDITS = {
    "deletion": "deletion",
    "insertion": "insertion",
    "one word": "one_word",
    "> 37% overlap": "substantial_overlap",
}
TOKEN_NOTE = f"Token: {DEFINITIONS['token']}"


def group_of(data: Data, **where: str | None) -> Data | None:
    wanted = {"partition": None, "genre": None, "label": None, **where}
    return next((group for group in data["groups"] if wanted.items() <= group.items()), None)


def partitions_of(data: Data) -> list[str | None]:
    """Returns the partitions in order, followed by None (all together) if there are several."""
    named = list(dict.fromkeys(group["partition"] for group in data["groups"] if group["partition"]))
    return [*named, None] if len(named) > 1 else named


def by_partition(data: Data) -> Iterator[tuple[str, Data]]:
    for partition in partitions_of(data):
        group = group_of(data, partition=partition)
        assert group is not None
        yield all_or(partition), group


def all_or(name: str | None) -> str:
    return ALL if name is None else name


def defined(*keys: str) -> tuple[str, ...]:
    return tuple(DEFINITIONS[key] for key in keys)


# Sizes by genre


def _has_derived(data: Data) -> bool:
    group = group_of(data)
    return group is not None and any(side["parses"] for side in group["s_rooted_derived"].values())


def _genres(data: Data) -> Iterator[list[Any]]:
    named = [g["genre"] for g in data["groups"] if g["genre"] is not None and g["partition"] is None]
    sizes = {genre: (group_of(data, genre=genre) or {})["pairs"] for genre in named}
    named.sort(key=lambda genre: -sizes[genre])
    for genre in [*named, None] if len(named) > 1 else named:
        group = group_of(data, genre=genre)
        assert group is not None
        parts = [group_of(data, partition=partition, genre=genre) for partition in PARTITIONS]
        yield [
            all_or(genre),
            *(part["pairs"] if part else 0 for part in parts),
            *(group[key]["mean"] for key in SIDES.values()),
            *(side["share"] for side in group["s_rooted"].values()),
            *(side["share"] for side in group["s_rooted_derived"].values() if _has_derived(data)),
            group["agreement"],
        ]


def _genres_drawn(table: Table, data: Data) -> Picture:
    parts = [part for part in PARTITIONS if any(row[part] for row in table.rows)]
    note = "SNLI has 570,152 pairs (section 1), MultiNLI 432,702 of ten genres (Table 3)."
    return picture("bars", y="genre", series=parts, x_name="pairs", without={"genre": ALL}, note=note)


def _genres_found(table: Table) -> str:
    sizes = {row["genre"]: sum(row[part] for part in PARTITIONS) for row in table.rows if row["genre"] != ALL}
    total = sum(sizes.values())
    if len(sizes) == 1:
        return f"{total:,} pairs, all of the genre {next(iter(sizes))}."
    found = most_frequent("genre", sizes, total)
    return f"{total:,} pairs of {len(sizes)} genres{f': {found}' if found else ''}."


def derived(data: Data) -> Sequence[str]:
    return ("premises", "hypotheses") if _has_derived(data) else ()


GENRES = Figure(
    "genres",
    "Sizes by genre (MultiNLI, Table 3)",
    SNAPSHOT,
    _genres,
    (
        Column("genre"),
        *(Column(name, kind="count", definition=f"Pairs in {name}.") for name in PARTITIONS),
        Column("words a premise", kind="number", definition=DEFINITIONS["premise_words"]),
        Column("words a hypothesis", kind="number", definition=DEFINITIONS["hypothesis_words"]),
        Column("S-rooted premises", kind="share", definition=DEFINITIONS["s_rooted"]),
        Column("S-rooted hypotheses", kind="share"),
        Column("S-rooted {}, derived", "", "share", DEFINITIONS["s_rooted_derived"], each=derived),
        Column("agreement", kind="share", definition=DEFINITIONS["agreement"]),
    ),
    _genres_drawn,
    _genres_found,
    CORPUS,
    notes=(*defined("pairs"), TOKEN_NOTE),
)


# Lengths


def _lengths(data: Data) -> Iterator[list[Any]]:
    for partition, group in by_partition(data):
        sides = (group[side][key] for side in SIDES.values() for key in ("mean", "sd", "least", "most"))
        yield [partition, *sides, group["tokens"], group["types"]]


LENGTHS = Figure(
    "lengths",
    "Lengths, tokens and types (SNLI, Table 2; MPE, Table 3)",
    SNAPSHOT,
    _lengths,
    (
        Column("partition"),
        *(
            Column(
                f"{side} {key}",
                kind="number" if key in ("mean", "sd") else "count",
                definition=DEFINITIONS[words] if key == "mean" else "",
            )
            for side, words in SIDES.items()
            for key in ("mean", "sd", "shortest", "longest")
        ),
        Column("tokens", kind="count", definition=DEFINITIONS["tokens"]),
        Column("types", kind="count", definition=DEFINITIONS["types"]),
    ),
    source=CORPUS,
    notes=(TOKEN_NOTE,),
)


def _length_distribution(data: Data) -> Iterator[list[Any]]:
    sides = [(group_of(data) or {})[side]["histogram"] for side in SIDES.values()]
    longest = max((int(length) for side in sides for length in side), default=-1)
    return ([length, *(side.get(str(length), 0) for side in sides)] for length in range(longest + 1))


def _distribution_drawn(table: Table, data: Data) -> Picture:
    longest = max(row["words"] for row in table.rows)
    published = {
        "mean premise of SNLI": SNLI_WORDS[0],
        "mean premise of MultiNLI": MULTINLI_PREMISE_WORDS,
        "mean hypothesis of SNLI": SNLI_WORDS[1],
    }
    return picture(
        "lines",
        x="words",
        series=["premises", "hypotheses"],
        y_name="pairs",
        x_domain=[0, max(WIDE_ENOUGH, longest)],
        lines=[{"axis": "x", "value": value, "name": name} for name, value in published.items()],
    )


def _distribution_found(table: Table) -> str:
    totals = {side: sum(row[side] for row in table.rows) for side in ("premises", "hypotheses")}
    if not all(totals.values()):
        return ""
    premise, hypothesis = (
        sum(row["words"] * row[side] for row in table.rows) / total for side, total in totals.items()
    )
    return (
        f"A premise has {premise:.1f} words on average, a hypothesis {hypothesis:.1f}"
        f" (SNLI, Table 2: {SNLI_WORDS[0]} and {SNLI_WORDS[1]}; premises of MultiNLI, Table 3: {MULTINLI_PREMISE_WORDS})."
    )


LENGTH_DISTRIBUTION = Figure(
    "length-distribution",
    "How long the sentences are (SNLI and MultiNLI, Figure 2)",
    SNAPSHOT,
    _length_distribution,
    (
        Column("words", kind="count"),
        Column("premises", kind="count", definition=DEFINITIONS["premise_words"]),
        Column("hypotheses", kind="count", definition=DEFINITIONS["hypothesis_words"]),
    ),
    _distribution_drawn,
    _distribution_found,
    CORPUS,
    notes=(TOKEN_NOTE,),
)


# Overlap and edits


def means(number: int, mean: float | None, sd: float | None) -> list[Any]:
    """Returns number, mean, spread and the ends of the mean's interval, for the columns of MEANS."""
    if mean is None or sd is None or not number:
        return [number, mean, sd, None, None]
    error = MIDDLE * sd / math.sqrt(number)
    return [number, mean, sd, mean - error, mean + error]


def means_found(what: str, digits: int, key: str = "partition") -> Callable[[Table], str]:
    """Returns what makes the finding about means by gold label."""

    def found(table: Table) -> str:
        labels = [
            row for row in rows_of(table, whole(table, key)) if row["gold label"] not in (ALL, NO_GOLD_NAME)
        ]
        parts = named_rows(labels, "gold label", "mean", "pairs")
        said = compared(f"the mean {what}", parts, "label", lambda mean: f"{mean:.{digits}f}")
        return in_place(said or f"the mean {what}, by gold label")

    return found


def means_drawn(key: str, *others: str) -> Picture:
    return picture(
        "dots", y="gold label", x="mean", low="low", high="high", n="pairs", others=others, whole=key
    )


def overlaps(name: str, found: Iterable[Mapping[str, Any]]) -> Iterator[list[Any]]:
    """Yields rows of the figure `name` by partition and label, beside the mean of SNLI's training pairs."""
    snli = column_of("MPE", name, "mean", "SNLI")
    for each in found:
        label = all_or(each["label"])
        yield [
            all_or(each["partition"]),
            label,
            *means(each["number"], each["mean"], each["sd"]),
            snli.get(label),
        ]


def _overlap(data: Data) -> Iterator[list[Any]]:
    groups = (
        group_of(data, partition=partition, label=label)
        for partition in partitions_of(data)
        for label in (None, *data["labels"])
    )
    return overlaps("overlap", ({**group, **group["overlap"]} for group in groups if group))


MEANS = (
    Column("pairs", kind="count"),
    Column("mean", kind="number", definition=ERRORS),
    Column("sd", kind="number"),
    *interval(kind="number"),
)
OVERLAPS = (
    Column("partition"),
    Column("gold label"),
    *MEANS,
    Column("SNLI", kind="number", definition="SNLI's training pairs.", source="MPE, Table 1"),
)
OVERLAP = Figure(
    "overlap",
    "Word overlap (MPE, Table 1, full)",
    SNAPSHOT,
    _overlap,
    OVERLAPS,
    means_drawn("partition", "SNLI"),
    means_found("share of a hypothesis’s words that occur in its premise", 2),
    CORPUS,
    notes=(*defined("overlap"), TOKEN_NOTE),
)


def _edits(data: Data) -> Iterator[list[Any]]:
    for partition, group in by_partition(data):
        for name, key in EDITS.items():
            ends = wilson(group[key], group["pairs"])
            beside = SNLI_EDITS.get(name), MULTINLI_EDITS.get(name)
            yield [partition, name, group["pairs"], group[key], *ends, *beside]


def _edits_found(table: Table) -> str:
    overlap = "> 37% overlap"
    rows = rows_of(table, {**whole(table, "partition"), "edit": overlap})
    snli, multinli = (column_of("MultiNLI", "edits", about=of)[overlap] for of in ("SNLI", ""))
    return (
        f"{percent(rows[0]['share'])} of the pairs share more than 37% of the premise’s words (MultiNLI, section 2.2:"
        f" {snli}% of SNLI, {multinli}% of MultiNLI)."
        if rows
        else ""
    )


EDIT_FIGURE = Figure(
    "edits",
    "Deletion, insertion, much overlap (MultiNLI, section 2.2)",
    SNAPSHOT,
    _edits,
    (
        Column("partition"),
        Column("edit", "hypothesis is"),
        Column("pairs", kind="count"),
        Column("share", "share of pairs", "share", "With its 95% interval after Wilson."),
        *interval(),
        Column("SNLI", kind="share", source="MultiNLI, section 2.2"),
        Column("MultiNLI", kind="share", source="MultiNLI, section 2.2"),
    ),
    picture(
        "dots",
        y="edit",
        x="share",
        low="low",
        high="high",
        n="pairs",
        others=["SNLI", "MultiNLI"],
        whole="partition",
    ),
    _edits_found,
    CORPUS,
    notes=(*(f"{name}: {DEFINITIONS[key]}" for name, key in EDITS.items()), TOKEN_NOTE),
)

CHOSEN = Figure(
    "typical-and-disputed",
    "Typical and disputed pairs of each label",
    SNAPSHOT,
    lambda data: data["chosen"],
    (
        *(
            Column("kind"),
            Column("label"),
            Column("id", kind="pair"),
            Column("premise"),
            Column("hypothesis"),
        ),
        *(Column("labels", "labels in order"), Column("gold", "gold label"), Column("author")),
        Column("entropy", "entropy, bits", "number", "Of the votes: 0 where all are the same."),
    ),
    source=CORPUS,
    notes=RULES,
    only_with_rows=True,
)

FIGURES = (GENRES, LENGTHS, LENGTH_DISTRIBUTION, OVERLAP, EDIT_FIGURE, CHOSEN)
