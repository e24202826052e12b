"""Hand-written SQL for seats: finds free seats, leases them, reads a batch, fills seats with labels.

Each label needs these statements, so they are written for speed (docs/decisions/0010). They run on PostgreSQL and
SQLite. docs/locking.md says which locks they take, and in which order.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from accounts.models import new_token
from accounts.people.consents import ConsentMissing
from collection.models import Corpus, Pair, Premise
from shared.prepared_statements import Step, columns, made, moment, part, rows
from validation.models import Assignment, BatchItem, Label, Membership, Question

# LabelQuerySet.open in SQL, but for its condition on the pair, which each statement below looks up in its own way.
OPEN = "seat.label IS NULL AND seat.withdrawn_at IS NULL AND seat.position IS NOT NULL"
# Selects the open seats that an annotator may get, leased or not. The claim, the start page and the reason for "no work"
# use it. It leaves out pairs that they wrote, and pairs that they have leased, labelled or skipped under the question.
# A pair whose seat they lost before they answered is available to them again.
#
# Why it is written this way:
# - Subqueries, not NOT EXISTS: PostgreSQL turns NOT EXISTS into a join with everything that the annotator ever had.
# - Withdrawn pairs are a subquery too, so they are looked up by key, for the few seats up to the limit.
# - Skipped items are looked up inside that subquery: PostgreSQL evaluates the most expensive condition last, and so
#   only for seats of pairs that the annotator has not seen.
# - The plus sign: SQLite, which has no statistics, would otherwise read all labels of the question, not of the pair.
# - `position IS NOT NULL`: PostgreSQL estimates that this is nearly always true. With another IS NULL it would expect so
#   few seats that it would sort all of them instead of walking the index.
FOR_PERSON = f"""
FROM validation_label AS seat
WHERE seat.question_id = %(question)s AND seat.turn > %(after)s AND seat.turn <= %(last)s
  AND {OPEN}
  AND (seat.author_id IS NULL OR seat.author_id <> %(annotator)s)
  AND {{not_seen}}
  AND (SELECT 1 FROM collection_pair AS pair
    WHERE pair.id = seat.pair_id AND pair.withdrawn_at IS NULL
      AND (SELECT 1 FROM validation_label AS other
        JOIN validation_batchitem AS item ON item.seat_id = other.id
        WHERE other.pair_id = seat.pair_id AND +other.question_id = seat.question_id
          AND item.skip_reason IS NOT NULL
          AND (SELECT batch.annotator_id FROM validation_assignment AS batch
            WHERE batch.id = item.assignment_id) = %(annotator)s LIMIT 1) IS NULL) IS NOT NULL
"""
NO_LEASE = "(seat.leased_until IS NULL OR seat.leased_until <= %(now)s)"
# Such a seat is free if it has no current lease.
FREE = (
    FOR_PERSON
    + f"  AND {NO_LEASE}"
    + """
  {but}
ORDER BY seat.turn LIMIT {limit}
"""
)
CLAIMABLE = "SELECT seat.id, seat.turn, seat.premise_id, seat.token" + FREE
# The seat whose lease ends first.
FIRST_TO_BECOME_FREE = "SELECT seat.id" + FOR_PERSON + "ORDER BY seat.leased_until LIMIT 1"
# Whether an annotator can still answer a seat of their batch: nobody else has filled or leased it.
STILL_THEIRS = f"""
  {OPEN}
    AND (seat.annotator_id IS NULL OR seat.annotator_id = %(annotator)s OR {NO_LEASE})
    AND (SELECT pair.withdrawn_at FROM collection_pair AS pair WHERE pair.id = seat.pair_id) IS NULL
"""
# The open batch, if it has an item left. Calibration items have no seat and are never lost.
IN_HAND = f"""
SELECT batch.id FROM validation_assignment AS batch
WHERE batch.question_id = %(question)s AND batch.annotator_id = %(annotator)s AND batch.closed_at IS NULL
  AND (EXISTS (SELECT 1 FROM validation_batchitem AS item JOIN validation_label AS seat ON seat.id = item.seat_id
      WHERE item.assignment_id = batch.id AND item.answer IS NULL AND item.skip_reason IS NULL AND NOT item.lost
        AND {STILL_THEIRS})
    OR EXISTS (SELECT 1 FROM validation_calibrationanswer AS met
      WHERE met.assignment_id = batch.id AND met.answer IS NULL AND met.skip_reason IS NULL))
"""
# The rule is "pair". A claim first looks for premises that are new to the annotator, from their cursor on.
# Both conditions look up one key for each seat. PostgreSQL searches a list of all that the annotator has labelled row by
# row, for each seat, if it expects the list to be long. premise_id: the index begins with annotator, question, premise.
_LABELLED = """(SELECT 1 FROM validation_label AS mine
    WHERE mine.annotator_id = %(annotator)s AND mine.question_id = seat.question_id
      AND mine.premise_id = seat.premise_id {more} LIMIT 1) IS NULL"""
NOT_SEEN = {
    "premise": _LABELLED.format(more=""),
    "pair": _LABELLED.format(more="AND mine.pair_id = seat.pair_id"),
}
LAST_TURN = 2**31 - 1
# A claim prefers unseen premises among so many turns: all that opening deals at once to a hundred pairs with four open
# seats. Without a limit, a claim by somebody who knows every premise would look at every open seat.
AHEAD = 400
MARK = re.compile(r"%\((\w+)\)s")
LOCK_ITEMS = """
SELECT seat.id FROM validation_batchitem AS item JOIN validation_label AS seat ON seat.id = item.seat_id
WHERE item.assignment_id = %s ORDER BY seat.id
"""
ITEMS = f"""
SELECT item.id, item."order", item.answer, item.skip_reason, item.lost, seat.id, seat.token, seat.sentence,
  {STILL_THEIRS},
  seat.pair_id, (
    SELECT expert.label FROM validation_label AS expert
    WHERE expert.pair_id = seat.pair_id AND expert.question_id = seat.question_id
      AND expert.sentence = seat.sentence AND expert.origin = 'expert' AND expert.withdrawn_at IS NULL)
FROM validation_batchitem AS item JOIN validation_label AS seat ON seat.id = item.seat_id
WHERE item.assignment_id = %(assignment)s
ORDER BY seat.id
"""
SHOWN = """
SELECT item.id, item."order", seat.id, seat.token, seat.sentence, pair.id, pair.hypothesis, premise.id, premise.text,
  premise.sentence_count
FROM validation_batchitem AS item JOIN validation_label AS seat ON seat.id = item.seat_id
JOIN collection_pair AS pair ON pair.id = seat.pair_id JOIN collection_premise AS premise ON premise.id = seat.premise_id
WHERE item.assignment_id = %s ORDER BY item."order"
"""
MEMBER = """
SELECT {member} FROM validation_membership AS member WHERE member.question_id = %s AND member.annotator_id = %s
"""
OPEN_BATCH = """
SELECT {batch} FROM validation_assignment AS batch
WHERE batch.question_id = %s AND batch.annotator_id = %s AND batch.closed_at IS NULL
"""
BATCH_BY_TOKEN = """
SELECT {member}, {batch}, {question}, {corpus},
  EXISTS (
    SELECT 1 FROM accounts_consent AS consent
    WHERE consent.form_id = corpus.consent_form_id AND consent.user_id = batch.annotator_id
      AND consent.withdrawn_at IS NULL),
  EXISTS (
    SELECT 1 FROM collection_visit AS visit JOIN collection_entrylink AS link ON link.id = visit.link_id
    WHERE visit.user_id = batch.annotator_id AND visit.finished_at IS NULL AND link.corpus_id = question.corpus_id)
FROM validation_assignment AS batch
JOIN validation_membership AS member
  ON member.question_id = batch.question_id AND member.annotator_id = batch.annotator_id
JOIN validation_question AS question ON question.id = batch.question_id
JOIN collection_corpus AS corpus ON corpus.id = question.corpus_id
WHERE batch.token = %s AND batch.annotator_id = %s
"""
FILL = """
UPDATE validation_label SET annotator_id = %s, label = answers.column2, cast_at = %s,
  leased_until = COALESCE(leased_until, %s)
FROM (VALUES {places}) AS answers WHERE validation_label.id = answers.column1
"""
ANSWER = """
UPDATE validation_batchitem SET answer = given.column2, skip_reason = given.column3, active_ms = given.column4
FROM (VALUES {places}) AS given WHERE validation_batchitem.id = given.column1
"""
LEASE = "UPDATE validation_label SET annotator_id = %s, leased_until = %s WHERE id IN ({seats})"
GO_ON = "UPDATE validation_membership SET cursor = %s WHERE id = %s"
HAND_OUT = """
INSERT INTO validation_assignment (question_id, annotator_id, token, leased_until, has_calibration, created_at)
VALUES (%s, %s, %s, %s, %s, %s)
"""
PLACES = 'INSERT INTO validation_batchitem (assignment_id, seat_id, "order", lost) VALUES {places}'
CLOSE = "UPDATE validation_assignment SET closed_at = %s WHERE id = %s AND closed_at IS NULL"


@dataclass(frozen=True)
class FreeSeat:
    """A free seat, locked until the transaction ends."""

    pk: int
    turn: int
    premise_id: int
    token: str


@dataclass(frozen=True)
class Held:
    """An item of a batch whose seat is locked. `is_theirs`: the annotator can still fill the seat."""

    item: int
    order: int
    answer: str | None
    skip_reason: str | None
    lost: bool
    seat: int
    token: str
    sentence: int
    is_theirs: bool
    pair: int
    expert: str | None

    @property
    def waits(self) -> bool:
        """Returns whether the item has neither an answer nor a reason to skip, and its seat is not lost."""
        return self.answer is None and self.skip_reason is None and not self.lost


def free_seats(
    *,
    question: int,
    annotator: int,
    new: str,
    but: Iterable[int],
    limit: int,
    now: datetime,
    after: int = 0,
    last: int = LAST_TURN,
) -> list[FreeSeat]:
    """Locks and returns free seats by turn; it skips seats that another transaction is locking.

    `new`: what this annotator must not have labelled: the "pair" (always required) or even the "premise". `but`:
    premises to exclude. `after`, `last`: only seats with turns after the first and up to the second.
    """
    taken = {f"but{number}": premise for number, premise in enumerate(but)}
    marks = ", ".join(f"%({name})s" for name in taken)
    statement = CLAIMABLE.format(
        not_seen=NOT_SEEN[new],
        but=f"AND seat.premise_id NOT IN ({marks})" if taken else "",
        limit=int(limit),  # in the text: without it PostgreSQL plans for many rows
    )
    values = _values(question, annotator, now, after, last) | taken
    return [FreeSeat(*row) for row in rows((statement + _lock("seat", "SKIP LOCKED"), values))]


def _values(
    question: int, annotator: int, now: datetime, after: int = 0, last: int = LAST_TURN
) -> dict[str, Any]:
    """Returns the parameters of FREE."""
    return {"question": question, "annotator": annotator, "now": moment(now), "after": after, "last": last}


def questions_with_work(questions: Sequence[tuple[int, int]], annotator: int, now: datetime) -> set[int]:
    """Returns the questions under which a claim would return a batch. `questions`: (id, the member's cursor).

    It is one statement. For each question it searches as a claim does: the open batch, then the seats after the cursor,
    then those before. It stops at the first free seat.
    """
    if not questions:
        return set()
    looks: list[str] = []
    values: dict[str, Any] = {}
    free = CLAIMABLE.format(not_seen=NOT_SEEN["pair"], but="", limit=1)
    for number, (question, cursor) in enumerate(questions):
        after = _values(question, annotator, now, after=cursor)
        before = _values(question, annotator, now, last=cursor)
        tests = [(IN_HAND, after), (free, after), (free, before)]
        for place, (statement, own) in enumerate(tests):
            mark = f"_{number}_{place}"
            tests[place] = (MARK.sub(rf"%(\1{mark})s", statement), own)
            values |= {f"{name}{mark}": value for name, value in own.items()}
        found = " OR ".join(f"EXISTS ({statement})" for statement, _ in tests)
        looks.append(f"SELECT {int(question)} WHERE {found}")
    with connection.cursor() as cursor_:
        cursor_.execute(" UNION ALL ".join(looks), values)
        return {row[0] for row in cursor_.fetchall()}


def first_to_become_free(question: int, annotator: int) -> int | None:
    """Returns the seat for this annotator whose lease ends first; None if no open seat is available to them."""
    values = {"question": question, "annotator": annotator, "after": 0, "last": LAST_TURN}
    found = rows((FIRST_TO_BECOME_FREE.format(not_seen=NOT_SEEN["pair"]), values))
    return found[0][0] if found else None


def locked_membership(question: int, annotator: int) -> Membership | None:
    """Locks and returns a membership: it makes the annotator's claims and submissions run one after the other."""
    statement = MEMBER.format(member=columns(Membership, "member")) + _lock("member")
    found = rows((statement, [question, annotator]))
    return made(Membership, found[0])[0] if found else None


def locked_open_batch(question: int, annotator: int) -> Assignment | None:
    """Locks and returns the annotator's open batch; None if there is none."""
    statement = OPEN_BATCH.format(batch=columns(Assignment, "batch")) + _lock("batch")
    found = rows((statement, [question, annotator]))
    return made(Assignment, found[0])[0] if found else None


def locked_batch(token: str, annotator: int) -> tuple[Membership, Assignment, bool] | None:
    """Locks the membership and the annotator's batch with this token, and loads question and corpus with it.

    Returns (membership, batch, whether a visit for the corpus is not finished); None if there is no such batch.
    Raises ConsentMissing if they do not agree to the corpus's consent form at present.
    """
    statement = BATCH_BY_TOKEN.format(
        member=columns(Membership, "member"),
        batch=columns(Assignment, "batch"),
        question=columns(Question, "question"),
        corpus=columns(Corpus, "corpus"),
    )
    found = rows((statement + _lock("member, batch"), [token, annotator]))
    if not found:
        return None
    member, rest = made(Membership, found[0])
    batch, rest = made(Assignment, rest)
    batch.question, rest = made(Question, rest)
    batch.question.corpus, (agrees, is_visiting) = made(Corpus, rest)
    form = batch.question.corpus.consent_form_id
    if form is not None and not agrees:
        raise ConsentMissing(form)
    return member, batch, bool(is_visiting)


def locked_items(assignment: int, annotator: int, now: datetime) -> list[Held]:
    """Locks the seats of a batch in the order of their ids, then reads its items.

    All transactions use this order, so that they cannot deadlock. The lock and the read are two statements in one
    message: a single statement that waits for a lock would read other tables (an expert's label, a withdrawn pair)
    as they were before its wait.
    """
    values = {"assignment": assignment, "annotator": annotator, "now": moment(now)}
    lock: list[Step] = [(LOCK_ITEMS + _lock("seat"), [assignment])] if _lock("seat") else []
    return [Held(*row) for row in rows(*lock, (ITEMS, values))]


def hand_out(
    seats: Sequence[FreeSeat],
    orders: Sequence[int],
    *,
    question: int,
    member: Membership,
    has_calibration: bool,
    now: datetime,
    until: datetime,
) -> tuple[Assignment, list[BatchItem]]:
    """Leases the seats to a member and makes their batch. `orders`: the position of each seat in the batch."""
    token = new_token()
    batch = [question, member.annotator_id, token, moment(until), has_calibration, moment(now)]
    look = f"SELECT {columns(Assignment, 'batch')} FROM validation_assignment AS batch WHERE batch.token = %s"
    steps: list[Step] = [(HAND_OUT, batch), (look, [token])]
    if seats:
        steps = [
            lease([seat.pk for seat in seats], annotator=member.annotator_id, until=until),
            (GO_ON, [seats[-1].turn, member.pk]),
            *steps,
        ]
    assignment, _ = made(Assignment, rows(*steps)[0])
    if not seats:
        return assignment, []
    marks = "(CAST(%s AS bigint), CAST(%s AS bigint), CAST(%s AS smallint), FALSE)"
    places = [(assignment.pk, seat.pk, order) for seat, order in zip(seats, orders, strict=True)]
    return assignment, items_of(assignment.pk, before=[_many(PLACES, marks, places)])


def lease(seats: Sequence[int], *, annotator: int, until: datetime) -> Step:
    """Returns the statement that leases seats to an annotator."""
    return LEASE.format(seats=", ".join(["%s"] * len(seats))), [annotator, moment(until), *seats]


def items_of(assignment: int, but: Collection[int] = (), before: Sequence[Step] = ()) -> list[BatchItem]:
    """Returns the items of a batch in order, with seat, pair and premise; `but` excludes items.

    `before`: statements to run first, in the same message.
    """
    return [_item(row, assignment) for row in rows(*before, (SHOWN, [assignment])) if row[0] not in but]


def _item(row: Sequence[Any], assignment: int) -> BatchItem:
    item, order, seat, token, sentence, pair, hypothesis, premise, text, sentence_count = row
    given = part(Premise, {"id": premise, "text": text, "sentence_count": sentence_count})
    if sentence:  # the question asks about this sentence alone
        given = part(Premise, {"id": premise, "text": given.sentences[sentence - 1], "sentence_count": 1})
    judged = part(Pair, {"id": pair, "hypothesis": hypothesis, "premise_id": premise}, premise=given)
    place = part(Label, {"id": seat, "token": token, "sentence": sentence, "pair_id": pair}, pair=judged)
    return part(
        BatchItem, {"id": item, "assignment_id": assignment, "seat_id": seat, "order": order}, seat=place
    )


def fill_seats(answers: dict[int, str], *, annotator: int, now: datetime) -> Step:
    """Returns the statement that writes labels into seats: seat -> label."""
    at = moment(now)
    return _many(FILL, "(CAST(%s AS bigint), CAST(%s AS text))", answers.items(), [annotator, at, at])


def store_answers(answers: Collection[tuple[int, str | None, str | None, int | None]]) -> Step:
    """Returns the statement that stores answers: (item, answer, reason to skip, active milliseconds)."""
    # Without the casts PostgreSQL takes a column of NULLs for text, and milliseconds are integers.
    mark = "(CAST(%s AS bigint), CAST(%s AS text), CAST(%s AS text), CAST(%s AS integer))"
    return _many(ANSWER, mark, answers)


def close_batch(assignment: int, now: datetime) -> Step:
    return CLOSE, [moment(now), assignment]


def _many(statement: str, mark: str, places: Collection[Sequence[Any]], before: Sequence[Any] = ()) -> Step:
    """Returns the statement with placeholders for all rows of values."""
    filled = statement.format(places=", ".join([mark] * len(places)))
    return filled, [*before, *(value for place in places for value in place)]


def _lock(tables: str, how: str = "") -> str:
    """Returns the locking clause. SQLite has no row locks: a transaction that writes locks the whole database."""
    return f"FOR UPDATE OF {tables} {how}" if connection.features.has_select_for_update else ""
