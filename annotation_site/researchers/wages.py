"""Computes hourly pay in a corpus for each annotator, and tops it up to a floor."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median

from django.db import connection, transaction
from django.db.models import Sum
from django.utils import timezone

from accounts.models import User
from collection.models import MOST_TOP_UP_CENTS, Corpus, LedgerEntry, WritingAssignment
from collection.pay import earn, reason_for
from shared.csv_tables import csv_text

MS_AN_HOUR = 3_600_000

# Limits on the times that browsers and scripts report: at most MOST_TIMES the expected time of a piece, and for all pieces
# of a batch at most the time that the server measured between handing it out and closing it. Simulated annotators have no
# such limit: their times are modelled.
MOST_TIMES = 10

MEANINGS = {
    "earned": "All earnings of the person in this corpus: writing, paid skips, labels, bonuses and top-ups. Pay for reading"
    " instructions is left out, because the time of reading is not measured.",
    "pieces": "Paid premises (also those that somebody else finished first) and paid pairs.",
    "hours": "Active time with the page in front, without idle time, as the browser measures it. Pieces without a"
    " measurement (no scripts, REST) count as long as the measured pieces of their batch, or else as the person's measured"
    f" pieces of the same kind. A piece counts at most {MOST_TIMES} times its expected time, and a batch at most the time"
    " between handing it out and its last answer.",
    "doubtful": "Pieces whose reported time is over the limit. People with such pieces get a top-up only if a researcher"
    " ticks them.",
    "hourly": "Earnings divided by hours. People without measured pieces of a kind have none and are not in the median.",
}


TOOK = {
    "postgresql": "EXTRACT(EPOCH FROM COALESCE(closed_at, %(now)s) - created_at) * 1000",
    "sqlite": "(julianday(COALESCE(closed_at, %(now)s)) - julianday(created_at)) * 86400000",
}
SENT = ", ".join(f"'{outcome.value}'" for outcome in WritingAssignment.SENT)
WRITING = f"""
SELECT task.annotator_id, task.id AS batch, task.created_at, task.closed_at, signals.active_ms AS reported,
  version.seconds
FROM collection_writingassignment AS task
JOIN collection_promptversion AS version ON version.id = task.prompt_version_id
LEFT JOIN collection_writingsignals AS signals ON signals.assignment_id = task.id
WHERE task.corpus_id = %(corpus)s AND task.outcome IN ({SENT})
"""
LABELLING = """
SELECT batch.annotator_id, batch.id AS batch, batch.created_at, batch.closed_at, item.active_ms AS reported,
  question.seconds
FROM validation_question AS question
JOIN validation_assignment AS batch ON batch.question_id = question.id
JOIN (
  SELECT assignment_id, active_ms FROM validation_batchitem WHERE answer IS NOT NULL
  UNION ALL SELECT assignment_id, active_ms FROM validation_calibrationanswer WHERE answer IS NOT NULL
) AS item ON item.assignment_id = batch.id
WHERE question.corpus_id = %(corpus)s
"""
# Pieces without a measurement count as long as the measured ones of their batch, or else of the person. The limit of the
# batch comes last, so that one long piece does not stretch other batches beyond their own time.
BELIEVED = """
SELECT annotator_id, SUM(n), SUM(beyond), SUM(CASE WHEN believed > took THEN took ELSE believed END)
FROM (
  SELECT annotator_id, n, took,
    CASE WHEN reported > took THEN measured ELSE beyond END AS beyond,
    CASE WHEN measured > 0 THEN bounded * 1.0 * n / measured
      ELSE SUM(CASE WHEN bounded > took THEN took ELSE bounded END) OVER person * 1.0 * n
        / NULLIF(SUM(measured) OVER person, 0) END AS believed
  FROM (
    SELECT annotator_id, batch, COUNT(*) AS n,
      COUNT(CASE WHEN reported > 0 THEN 1 END) AS measured,
      COUNT(CASE WHEN reported > most THEN 1 END) AS beyond,
      COALESCE(SUM(reported), 0) AS reported,
      COALESCE(SUM(CASE WHEN reported > most THEN most ELSE reported END), 0) AS bounded,
      CASE WHEN person.kind = 'simulated' THEN 1e15 ELSE MAX({took}) END AS took
    FROM (
      SELECT *, CAST(seconds AS bigint) * 1000 * %(times)s AS most FROM ({pieces}) AS piece
    ) AS piece JOIN accounts_user AS person ON person.id = piece.annotator_id
    GROUP BY annotator_id, batch, person.kind
  ) AS batches
  WINDOW person AS (PARTITION BY annotator_id)
) AS believed_batches
GROUP BY annotator_id
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

    `hours` contains plausible times only; `doubtful` counts pieces with a longer reported time.
    """

    annotator: int
    code: str
    cents: int
    pieces: int
    hours: float | None
    doubtful: int = 0

    @property
    def is_plausible(self) -> bool:
        return not self.doubtful

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
    pieces: dict[int, int] = defaultdict(int)
    doubtful: dict[int, int] = defaultdict(int)
    milliseconds: dict[int, float | None] = defaultdict(float)
    for person, n, over, believed in (*_worked(WRITING, corpus), *_worked(LABELLING, corpus)):
        pieces[person] += n
        doubtful[person] += over
        so_far = milliseconds[person]
        milliseconds[person] = None if believed is None or so_far is None else so_far + believed
    found = [
        Wage(
            annotator=row["user"],
            code=row["user__code"],
            cents=row["total"],
            pieces=pieces[row["user"]],
            hours=None if (active := milliseconds[row["user"]]) is None else active / MS_AN_HOUR,
            doubtful=doubtful[row["user"]],
        )
        for row in LedgerEntry.objects.filter(corpus=corpus)
        .exclude(kind=LedgerEntry.Kind.READING)
        .values("user", "user__code")
        .annotate(total=Sum("cents"))
        .order_by()
    ]
    return sorted(found, key=lambda wage: (-wage.pieces, wage.code))


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
    ]
    rows = (
        [
            *(wage.code, wage.pieces, wage.hours, wage.cents, wage.hourly_cents),
            *(wage.missing_cents(floor_cents), wage.doubtful),
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
    """Pays these people the amounts that raise their hourly pay to the floor, and returns the cents.

    `codes`: people whom a researcher has ticked. `expected_cents`: the sum that they saw. Raises SumChanged if the
    sum differs now. Two simultaneous requests pay once, because the idempotency key contains the earlier earnings.
    """
    found = chosen(wages(corpus), floor_cents, codes)
    total = sum(wage.missing_cents(floor_cents) for wage in found)
    if total != expected_cents:
        raise SumChanged(total)
    people = User.objects.in_bulk([wage.annotator for wage in found])
    for wage in found:
        earn(
            user=people[wage.annotator],
            corpus_id=corpus.pk,
            kind=LedgerEntry.Kind.TOP_UP,
            cents=wage.missing_cents(floor_cents),
            reason=reason_for(LedgerEntry.Kind.TOP_UP, wage=f"${floor_cents / 100:.2f}", name=corpus.name),
            key=f"topup:{corpus.pk}:{wage.cents}",
        )
    return total


def _worked(pieces: str, corpus: Corpus) -> list[tuple[int, int, int, int | None]]:
    """Returns (person, pieces, implausible pieces, plausible milliseconds or None if no piece was measured)."""
    with connection.cursor() as cursor:
        cursor.execute(
            BELIEVED.format(pieces=pieces, took=TOOK[connection.vendor]),
            {
                "corpus": corpus.pk,
                "now": connection.ops.adapt_datetimefield_value(timezone.now()),
                "times": MOST_TIMES,
            },
        )
        return [
            (person, int(n), int(over), None if ms is None else int(ms))
            for person, n, over, ms in cursor.fetchall()
        ]
