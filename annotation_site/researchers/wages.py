"""Computes hourly pay in a corpus for each annotator, and tops it up to a floor."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import groupby
from math import inf
from operator import attrgetter
from statistics import median
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import Count, Q, Sum
from django.utils import timezone

from accounts.models import User
from collection.models import MOST_TOP_UP_CENTS, Corpus, LedgerEntry, WritingAssignment
from collection.pay import earn, reason_for
from shared.csv_files import csv_text

MS_AN_HOUR, MS_A_MINUTE = 3_600_000, 60_000
WRITING = "writing"  # a kind of work in PIECES
# Pay for what no time is measured of.
UNTIMED = (LedgerEntry.Kind.READING, LedgerEntry.Kind.SKIP)

# Limits on the times that browsers and scripts report: at most MOST_TIMES the expected time of a piece, and for all pieces
# of a batch at most the time that the server measured between handing it out and closing it. All work of a person together,
# in whatever corpus, takes at most the time in which they had any. Simulated annotators have no such limits: their times are
# modelled. Whose pieces took more than SLOW_TIMES the expected time in sum is looked at before a top-up.
MOST_TIMES = 10
SLOW_TIMES = 3
ROUNDING_MS = 1000

MEANINGS = {
    "earned": "Earnings of the person in this corpus for texts and labels, with bonuses and top-ups. Pay for reading"
    " instructions and for skipping upsetting texts is left out, because that time is not measured.",
    "pieces": "Paid premises (also those that somebody else finished first) and paid pairs. Skipped ones are in neither the"
    " pieces nor the hours.",
    "hours": "Active time with the page in front, without idle time, as the browser measures it. Pieces without a"
    " measurement (no scripts, REST) count as long as the measured pieces of their batch, or else as the person's measured"
    f" pieces of the same kind. A piece counts at most {MOST_TIMES} times its expected time, a batch at most the time"
    " between handing it out and its last answer, and each minute once, also where other work, or another corpus's,"
    " was in hand.",
    "doubtful": "People get a top-up only if a researcher ticks them where a reported time is over the limit, or where all"
    f" pieces together took more than {SLOW_TIMES} times the expected time.",
    "hourly": "Earnings divided by hours. People without measured pieces of a kind have none and are not in the median.",
}


MS = {
    "postgresql": "EXTRACT(EPOCH FROM {moment}) * 1000",
    "sqlite": "(julianday({moment}) - 2440587.5) * 86400000",
}
SENT = ", ".join(f"'{outcome.value}'" for outcome in WritingAssignment.SENT)
# Of everybody who earned in a corpus: their pieces in all corpora, with the batch of each.
PIECES = f"""
SELECT task.annotator_id, task.corpus_id, '{WRITING}' AS work, task.id AS batch, task.created_at, task.closed_at,
  signals.active_ms AS reported, version.seconds
FROM collection_writingassignment AS task
JOIN collection_promptversion AS version ON version.id = task.prompt_version_id
LEFT JOIN collection_writingsignals AS signals ON signals.assignment_id = task.id
WHERE task.annotator_id IN (SELECT user_id FROM earners) AND task.outcome IN ({SENT})
UNION ALL
SELECT batch.annotator_id, question.corpus_id, 'labels', batch.id, batch.created_at, batch.closed_at, item.active_ms,
  question.seconds
FROM validation_question AS question
JOIN validation_assignment AS batch ON batch.question_id = question.id
JOIN (
  SELECT assignment_id, active_ms FROM validation_batchitem WHERE answer IS NOT NULL
  UNION ALL SELECT assignment_id, active_ms FROM validation_calibrationanswer WHERE answer IS NOT NULL
) AS item ON item.assignment_id = batch.id
WHERE batch.annotator_id IN (SELECT user_id FROM earners)
"""
# Pieces without a measurement count as long as the measured ones of their batch, or else of the person. The limit of the
# batch comes last, so that one long piece does not stretch other batches beyond their own time.
BATCHES = f"""
WITH earners AS (SELECT DISTINCT user_id FROM collection_ledgerentry WHERE corpus_id = %(corpus)s)
SELECT annotator_id, corpus_id, is_simulated, began, ended, n, expected,
  CASE WHEN reported > took THEN measured ELSE beyond END,
  CASE WHEN believed > took THEN took ELSE believed END, work, batch
FROM (
  SELECT *,
    CASE WHEN measured > 0 THEN bounded * 1.0 * n / measured
      ELSE SUM(CASE WHEN bounded > took THEN took ELSE bounded END) OVER person * 1.0 * n
        / NULLIF(SUM(measured) OVER person, 0) END AS believed
  FROM (
    SELECT *, CASE WHEN is_simulated THEN 1e15 ELSE ended - began END AS took
    FROM (
      SELECT annotator_id, corpus_id, work, batch, COUNT(*) AS n,
        person.kind = 'simulated' AS is_simulated,
        MAX({{created_at}}) AS began, MAX({{closed_at}}) AS ended,
        SUM(most) / %(times)s AS expected,
        COUNT(CASE WHEN reported > 0 THEN 1 END) AS measured,
        COUNT(CASE WHEN reported > most THEN 1 END) AS beyond,
        COALESCE(SUM(reported), 0) AS reported,
        COALESCE(SUM(CASE WHEN reported > most THEN most ELSE reported END), 0) AS bounded
      FROM (SELECT *, CAST(seconds AS bigint) * 1000 * %(times)s AS most FROM ({PIECES}) AS piece) AS piece
      JOIN accounts_user AS person ON person.id = piece.annotator_id
      GROUP BY annotator_id, corpus_id, work, batch, person.kind
    ) AS batches
  ) AS batches
  WINDOW person AS (PARTITION BY annotator_id, corpus_id, work)
) AS batches
ORDER BY annotator_id, began
"""


class SumChanged(Exception):
    """The sum of a top-up has changed since the researcher saw it. `cents`: the new sum."""

    def __init__(self, cents: int) -> None:
        super().__init__(
            "The sum has changed, because somebody has sent more work. Nothing was paid. Please check the new sum."
        )
        self.cents = cents


@dataclass(frozen=True)
class Wage:
    """One annotator in one corpus. `hours` is None where a kind of work was never measured.

    `hours` contains plausible times only; `doubtful` counts pieces with a longer reported time. `slow`: all pieces together
    took more than SLOW_TIMES the expected time. `overlapping`: the person reported more time than they had any work.
    """

    annotator: int
    code: str
    cents: int
    pieces: int
    hours: float | None
    doubtful: int = 0
    slow: bool = False
    overlapping: bool = False

    @property
    def doubts(self) -> list[str]:
        """Returns why a researcher should look at the times before a top-up."""
        found = {
            f"the reported time of {self.doubtful:,} piece{'' if self.doubtful == 1 else 's'} is too long": self.doubtful,
            "work in hand at the same time is reported to have taken longer than the clock allows": self.overlapping,
            f"all pieces together took more than {SLOW_TIMES} times the expected time": self.slow,
        }
        return [doubt for doubt, holds in found.items() if holds]

    @property
    def is_plausible(self) -> bool:
        return not self.doubts

    @property
    def hourly_cents(self) -> float | None:
        return self.cents / self.hours if self.hours else None

    def missing_cents(self, floor_cents: int) -> int:
        """Returns the cents that raise the person's hourly pay to the floor, rounded up."""
        if self.hours is None:
            return 0
        return max(0, -int(-(floor_cents * self.hours) // 1) - self.cents)


@dataclass(frozen=True)
class Summary:
    """Totals over a corpus. `below` and `missing_cents`: people with plausible times; `short`: everybody."""

    people: int
    measured: int
    median_hourly_cents: float | None
    lowest_hourly_cents: float | None
    below: int
    missing_cents: int
    short: int


def wages(corpus: Corpus) -> list[Wage]:
    """Returns a row for everybody who earned in the corpus, most pieces first. It includes simulated annotators, who show
    in a trial what a crowd would earn."""
    worked = {
        person: _worked(list(batches), corpus.pk)
        for person, batches in groupby(_batches(corpus), attrgetter("person"))
    }
    found = [
        Wage(row["user"], row["user__code"], row["total"] or 0, *worked.get(row["user"], (0, 0.0)))
        for row in LedgerEntry.objects.filter(corpus=corpus)
        .values("user", "user__code")
        .annotate(total=Sum("cents", filter=~Q(kind__in=UNTIMED)))
        .order_by()
    ]
    return sorted(
        (each for each in found if each.cents or each.pieces), key=lambda wage: (-wage.pieces, wage.code)
    )


def minutes_of_texts(corpus: Corpus) -> dict[int, float]:
    """Returns writing task -> the minutes that are believed, of everybody who earned in the corpus and was measured."""
    return {
        batch.key: batch.believed / MS_A_MINUTE
        for batch in _batches(corpus)
        if batch.corpus == corpus.pk and batch.work == WRITING and batch.believed is not None
    }


def as_csv(found: Sequence[Wage], floor_cents: int) -> str:
    """Returns a CSV table with one row per annotator; hours and pay are empty if they were not measured."""
    header = [
        "annotator",
        "pieces",
        "hours",
        "earned_cents",
        "hourly_cents",
        "missing_cents",
        "doubtful_pieces",
        "doubts",
    ]
    rows = (
        [
            *(wage.code, wage.pieces, wage.hours, wage.cents, wage.hourly_cents),
            *(wage.missing_cents(floor_cents), wage.doubtful, "; ".join(wage.doubts)),
        ]
        for wage in found
    )
    return csv_text([header, *rows])


def summary(found: Sequence[Wage], floor_cents: int) -> Summary:
    hourly = [wage.hourly_cents for wage in found if wage.hourly_cents is not None]
    missing = [wage.missing_cents(floor_cents) for wage in chosen(found, floor_cents)]
    return Summary(
        people=len(found),
        measured=len(hourly),
        median_hourly_cents=median(hourly) if hourly else None,
        lowest_hourly_cents=min(hourly, default=None),
        below=len(missing),
        missing_cents=sum(missing),
        short=sum(wage.missing_cents(floor_cents) > 0 for wage in found),
    )


def chosen(found: Sequence[Wage], floor_cents: int, codes: Collection[str] | None = None) -> list[Wage]:
    """Returns the people whom a top-up pays: those with these codes, or (None) all with plausible times."""
    return [
        wage
        for wage in found
        if 0 < wage.missing_cents(floor_cents) <= MOST_TOP_UP_CENTS
        and (wage.is_plausible if codes is None else wage.code in codes)
    ]


@transaction.atomic
def top_up(*, corpus: Corpus, floor_cents: int, codes: Collection[str], expected_cents: int) -> int:
    """Pays these people the amounts that raise their hourly pay to the floor, and returns the cents that were paid.

    `codes`: people whom a researcher has ticked. `expected_cents`: the sum that they saw. Raises SumChanged if the
    sum differs now: of two simultaneous requests the second waits for the first, and then finds nothing missing.
    """
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    found = chosen(wages(corpus), floor_cents, codes)
    total = sum(wage.missing_cents(floor_cents) for wage in found)
    if total != expected_cents:
        raise SumChanged(total)
    people = User.objects.in_bulk([wage.annotator for wage in found])
    earlier = LedgerEntry.objects.filter(corpus=corpus, kind=LedgerEntry.Kind.TOP_UP, user__in=people)
    numbers = dict(earlier.order_by().values_list("user").annotate(number=Count("pk")))
    return sum(
        cents
        for wage in found
        if earn(
            user=people[wage.annotator],
            corpus_id=corpus.pk,
            kind=LedgerEntry.Kind.TOP_UP,
            cents=(cents := wage.missing_cents(floor_cents)),
            reason=reason_for(LedgerEntry.Kind.TOP_UP, wage=f"${floor_cents / 100:.2f}", name=corpus.name),
            key=f"topup:{corpus.pk}:number-{numbers.get(wage.annotator, 0) + 1}",
        )
    )


class _Batch(NamedTuple):
    """A batch or a text of a person: when they had it in hand, its pieces, and the time that is believed (None: unknown).

    key: of the writing task or the batch. Times are milliseconds.
    """

    person: int
    corpus: int
    is_simulated: bool
    began: float
    ended: float
    pieces: int
    expected: int
    doubtful: int
    believed: float | None
    work: str = ""
    key: int = 0


def _batches(corpus: Corpus) -> Iterator[_Batch]:
    """Yields the work, in all corpora, of the people who earned in this one: person by person, in order of time."""
    ms, now = MS[connection.vendor], connection.ops.adapt_datetimefield_value(timezone.now())
    times = {
        "created_at": ms.format(moment="created_at"),
        "closed_at": ms.format(moment="COALESCE(closed_at, %(now)s)"),
    }
    with connection.cursor() as cursor:
        cursor.execute(BATCHES.format(**times), {"corpus": corpus.pk, "now": now, "times": MOST_TIMES})
        for person, where, is_simulated, began, ended, n, expected, doubtful, believed, *which in cursor:
            ms_believed = None if believed is None else float(believed)
            yield _Batch(
                person,
                where,
                bool(is_simulated),
                float(began),
                float(ended),
                n,
                int(expected),
                doubtful,
                ms_believed,
                *which,
            )


def _worked(batches: list[_Batch], corpus: int) -> tuple[int, float | None, int, bool, bool]:
    """Returns (pieces, hours, doubtful pieces, is slow, is overlapping) of one person in a corpus."""
    here = [batch for batch in batches if batch.corpus == corpus]
    pieces, doubtful = sum(batch.pieces for batch in here), sum(batch.doubtful for batch in here)
    if any(batch.believed is None for batch in here):
        return pieces, None, doubtful, False, False
    told = sum(batch.believed or 0 for batch in here)
    had = told if not here or here[0].is_simulated else _within_the_clock(batches)[corpus]
    is_slow = had > SLOW_TIMES * sum(batch.expected for batch in here)
    return pieces, had / MS_AN_HOUR, doubtful, is_slow, told - had > ROUNDING_MS


def _within_the_clock(batches: list[_Batch]) -> dict[int, float]:
    """Returns corpus -> the most milliseconds that one person can have worked on these batches, each minute once.

    In every minute they work on that batch in hand which was sent first. No other order leaves less time unexplained.
    """
    had: dict[int, float] = defaultdict(float)
    in_hand: list[tuple[float, int, float]] = []  # (its end, its index, milliseconds still to explain)
    clock = 0.0

    def work(until: float) -> None:
        nonlocal clock
        while in_hand and clock < until:
            ended, index, left = heappop(in_hand)
            spent = max(min(left, until - clock, ended - clock), 0.0)
            had[batches[index].corpus] += spent
            clock += spent
            if left > spent and clock < ended:
                heappush(in_hand, (ended, index, left - spent))

    for index, batch in enumerate(batches):
        work(batch.began)
        clock = max(clock, batch.began)
        heappush(in_hand, (batch.ended, index, batch.believed or 0.0))
    work(inf)
    return had
