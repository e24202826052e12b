"""Draws charts of annotators: all of them together, and one of them over time and compared with all."""

import math
from collections.abc import Sequence
from typing import Any

from collection.templatetags.labels import colours_of
from shared.charts import Chart, Column, with_values
from shared.intervals import MIDDLE, wilson
from shared.numbers import percent
from validation.models import Question
from validation.questions.addresses import address_in
from validation.questions.lookup import answer_words
from validation.statistics.annotator_quality import MEANINGS, Annotator

MOST_PEOPLE = 500  # in a picture
FLAGGED, UNFLAGGED = "flagged", "no flag"
COLOURS = {FLAGGED: "--wrong", UNFLAGGED: "--chart-point"}
NARROW, WIDE = (
    MIDDLE,
    3.09,
)  # standard errors: 95% and 99.8% of people who agree as often as all do (Spiegelhalter 2005)
CURVE_POINTS = 60


def annotator_charts(found: Sequence[Annotator], question: Question) -> list[Chart]:
    """Returns the charts of everybody who labelled: agreement against speed, and against the number of pairs (a funnel)."""
    people = sorted(found, key=lambda each: -each.labels)[:MOST_PEOPLE]
    note = "" if len(people) == len(found) else f" The {MOST_PEOPLE} with most labels of {len(found):,}."
    rows = []
    for each in people:
        low, high = wilson(each.equals_others, each.others)
        rows.append(
            {
                "code": each.code,
                "flagged": FLAGGED if each.flags else UNFLAGGED,
                "flags": ", ".join(each.flags),
                "labels": each.labels,
                "others": each.others,
                "agreement": each.equals_others,
                "low": low,
                "high": high,
                "seconds": each.median_seconds,
                "named": bool(each.flags),
                "href": address_in("pool-member", question, each.code),
            }
        )
    return with_values([_speed(rows, note), _funnel(rows, note)])


CODE, STATE, FLAGS = Column("code", "code"), Column("flagged", "state"), Column("flags", "flags")
AGREEMENT = Column("agreement", "equal to the others", "share", MEANINGS["equals_others"])
LABELS = Column("labels", "labels", "count", MEANINGS["labels"])
LOW, HIGH = (
    Column("low", "from", "share", "The 95% interval of the share, after Wilson."),
    Column("high", "to", "share"),
)


def _speed(rows: list[dict[str, Any]], note: str) -> Chart | None:
    known = [row for row in rows if row["seconds"] is not None and row["agreement"] is not None]
    if not known:
        return None
    flagged = sum(row["flagged"] == FLAGGED for row in known)
    many = "None" if not flagged else f"{flagged:,}"
    fastest = min(known, key=lambda row: row["seconds"])
    return Chart(
        "speed",
        "scatter",
        f"{many} of {len(known):,} people {'is' if flagged == 1 else 'are'} flagged; the fastest takes"
        f" {fastest['seconds']:.1f} seconds a label and agrees with the others in {percent(fastest['agreement'])} of"
        " the pairs.",
        [
            CODE,
            STATE,
            FLAGS,
            LABELS,
            AGREEMENT,
            LOW,
            HIGH,
            Column("seconds", "seconds a label", "number", MEANINGS["median_seconds"]),
        ],
        known,
        {
            "x": "seconds",
            "y": "agreement",
            "y_domain": [0, 1],
            "size": "labels",
            "series": "flagged",
            "text": "code",
        },
        colours=COLOURS,
        note=f"A point is a person, larger with more labels; it leads to their page.{note}",
    )


def _funnel(rows: list[dict[str, Any]], note: str) -> Chart | None:
    known = [row for row in rows if row["others"]]
    if not known:
        return None
    pairs = sum(row["others"] for row in known)
    mean = sum(row["agreement"] * row["others"] for row in known) / pairs
    most = max(row["others"] for row in known)
    below = sum(row["agreement"] < mean - WIDE * _error(mean, row["others"]) for row in known)
    many = "Nobody agrees" if not below else "One person agrees" if below == 1 else f"{below:,} people agree"
    return Chart(
        "funnel",
        "scatter",
        f"{many} less often with the others than chance explains, beside {percent(mean)} over all.",
        [CODE, STATE, FLAGS, Column("others", "pairs compared", "count"), AGREEMENT, LOW, HIGH],
        known,
        {
            "x": "others",
            "y": "agreement",
            "y_domain": [0, 1],
            "series": "flagged",
            "text": "code",
            "curves": [
                {"name": name, "lines": _limits(mean, errors, most)}
                for name, errors in (("95% of people lie within", NARROW), ("99.8% lie within", WIDE))
            ],
        },
        lines=[{"axis": "y", "value": mean, "name": f"all ({percent(mean)})"}],
        colours=COLOURS,
        note="With few pairs, shares differ by chance; a person outside the funnel differs from all by more."
        f" A point leads to the person.{note}",
    )


def _error(mean: float, number: float) -> float:
    return math.sqrt(mean * (1 - mean) / number)


def _limits(mean: float, errors: float, most: int) -> list[list[list[float]]]:
    """Returns the upper and the lower limit over 1 to `most` pairs, within 0 and 1."""
    steps = [max(1.0, most * (k / CURVE_POINTS) ** 2) for k in range(1, CURVE_POINTS + 1)]
    reach = [(n, errors * _error(mean, n)) for n in steps]
    return [
        [[n, mean + d] for n, d in reach if mean + d <= 1],
        [[n, mean - d] for n, d in reach if mean - d >= 0],
    ]


def person_charts(one: Annotator, found: Sequence[Annotator], question: Question) -> list[Chart]:
    """Returns the charts of one annotator: agreement by week, and the shares of labels compared with those of all."""
    return with_values([_weeks(one, found), _mix(one, found, question)])


def _weeks(one: Annotator, found: Sequence[Annotator]) -> Chart | None:
    rows = []
    for week, labels, compared, agreed in one.weeks:
        share = agreed / compared if compared else None
        low, high = wilson(share, compared)
        rows.append(
            {"week": week, "labels": labels, "pairs": compared, "agreement": share, "low": low, "high": high}
        )
    known = [row for row in rows if row["agreement"] is not None]
    if not known:
        return None
    pairs = sum(each.others for each in found)
    mean = sum((each.equals_others or 0) * each.others for each in found) / pairs
    return Chart(
        "weeks",
        "lines",
        f"{one.code} agrees with the others in {percent(one.equals_others)} of {one.others:,} pairs, all people in"
        f" {percent(mean)};"
        f" in the last week in {percent(known[-1]['agreement'])} of {known[-1]['pairs']:,}.",
        [
            Column("week", "week from", "day", "The week, by its Monday, in which the label was given."),
            Column("labels", "labels", "count"),
            Column("pairs", "pairs compared", "count"),
            AGREEMENT,
            LOW,
            HIGH,
        ],
        rows,
        {
            "x": "week",
            "x_type": "time",
            "series": ["agreement"],
            "band": ["low", "high"],
            "points": True,
            "n": "pairs",
            "y_domain": [0, 1],
        },
        lines=[{"axis": "y", "value": mean, "name": f"all people ({percent(mean)})"}],
        colours={"agreement": "--chart-point"},
        note="The band is the 95% interval; a point over fewer than 30 pairs is faint.",
    )


def _mix(one: Annotator, found: Sequence[Annotator], question: Question) -> Chart | None:
    words = answer_words(question)
    total = sum(each.labels for each in found)
    if not one.labels or not total:
        return None
    everybody = {
        label: sum((each.shares[label] or 0) * each.labels for each in found) / total
        for label in question.labels
    }
    own = {label: one.shares[label] or 0.0 for label in question.labels}
    most = max(question.labels, key=lambda label: own[label] - everybody[label])
    return Chart(
        "mix",
        "bars",
        f"{one.code} gives “{words[most]}” in {percent(own[most])} of their labels, all people in"
        f" {percent(everybody[most])}.",
        [
            Column("who", "whose labels"),
            Column("labels", "labels", "count"),
            *(Column(label, words[label], "share") for label in question.labels),
        ],
        [{"who": one.code, "labels": one.labels, **own}, {"who": "all people", "labels": total, **everybody}],
        {"y": "who", "series": list(question.labels), "n": "labels", "x_domain": [0, 1]},
        colours=colours_of(question.labels),
    )
