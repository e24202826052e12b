"""The statements of the hot path, by hand: finding free seats, reading a batch, filling its seats.

Compiling these through the ORM took Django longer than the database takes to answer them. They run on
PostgreSQL and SQLite alike; which locks they take, and in which order, is in docs/locking.md.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from collection.models import Pair, Premise
from validation.models import BatchItem, Label

# Left out are pairs that this annotator holds, has labelled or has skipped under the question. Not by NOT
# EXISTS: PostgreSQL would turn it into a join with everything that the annotator ever had. For the same reason
# withdrawn pairs are left out seat by seat, one look by key for each of the few that the limit lets through.
# That look is IS NOT NULL, which PostgreSQL takes for nearly always true: with one IS NULL more it expects so few
# seats that it sorts all of them instead of walking the index.
FREE = """
SELECT seat.id, seat.turn, seat.premise_id, seat.token
FROM validation_label AS seat
WHERE seat.question_id = %(question)s AND seat.turn > %(cursor)s AND seat.turn <= %(last)s
  AND seat.label IS NULL AND seat.withdrawn_at IS NULL AND seat.position IS NOT NULL
  AND (seat.leased_until IS NULL OR seat.leased_until <= %(now)s)
  AND (seat.author_id IS NULL OR seat.author_id <> %(annotator)s)
  AND (SELECT 1 FROM collection_pair AS pair
    WHERE pair.id = seat.pair_id AND pair.withdrawn_at IS NULL) IS NOT NULL
  AND {not_seen}
  AND (SELECT 1 FROM validation_label AS other
    JOIN validation_batchitem AS item ON item.seat_id = other.id
    WHERE other.pair_id = seat.pair_id AND other.question_id = seat.question_id
      AND item.skip_reason IS NOT NULL
      AND (SELECT batch.annotator_id FROM validation_assignment AS batch
        WHERE batch.id = item.assignment_id) = %(annotator)s LIMIT 1) IS NULL
  {but}
ORDER BY seat.turn LIMIT %(limit)s
"""
# Of the seats ahead most are new to the annotator: asked seat by seat, a claim does not grow slower with
# every batch. Where none of so many is new, one list of all that they know is faster.
AHEAD = 400
LAST_TURN = 2**31 - 1
NOT_SEEN_AHEAD = """(SELECT 1 FROM validation_label AS mine
    WHERE mine.annotator_id = %(annotator)s AND mine.question_id = seat.question_id
      AND mine.premise_id = seat.premise_id LIMIT 1) IS NULL"""
NOT_SEEN_AT_ALL = """seat.{what}_id NOT IN (
    SELECT mine.{what}_id FROM validation_label AS mine
    WHERE mine.annotator_id = %(annotator)s AND mine.question_id = %(question)s)"""
ITEMS = """
SELECT item.id, item."order", item.answer, item.skip_reason, item.lost, seat.id, seat.token, seat.sentence,
  seat.label, seat.annotator_id, seat.leased_until IS NULL OR seat.leased_until <= %(now)s,
  seat.withdrawn_at IS NULL AND seat.position IS NOT NULL
    AND (SELECT pair.withdrawn_at FROM collection_pair AS pair WHERE pair.id = seat.pair_id) IS NULL,
  seat.pair_id, (
    SELECT expert.label FROM validation_label AS expert
    WHERE expert.pair_id = seat.pair_id AND expert.question_id = seat.question_id
      AND expert.sentence = seat.sentence AND expert.origin = 'expert' AND expert.withdrawn_at IS NULL)
FROM validation_batchitem AS item JOIN validation_label AS seat ON seat.id = item.seat_id
WHERE item.assignment_id = %(assignment)s
ORDER BY seat.id
"""
TEXTS = """
SELECT pair.id, pair.hypothesis, premise.id, premise.text, premise.sentence_count
FROM collection_pair AS pair JOIN collection_premise AS premise ON premise.id = pair.premise_id
WHERE pair.id IN ({keys})
"""
FILL = """
UPDATE validation_label SET annotator_id = %s, label = answers.column2, cast_at = %s,
  leased_until = COALESCE(leased_until, %s)
FROM (VALUES {rows}) AS answers WHERE validation_label.id = answers.column1
"""
ANSWER = """
UPDATE validation_batchitem SET answer = given.column2, skip_reason = given.column3, active_ms = given.column4
FROM (VALUES {rows}) AS given WHERE validation_batchitem.id = given.column1
"""


@dataclass(frozen=True)
class FreeSeat:
    """A free seat, locked until the transaction ends."""

    pk: int
    turn: int
    premise_id: int
    token: str


@dataclass(frozen=True)
class Held:
    """A place of a batch, and what its seat looks like now that it is locked."""

    item: int
    order: int
    answer: str | None
    skip_reason: str | None
    lost: bool
    seat: int
    token: str
    sentence: int
    label: str | None
    annotator: int | None
    is_expired: bool
    is_seat: bool
    pair: int
    expert: str | None

    @property
    def waits(self) -> bool:
        """Whether neither an answer nor a reason to skip has come."""
        return self.answer is None and self.skip_reason is None and not self.lost

    def is_free_for(self, annotator: int) -> bool:
        """Whether this annotator's answer can still have the seat."""
        ours = self.annotator is None or self.annotator == annotator
        return self.is_seat and self.label is None and (ours or self.is_expired)


def free_seats(
    *, question: int, annotator: int, look: str, cursor: int, but: Iterable[int], limit: int, now: datetime
) -> list[FreeSeat]:
    """Free seats in their turn, locked; those that somebody else is locking are passed over.

    `look`: "ahead", soon after the turn `cursor` and of premises of which this annotator has labelled nothing;
    "unseen", the same from the front; "any", only their own pairs left out. `but`: none of these premises.
    """
    taken = ", ".join(str(int(premise)) for premise in but)
    at_all = NOT_SEEN_AT_ALL.format(what="pair" if look == "any" else "premise")
    statement = FREE.format(
        not_seen=NOT_SEEN_AHEAD if look == "ahead" else at_all,
        but=f"AND seat.premise_id NOT IN ({taken})" if taken else "",
    )
    values = {
        "question": question,
        "annotator": annotator,
        "cursor": cursor if look == "ahead" else 0,
        "last": cursor + AHEAD if look == "ahead" else LAST_TURN,
        "limit": limit,
        "now": _moment(now),
    }
    return [FreeSeat(*row) for row in _rows(statement + _lock("seat", "SKIP LOCKED"), values)]


def locked_items(assignment: int, now: datetime) -> list[Held]:
    """The places of a batch in the order of their seats, all of which are locked, in that order.

    One order for everybody, so that two submissions cannot wait for each other.
    """
    rows = _rows(ITEMS + _lock("seat"), {"assignment": assignment, "now": _moment(now)})
    return [Held(*row) for row in rows]


def with_texts(items: Iterable[Held], assignment: int) -> list[BatchItem]:
    """The items as they are shown: in their order, each with its seat, pair and premise."""
    shown = sorted(items, key=lambda item: item.order)
    keys = [item.pair for item in shown]
    texts = {row[0]: row for row in _rows(TEXTS.format(keys=_marks(keys)), keys)} if keys else {}
    return [_shown(item, assignment, texts[item.pair]) for item in shown]


def _shown(item: Held, assignment: int, text: Sequence[Any]) -> BatchItem:
    premise = Premise(pk=text[2], text=text[3], sentence_count=text[4])
    if item.sentence:  # one sentence of a scene is judged by itself
        premise = Premise(pk=text[2], text=premise.sentences[item.sentence - 1])
    pair = Pair(pk=text[0], hypothesis=text[1], premise=premise)
    seat = Label(pk=item.seat, token=item.token, sentence=item.sentence, pair=pair)
    return BatchItem(pk=item.item, assignment_id=assignment, seat=seat, order=item.order)


def fill(answers: dict[int, str], *, annotator: int, now: datetime) -> None:
    """Writes the labels into their seats: seat -> label."""
    if answers:
        rows = ", ".join(["(%s, %s)"] * len(answers))
        moment = _moment(now)
        pairs = [value for answer in answers.items() for value in answer]
        _do(FILL.format(rows=rows), [annotator, moment, moment, *pairs])


def note(rows: Sequence[tuple[int, str | None, str | None, int | None]]) -> None:
    """Writes what became of items: (item, answer, reason to skip, active milliseconds)."""
    if rows:
        # Without the casts a column of nothing but NULL would be text, and milliseconds are none.
        mark = "(%s, CAST(%s AS text), CAST(%s AS text), CAST(%s AS integer))"
        _do(ANSWER.format(rows=", ".join([mark] * len(rows))), [value for row in rows for value in row])


def _lock(table: str, how: str = "") -> str:
    """SQLite has no row locks: there every transaction that writes has the database to itself."""
    return f"FOR UPDATE OF {table} {how}" if connection.features.has_select_for_update else ""


def _moment(value: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(value)


def _marks(values: Sequence[Any]) -> str:
    return ", ".join(["%s"] * len(values))


def _rows(statement: str, values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()


def _do(statement: str, values: Sequence[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
