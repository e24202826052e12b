"""Figures of what hypotheses give away: a classifier that reads no premise, and the words of each group."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from annotation_site.researchers.corpus_bias import LONGEST_KEY, stored_by
from shared.figures import Figure, Parameters, Picture, picture
from shared.findings import Part, beside, compared, in_place
from shared.intervals import FEWEST_PAIRS, wilson
from shared.numbers import percent
from shared.tables import AFTER_WILSON, Column, Row, Table, interval
from snapshots.statistics.hypothesis_bias import DEFINITIONS, SHOWN_OF_GROUP
from validation.pairs.door import address_of_group, group_name, in_order
from validation.questions.lookup import answer_words
from validation.statistics.cached import Kind
from validation.statistics.scope import QUESTION, Counted
from validation.statistics.vote_patterns import TITLES


class By(Parameters):
    by: Annotated[str, Field(max_length=LONGEST_KEY), AfterValidator(stored_by)] = ""


def _title(data: Counted) -> str:
    """Returns what its groups are called."""
    by: str = data.found["by"]
    return TITLES.get(by, by)


def _groups(data: Counted) -> Iterator[tuple[dict[str, Any], str]]:
    """Yields each group, all pairs first, with its name on pages."""
    for each in in_order(data.found):
        yield each, group_name(data.found["by"], each["group"], data.names)


def _alone(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    for each, name in _groups(data):
        if each["hypothesis_only"] is not None:
            low, high = wilson(each["hypothesis_only"], each["tried"])
            yield {
                "group": name,
                "pairs": each["tried"],
                "alone": each["hypothesis_only"],
                "low": low,
                "high": high,
                "majority": each["commonest_there"],
                "href": address_of_group(data.question, data.found["by"], each["group"]),
            }


def _points(share: float) -> str:
    return f"{100 * share:.1f} points"


def _less(row: Row, bar: float) -> tuple[float, float]:
    return row["low"] - bar, row["high"] - bar


def _alone_drawn(table: Table, data: Counted) -> Picture:
    """Says of which groups it tells more, beside the majority class of each: groups differ in their labels."""
    first, *rest = table.rows
    than = beside(first["alone"], first["pairs"], first["majority"], "the majority class")
    found = f"Read alone, hypotheses tell the label of {percent(first['alone'])} of the pairs, {than}"
    parts = [
        Part(row["group"], row["alone"] - row["majority"], row["pairs"], *_less(row, row["majority"]))
        for row in rest
    ]
    apart = compared("the lead over the majority class", parts, _title(data), _points)
    if len(parts) > 1 and not apart:
        apart = f"no two of these parts were tried on {FEWEST_PAIRS} pairs, so none is compared"
    note = f"Tried on {data.found['tried_on']}. A point over fewer than {FEWEST_PAIRS} pairs is faint."
    drawn = picture(
        "dots", y="group", x="alone", low="low", high="high", n="pairs", others=["majority"], note=note
    )
    return {**drawn, "title": in_place(f"{found}; {apart}" if apart else found)}


def _words(data: Counted, by: str) -> Iterator[dict[str, Any]]:
    answers = answer_words(data.question)
    for each, name in _groups(data):
        for label, words in each["words"].items():
            for word in words:
                low, high = wilson(word["p"], word["count"])
                address = partial(address_of_group, data.question, data.found["by"], each["group"])
                yield {
                    "group": name,
                    "label": answers.get(label, label),
                    "word": word["word"],
                    "hypotheses": word["count"],
                    "share": word["p"],
                    "low": low,
                    "high": high,
                    "usual": each["labels"][label] / each["pairs"],
                    "hrefs": {"word": address(text=word["word"])},
                }


_figure = partial(Figure, scope=QUESTION, source=Kind.BIAS, parameters=By, only_with_rows=True)
GROUP = Column("group", "{}", each=lambda data: [_title(data)])

ALONE = _figure(
    "bias-alone",
    "How often the hypothesis alone tells the label",
    compute=_alone,
    columns=(
        GROUP,
        Column("pairs", "pairs tried", "count"),
        Column("alone", "hypothesis alone", "share", DEFINITIONS["hypothesis_only"]),
        *interval(AFTER_WILSON),
        Column(
            "majority", "majority class", "share", "The share of the commonest label among the pairs tried."
        ),
    ),
    draw=_alone_drawn,
)
WORDS = _figure(
    "bias-words",
    "Words that go with a label, by group",
    compute=_words,
    columns=(
        GROUP,
        Column("label"),
        Column("word"),
        Column("hypotheses", "hypotheses with it", "count"),
        Column("share", "of these, with the label", "share", DEFINITIONS["giveaways"]),
        *interval(AFTER_WILSON),
        Column("usual", "all of the group", "share", "The share of the label among all pairs of the group."),
    ),
    notes=(
        f"At most {SHOWN_OF_GROUP} words of each label, the frequent ones first, of groups of {FEWEST_PAIRS} pairs or more.",
    ),
)
FIGURES = (ALONE, WORDS)
