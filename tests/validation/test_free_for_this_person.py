"""One rule decides which seats are free for a person: start page, claim and the reason for no work never disagree.

Random histories compare them with the rule in plain Python, written here over the rows.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import example, given, settings
from hypothesis import strategies as st

from accounts.models import Grant, Qualification, User
from accounts.people.consents import ConsentMissing
from accounts.people.qualifications import grant, revoke
from collection.joining.exams import ExamRefused, send_exam, standing_of
from collection.models import (
    Corpus,
    Exam,
    ExamAttempt,
    ExamItem,
    Exclusion,
    Pair,
    Premise,
)
from collection.models.withdrawal import VETTED
from tests import joining_steps
from tests.cast import person, rosa
from tests.corpora import agreed, ask, make_corpus, make_pair, make_premise
from tests.joining_steps import Joining, has_agreed, is_open_to, make_links
from tests.made_once import made_once
from tests.open_pairs import send_all
from validation.annotators.exclusion import exclude, undo_exclusion
from validation.annotators.membership import invite, pause, resume
from validation.errors import CannotCorrect, NotInPool, NoWork
from validation.labelling import claiming, seats
from validation.labelling.claiming import claim_batch
from validation.labelling.correcting import correct_batch
from validation.labelling.submitting import submit_batch
from validation.models import Assignment, CalibrationItem, Label, Membership, Question
from validation.pairs.opening import open_for_validation
from validation.pairs.withdrawal import restore_pairs, withdraw_pairs
from validation.start_page.offers import offers_for

pytestmark = pytest.mark.django_db
NAMES = ("ana", "vera", "stan")
TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}


@contextmanager
def taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


# Labelling


@made_once
def corpus() -> Corpus:
    """Makes four pairs of three premises, two of them by Ana. Two labels besides the author's, two pairs in a batch.

    Another question is about each sentence, a third needs a qualification.
    """
    corpus = make_corpus(with_consent=True)
    Question.objects.update(seats=3, threshold=2, batch_size=2)
    premises = [make_premise(corpus, f"Premise {number}.\nIts end.", sentence_count=2) for number in range(3)]
    for number, premise in enumerate([*premises, premises[0]]):
        who = {"author": person("ana"), "author_label": "neutral"} if number % 2 else {}
        make_pair(corpus, premise, f"Hypothesis {number}.", **who)
    question = corpus.questions.get()
    beside = ask(
        corpus,
        "beside",
        wording="And this?",
        seats=1,
        batch_size=1,
        qualification=Qualification.objects.create(slug="beside", name="Beside"),
    )
    sentences = ask(corpus, "single", seats=1, by_sentence=True, batch_size=2)
    texts = {"premise": "Known.", "hypothesis": "It is known."}
    CalibrationItem.objects.create(
        question=question, digest=CalibrationItem.digest_of(**texts), scheme="nli3", label="neutral", **texts
    )
    for each in (question, beside, sentences):
        open_for_validation(question=each, pairs=Pair.objects.all())
    make_links(corpus)
    for name in NAMES:
        agreed(person(name), corpus)
    rosa()
    return corpus


class Labelling:
    """Random actions on labels; a number decides who acts and on which row."""

    def __init__(self, corpus: Corpus) -> None:
        self.questions = list(corpus.questions.order_by("pk"))
        self.corpus, self.keys = corpus, 0

    def do(self, what: str, who: User, n: int) -> None:
        if what in joining_steps.STEPS:
            return Joining(self.corpus).do(what, who, n)
        question = Question.objects.select_related("corpus").get(pk=self.questions[n % 3].pk)
        with suppress(NoWork, NotInPool, ConsentMissing):
            getattr(self, what)(question, who, n)

    def claim(self, question: Question, who: User, n: int) -> None:
        claim_batch(question=question, annotator=who)

    def send(self, question: Question, who: User, n: int) -> None:
        """Answers or skips one slot of an open or older batch."""
        with suppress(NoWork, NotInPool, ConsentMissing):
            claim_batch(question=question, annotator=who)
        batches = Assignment.objects.filter(annotator=who, question=question).order_by("-pk")
        batch = batches[n % 7 // 5 :].first()
        if batch is None:
            return
        slots = [
            *batch.items.values_list("seat__token", flat=True),
            *batch.calibration.values_list("token", flat=True),
        ]
        slot = slots[n % len(slots)]
        self.keys += 1
        answer = (
            {"labels": {}, "skips": {slot: "other"}} if n // 2 % 2 == 0 else {"labels": {slot: "neutral"}}
        )
        submit_batch(annotator=who, token=batch.token, key=str(self.keys), **answer)

    def correct(self, question: Question, who: User, n: int) -> None:
        """Changes one answer of the latest batch in which they labelled something; without one, labels a pair first."""
        sent = Assignment.objects.filter(annotator=who, question=question, items__answer__isnull=False)
        if not sent.exists():
            self.send(question, who, 2)
        batch = sent.order_by("-pk").first()
        if batch is None:
            return
        slots = list(batch.items.filter(answer__isnull=False).values_list("seat__token", flat=True))
        label = question.labels[n // 2 % len(question.labels)]
        with suppress(CannotCorrect):
            correct_batch(annotator=who, token=batch.token, labels={slots[n % len(slots)]: label})

    def lose(self, question: Question, who: User, n: int) -> None:
        Label.objects.filter(label=None, annotator=who).update(
            leased_until=timezone.now() - timedelta(hours=1)
        )

    def withdraw(self, question: Question, who: User, n: int) -> None:
        pair = Pair.objects.order_by("pk")[n % 4]
        if pair.withdrawn_at is None:
            withdraw_pairs(pairs=Pair.objects.filter(pk=pair.pk), because=VETTED, at=timezone.now())
        else:
            restore_pairs(pairs=Pair.objects.filter(pk=pair.pk))

    def exclude(self, question: Question, who: User, n: int) -> None:
        standing = Exclusion.objects.filter(annotator=who, undone_at=None).first()
        if standing is None:
            exclude(corpus=self.corpus, annotator=who, by=rosa(), reason="Guessed.", retract_pairs=n % 2 == 1)
        else:
            undo_exclusion(exclusion=standing, by=rosa())

    def belong(self, question: Question, who: User, n: int) -> None:
        if not invite(question=question, annotator=who).cursor and n % 3:
            return
        if not pause(question=question, annotator=who):
            resume(question=question, annotator=who)

    def gate(self, question: Question, who: User, n: int) -> None:
        """Opens or closes a pool, or grants or revokes the qualification of the other question."""
        if n % 3 == 0:
            Question.objects.filter(pk=question.pk).update(pool_is_open=not question.pool_is_open)
            return
        needed = Qualification.objects.get(slug="beside")
        held = Grant.objects.standing().filter(user=who, qualification=needed).first()
        if held is None:
            grant(user=who, qualification=needed, how="invitation", by=rosa())
        else:
            revoke(grant=held, because="Late.", by=rosa())


def may_label(question: Question, who: User) -> bool:
    member = Membership.objects.filter(question=question, annotator=who).first()
    if member is not None:
        return member.status == "active"
    excluded = Exclusion.objects.filter(corpus=question.corpus, annotator=who, undone_at=None).exists()
    needed = question.qualification
    held = needed is None or Grant.objects.filter(user=who, qualification=needed, revoked_at=None).exists()
    return question.pool_is_open and held and not excluded and is_open_to(question.corpus, who)


def what_there_is(question: Question, who: User) -> tuple[str, set[int]]:
    """Returns work, held (by others), known (only pairs that are not for this person) or none; and the free seats."""
    now = timezone.now()
    rows = list(Label.objects.filter(question=question).select_related("pair"))
    is_open = [
        row
        for row in rows
        if row.position and row.label is None and not row.withdrawn_at and not row.pair.withdrawn_at
    ]
    known = {row.pair_id for row in rows if who.pk in (row.annotator_id, row.author_id)}
    in_hand, met = set(), False
    for batch in Assignment.objects.filter(question=question, annotator=who).prefetch_related("items__seat"):
        is_known = any(item.waits for item in batch.calibration.all())
        met |= batch.closed_at is None and is_known
        for item in batch.items.all():
            if item.skip_reason:
                known.add(item.seat.pair_id)
            if batch.closed_at is None and not (item.answer or item.skip_reason or item.lost):
                in_hand.add(item.seat_id)
    lapsed = {row.pk for row in is_open if row.leased_until is None or row.leased_until <= now}
    free = {row.pk for row in is_open if row.pair_id not in known and row.pk in lapsed}
    theirs = [
        row for row in is_open if row.pk in in_hand and (row.pk in lapsed or row.annotator_id == who.pk)
    ]
    if free or theirs or met:
        return "work", free
    if any(row.pair_id not in known for row in is_open):
        return "held", free
    return "known" if is_open else "none", free


SENTENCES = {"Other ": "held", "There ": "known", "All se": "none"}


def what_the_claim_says(question: Question, who: User) -> str:
    with taken_back():
        try:
            return "work" if claim_batch(question=question, annotator=who).items else "no items"
        except NotInPool:
            return "not in pool"
        except ConsentMissing:
            return "no consent"
        except NoWork as nothing:
            return SENTENCES[nothing.why[:6]]
    raise AssertionError


def compare(corpus: Corpus, met: set[str]) -> None:
    for name in NAMES:
        who = person(name)
        offered = {question.pk for offer in offers_for(who) for question in offer.questions}
        for question in Question.objects.filter(corpus=corpus).select_related("corpus", "qualification"):
            right, free = what_there_is(question, who)
            look = {"new": "pair", "but": [], "limit": 1000, "now": timezone.now()}
            found = seats.free_seats(question=question.pk, annotator=who.pk, **look)
            assert {seat.pk for seat in found} == free, (name, question.slug)
            if not may_label(question, who):
                right = "not in pool"
            # The offer stands before the consent form, which the page of the work asks for first.
            assert (question.pk in offered) == (right == "work"), (name, question.slug)
            said = right if has_agreed(corpus, who) else "no consent"
            assert what_the_claim_says(question, who) == said, (name, question.slug)
            met.update((right, said))


STEPS = (
    *("claim", "claim", "send", "send", "send", "correct", "lose", "withdraw", "exclude", "belong", "gate"),
    *joining_steps.STEPS,
)
HISTORIES = st.lists(
    st.tuples(st.sampled_from(STEPS), st.sampled_from(NAMES), st.integers(0, 59)), max_size=14
)


def test_start_page_claim_and_reason_agree_with_the_plain_rule_after_any_history(corpus):
    met: set[str] = set()

    @settings(max_examples=settings.default.max_examples // 5, database=None)
    # Two came elsewhere; of the third, only pairs that she wrote herself are open.
    @example([("enter", "stan", 1), ("sign_up", "vera", 3), ("withdraw", "ana", 0), ("withdraw", "ana", 2)])
    @example([("claim", "vera", 0), ("enter", "vera", 1), ("agree", "stan", 0), ("send", "vera", 2)])
    @example([("correct", "vera", 0), ("lose", "vera", 0), ("correct", "stan", 0), ("exclude", "stan", 1)])
    @given(HISTORIES)
    def check(history: list[tuple[str, str, int]]) -> None:
        with taken_back():
            # The first batch of each person has the calibration item in one of its slots.
            Question.objects.filter(is_main=True).update(calibration_percent=100)
            labelling = Labelling(corpus)
            for what, name, n in history:
                labelling.do(what, person(name), n)
            compare(corpus, met)

    check()
    assert met >= {"work", "known", "not in pool", "no consent"}, (
        "the examples above meet each case, whatever is drawn"
    )


def test_a_pair_whose_seat_was_lost_is_offered_again(corpus):
    """The start page used to exclude every pair that a person ever got; the claim did not."""
    question, vera = corpus.questions.get(is_main=True), person("vera")
    lost = {item.seat.pair_id for item in claim_batch(question=question, annotator=vera).items}
    Labelling(corpus).lose(question, vera, 0)
    withdraw_pairs(pairs=Pair.objects.exclude(pk__in=lost), because=VETTED, at=timezone.now())
    claim_batch(question=question, annotator=person("stan"))  # takes the seats that Vera had
    assert [[each.slug for each in offer.questions] for offer in offers_for(vera)] == [["main", "single"]]
    again = claim_batch(question=question, annotator=vera)
    assert {item.seat.pair_id for item in again.items} <= lost


def test_nobody_excluded_is_invited_under_a_question_made_later(corpus, browser_of):
    vera = person("vera")
    exclude(corpus=corpus, annotator=vera, by=rosa(), reason="Guessed.")
    later = ask(corpus, "later", wording="?", pool_is_open=False)
    page = browser_of(rosa()).post("/corpora/small/pool/?question=later", {"name": vera.code})
    assert page.status_code == 422
    assert "is excluded from" in page.content.decode()
    assert not Membership.objects.filter(question=later).exists()


def test_the_same_statement_runs_on_sqlite(corpus):
    """Both databases use the same SQL: on SQLite it finds the same seats in the same rows."""
    question, vera = corpus.questions.get(is_main=True), person("vera")
    batch = claim_batch(question=question, annotator=vera)
    slots = [item.seat.token for item in batch.items]
    submit_batch(
        annotator=vera,
        token=batch.assignment.token,
        labels={slots[0]: "neutral"},
        skips={slots[1]: "other"},
        key="k",
    )
    claim_batch(question=question, annotator=person("stan"))
    lite = sqlite3.connect(":memory:")
    for model in (Label, Pair, Assignment, Label._meta.get_field("handed_out").related_model):
        table, names = model._meta.db_table, [field.column for field in model._meta.concrete_fields]
        lite.execute("CREATE TABLE {} ({})".format(table, ", ".join(f'"{name}"' for name in names)))
        with connection.cursor() as cursor:
            cursor.execute("SELECT {} FROM {}".format(", ".join(f'"{name}"' for name in names), table))
            rows = [[v if v is None or isinstance(v, int | str) else str(v) for v in row] for row in cursor]
        marks = ", ".join("?" * len(names))
        lite.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    for column in ("pair_id", "question_id"):
        lite.execute(f"CREATE INDEX labels_by_{column} ON validation_label ({column})")
    found = {}
    for new in ("pair", "premise"):
        statement = seats.CLAIMABLE.format(not_seen=seats.NOT_SEEN[new], but="", limit=100)
        values = seats._values(question.pk, vera.pk, timezone.now())
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            found[new] = [row[0] for row in cursor]
        own = seats.MARK.sub(r":\1", statement)
        values["now"] = str(values["now"])
        assert [row[0] for row in lite.execute(own, values)] == found[new]
        # Without statistics, SQLite read all labels of the question for each seat.
        plan = [row[3] for row in lite.execute(f"EXPLAIN QUERY PLAN {own}", values)]
        assert "SEARCH other USING INDEX labels_by_pair_id (pair_id=?)" in plan
    assert set(found["premise"]) <= set(found["pair"])
    assert found["pair"]


def test_a_search_looks_up_what_a_person_labelled_by_key(corpus):
    """Searching a list of all their labels row by row for each seat took up to 2 s a batch, after 2,500 labels."""
    question, vera = corpus.questions.get(is_main=True), person("vera")
    for new in ("pair", "premise"):
        statement = seats.CLAIMABLE.format(not_seen=seats.NOT_SEEN[new], but="", limit=7)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")  # the table is small
            cursor.execute("ANALYZE validation_label")  # or the plan follows the rows of earlier tests
            cursor.execute(
                f"EXPLAIN (FORMAT JSON) {statement}", seats._values(question.pk, vera.pk, timezone.now())
            )
            nodes = [cursor.fetchone()[0][0]["Plan"]]
        for node in nodes:
            nodes += node.get("Plans", [])
        (lookup,) = [node for node in nodes if node.get("Alias") == "mine"]
        assert "premise_id = seat.premise_id" in lookup["Index Cond"]


def test_a_claim_looks_at_few_seats_once_all_premises_are_known(monkeypatch):
    """Every open seat was read for each batch: with 2,000 pairs, 40 ms of the database's time instead of 2."""
    monkeypatch.setattr(claiming, "AHEAD", 40)
    corpus, vera = make_corpus(), person("vera")
    premises = [make_premise(corpus, f"Premise {number}.") for number in range(5)]
    for number in range(100):
        make_pair(corpus, premises[number % 5], f"Hypothesis {number}.")
    question = corpus.questions.get()
    open_for_validation(question=question, pairs=Pair.objects.all())
    open_seats = Label.objects.filter(question=question).open().count()
    with connection.cursor() as cursor:
        # As in a large table: here one has few rows, among those that earlier tests left behind.
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        cursor.execute("ANALYZE validation_label")
    seen = set()
    for number in range(6):
        before = seats_read()
        batch = claim_batch(question=question, annotator=vera)
        assert len({item.seat.pair.premise_id for item in batch.items}) == 5
        if number:
            assert seats_read() - before < open_seats
        seen |= {item.seat.pair_id for item in batch.items}
        send_all(batch, vera, key=str(number))
    assert len(seen) == 30


def seats_read() -> int:
    """Returns how many rows of labels this transaction has read, as PostgreSQL counts them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'validation_label'"
        )
        return int(cursor.fetchone()[0])


def test_unseen_premises_come_first_among_the_next_turns(monkeypatch):
    monkeypatch.setattr(claiming, "AHEAD", 3)
    corpus, vera = make_corpus(), person("vera")
    Question.objects.update(seats=2, threshold=2, batch_size=1)
    question = corpus.questions.get()
    premises = {name: make_premise(corpus, f"Premise {name}.") for name in "abc"}
    for number, name in enumerate("abaaacb"):
        pair = make_pair(
            corpus, premises[name], f"{name}{number}", author_label="neutral", author=person("ana")
        )
        open_for_validation(question=question, pairs=Pair.objects.filter(pk=pair.pk))
    order = []
    for number in range(7):
        (item,) = (batch := claim_batch(question=question, annotator=vera)).items
        order.append(item.seat.pair.hypothesis)
        labels = {item.seat.token: "neutral"}
        submit_batch(annotator=vera, token=batch.assignment.token, labels=labels, key=str(number))
    # After b1, c is four turns away; from a2 on it is among the next three. Then all are known, and the turns go round.
    assert order == ["a0", "b1", "a2", "c5", "b6", "a3", "a4"]


def test_pairs_of_one_premise_in_a_row_do_not_shorten_a_batch(corpus):
    """A batch has one pair of each premise: the search continues until it has enough new premises."""
    question = corpus.questions.get(is_main=True)
    Question.objects.filter(pk=question.pk).update(batch_size=3)
    question.refresh_from_db()
    few, other = Premise.objects.order_by("pk")[:2]
    for number in range(8):
        make_pair(corpus, few, f"More {number}.")
    make_pair(corpus, other, "The last.")
    Label.objects.filter(question=question).delete()
    for pair in Pair.objects.order_by("-hypothesis"):
        open_for_validation(question=question, pairs=Pair.objects.filter(pk=pair.pk))
    batch = claim_batch(question=question, annotator=person("vera"))
    assert len({item.seat.pair.premise_id for item in batch.items}) == 3


# Writing


def test_an_exam_is_offered_exactly_where_it_can_be_taken(corpus):
    exam = Exam.objects.create(
        corpus=corpus, qualification=Qualification.objects.create(slug="write", name="Write"), tries=2
    )
    ExamItem.objects.create(exam=exam, order=0, premise="A.", hypothesis="B.", label="neutral")

    def do(what: str, who: User) -> None:
        held = Grant.objects.standing().filter(user=who, qualification=exam.qualification).first()
        if what == "shut":
            Exam.objects.filter(pk=exam.pk).update(is_open=not Exam.objects.get(pk=exam.pk).is_open)
        elif what == "revoke" and held:
            revoke(grant=held, because="Late.", by=rosa())
        elif what == "give":
            grant(user=who, qualification=exam.qualification, how="invitation", by=rosa())
        elif what == "unjudge":
            ExamAttempt.objects.filter(annotator=who).update(passed=None, judged_at=None)
        elif what in ("pass", "fail"):
            answer = "neutral" if what == "pass" else "entailment"
            with suppress(ExamRefused):
                send_exam(exam=exam, annotator=who, answers={0: answer})

    @settings(max_examples=settings.default.max_examples // 5, database=None)
    @given(
        st.lists(st.sampled_from(["pass", "fail", "fail", "shut", "revoke", "give"]), max_size=6),
        st.booleans(),
    )
    def check(history: list[str], is_unjudged: bool) -> None:
        with taken_back():
            who = person("vera")
            for what in history:
                do(what, who)
            if is_unjudged and ExamAttempt.objects.filter(annotator=who).count() == 1:
                do("unjudge", who)
            attempts = list(ExamAttempt.objects.filter(annotator=who))
            grants = Grant.objects.filter(user=who, qualification=exam.qualification)
            right = (
                Exam.objects.get(pk=exam.pk).is_open
                and not grants.exists()
                and len(attempts) < 2
                and all(attempt.passed is not None for attempt in attempts)
            )
            assert any(offer.exam for offer in offers_for(who)) == right
            assert (standing_of(exam, who).why_not == "") == right
            with taken_back():
                before = ExamAttempt.objects.count()
                do("fail", who)
                assert (ExamAttempt.objects.count() > before) == right

    check()
