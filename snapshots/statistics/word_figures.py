"""Figures of words and lengths that give a label away."""

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Annotated, Any

from collection.templatetags.labels import colours_of
from schemas.base import OneOf
from shared.figures import ALL, Figure, Parameters, Picture, picture, rows_of
from shared.findings import Part, compared, in_place
from shared.intervals import wilson
from shared.numbers import percent
from shared.tables import AFTER_WILSON, Column, Table, interval
from snapshots.statistics.artifacts import DEFINITIONS, DEV, THRESHOLDS, TRIPLES, WORD_PAIRS, giveaways
from snapshots.statistics.corpus_figures import MEANS, Data, means, means_drawn, means_found
from snapshots.statistics.scope import SNAPSHOT

ARTIFACTS, TAGS = "artifacts", "tags"
UNITS = {"words": "", "word-pairs": WORD_PAIRS, "triples": TRIPLES}  # name -> key of their counts
SIGNIFICANT = 0.05
CURVE_POINTS = 60
GIVEAWAYS_SHOWN = 10
NAMED_WORDS = 12
LIKELY = 0.8
WORD_COLUMNS = (
    Column("word", definition=DEFINITIONS["word"]),
    Column("count", kind="count", definition=DEFINITIONS["count"]),
    Column("p(label | word)", kind="number", definition=DEFINITIONS["p"]),
    Column("PMI", kind="number", definition=DEFINITIONS["pmi"]),
    Column("z", kind="z", definition=DEFINITIONS["z"]),
    Column("corrected p", kind="p", definition=DEFINITIONS["corrected_p"]),
)
OF = Column("of", definition=DEFINITIONS["of"])
NOTES = (f"Pairs: {DEFINITIONS['pairs']}", f"Token: {DEFINITIONS['token']}")


class Units(Parameters):
    """Of what the give-aways are: words, pairs of neighbouring words, or triples of the dependency parse."""

    units: Annotated[str, OneOf(tuple(UNITS))] = next(iter(UNITS))

    @property
    def source(self) -> str:
        return TAGS if self.units == "triples" else ""


def _whose_words(data: Data) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yields the words of all pairs, then those of dev, if dev is only a part of them."""
    yield ALL, data["words"]
    if data[DEV]:
        yield DEV, data[DEV]["words"]


def _word(entry: Mapping[str, Any]) -> list[Any]:
    return [entry[key] for key in ("word", "count", "p", "pmi", "z", "corrected_p")]


def _giveaways(data: Data, units: str = "words") -> Iterator[dict[str, Any]]:
    keys = [column.key for column in GIVEAWAYS.columns]
    unlinked: dict[str, Any] = {"hrefs": {}} if units == "triples" else {}  # no pair has them as text
    for of, words in _whose_words(data[UNITS[units]] if UNITS[units] else data):
        for threshold in THRESHOLDS:
            for label in data["labels"]:
                for entry in giveaways(words, label, threshold)[:GIVEAWAYS_SHOWN]:
                    yield {**dict(zip(keys, [of, threshold, label, *_word(entry)], strict=True)), **unlinked}


GIVEAWAYS = Figure(
    "giveaways",
    "Give-away words (Poliak et al. 2018, Figure 13)",
    SNAPSHOT,
    _giveaways,
    (
        OF,
        Column("threshold", kind="number", definition=DEFINITIONS["giveaways"]),
        Column("label"),
        *WORD_COLUMNS,
    ),
    source=ARTIFACTS,
    parameters=Units,
    notes=(
        *NOTES,
        f"With units=word-pairs: {DEFINITIONS[WORD_PAIRS]}",
        f"With units=triples (English only): {DEFINITIONS[TRIPLES]}",
    ),
)


def _words(data: Data) -> Iterator[dict[str, Any]]:
    """Yields the words, the strongest first, of which the first few of all pairs are named in the picture."""
    keys, named = [column.key for column in WORD_COLUMNS], 0
    for of, words in _whose_words(data):
        for entry in sorted(words, key=lambda entry: -(entry["z"] or 0)):
            p, z = entry["corrected_p"], entry["z"]
            is_significant = p is not None and p < SIGNIFICANT
            is_named = of == ALL and is_significant and z > 0 and named < NAMED_WORDS
            named += is_named
            row = {"of": of, "label": entry["label"], **dict(zip(keys, _word(entry), strict=True))}
            yield {**row, "significant": "yes" if is_significant else "no", "named": is_named}


def _words_drawn(table: Table, data: Data) -> Picture:
    """Draws count against p(label | word), with the curve above which a word is significant.

    Gardner et al. 2021 ("Competency Problems"), section 4: z = (p - p0) / sqrt(p0 (1 - p0) / n), where p0 is the share
    of the label among all pairs and n the count; a word is beyond the curve if z is significant at 0.05 after
    Bonferroni's correction.
    """
    return picture(
        "scatter",
        x="count",
        x_type="log",
        y="p(label | word)",
        y_domain=[0, 1],
        series="label",
        text="word",
        curves=_significance_curves(data, [row["count"] for row in rows_of(table, {"of": ALL})]),
        whole="of",
        colours=colours_of(data["labels"]),
        note="The words that stand out under each label. A word outside the two curves is significant after Bonferroni’s"
        " correction, if each occurrence counts as a pair (Gardner et al. 2021).",
    )


def _words_found(table: Table) -> str:
    strongest = [row for row in rows_of(table, {"of": ALL, "significant": "yes"}) if row["z"] > 0]
    if not strongest:
        return "No word goes with a label more often than chance allows."
    top, words = strongest[0], len({row["word"] for row in strongest})
    return (
        f"At least {'one word goes' if words == 1 else f'{words} words go'} with a label more often than chance allows,"
        f" above all “{top['word']}” with {top['label']} ({percent(top['p(label | word)'])} of {top['count']:,})."
    )


def _significance_curves(data: Data, counts: Sequence[int]) -> list[dict[str, Any]]:
    """Returns the two curves beyond which p is significant at 0.05, for each different share p0 of a label."""
    tests, pairs = data["listed_words"] * len(data["labels"]), sum(data["pairs"].values())
    if not tests or not pairs or not counts:
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
        of = "" if len(shares) == 1 else f" for {' and '.join(labels)}"
        curves.append({"name": f"significant{of} at 0.05 over {tests:,} tests", "lines": [above, below]})
    return curves


WORDS = Figure(
    "words",
    "Words that go with a label",
    SNAPSHOT,
    _words,
    (
        OF,
        Column("label"),
        *WORD_COLUMNS,
        Column("significant", definition="Whether the corrected p value is below 0.05."),
    ),
    _words_drawn,
    _words_found,
    ARTIFACTS,
    notes=NOTES,
)


KINDS_OF_WORDS = {"all words": "all_words", "frequent words": "frequent_words"}


def _answerable(data: Data) -> Iterator[list[Any]]:
    for row in data["answerable"]:
        yield [
            row["threshold"],
            *(
                row[which][label] / data["pairs"][label] if data["pairs"][label] else None
                for which in KINDS_OF_WORDS.values()
                for label in data["labels"]
            ),
        ]


def _answerable_drawn(table: Table, data: Data) -> Picture | None:
    names = [column.key for column in table.columns[1:]]
    if all(row[name] is None for row in table.rows for name in names):
        return None
    colours = colours_of(data["labels"])
    shown = {name: colours[name.rpartition(",")[0]] for name in names} if colours else {}
    return picture(
        "lines", x="threshold", series=names, y_name="share of pairs", y_domain=[0, 1], colours=shown
    )


def _answerable_found(table: Table) -> str:
    at = next((row for row in table.rows if row["threshold"] == LIKELY), {})
    shares = {
        column.name: at.get(column.key) for column in table.columns if column.key.endswith(", frequent words")
    }
    listed = ", ".join(
        f"{percent(share)} of {name.rpartition(', ')[0]}" for name, share in shares.items() if share
    )
    if not listed:
        return f"No frequent word has p(any label | word) of at least {LIKELY}."
    return f"A frequent word with p(any label | word) of at least {LIKELY} is in the hypotheses of {listed}."


ANSWERABLE = Figure(
    "answerable",
    "Pairs that a single word gives away (Poliak et al. 2018, Figure 6)",
    SNAPSHOT,
    _answerable,
    (
        Column("threshold", kind="number", definition=DEFINITIONS["p"]),
        Column("{}, all words", "", "share", DEFINITIONS["answerable"], each=lambda data: data["labels"]),
        Column("{}, frequent words", "", "share", each=lambda data: data["labels"]),
    ),
    _answerable_drawn,
    _answerable_found,
    ARTIFACTS,
    notes=NOTES,
)


def _lengths_by_label(data: Data) -> Iterator[list[Any]]:
    for row in data["lengths"]:
        ends = (row["least"], row["most"])
        yield [row["by"], row["value"], row["label"], *means(row["number"], row["mean"], row["sd"]), *ends]


LENGTHS_BY_LABEL = Figure(
    "lengths-by-label",
    "Hypothesis length by label",
    SNAPSHOT,
    _lengths_by_label,
    (
        Column("by", definition="The property of the pairs, and its value; all is none."),
        Column("value"),
        Column("gold label"),
        *MEANS,
        Column("shortest", kind="count"),
        Column("longest", kind="count"),
    ),
    means_drawn("by"),
    means_found("number of words of a hypothesis", 1, "by"),
    ARTIFACTS,
    notes=(DEFINITIONS["lengths"], *NOTES),
)


def _by_prompt(data: Data) -> Iterator[list[Any]]:
    for row in data["prompt_versions"]:
        share = row["given_away"] / row["pairs"]
        yield [row["prompt_version"], row["pairs"], share, *wilson(share, row["pairs"]), row["mean_length"]]


def _by_prompt_found(table: Table) -> str:
    parts = [
        Part(row["prompt version"], row["given away"], row["pairs"], row["low"], row["high"])
        for row in table.rows
    ]
    what = "the share of hypotheses with a give-away word"
    return in_place(compared(what, parts, "prompt version") or f"{what}, by prompt version")


ARTIFACTS_BY_PROMPT = Figure(
    "artifacts-by-prompt",
    "Give-away words by prompt version (Poliak et al. 2018, section 6.5)",
    SNAPSHOT,
    _by_prompt,
    (
        Column("prompt version"),
        Column("pairs", kind="count", definition=DEFINITIONS["pairs"]),
        Column("given away", kind="share", definition=DEFINITIONS["given_away"]),
        *interval(AFTER_WILSON),
        Column("words", "words a hypothesis", "number", DEFINITIONS["lengths"]),
    ),
    picture("dots", y="prompt version", x="given away", low="low", high="high", n="pairs"),
    _by_prompt_found,
    ARTIFACTS,
    only_with_rows=True,
)

FIGURES = (GIVEAWAYS, WORDS, ANSWERABLE, LENGTHS_BY_LABEL, ARTIFACTS_BY_PROMPT)
