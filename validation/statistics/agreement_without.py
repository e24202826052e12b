"""What the agreement of a week would be without each person and each genre (leave one out).

Leaving somebody out leaves out the pairs that have their label, or their text. The others keep all their labels, so the
statistic stays the same one.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from statistics import NormalDist
from typing import Annotated, Any, NamedTuple

from django.utils import timezone
from pydantic import AfterValidator

from nli.agreement import Votes, chance_corrected
from nli.gold import Rule
from schemas.base import refuse
from shared.days import monday_of, start_of_day
from shared.figures import Figure, Parameters, Picture, picture
from shared.findings import LISTED, Part, beside_before, in_place, listed
from shared.intervals import FEWEST_PAIRS
from shared.numbers import decimals, short_day
from shared.tables import Column, Table, interval
from validation.models import Question
from validation.questions.addresses import address_in
from validation.statistics.cached import Kind
from validation.statistics.confidence_intervals import AT_ONCE, REPLICATES, middle
from validation.statistics.definitions import CORRECTED, corrected_name
from validation.statistics.progress import Progress
from validation.statistics.scope import QUESTION, Counted
from validation.statistics.vote_patterns import behind_both, of_week

A_WEEK = timedelta(days=7)
LABELS, TEXTS, GENRE = "labels of", "texts of", "genre"
MOST_DRAWN = 30
Key = tuple[str, str]  # one of the above, and a code or a slug


def last_whole_week() -> date:
    """Returns the Monday of the last week that is over, UTC."""
    return monday_of(start_of_day(timezone.now()).date()) - A_WEEK


def _week(text: str) -> str:
    """Returns the Monday of the week of a day; refuses what is no day."""
    try:
        return text and monday_of(date.fromisoformat(text)).isoformat()
    except (ValueError, OverflowError):
        refuse(f"“{text}” is no day; write one of the week, as 2026-11-09")
        raise


class Week(Parameters):
    """week: any day of it; the last whole week where it is empty."""

    week: Annotated[str, AfterValidator(_week)] = ""

    @property
    def counted_by(self) -> str:
        return self.week or last_whole_week().isoformat()


class _Judged(NamedTuple):
    """A pair with all labels: the number of its premise group, its votes, and of which parts it is."""

    place: int
    votes: Votes
    parts: Collection[Key]


def without_each(question: Question, by: str, progress: Progress) -> dict[str, Any]:
    """Computes agreement in the week that begins on the Monday `by`, in the week before, and without each part.

    Returns week, before: {week, pairs, kappa, ends: [low, high] or None}. parts, the largest change first: {kind, name,
    pairs, kappa, change, ends} of what is left out and what remains. named: those of them without which agreement is higher
    beyond their interval; together: the pairs that are left without all of these, and their kappa.
    """
    monday = date.fromisoformat(by)
    rule, then, now = question.rule, _judged(question, monday - A_WEEK), _judged(question, monday)
    progress(0.3)
    of_part: defaultdict[Key, list[_Judged]] = defaultdict(list)
    for pair in now:
        for key in pair.parts:
            of_part[key].append(pair)
    tried = {
        key: pairs
        for key, pairs in sorted(of_part.items())
        if min(len(pairs), len(now) - len(pairs)) >= FEWEST_PAIRS
    }
    ends, errors = _drawn(now, tried, rule)
    progress(0.8)
    reach = NormalDist().inv_cdf(1 - 0.025 / max(1, len(tried)))
    whole, votes = _kappa(_votes(now), rule), _votes(now)
    parts = []
    for key, pairs in of_part.items():
        kappa, error = _kappa(votes - _votes(pairs), rule), errors.get(key)
        change = None if kappa is None or whole is None else kappa - whole
        sure = None if change is None or error is None else [change - reach * error, change + reach * error]
        parts.append(
            {
                "kind": key[0],
                "name": key[1],
                "pairs": len(pairs),
                "kappa": kappa,
                "change": change,
                "ends": sure,
            }
        )
    parts.sort(key=lambda each: (each["change"] is None, -(each["change"] or 0), each["kind"], each["name"]))
    named = [(each["kind"], each["name"]) for each in parts if each["ends"] and each["ends"][0] > 0][:LISTED]
    left = [pair for pair in now if not set(named) & set(pair.parts)]
    return {
        "week": {"week": by, "pairs": len(now), "kappa": whole, "ends": ends},
        "before": {
            "week": (monday - A_WEEK).isoformat(),
            "pairs": len(then),
            "kappa": _kappa(_votes(then), rule),
            "ends": _drawn(then, {}, rule)[0],
        },
        "parts": parts,
        "tried": len(tried),
        "named": named,
        "together": {"pairs": len(left), "kappa": _kappa(_votes(left), rule)} if named else None,
    }


def _judged(question: Question, monday: date) -> list[_Judged]:
    """Reads the pairs (or sentences) that got their last label in this week, as far as they have all labels."""
    places: dict[str, int] = {}
    found = []
    begin = datetime.combine(monday, time(), tzinfo=UTC)
    for premises, pattern, (genre, author), validators in of_week(question, begin, ("genre", "author")):
        parts = {
            (GENRE, genre),
            *((LABELS, code) for code in validators),
            *([(TEXTS, author)] if author else []),
        }
        found.append(_Judged(places.setdefault(premises, len(places)), pattern.votes, parts))
    return found


def _votes(pairs: Collection[_Judged]) -> Counter[Votes]:
    return Counter(pair.votes for pair in pairs)


def _kappa(votes: Mapping[Votes, Any], rule: Rule) -> Any:
    return chance_corrected(votes, rule) if votes else None


def _drawn(
    pairs: Collection[_Judged], parts: Mapping[Key, Collection[_Judged]], rule: Rule
) -> tuple[list[float] | None, dict[Key, float]]:
    """Draws premises a thousand times, as confidence_intervals.py does, and takes the difference without each part.

    Returns (the interval of kappa or None, part -> the standard error of the change without it).
    """
    import numpy as np

    columns = {votes: n for n, votes in enumerate(sorted({pair.votes for pair in pairs}))}
    groups = 1 + max((pair.place for pair in pairs), default=-1)
    if groups < 2:
        return None, {}

    def table(some: Collection[_Judged]) -> tuple[Any, Any]:
        """Returns the numbers of their premise groups, and how many pairs of each have which votes."""
        places = {place: n for n, place in enumerate(sorted({pair.place for pair in some}))}
        counts = np.zeros((len(places), len(columns)))
        for pair in some:
            counts[places[pair.place], columns[pair.votes]] += 1
        return np.array(list(places)), counts

    dice = np.random.default_rng(0)
    tables: dict[Any, tuple[Any, Any]] = {
        None: table(pairs),
        **{key: table(some) for key, some in parts.items()},
    }
    counts: dict[Any, list[Any]] = {key: [] for key in tables}
    for _ in range(0, REPLICATES, AT_ONCE):
        times = dice.multinomial(groups, np.full(groups, 1 / groups), size=AT_ONCE).astype(float)
        for key, (places, each) in tables.items():
            counts[key].append(times[:, places] @ each)
    drawn = {key: np.concatenate(each) for key, each in counts.items()}

    def kappas(numbers: Any) -> Any:
        with np.errstate(invalid="ignore", divide="ignore"):
            return _kappa({votes: numbers[:, n] for votes, n in columns.items()}, rule)

    whole = kappas(drawn[None])
    if whole is None:
        return None, {}
    errors = {key: np.std(kappas(drawn[None] - drawn[key]) - whole, ddof=1) for key in parts}
    return middle(whole), {key: float(error) for key, error in errors.items() if np.isfinite(error)}


def _name(data: Counted, kind: str, name: str) -> str:
    if kind == GENRE:
        return data.genres.get(name, name)
    return name if kind == LABELS else f"texts of {name}"


def _behind(data: Counted, kind: str, name: str) -> str:
    """Returns the address of a person's record, or of the week's pairs of an author or a genre."""
    if kind == LABELS:
        return address_in("pool-member", data.question, name)
    by = "author" if kind == TEXTS else "genre"
    return behind_both(data.question, (by, name), ("week", data.found["week"]["week"]), votes="complete")


def _rows(data: Counted, week: str) -> Iterator[dict[str, Any]]:
    for each in data.found["parts"]:
        low, high = each["ends"] or (None, None)
        yield {
            "without": _name(data, each["kind"], each["name"]),
            "kind": each["kind"],
            "pairs": each["pairs"],
            "kappa": each["kappa"],
            "change": each["change"],
            "low": low,
            "high": high,
            "href": _behind(data, each["kind"], each["name"]),
        }


def _written(value: float) -> str:
    return decimals(value, 2)


def _part(of: Mapping[str, Any], name: str) -> Part:
    low, high = of["ends"] or (None, None)
    return Part(name, of["kappa"], of["pairs"], low, high)


def sentence_of(data: Counted) -> str:
    """Says what the week's agreement is, whether it is apart from the week before, and who explains it."""
    found, what = data.found, corrected_name(data.question.rule)
    now, before, day = found["week"], found["before"], short_day(date.fromisoformat(found["week"]["week"]))
    if now["kappa"] is None or now["pairs"] < FEWEST_PAIRS:
        pairs = f"{now['pairs']:,} pair{'' if now['pairs'] == 1 else 's'}"
        return f"In the week from {day}, {pairs} got the last label: too few to say what their agreement depends on."
    said = f"in the week from {day}, {what} is {_written(now['kappa'])} over {now['pairs']:,} pairs"
    if before["kappa"] is not None:
        beside = beside_before(_part(now, ""), _part(before, "the week before"), _written)
        said += f", {beside}" if beside else ""
    together = found["together"]
    if together and together["kappa"] is not None:
        names = listed([_name(data, *each) for each in found["named"]])
        return f"{in_place(said)} Without {names} the week would be {_written(together['kappa'])}."
    nobody = "explains it" if found["tried"] else f"has the {FEWEST_PAIRS} pairs that could explain it"
    return f"{in_place(said)} No person or genre {nobody}."


def _drawn_as(table: Table, data: Counted) -> Picture:
    note = (
        "Right of the line, agreement would be higher without this person or genre. A bar is the interval of the change, so"
        f" wide that 95% hold for all {data.found['tried']:,} together ({REPLICATES:,} draws of premises, after Bonferroni)."
        f" Over fewer than {FEWEST_PAIRS} pairs there is none."
    )
    line = {"axis": "x", "value": 0, "name": "no change"}
    drawn = picture(
        "dots",
        y="without",
        x="change",
        low="low",
        high="high",
        n="pairs",
        most=MOST_DRAWN,
        lines=[line],
        note=note,
    )
    return {**drawn, "title": sentence_of(data)}


WITHOUT = Figure(
    "agreement-without",
    "Agreement of a week without each person and each genre",
    QUESTION,
    _rows,
    (
        Column("without"),
        Column(
            "kind",
            "what is left out",
            definition="All pairs of the week with their label, by them, or of it.",
        ),
        Column("pairs", "pairs left out", "count"),
        Column(
            "kappa", "{} without", "kappa", CORRECTED, each=lambda data: [corrected_name(data.question.rule)]
        ),
        Column("change", kind="kappa", definition="What is left, less the whole week."),
        *interval("The interval of the change.", "kappa"),
    ),
    _drawn_as,
    source=Kind.WITHOUT,
    parameters=Week,
    only_with_rows=True,
)
