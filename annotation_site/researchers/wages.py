"""What an hour of work in a corpus came to, for each annotator, and topping up what was too little."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median

from django.db import connection, transaction
from django.db.models import Sum
from django.utils import timezone

from accounts.models import User
from collection.models import MOST_TOP_UP_CENTS, Corpus, LedgerEntry
from collection.pay import earn
from shared.csv_tables import csv_text

MS_AN_HOUR = 3_600_000

# What is believed of the times that browsers and scripts send, whichever way they come: nothing beyond MOST_TIMES the
# time that a piece is expected to take, and no more for the pieces of a batch together than the server saw pass between
# handing it out and closing it. Simulated annotators work faster than the clock, and their times are modelled.
MOST_TIMES = 10

MEANINGS = {
    "earned": "All entries of the person's ledger that are for this corpus: writing, skips that are paid, labels,"
    " bonuses, top-ups.",
    "pieces": "Premises written for (with those that somebody else finished first) and pairs labelled, as far as"
    " they were paid.",
    "hours": "Active time: the page in front, idle time left out. The browser measures it; pieces without a measurement"
    " (scripts off, REST) are taken to have lasted as long as the person's measured ones of the same kind. Of a piece no"
    f" more is believed than {MOST_TIMES} times what its task is expected to take, and of a batch no more than the time"
    " between handing it out and its last answer.",
    "doubtful": "Pieces that told a longer time than is believed. Somebody who has some is left out of a top-up until a"
    " researcher ticks them.",
    "hourly": "Earned by hours. Somebody none of whose pieces of a kind was measured has none, and is left out of"
    " the median.",
}


TOOK = {
    "postgresql": "EXTRACT(EPOCH FROM COALESCE(closed_at, %(now)s) - created_at) * 1000",
    "sqlite": "(julianday(COALESCE(closed_at, %(now)s)) - julianday(created_at)) * 86400000",
}
WRITING = """
SELECT task.annotator_id, task.id AS batch, task.created_at, task.closed_at, signals.active_ms AS told,
  version.seconds
FROM collection_writingassignment AS task
JOIN collection_promptversion AS version ON version.id = task.prompt_version_id
LEFT JOIN collection_writingsignals AS signals ON signals.assignment_id = task.id
WHERE task.corpus_id = %(corpus)s AND task.outcome IN ('submitted', 'surplus')
"""
LABELLING = """
SELECT batch.annotator_id, batch.id AS batch, batch.created_at, batch.closed_at, item.active_ms AS told,
  question.seconds
FROM validation_question AS question
JOIN validation_assignment AS batch ON batch.question_id = question.id
JOIN (
  SELECT assignment_id, active_ms FROM validation_batchitem WHERE answer IS NOT NULL
  UNION ALL SELECT assignment_id, active_ms FROM validation_calibrationanswer WHERE answer IS NOT NULL
) AS item ON item.assignment_id = batch.id
WHERE question.corpus_id = %(corpus)s
"""
BELIEVED = """
SELECT annotator_id, SUM(n), SUM(measured), SUM(CASE WHEN told > took THEN measured ELSE beyond END),
  SUM(CASE WHEN bounded > took THEN took ELSE bounded END)
FROM (
  SELECT annotator_id, batch, COUNT(*) AS n,
    COUNT(CASE WHEN told > 0 THEN 1 END) AS measured,
    COUNT(CASE WHEN told > most THEN 1 END) AS beyond,
    COALESCE(SUM(told), 0) AS told,
    COALESCE(SUM(CASE WHEN told > most THEN most ELSE told END), 0) AS bounded,
    CASE WHEN person.kind = 'simulated' THEN 1e15 ELSE MAX({took}) END AS took
  FROM (
    SELECT *, CAST(seconds AS bigint) * 1000 * %(times)s AS most FROM ({pieces}) AS piece
  ) AS piece JOIN accounts_user AS person ON person.id = piece.annotator_id
  GROUP BY annotator_id, batch, person.kind
) AS batches
GROUP BY annotator_id
"""


class SumChanged(Exception):
    """What a top-up comes to is no longer what the researcher saw. `cents`: what it is now."""

    def __init__(self, cents: int) -> None:
        super().__init__(
            "The sum has changed since you saw it: somebody has sent more work. Please look again."
        )
        self.cents = cents


@dataclass(frozen=True)
class Wage:
    """One annotator in one corpus. `hours` is None where a kind of work was never measured.

    `hours` holds believed times only; `doubtful` pieces told a longer one.
    """

    annotator: int
    code: str
    cents: int
    pieces: int
    hours: float | None
    doubtful: int = 0

    @property
    def is_believed(self) -> bool:
        return not self.doubtful

    @property
    def hourly_cents(self) -> float | None:
        return self.cents / self.hours if self.hours else None

    def missing_cents(self, floor_cents: int) -> int:
        """What it takes to bring the person's hour up to the floor, rounded up to a cent."""
        if self.hours is None:
            return 0
        return max(0, -int(-(floor_cents * self.hours) // 1) - self.cents)


@dataclass(frozen=True)
class Summary:
    """`below` and `missing_cents`: of those whose time is believed; `short`: of everybody."""

    people: int
    measured: int
    median_hourly_cents: float | None
    below: int
    missing_cents: int
    short: int


def wages(corpus: Corpus) -> list[Wage]:
    """A row for everybody who earned in the corpus, those with most pieces first; simulated annotators too, for
    they show in a trial what a crowd would earn."""
    pieces: dict[int, int] = defaultdict(int)
    doubtful: dict[int, int] = defaultdict(int)
    milliseconds: dict[int, float | None] = defaultdict(float)
    for person, n, measured, over, believed in (*_worked(WRITING, corpus), *_worked(LABELLING, corpus)):
        pieces[person] += n
        doubtful[person] += over
        so_far = milliseconds[person]
        milliseconds[person] = so_far + believed * n / measured if measured and so_far is not None else None
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
        .values("user", "user__code")
        .annotate(total=Sum("cents"))
        .order_by()
    ]
    return sorted(found, key=lambda wage: (-wage.pieces, wage.code))


def as_csv(found: Sequence[Wage], floor_cents: int) -> str:
    """A row an annotator, by code; hours and wages are empty where they were not measured."""
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
        [wage.code, wage.pieces, wage.hours, wage.cents, wage.hourly_cents, wage.missing_cents(floor_cents)]
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
        below=len(missing),
        missing_cents=sum(missing),
        short=sum(wage.missing_cents(floor_cents) > 0 for wage in found),
    )


def chosen(found: Sequence[Wage], floor_cents: int, codes: Collection[str] | None = None) -> list[Wage]:
    """Whom a top-up pays: of these codes, or (None) everybody whose measured time is believed."""
    return [
        wage
        for wage in found
        if 0 < wage.missing_cents(floor_cents) <= MOST_TOP_UP_CENTS
        and (wage.is_believed if codes is None else wage.code in codes)
    ]


@transaction.atomic
def top_up(*, corpus: Corpus, floor_cents: int, codes: Collection[str], expected_cents: int) -> int:
    """Adds to the ledger what brings the hour of these people up to the floor; returns the cents added.

    `codes`: whom a researcher has looked at and ticked. `expected_cents`: the sum that they saw. Raises SumChanged
    where it is another one by now. Sent twice at one moment it pays once: the key holds what the person had before.
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
            reason=f"Topped up to ${floor_cents / 100:.2f} an hour for {corpus.name}",
            key=f"topup:{corpus.pk}:{wage.cents}",
        )
    return total


def _worked(pieces: str, corpus: Corpus) -> list[tuple[int, int, int, int, int]]:
    """(person, pieces, how many of them are measured, how many of these are not believed, believed milliseconds)."""
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
            (person, int(n), int(measured), int(over), int(ms))
            for person, n, measured, over, ms in cursor.fetchall()
        ]
