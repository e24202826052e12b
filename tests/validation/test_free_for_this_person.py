"""One rule says what is free for a person: start page, claim and the sentence on why there is nothing never disagree.

Random histories compare them with the rule in plain Python, written here over the rows.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.models import Grant, Qualification, User
from accounts.people.qualifications import grant, revoke
from collection.errors import NoWork as NothingToWrite
from collection.joining.exams import ExamRefused, send_exam, standing_of
from collection.models import (
    Corpus,
    Exam,
    ExamAttempt,
    ExamItem,
    Exclusion,
    Genre,
    Pair,
    Premise,
    Prompt,
    WritingSeat,
)
from collection.models.withdrawal import VETTED
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing, why_no_work
from collection.writing.submitting import skip_writing, submit_writing
from tests.cast import person, rosa
from tests.corpora import make_corpus, make_pair, make_premise
from validation.annotators.exclusion import exclude, undo_exclusion
from validation.annotators.membership import invite, pause, resume
from validation.errors import NotInPool, NoWork
from validation.labelling import seats
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.models import Assignment, Label, Membership, Question
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


@pytest.fixture
def corpus() -> Corpus:
    """Four pairs of three premises; Ana wrote two of them. Two labels beside the author's, two pairs a batch."""
    corpus = make_corpus()
    Question.objects.update(seats=3, threshold=2, batch_size=2)
    premises = [make_premise(corpus, f"Premise {number}.") for number in range(3)]
    for number, premise in enumerate([*premises, premises[0]]):
        who = {"author": person("ana"), "author_label": "neutral"} if number % 2 else {}
        make_pair(corpus, premise, f"Hypothesis {number}.", **who)
    question = corpus.questions.get()
    beside = Question.objects.create(
        corpus=corpus,
        slug="beside",
        is_main=False,
        scheme="nli3",
        wording="And this?",
        seats=1,
        threshold=1,
        batch_size=1,
        qualification=Qualification.objects.create(slug="beside", name="Beside"),
    )
    for each in (question, beside):
        open_for_validation(question=each, pairs=Pair.objects.all())
    for name in NAMES:
        person(name)
    rosa()
    return corpus


class Labelling:
    """What may happen, each by one number that says to whom and to what."""

    def __init__(self, corpus: Corpus) -> None:
        self.questions = list(corpus.questions.order_by("pk"))
        self.corpus, self.keys = corpus, 0

    def do(self, what: str, who: User, n: int) -> None:
        question = Question.objects.select_related("corpus").get(pk=self.questions[n % 2].pk)
        with suppress(NoWork, NotInPool):
            getattr(self, what)(question, who, n)

    def claim(self, question: Question, who: User, n: int) -> None:
        claim_batch(question=question, annotator=who)

    def send(self, question: Question, who: User, n: int) -> None:
        """Answers one place of what is in hand, or of some older batch, or skips it."""
        with suppress(NoWork, NotInPool):
            claim_batch(question=question, annotator=who)
        batches = Assignment.objects.filter(annotator=who, question=question).order_by("-pk")
        batch = batches[n % 7 // 5 :].first()
        if batch is None:
            return
        slots = list(batch.items.values_list("seat__token", flat=True))
        slot = slots[n % len(slots)]
        self.keys += 1
        answer = (
            {"labels": {}, "skips": {slot: "other"}} if n // 2 % 2 == 0 else {"labels": {slot: "neutral"}}
        )
        submit_batch(annotator=who, token=batch.token, key=str(self.keys), **answer)

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
            exclude(corpus=self.corpus, annotator=who, by=rosa(), reason="Guessed.")
        else:
            undo_exclusion(exclusion=standing, by=rosa())

    def belong(self, question: Question, who: User, n: int) -> None:
        if not invite(question=question, annotator=who).cursor and n % 3:
            return
        if not pause(question=question, annotator=who):
            resume(question=question, annotator=who)

    def gate(self, question: Question, who: User, n: int) -> None:
        """Opens or closes a pool, or gives or takes the qualification of the question beside."""
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
    return question.pool_is_open and held and not excluded


def what_there_is(question: Question, who: User) -> tuple[str, set[int]]:
    """Returns work, held (by others), known (nothing but pairs that are not for them) or none, and the free seats."""
    now = timezone.now()
    rows = list(Label.objects.filter(question=question).select_related("pair"))
    is_open = [
        row
        for row in rows
        if row.position and row.label is None and not row.withdrawn_at and not row.pair.withdrawn_at
    ]
    known = {row.pair_id for row in rows if who.pk in (row.annotator_id, row.author_id)}
    in_hand = set()
    for batch in Assignment.objects.filter(question=question, annotator=who).prefetch_related("items__seat"):
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
    if free or theirs:
        return "work", free
    if any(row.pair_id not in known for row in is_open):
        return "held", free
    return "known" if is_open else "none", free


SENTENCES = {"Other ": "held", "You ha": "known", "All pa": "none"}


def what_the_claim_says(question: Question, who: User) -> str:
    with taken_back():
        try:
            return "work" if claim_batch(question=question, annotator=who).items else "no items"
        except NotInPool:
            return "not in pool"
        except NoWork as nothing:
            return SENTENCES[nothing.why[:6]]
    raise AssertionError


def compare(corpus: Corpus) -> None:
    for name in NAMES:
        who = person(name)
        offered = {question.pk for offer in offers_for(who) for question in offer.questions}
        for question in Question.objects.filter(corpus=corpus).select_related("corpus", "qualification"):
            right, free = what_there_is(question, who)
            look = {"look": "any", "cursor": 0, "but": [], "limit": 1000, "now": timezone.now()}
            found = seats.free_seats(question=question.pk, annotator=who.pk, **look)
            assert {seat.pk for seat in found} == free, (name, question.slug)
            if not may_label(question, who):
                right = "not in pool"
            assert what_the_claim_says(question, who) == right, (name, question.slug)
            assert (question.pk in offered) == (right == "work"), (name, question.slug)


STEPS = ("claim", "claim", "send", "send", "send", "lose", "withdraw", "exclude", "belong", "gate")
HISTORIES = st.lists(
    st.tuples(st.sampled_from(STEPS), st.sampled_from(NAMES), st.integers(0, 59)), max_size=14
)


def test_start_page_claim_and_reason_agree_with_the_plain_rule_after_any_history(corpus):
    @settings(max_examples=25, database=None)
    @given(HISTORIES)
    def check(history: list[tuple[str, str, int]]) -> None:
        with taken_back():
            labelling = Labelling(corpus)
            for what, name, n in history:
                labelling.do(what, person(name), n)
            compare(corpus)

    check()


def test_a_pair_whose_seat_was_lost_is_offered_again(corpus):
    """The start page left out whatever a person was ever handed; the claim did not."""
    question, vera = corpus.questions.get(is_main=True), person("vera")
    lost = {item.seat.pair_id for item in claim_batch(question=question, annotator=vera).items}
    Labelling(corpus).lose(question, vera, 0)
    withdraw_pairs(pairs=Pair.objects.exclude(pk__in=lost), because=VETTED, at=timezone.now())
    claim_batch(question=question, annotator=person("stan"))  # takes the seats that Vera had
    assert [[each.slug for each in offer.questions] for offer in offers_for(vera)] == [["main"]]
    again = claim_batch(question=question, annotator=vera)
    assert {item.seat.pair_id for item in again.items} <= lost


def test_nobody_excluded_is_invited_under_a_question_made_later(corpus, browser_of):
    vera = person("vera")
    exclude(corpus=corpus, annotator=vera, by=rosa(), reason="Guessed.")
    later = Question.objects.create(
        corpus=corpus, slug="later", is_main=False, scheme="nli3", wording="?", pool_is_open=False
    )
    page = browser_of(rosa()).post("/corpora/small/pool/?question=later", {"name": vera.code})
    assert page.status_code == 422
    assert "is excluded from" in page.content.decode()
    assert not Membership.objects.filter(question=later).exists()


def test_the_same_statement_runs_on_sqlite(corpus):
    """The rule's text is one for both databases: on SQLite it finds the same seats in the same rows."""
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
    found = {}
    for look in ("any", "unseen", "ahead"):
        statement = seats.CLAIMABLE.format(not_seen=seats.NOT_SEEN[look], but="", limit=100)
        values = seats._values(question.pk, vera.pk, None, timezone.now())
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            found[look] = [row[0] for row in cursor]
        own = seats.MARK.sub(r":\1", statement)
        assert [row[0] for row in lite.execute(own, values | {"now": str(values["now"])})] == found[look]
    assert set(found["unseen"]) <= set(found["any"])
    assert found["any"]


# Writing


@pytest.fixture
def texts() -> Corpus:
    """Two genres, one of them piloted by Ana; at most a quarter of a genre by one person, three texts a day."""
    corpus = make_corpus(slug="texts", writers_per_premise=2, max_genre_share=25, max_tasks_per_day=3)
    tried = Prompt.objects.create(corpus=corpus, slug="news", name="News")
    Genre.objects.create(corpus=corpus, slug="news", name="News", prompt=tried)
    for genre in ("fiction", "news"):
        make_seats(premises=[make_premise(corpus, f"{genre} {number}.", genre=genre) for number in range(2)])
    for name in NAMES:
        person(name)
    rosa()
    return corpus


class Writing:
    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def do(self, what: str, who: User, n: int) -> None:
        if what == "lose":
            WritingSeat.objects.filter(submitted_at=None, annotator=who).update(
                leased_until=timezone.now() - timedelta(hours=1)
            )
        elif what == "pause":
            premise = Premise.objects.order_by("pk")[n % 4]
            premise.status = "open" if premise.status != "open" else "paused"
            premise.save()
        elif what == "prompt":
            Prompt.objects.filter(slug="fiction").update(status=("open", "pilot", "closed")[n % 3])
        elif what == "exclude":
            Labelling(self.corpus).exclude(self.corpus.questions.get(), who, n)
        elif what == "cap":
            Corpus.objects.filter(pk=self.corpus.pk).update(max_tasks_per_day=(None, 1, 3)[n % 3])
        else:
            self.work(what, who)

    def work(self, what: str, who: User) -> None:
        try:
            task = claim_writing(corpus=Corpus.objects.get(pk=self.corpus.pk), annotator=who)
        except NothingToWrite:
            return
        if what == "write":
            submit_writing(annotator=who, token=task.token, texts=TEXTS, key=task.token)
        elif what == "skip":
            skip_writing(annotator=who, token=task.token)


def has_writing(corpus: Corpus, who: User) -> bool:
    """The plain rule, over the rows; exclusion ended the writing of whom it stands against."""
    now = timezone.now()
    if Exclusion.objects.filter(corpus=corpus, annotator=who, undone_at=None).exists():
        return False
    rows = list(WritingSeat.objects.filter(genre__corpus=corpus).select_related("premise", "genre__prompt"))
    tasks = list(who.writingassignment_set.filter(corpus=corpus).select_related("seat"))
    for task in tasks:
        seat = task.seat
        free = seat.annotator_id in (None, who.pk) or seat.leased_until <= now
        if task.closed_at is None and seat.submitted_at is None and free:
            return True
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    given = sum(task.created_at >= today for task in tasks)
    if corpus.max_tasks_per_day is not None and given >= corpus.max_tasks_per_day:
        return False
    touched = {task.seat.premise_id for task in tasks}
    for seat in rows:
        size = sum(row.genre_id == seat.genre_id for row in rows)
        mine = sum(
            row.genre_id == seat.genre_id and row.annotator_id == who.pk and row.submitted_at is not None
            for row in rows
        )
        is_full = mine > 0 and (mine + 1) * 100 > corpus.max_genre_share * size
        free = seat.leased_until is None or seat.leased_until <= now
        has_words = seat.genre.prompt.versions.exists()
        is_open = seat.genre.prompt.status == "open" and seat.premise.status == "open" and has_words
        if seat.submitted_at is None and free and is_open and not is_full and seat.premise_id not in touched:
            return True
    return False


WRITING = ("claim", "claim", "write", "write", "skip", "lose", "pause", "prompt", "exclude", "cap")


def test_writing_is_offered_where_the_claim_hands_out_a_premise(texts):
    @settings(max_examples=25, database=None)
    @given(
        st.lists(st.tuples(st.sampled_from(WRITING), st.sampled_from(NAMES), st.integers(0, 5)), max_size=12)
    )
    def check(history: list[tuple[str, str, int]]) -> None:
        with taken_back():
            for what, name, n in history:
                Writing(texts).do(what, person(name), n)
            corpus = Corpus.objects.get(pk=texts.pk)
            for name in NAMES:
                who = person(name)
                right = has_writing(corpus, who)
                assert any(offer.writes for offer in offers_for(who)) == right, name
                assert (why_no_work(corpus=corpus, annotator=who) is None) == right, name
                with taken_back():
                    try:
                        claimed = bool(claim_writing(corpus=corpus, annotator=who))
                    except NothingToWrite:
                        claimed = False
                assert claimed == right, name

    check()


def test_a_full_genre_is_not_offered(texts):
    """The start page knew nothing of shares: it offered writing, and the page then said that the part was done."""
    Corpus.objects.update(max_genre_share=25, max_tasks_per_day=None)
    vera = person("vera")
    assert [offer.writes for offer in offers_for(vera)] == [True]
    texts.refresh_from_db()
    Writing(texts).work("write", vera)
    assert "one person writes at most 25%" in why_no_work(corpus=texts, annotator=vera).why
    assert not any(offer.writes for offer in offers_for(vera))


# Exams


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

    @settings(max_examples=20, database=None)
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
