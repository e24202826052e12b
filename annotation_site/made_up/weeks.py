"""Three weeks of work by made-up people: the demo's second corpus, so that every page has something to show.

They write and judge through the actions that pages call, on days in the past. Their accounts are simulated ones, so a
snapshot and its datasheet say that nobody real did the work.
"""

import io
import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from unittest import mock

from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from accounts.models import Grant, User
from accounts.people.consents import give_consent
from accounts.people.qualifications import grant
from accounts.people.registration import create_person
from annotation_site.intake.corpus_files import load
from collection.corpora.corpus_file import read_corpus_file
from collection.errors import NoWork as NothingToWrite
from collection.models import Corpus, Pair, WritingAssignment
from collection.writing.claiming import claim_writing
from collection.writing.prompts import read_prompt
from collection.writing.submitting import Signals, submit_writing
from modeling.launching.actions import request_run
from snapshots.freezing.job import freeze_snapshot, request_freeze
from snapshots.models import Snapshot
from snapshots.statistics.job import request_statistics
from validation.annotators.membership import invite
from validation.errors import NoWork as NothingToJudge
from validation.labelling.claiming import claim_batch
from validation.labelling.instructions import read_instructions
from validation.labelling.submitting import submit_batch
from validation.models import BatchItem, Question
from validation.pairs.opening import open_for_validation
from validation.questions.lookup import main_question
from validation.statistics import cached

SLUG, NAME = "three-weeks", "Example: three weeks of work"
DESCRIPTION = "Made-up people wrote and judged these pairs. Please do not use them for research."
TEXTS = settings.BASE_DIR / "examples" / "three-weeks"
DEMO = settings.BASE_DIR / "examples" / "demo"
# Three whole weeks from Monday to Sunday, so that each has pairs enough to compare, and the days of this week.
WEEKS, WEEK, WRITERS, JUDGES = 3, 7, 6, 14
TEXTS_A_DAY = (3, 6)
AT_WORK, BATCHES_A_DAY = (4, 7), 2  # judges; some pairs still wait at the end
HELD_OUT = 5  # pairs of each genre in dev and in test
# Who gives any answer, and quickly; and who grow tired on the Monday of the third week, so that agreement falls.
GUESSER, TIRED, LAST_WEEK = 4, (2, 7, 9, 11, 12, 13), 14
BASELINES = ("majority", "hypothesis_only", "cbow", "bilstm")
STATISTICS = ("annotators", "bias", "models")


_now = timezone.now


class Clock:
    """The time of the made-up work, which waits move on."""

    def __init__(self) -> None:
        self.time = now = _now()
        self.days = WEEKS * WEEK + now.weekday()
        self.first = now.replace(hour=9, minute=0, second=0, microsecond=0) - timedelta(days=self.days)

    def __call__(self) -> datetime:
        return self.time

    def begin(self, day: int) -> None:
        """Begins a day: 0 is the first one, `days` the present day."""
        self.time = self.first + timedelta(days=day)

    def wait(self, seconds: int) -> None:
        self.time += timedelta(seconds=seconds)


@contextmanager
def kept_by(clock: Clock) -> Iterator[None]:
    """Has all code of this process take the time from this clock."""
    with mock.patch.object(timezone, "now", clock):
        yield


@transaction.atomic
def work_for_three_weeks(tell: Callable[[str], None] = lambda text: None) -> Corpus:
    """Makes the corpus with its people, texts, labels and two snapshots. Workers then count and train what it requests."""
    dice = random.Random(15)
    clock = Clock()
    clock.begin(0)
    with kept_by(clock):
        crowd = Crowd(dice, clock)
        for day in range(clock.days):
            clock.begin(day)
            crowd.work(day)
            if day == LAST_WEEK:
                crowd.freeze()
            if (day + 1) % WEEK == 0:
                tell(f"Made-up people have worked for {day + 1} of {clock.days} days ...")
        for path in sorted((DEMO / "premises").glob("*.txt")):
            quietly("import_premises", SLUG, path, genre=path.stem, licence="CC0-1.0")
    snapshot = crowd.freeze()
    for kind in ("corpus", "artifacts"):
        request_statistics(snapshot=snapshot, kind=kind)
    for kind in STATISTICS:
        cached.request_statistics(question=crowd.question, kind=kind)
    for baseline in BASELINES:
        request_run(snapshot=snapshot, baseline=baseline)
    return crowd.corpus


class Crowd:
    """Made-up writers and judges of the corpus."""

    def __init__(self, dice: random.Random, clock: Clock) -> None:
        self.dice, self.clock = dice, clock
        self.corpus = _corpus()
        self.question: Question = main_question(self.corpus)
        self.texts = {
            line["premise"]: line for path in sorted(TEXTS.glob("*.jsonl")) for line in _lines(path)
        }
        for path in sorted(TEXTS.glob("*.jsonl")):
            quietly("import_premises", SLUG, path, genre=path.stem, licence="CC0-1.0")
        self.writers = [self._person(f"writer-{number}") for number in range(WRITERS)]
        self.judges = [self._person(f"judge-{number}") for number in range(JUDGES)]
        checks = {check.order: check.label for check in self.question.check_questions.all()}
        assert self.corpus.writing_qualification is not None
        for person in self.writers:
            grant(user=person, qualification=self.corpus.writing_qualification, how=Grant.How.INVITATION)
        for person in self.judges:
            invite(question=self.question, annotator=person)
            read_instructions(question=self.question, annotator=person, answers=checks)

    def _person(self, name: str) -> User:
        person = create_person(username=f"{SLUG}-{name}", password=None, kind=User.Kind.SIMULATED)
        if self.corpus.consent_form is not None:
            give_consent(user=person, form=self.corpus.consent_form)
        return person

    def work(self, day: int) -> None:
        """Lets some write, opens what was written the day before, and lets others judge."""
        unopened = Pair.objects.filter(corpus=self.corpus, labels=None)
        open_for_validation(question=self.question, pairs=unopened, seed=day, without_look=True)
        for number in range(self.dice.randint(*TEXTS_A_DAY)):
            self._write(self.writers[(day + number // 3) % WRITERS])
        for who in self.dice.sample(range(JUDGES), k=self.dice.randint(*AT_WORK)):
            for _ in range(BATCHES_A_DAY):
                self._judge(who, day)

    def _write(self, writer: User) -> None:
        try:
            task = claim_writing(corpus=self.corpus, annotator=writer)
        except NothingToWrite:
            return
        self._learn(writer, task)
        seconds = self.dice.randint(60, 200)
        self.clock.wait(seconds)
        texts = self.texts[" ".join(task.seat.premise.sentences)]
        signals = Signals(active_ms=900 * seconds, keystrokes=sum(map(len, texts.values())))
        given = {field.label: texts[field.label] for field in task.prompt_version.fields.all()}
        submit_writing(annotator=writer, token=task.token, texts=given, key=task.token, signals=signals)

    def _learn(self, writer: User, task: WritingAssignment) -> None:
        answers = {check.order: check.label for check in task.prompt_version.check_questions.all()}
        read_prompt(annotator=writer, version=task.prompt_version, answers=answers)

    def _judge(self, who: int, day: int) -> None:
        try:
            batch = claim_batch(question=self.question, annotator=self.judges[who])
        except NothingToJudge:
            return
        seconds = {item.seat.token: self._seconds(who) for item in batch.items}
        self.clock.wait(int(sum(seconds.values())))
        submit_batch(
            annotator=self.judges[who],
            token=batch.assignment.token,
            key=batch.assignment.token,
            labels={item.seat.token: self._answer(who, day, item) for item in batch.items},
            active_ms={slot: int(1000 * each) for slot, each in seconds.items()},
        )

    def _seconds(self, who: int) -> float:
        return self.dice.uniform(0.8, 1.6) if who == GUESSER else 4 + who % 5 + self.dice.expovariate(0.2)

    def _answer(self, who: int, day: int, item: BatchItem) -> str:
        """Draws an answer: the author's label, or any; a label is doubted more often where the author meant neutral."""
        meant = item.seat.pair.author_label
        sure = 0.94 - who % 6 / 40 - 0.12 * (meant == "neutral")
        if who in TIRED and day >= LAST_WEEK:
            sure = 0.25
        if who == GUESSER or meant is None or self.dice.random() > sure:
            return self.dice.choice(self.question.labels)
        return meant

    def freeze(self) -> Snapshot:
        found = freeze_snapshot(snapshot_id=request_freeze(corpus=self.corpus).pk)
        return Snapshot.objects.select_related("corpus").get(pk=found.pk)


def _corpus() -> Corpus:
    """Loads the corpus: that of the demo under another name, for invited people alone."""
    file = read_corpus_file(DEMO / "corpus.toml")
    facts: dict[str, object] = {
        "slug": SLUG,
        "name": NAME,
        "description": DESCRIPTION,
        "writing": "invitation",
    }
    facts |= {"dev_pairs_per_genre": HELD_OUT, "test_pairs_per_genre": HELD_OUT}
    corpus = file.corpus.model_copy(update=facts)
    question = file.question.model_copy(update={"pool_is_open": False})
    load(file.model_copy(update={"corpus": corpus, "question": question}))
    return Corpus.objects.get(slug=SLUG)


def _lines(path: Path) -> Iterator[dict[str, str]]:
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())


def quietly(name: str, *arguments: object, **options: object) -> None:
    call_command(name, *arguments, stdout=io.StringIO(), stderr=io.StringIO(), **options)
