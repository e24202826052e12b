"""Draw charts of a snapshot's statistics, each from a table of paper_tables.py, beside published values."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any

from collection.templatetags.labels import colours_of
from nli.agreement import in_order, is_unanimous
from nli.labels import NO_GOLD
from nli.lines import PARTITIONS
from shared.charts import Chart, Column, interval, with_values
from shared.findings import Part, compared, in_place, most_frequent, named_rows
from shared.intervals import MIDDLE, wilson
from shared.numbers import percent
from snapshots.statistics.paper_tables import TABLES, Data, Table, table
from snapshots.statistics.tags import MULTINLI_TABLE_6, NAMES
from validation.questions.lookup import Names, labels_named, named
from validation.statistics.definitions import PUBLISHED

SIGNIFICANT = 0.05
NAMED = "names"
KINDS_OF_NAMES = {
    **dict.fromkeys(("gold label", "gold", "label", "most frequent label"), "label"),
    "genre": "genre",
    **dict.fromkeys(("labels", "labels of the premises", "predicted", "commonest label"), "labels"),
}
CURVE_POINTS = 60
ALL = "all"
# SNLI Table 2 (mean tokens of a premise, a hypothesis) and MultiNLI Table 3 (mean tokens of a premise).
SNLI_WORDS = (14.1, 8.3)
MULTINLI_PREMISE_WORDS = 22.3
WIDE_ENOUGH = 25  # words: so that the published means are always in the picture
# MPE (Lai et al. 2017), Table 1: mean word overlap in SNLI's training pairs, by gold label.
SNLI_OVERLAP = {ALL: 0.44, "entailment": 0.59, "neutral": 0.41, "contradiction": 0.33}
# MultiNLI, Table 3: the share of individual labels that equal the gold label, and section 2.2: more than 37% overlap.
SNLI_EDITS, MULTINLI_EDITS = {"> 37% overlap": 0.29}, {"> 37% overlap": 0.30}
INTERVAL = "The mean, and 1.96 standard errors on each side of it, as if all pairs were independent."


def charts_of(
    kind: str, data: Data, names: Names, link: Callable[[Chart], Chart] = lambda chart: chart
) -> list[Chart]:
    """Return the charts of one kind of statistics, in the order of its tables.

    names: what labels and genres are called on pages. link: adds addresses, which are made of the values in files.
    """
    known = {**data, NAMED: names}
    made = with_values(
        make(table(name, data), known) for name, make in CHARTS.items() if TABLES[name].source == kind
    )
    return [_with_names(link(chart), names) for chart in made]


def _with_names(chart: Chart, names: Names) -> Chart:
    """Return the chart with names for its labels and genres; the keys of its columns stay."""
    rows = [{key: name_of_cell(names, key, value) for key, value in row.items()} for row in chart.rows]
    columns = [replace(column, name=name_of_column(names, column.name)) for column in chart.columns]
    words = names.get("label", {})
    colours = {**chart.colours, **{words[key]: one for key, one in chart.colours.items() if key in words}}
    return replace(chart, rows=rows, columns=columns, colours=colours)


def name_of_cell(names: Names, column: str, value: Any) -> Any:
    """Return what a page shows for a value in a column of this name."""
    kind = KINDS_OF_NAMES.get(column)
    if not kind or not isinstance(value, str):
        return value
    return labels_named(names, value) if kind == "labels" else named(names, kind, value)


def name_of_column(names: Names, column: str) -> str:
    """Return the head of a column on pages, which may be that of a label: “neutral, share”."""
    label, comma, rest = column.partition(", ")
    return f"{named(names, 'label', label)}{comma}{rest}"


def _label(data: Data, label: str) -> str:
    """Return a label as titles name it."""
    return named(data.get(NAMED, {}), "label", label)


def _plain(made: Table) -> tuple[list[Column], list[dict[str, Any]]]:
    """Return the columns and rows of a table; the keys are the names of its columns."""
    columns = [Column(column.name, column.name, column.kind) for column in made.columns]
    names = [column.name for column in made.columns]
    return columns, [dict(zip(names, row, strict=True)) for row in made.rows]


def _sizes(made: Table, data: Data) -> Chart | None:
    _, rows = _plain(made)
    rows = [row for row in rows if row["genre"] != ALL]
    parts = [name for name in PARTITIONS if any(row[name] for row in rows)]
    sizes = {row["genre"]: sum(row[name] for name in parts) for row in rows}
    total = sum(sizes.values())
    if not total:
        return None
    rows.sort(key=lambda row: -sizes[row["genre"]])
    shares = {named(data.get(NAMED, {}), "genre", genre): size / total for genre, size in sizes.items()}
    found = most_frequent("genre", shares, percent)
    return Chart(
        "genres",
        "bars",
        f"{total:,} pairs of {len(sizes)} genres: {found}."
        if len(sizes) > 1
        else f"{total:,} pairs, all of the genre {next(iter(shares))}.",
        [Column("genre", "genre"), *(Column(name, name, "count") for name in parts)],
        rows,
        {"y": "genre", "series": parts, "x_name": "pairs"},
        note="SNLI has 570,152 pairs, MultiNLI 432,702 of ten genres.",
    )


def _lengths(made: Table, data: Data) -> Chart | None:
    columns, rows = _plain(made)
    sides = ("premises", "hypotheses")
    means = [_mean(rows, side) for side in sides]
    if None in means:
        return None
    premise, hypothesis = means
    known = [row for row in rows if row["premises"] or row["hypotheses"]]
    return Chart(
        "length_distribution",
        "lines",
        f"A premise has {premise:.1f} words on average, a hypothesis {hypothesis:.1f}"
        f" (SNLI: {SNLI_WORDS[0]} and {SNLI_WORDS[1]}; premises of MultiNLI: {MULTINLI_PREMISE_WORDS}).",
        columns,
        rows,
        {
            "x": "words",
            "series": list(sides),
            "y_name": "pairs",
            "x_domain": [0, max(WIDE_ENOUGH, *(row["words"] for row in known))],
        },
        lines=[
            {"axis": "x", "value": SNLI_WORDS[0], "name": "mean premise of SNLI"},
            {"axis": "x", "value": MULTINLI_PREMISE_WORDS, "name": "mean premise of MultiNLI"},
            {"axis": "x", "value": SNLI_WORDS[1], "name": "mean hypothesis of SNLI"},
        ],
    )


def _mean(rows: Sequence[Mapping[str, Any]], side: str) -> float | None:
    total = sum(row[side] for row in rows)
    return sum(row["words"] * row[side] for row in rows) / total if total else None


def _means(
    made: Table, data: Data, key: str, what: str, digits: int, **published: Mapping[str, float]
) -> Chart:
    """Return a chart of the means of all partitions by gold label, with their intervals. what: of what they are means."""
    _, rows = _plain(made)
    shown = []
    for row in rows:
        error = (
            MIDDLE * row["sd"] / math.sqrt(row["pairs"]) if row["sd"] is not None and row["pairs"] else None
        )
        if row["mean"] is not None:
            ends = (row["mean"] - error, row["mean"] + error) if error is not None else (None, None)
            beside = {name: values.get(row["gold label"]) for name, values in published.items()}
            shown.append({**row, "low": ends[0], "high": ends[1], **beside})
    names = [name for name in published if any(row[name] is not None for row in shown)]
    labels = [
        {**row, "name": _label(data, row["gold label"])}
        for row in shown
        if row["gold label"] not in (ALL, NO_GOLD)
    ]
    parts = named_rows(labels, "name", "mean", "pairs")
    found = compared(f"the mean {what}", parts, "label", lambda mean: f"{mean:.{digits}f}")
    return Chart(
        key,
        "dots",
        in_place(found or f"the mean {what}, by gold label"),
        [
            Column("gold label", "gold label"),
            Column("pairs", "pairs", "count"),
            Column("mean", "mean", "number", INTERVAL),
            *interval(kind="number"),
            *(Column(name, name, "number") for name in names),
        ],
        shown,
        {"y": "gold label", "x": "mean", "low": "low", "high": "high", "n": "pairs", "others": names},
    )


def _of_all(made: Table, column: str) -> Table:
    """Return the table with the rows of one group: all pairs, or the only partition."""
    index = [each.name for each in made.columns].index(column)
    names = [row[index] for row in made.rows]
    wanted = ALL if ALL in names else (names[0] if names else ALL)
    return Table(
        made.name,
        made.title,
        made.columns,
        [row for row in made.rows if row[index] == wanted],
        made.definitions,
    )


def _overlap(made: Table, data: Data) -> Chart:
    what = "share of a hypothesis’s words that occur in its premise"
    return _means(_of_all(made, "partition"), data, "overlap", what, 2, SNLI=SNLI_OVERLAP)


def _lengths_by_label(made: Table, data: Data) -> Chart:
    return _means(_of_all(made, "by"), data, "lengths_by_label", "number of words of a hypothesis", 1)


def _edits(made: Table, data: Data) -> Chart | None:
    _, rows = _plain(_of_all(made, "partition"))
    if not rows:
        return None
    names = ("deletion", "insertion", "one word", "> 37% overlap")
    shown = []
    for name in names:
        value, pairs = rows[0][name], rows[0]["pairs"]
        low, high = wilson(value, pairs)
        published = {"SNLI": SNLI_EDITS.get(name), "MultiNLI": MULTINLI_EDITS.get(name)}
        shown.append({"edit": name, "share": value, "low": low, "high": high, "pairs": pairs, **published})
    return Chart(
        "edits",
        "dots",
        f"{percent(rows[0]['> 37% overlap'])} of the pairs share more than 37% of the premise’s words (SNLI 29%,"
        " MultiNLI 30%).",
        [
            Column("edit", "hypothesis is"),
            Column("pairs", "pairs", "count"),
            Column("share", "share of pairs", "share", "With its 95% interval after Wilson."),
            *interval(),
            Column("SNLI", "SNLI", "share"),
            Column("MultiNLI", "MultiNLI", "share"),
        ],
        shown,
        {
            "y": "edit",
            "x": "share",
            "low": "low",
            "high": "high",
            "n": "pairs",
            "others": ["SNLI", "MultiNLI"],
        },
    )


def _labels(made: Table, data: Data) -> Chart | None:
    _, rows = _plain(made)
    labels = [column.name for column in made.columns if column.kind == "count"]
    labels = [label for label in labels if any(row[label] for row in rows)]
    if not rows:
        return None
    shown = [
        {"partition": row["partition"], **{label: row[f"{label}, share"] for label in labels}} for row in rows
    ]
    whole = shown[-1]
    shares = {_label(data, label): whole[label] for label in labels if label != NO_GOLD}
    return Chart(
        "labels",
        "bars",
        in_place(most_frequent("gold label", shares, percent) or "no pair has a gold label"),
        [Column("partition", "partition"), *(Column(label, _label_name(label), "share") for label in labels)],
        shown,
        {"y": "partition", "series": labels, "x_domain": [0, 1]},
        colours=_colours(labels),
    )


def _label_name(label: str) -> str:
    return "no gold label" if label == NO_GOLD else label


def _colours(labels: Sequence[str]) -> dict[str, str]:
    found = colours_of(label for label in labels if label != NO_GOLD)
    return {**found, NO_GOLD: "--step-5"} if found else {}


def _votes(made: Table, data: Data) -> Chart | None:
    _, rows = _plain(made)
    splits = in_order({row["votes"] for row in rows})
    groups: dict[str, dict[str, Any]] = {}
    for row in rows:
        group = groups.setdefault(
            row["gold label"], {"gold label": _label_name(row["gold label"]), "pairs": 0}
        )
        group[row["votes"]] = row["share"]
        group["pairs"] += row["pairs"]
    whole = groups.get(ALL)
    if whole is None:
        return None
    unanimous = sum(whole.get(split, 0.0) for split in splits if is_unanimous(split))
    snli, multinli = PUBLISHED["unanimous"]
    return Chart(
        "votes",
        "bars",
        f"All labels are the same in {percent(unanimous)} of the pairs (SNLI {percent(snli)}, MultiNLI"
        f" {percent(multinli)}).",
        [
            Column("gold label", "gold label"),
            Column("pairs", "pairs", "count"),
            *(Column(split, split, "share") for split in splits),
        ],
        list(groups.values()),
        {"y": "gold label", "series": splits, "n": "pairs", "x_domain": [0, 1]},
    )


def _words(made: Table, data: Data) -> Chart | None:
    """Return a chart of count against p(label | word), with the curve above which a word is significant.

    Gardner et al. 2021 ("Competency Problems"), section 4: z = (p - p0) / sqrt(p0 (1 - p0) / n), where p0 is the share
    of the label among all pairs and n the count; a word is beyond the curve if z is significant at 0.05 after
    Bonferroni's correction.
    """
    _, rows = _plain(made)
    rows = [row for row in rows if row["of"] == ALL]
    labels = list(dict.fromkeys(row["label"] for row in rows))
    if not rows:
        return None
    significant = [row for row in rows if row["corrected p"] is not None and row["corrected p"] < SIGNIFICANT]
    strongest = sorted((row for row in significant if row["z"] > 0), key=lambda row: -row["z"])
    written = {(row["word"], row["label"]) for row in strongest[:12]}
    shown = [
        {
            **row,
            "significant": "yes" if row in significant else "no",
            "named": (row["word"], row["label"]) in written,
        }
        for row in sorted(rows, key=lambda row: -(row["z"] or 0))
    ]
    if strongest:
        top = strongest[0]
        title = (
            f"{_words_that({row['word'] for row in strongest})} with a label more often than chance allows, above all"
            f" “{top['word']}” with {_label(data, top['label'])} ({percent(top['p(label | word)'])} of {top['count']:,})."
        )
    else:
        title = "No word goes with a label more often than chance allows."
    return Chart(
        "words",
        "scatter",
        title,
        [
            Column("word", "word"),
            Column("label", "label"),
            Column("count", "count", "count"),
            Column("p(label | word)", "p(label | word)", "share"),
            Column("z", "z", "z"),
            Column("corrected p", "corrected p", "p"),
            Column("significant", "significant", "text", "Whether the corrected p value is below 0.05."),
        ],
        shown,
        {
            "x": "count",
            "x_type": "log",
            "y": "p(label | word)",
            "y_domain": [0, 1],
            "series": "label",
            "text": "word",
            "curves": _significance_curves(data, [row["count"] for row in rows]),
        },
        colours=colours_of(labels),
        note="The words that stand out under each label, see “Words that go with a label”. A word outside the two curves"
        " is significant after Bonferroni’s correction, if each occurrence counts as a pair (Gardner et al. 2021).",
    )


def _words_that(words: set[str]) -> str:
    """Begins the sentence about the listed words; there may be more in the corpus."""
    return "At least one word goes" if len(words) == 1 else f"At least {len(words)} words go"


def _significance_curves(data: Data, counts: Sequence[int]) -> list[dict[str, Any]]:
    """Return the two curves beyond which p is significant at 0.05, for each different share p0 of a label."""
    tests, pairs = data["listed_words"] * len(data["labels"]), sum(data["pairs"].values())
    if not tests or not pairs:
        return []
    z = NormalDist().inv_cdf(1 - SIGNIFICANT / tests / 2)
    first, last = math.log(min(counts)), math.log(max(counts) + 1)
    steps = [math.exp(first + (last - first) * k / CURVE_POINTS) for k in range(CURVE_POINTS + 1)]
    shares: dict[float, list[str]] = {}
    for label in data["labels"]:
        shares.setdefault(round(data["pairs"][label] / pairs, 2), []).append(label)
    curves = []
    for share, labels in shares.items():
        reach = [(n, z * math.sqrt(share * (1 - share) / n)) for n in steps]
        above = [[n, share + d] for n, d in reach if share + d <= 1]
        below = [[n, share - d] for n, d in reach if share - d >= 0]
        of = "" if len(shares) == 1 else f" for {' and '.join(_label(data, each) for each in labels)}"
        curves.append({"name": f"significant{of} at 0.05 over {tests:,} tests", "lines": [above, below]})
    return curves


def _answerable(made: Table, data: Data) -> Chart | None:
    columns, rows = _plain(made)
    names = [column.name for column in made.columns[1:]]
    at = next((row for row in rows if row["threshold"] == 0.8), None)
    if at is None or all(at[name] is None for name in names):
        return None
    frequent = [name for name in names if name.endswith("frequent words")]
    of_label = {name: name.rpartition(",")[0] for name in frequent}
    parts = [
        Part.share(_label(data, label), at[name] or 0.0, data["pairs"][label])
        for name, label in of_label.items()
    ]
    found = compared("the share of hypotheses with such a word", parts, "label")
    colours = colours_of(name.rpartition(",")[0] for name in frequent)
    return Chart(
        "answerable",
        "lines",
        f"Frequent words have p(any label | word) of at least 0.8{f': {found}' if found else ''}."
        if any(at[name] for name in frequent)
        else "No frequent word has p(any label | word) of at least 0.8.",
        columns,
        rows,
        {"x": "threshold", "series": names, "y_name": "share of pairs", "y_domain": [0, 1]},
        colours={name: colours[name.rpartition(",")[0]] for name in names} if colours else {},
    )


def _tags(made: Table, data: Data) -> Chart | None:
    _, rows = _plain(_of_all(made, "partition"))
    shown = []
    whole = max((group["pairs"] for group in data["groups"]), default=0)
    published = {NAMES[tag]: shares for tag, shares in MULTINLI_TABLE_6.items()}
    for row in sorted(rows, key=lambda row: -row["by word"]):
        snli, multinli = published[row["tag"]]
        low, high = wilson(row["by word"], whole)
        shown.append(
            {
                **row,
                "low": low,
                "high": high,
                "SNLI": None if snli is None else snli / 100,
                "MultiNLI": None if multinli is None else multinli / 100,
            }
        )
    if not shown:
        return None
    tags = {f"“{row['tag']}”": row["by word"] for row in shown}
    return Chart(
        "tags",
        "dots",
        in_place(most_frequent("tag", tags, percent) or "no pair has a tag"),
        [
            Column("tag", "tag"),
            Column("pairs", "pairs", "count"),
            Column("by word", "share of pairs", "share", "With its 95% interval after Wilson."),
            *interval(),
            Column(
                "SNLI", "SNLI (dev)", "share", "MultiNLI, Table 6; values that it gives as “<1” are left out."
            ),
            Column("MultiNLI", "MultiNLI (dev)", "share"),
        ],
        shown,
        {"y": "tag", "x": "by word", "low": "low", "high": "high", "others": ["SNLI", "MultiNLI"]},
    )


CHARTS: dict[str, Callable[[Table, Data], Chart | None]] = {
    "genres": _sizes,
    "length_distribution": _lengths,
    "overlap": _overlap,
    "edits": _edits,
    "labels": _labels,
    "votes": _votes,
    "words": _words,
    "answerable": _answerable,
    "lengths_by_label": _lengths_by_label,
    "tags": _tags,
}
