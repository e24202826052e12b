"""Figures of annotators: all of them together, and one of them over time and compared with all."""

import math
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any

from accounts.models import User
from collection.templatetags.labels import colours_of
from shared.figures import Figure, Parameters, Picture, Shown, picture, shown
from shared.findings import span
from shared.intervals import FEWEST_PAIRS, MIDDLE, wilson
from shared.numbers import percent
from shared.tables import AFTER_WILSON, Column, Table, interval
from validation.models import Question
from validation.questions.addresses import address_in
from validation.questions.lookup import answer_words
from validation.statistics.annotator_quality import FAST, MEANINGS, RULES, Annotator
from validation.statistics.annotator_table import COLUMNS, MODELS, columns_of, shown_figure
from validation.statistics.cached import Kind, current
from validation.statistics.newest_answers import NEWEST_TIMES, newest_compared, newest_times
from validation.statistics.scope import QUESTION, Counted

MOST_PEOPLE = 500  # in a picture
FLAGGED, UNFLAGGED = "flagged", "no flag"
COLOURS = {FLAGGED: "--chart-second", UNFLAGGED: "--chart-point"}  # --wrong is an answer's
NARROW, WIDE = (
    MIDDLE,
    3.09,
)  # standard errors: 95% and 99.8% of people who agree as often as all do (Spiegelhalter 2005)
CURVE_POINTS = 60
WINDOW = 50  # pairs over which the agreement rolls
STEP = 5  # a point for so many answers: more would not be seen
CLASSES = 15  # of seconds, and one for longer times
CONTROLS = ("right", "wrong")
HEAD_FIGURES = ("equals_others", "median_seconds", "labels", "controls", "calibration")
LOGARITHMIC = ("median_seconds", "labels")


class Person(Parameters):
    annotator: str


def _people(data: Counted) -> list[dict[str, Any]]:
    """Returns a row for everybody who labelled, or those with most labels."""
    mean = _agreement_of_all(data.found)
    rows = []
    for each in sorted(data.found, key=lambda each: -each.labels)[:MOST_PEOPLE]:
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
                "is_below": _is_below(each, mean),
                "named": bool(each.flags) or _is_below(each, mean),
                "href": address_in("pool-member", data.question, each.code),
            }
        )
    return rows


def _selection(data: Counted) -> str:
    many = len(data.found)
    return "" if many <= MOST_PEOPLE else f" The {MOST_PEOPLE} with most labels of {many:,}."


def _agreement_of_all(found: Sequence[Annotator]) -> float:
    """Returns how often labels agree with the others, over all pairs of all people."""
    compared = sum(each.others for each in found)
    return sum((each.equals_others or 0) * each.others for each in found) / compared if compared else 0.0


CODE, STATE, FLAGS = Column("code", "code"), Column("flagged", "state"), Column("flags", "flags")
AGREEMENT = Column("agreement", "agreement with others", "share", MEANINGS["equals_others"])
LABELS = Column("labels", "labels", "count", MEANINGS["labels"])
SECONDS = Column("seconds", "seconds a label", "number", MEANINGS["median_seconds"])

AGREES: dict[str, Any] = {"y": "agreement", "y_domain": [0, 1], "series": "flagged", "text": "code"}
# How a chart draws agreement by week, and the note beneath it.
BY_WEEK: dict[str, Any] = {
    "x": "week",
    "x_type": "time",
    "series": ["agreement"],
    "band": ["low", "high"],
    "points": True,
    "n": "pairs",
}
BAND = "The band is the 95% interval; a point over fewer than 30 pairs is faint."


def _speed(data: Counted) -> list[dict[str, Any]]:
    return [row for row in _people(data) if row["seconds"] is not None and row["agreement"] is not None]


def _speed_drawn(table: Table, data: Counted) -> Picture:
    flagged = sum(bool(each.flags) for each in data.found)
    seconds = {each.code: each.median_seconds for each in data.found if each.median_seconds is not None}
    title = (
        f"{f'{flagged:,}' if flagged else 'None'} of {len(data.found):,} people {'is' if flagged == 1 else 'are'} flagged;"
        f" medians of people are {span(seconds, lambda value: f'{value:.1f}')} seconds a label."
    )
    note = (
        "A point is a person, larger with more labels; it leads to their page. Names: who is flagged, or agrees less"
        f" often than chance explains.{_selection(data)}"
    )
    drawn = picture("scatter", x="seconds", **AGREES, size="labels", colours=COLOURS, note=note)
    return {**drawn, "title": title}


def _is_below(each: Annotator, mean: float) -> bool:
    """Returns whether somebody agrees less often with the others than 99.8% of people would by chance."""
    share = each.equals_others
    return share is not None and share < mean - WIDE * _error(mean, each.others)


def _funnel(data: Counted) -> list[dict[str, Any]]:
    return [row for row in _people(data) if row["others"]]


def _funnel_drawn(table: Table, data: Counted) -> Picture:
    mean, most = _agreement_of_all(data.found), max(row["others"] for row in table.rows)
    below = sum(_is_below(each, mean) for each in data.found)
    many = "Nobody agrees" if not below else "One person agrees" if below == 1 else f"{below:,} people agree"
    curves = [
        {"name": name, "lines": _limits(mean, errors, most)}
        for name, errors in (("95% of people lie within", NARROW), ("99.8% lie within", WIDE))
    ]
    lines = [{"axis": "y", "value": mean, "name": f"all ({percent(mean)})"}]
    note = (
        "With few pairs, shares differ by chance; a person outside the funnel differs from all by more."
        f" A point leads to the person.{_selection(data)}"
    )
    drawn = picture("scatter", x="others", **AGREES, curves=curves, lines=lines, colours=COLOURS, note=note)
    return {
        **drawn,
        "title": f"{many} less often with the others than chance explains, beside {percent(mean)} over all.",
    }


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


def _strips(one: Annotator, data: Counted) -> Table | None:
    """Returns a strip for each head figure: a point for each person, this one marked; None if nobody else labelled."""
    found, labels = data.found, data.question.labels
    if len(found) < 2:
        return None
    people = [columns_of(each, labels) for each in found]
    own = columns_of(one, labels)
    return Table(
        "strips",
        "strips",
        _standing(one, found),
        [
            Column("statistic", "statistic"),
            Column("value", one.code),
            Column("lowest", "lowest"),
            Column("median", "median of people"),
            Column("highest", "highest"),
            Column("below", "people below", "count"),
            Column("people", "people", "count", "Those who have this statistic."),
        ],
        [
            _strip(name, value, [row[name] for row in people])
            for name in HEAD_FIGURES
            if (value := own[name]) is not None
        ],
        {"y": "statistic", "own": "place", "all": "places", "text": "value", "name": one.code},
        note="A point is a person. Labels and seconds stand on a logarithmic scale.",
        explained=[(COLUMNS[name], MEANINGS[name]) for name in HEAD_FIGURES if own[name] is not None],
    )


def _strip(name: str, value: float, everybody: Sequence[float | None]) -> dict[str, Any]:
    known = sorted([each for each in everybody if each is not None])
    low, high = min(known[0], value), max(known[-1], value)
    is_log = name in LOGARITHMIC and low > 0

    def place(number: float) -> float:
        if high == low:
            return 0.5
        return math.log(number / low) / math.log(high / low) if is_log else (number - low) / (high - low)

    return {
        "statistic": COLUMNS[name],
        "value": shown_figure(name, value),
        "lowest": shown_figure(name, low),
        "median": shown_figure(name, median(known)),
        "highest": shown_figure(name, high),
        "below": sum(each < value for each in known),
        "people": len(known),
        "place": place(value),
        "places": [place(each) for each in known[:: math.ceil(len(known) / MOST_PEOPLE)]],
    }


def _standing(one: Annotator, found: Sequence[Annotator]) -> str:
    """Says how many others this one agrees more often than, and takes longer than, of those with thirty pairs or labels."""
    said = []
    for name, number, words in (
        ("equals_others", "others", "agrees more often"),
        ("median_seconds", "timed", "takes longer"),
    ):
        value, *others = (
            getattr(each, name) if getattr(each, number) >= FEWEST_PAIRS else None
            for each in (one, *(each for each in found if each is not one))
        )
        known = [each for each in others if each is not None]
        if value is not None and known:
            said.append(f"{words} than {sum(each < value for each in known):,} of {len(known):,} others")
    return f"{one.code} {' and '.join(said) or f'is one of {len(found):,} people who labelled'}."


def _weeks(one: Annotator, data: Counted) -> Table | None:
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
    mean = _agreement_of_all(data.found)
    return Table(
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
            *interval(AFTER_WILSON),
        ],
        rows,
        {**BY_WEEK, "y_domain": [0, 1]},
        lines=[{"axis": "y", "value": mean, "name": f"all people ({percent(mean)})"}],
        colours={"agreement": "--chart-point"},
        note=BAND,
    )


def _rolling(annotator: User, question: Question) -> Table | None:
    compared = newest_compared(annotator, question)
    if len(compared) < FEWEST_PAIRS:
        return None
    rows: list[dict[str, Any]] = []
    for k, answer in enumerate(compared, start=1):
        window = compared[max(0, k - WINDOW) : k]
        share = sum(each.agrees for each in window) / len(window)
        low, high = wilson(share, len(window))
        control = "" if answer.is_control_right is None else CONTROLS[not answer.is_control_right]
        if (k >= FEWEST_PAIRS and k % STEP == 0) or control or k == len(compared):
            rows.append(
                {
                    "answer": k,
                    "day": answer.day,
                    "pairs": len(window),
                    "agreement": share if k >= FEWEST_PAIRS else None,
                    "low": low if k >= FEWEST_PAIRS else None,
                    "high": high if k >= FEWEST_PAIRS else None,
                    "control": control,
                }
            )
    whole = sum(each.agrees for each in compared) / len(compared)
    last = rows[-1]
    return Table(
        "rolling",
        "lines",
        f"In the last {last['pairs']} pairs {annotator.code} agrees with the others in {percent(last['agreement'])}, in the"
        f" last {len(compared):,} in {percent(whole)}.",
        [
            Column(
                "answer",
                "answer",
                "count",
                "Counted from the oldest of them. Only pairs that the agreement compares.",
            ),
            Column("day", "labelled", "day"),
            Column(
                "pairs",
                "pairs compared",
                "count",
                f"The last {WINDOW} up to this answer, or fewer at the beginning.",
            ),
            AGREEMENT,
            *interval(AFTER_WILSON),
            Column("control", "control item", "text", MEANINGS["controls"]),
        ],
        rows,
        {
            "x": "answer",
            "series": ["agreement"],
            "band": ["low", "high"],
            "ticks": "control",
            "y_domain": [0, 1],
        },
        lines=[{"axis": "y", "value": whole, "name": f"the last {len(compared):,} ({percent(whole)})"}],
        colours={"agreement": "--chart-point", CONTROLS[0]: "--chart-point", CONTROLS[1]: "--wrong"},
        note="The band is the 95% interval. Marks at the bottom are control items.",
    )


def _seconds(annotator: User, question: Question) -> Table | None:
    own, everybody = newest_times(question, annotator), newest_times(question)
    if not own:
        return None
    middle, usual = median(own) / 1000, median(everybody) / 1000
    width = max(1, round(sorted(everybody)[int(0.95 * len(everybody))] / 1000 / CLASSES))
    rows = [
        {
            "low": k * width,
            "high": (k + 1) * width,
            "own": _share_in(own, k, width),
            "everybody": _share_in(everybody, k, width),
        }
        for k in range(CLASSES + 1)
    ]
    return Table(
        "seconds",
        "histogram",
        f"The median of {annotator.code}’s newest {len(own):,} answers is {middle:.1f} seconds, that of the newest"
        f" {len(everybody):,} of all people {usual:.1f}.",
        [
            Column(
                "low",
                "from, seconds",
                "count",
                f"The last row also has all times beyond {CLASSES * width} seconds.",
            ),
            Column("high", "to below", "count"),
            Column(
                "own",
                f"share of {annotator.code}’s answers",
                "share",
                f"Their newest {NEWEST_TIMES:,} timed answers.",
            ),
            Column(
                "everybody", "of all people’s", "share", f"The newest {NEWEST_TIMES:,} timed answers of all."
            ),
        ],
        rows,
        {"low": "low", "high": "high", "y": "own", "beside": "everybody", "x_name": "seconds a label"},
        lines=[
            {"axis": "x", "value": usual, "name": f"median of all answers ({usual:.1f})"},
            {
                "axis": "x",
                "value": FAST * usual,
                "name": f"a third of it ({FAST * usual:.1f})",
            },
        ],
    )


def _share_in(times: Sequence[int], k: int, width: int) -> float:
    """Returns the share of the times (ms) in the class k; the last class has all longer ones."""
    return sum(min(ms // (1000 * width), CLASSES) == k for ms in times) / len(times)


def _mix(one: Annotator, data: Counted) -> Table | None:
    found, question = data.found, data.question
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
    return Table(
        "mix",
        "bars",
        f"{one.code} gives “{words[most]}” in {percent(own[most])} of their {one.labels:,} labels, all people in"
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


def _statistics(data: Counted) -> Iterator[dict[str, Any]]:
    """Yields a row for everybody who labelled, with the latest results of the models if there are any."""
    models, _ = current(data.question, Kind.MODELS)
    of_each = models["annotators"] if models else {}
    for each in data.found:
        yield {
            **{"code": each.code, "href": address_in("pool-member", data.question, each.code)},
            **columns_of(each, data.question.labels),
            **{
                "of_controls": each.controls,
                "of_calibration": each.calibration,
                "flags": ", ".join(each.flags),
            },
            **{name: of_each.get(each.code, {}).get(name) for name in MODELS},
        }


def _meant(key: str, kind: str = "share", name: str = "") -> Column:
    return Column(key, name or COLUMNS[key].lower(), kind, MEANINGS[key])


# Figures


PERSON = (CODE, STATE, FLAGS)
STATISTICS = Figure(
    "annotators",
    "Statistics and flags of annotators",
    QUESTION,
    _statistics,
    (
        *(CODE, LABELS, _meant("equals_others"), _meant("chance"), _meant("controls")),
        *(
            Column("of_controls", "of", "count"),
            _meant("calibration"),
            Column("of_calibration", "of", "count"),
        ),
        _meant("median_seconds", "number"),
        Column(
            "share: {}",
            kind="share",
            definition=MEANINGS["shares"],
            each=lambda data: answer_words(data.question),
        ),
        *(_meant("dawid_skene", "kappa", "Dawid-Skene"), _meant("mace", "kappa", "MACE"), FLAGS),
    ),
    source=Kind.ANNOTATORS,
    notes=[f"{flag}: {rule}." for flag, rule in RULES.items()],
)
SPEED = Figure(
    "annotators-speed",
    "Agreement of annotators with the others, and their speed",
    QUESTION,
    _speed,
    (*PERSON, LABELS, AGREEMENT, *interval(AFTER_WILSON), SECONDS),
    _speed_drawn,
    source=Kind.ANNOTATORS,
    only_with_rows=True,
)
FUNNEL = Figure(
    "annotators-funnel",
    "Agreement of annotators with the others, and what chance explains",
    QUESTION,
    _funnel,
    (*PERSON, Column("others", "pairs compared", "count"), AGREEMENT, *interval(AFTER_WILSON)),
    _funnel_drawn,
    source=Kind.ANNOTATORS,
    only_with_rows=True,
)


def _of_one(name: str, title: str, draw: Callable[[Annotator, Counted], Table | None]) -> Figure:
    """Makes a figure of one annotator among everybody who was counted."""

    def compute(data: Counted, annotator: str) -> Table | None:
        one = next((each for each in data.found if each.code == annotator), None)
        return draw(one, data) if one else None

    return Figure(name, title, QUESTION, compute, source=Kind.ANNOTATORS, parameters=Person)


def _of_newest(name: str, title: str, draw: Callable[[User, Question], Table | None]) -> Figure:
    """Makes a figure of an annotator's newest answers."""

    def compute(data: Question | Counted, annotator: str) -> Table | None:
        if isinstance(data, Counted):  # of a page, which has asked for the person
            return draw(data.found, data.question)
        person = User.objects.filter(code=annotator).first()
        return draw(person, data) if person else None

    return Figure(name, title, QUESTION, compute, parameters=Person)


OF_ALL = (SPEED, FUNNEL)
OF_COUNTED = (
    _of_one("annotator-strips", "An annotator among all people", _strips),
    _of_one("annotator-weeks", "An annotator’s agreement with the others by week", _weeks),
    _of_one("annotator-mix", "An annotator’s labels beside those of all people", _mix),
)
OF_NEWEST = (
    _of_newest("annotator-rolling", "Agreement over an annotator’s newest answers", _rolling),
    _of_newest(
        "annotator-seconds", "Seconds of an annotator’s newest answers beside those of all people", _seconds
    ),
)
FIGURES = (STATISTICS, *OF_ALL, *OF_COUNTED, *OF_NEWEST)


def shown_of(annotator: User, found: Sequence[Annotator], question: Question) -> list[Shown]:
    """Returns all figures of somebody's page. found: the statistics of everybody; empty if nobody has counted them."""
    who = Person(annotator=annotator.code)
    return [
        *shown(OF_COUNTED, question, Counted(question, found), who),
        *shown(OF_NEWEST, question, Counted(question, annotator), who),
    ]
