"""Makes a site as full as after three weeks of work: the texts and labels of 40 people, a snapshot, 20 runs.

The site has at least one of everything that an address can name (tests/addresses.py). Half a million pairs with their
labels are made in minutes.
"""

import json
import random
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.apps import apps
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.people.consents import give_consent
from annotation_site.made_up.corpora import LABELS, sentences
from annotation_site.made_up.rows import Rows, unchecked
from collection.models import (
    Genre,
    LedgerEntry,
    Pair,
    Premise,
    ProblemReport,
    Prompt,
    PromptReading,
    PromptVersion,
    WritingAssignment,
    WritingSeat,
    WritingSignals,
)
from collection.models.querysets import refresh_planner
from jobs.claims import claim
from modeling.folders import folder_of, predictions_in
from modeling.launching.actions import request_sweep
from modeling.marking.actions import begin_marking
from modeling.models import RunProgress, TrainingRun
from modeling.results.breakdowns import store_breakdowns
from modeling.results.data_map import TRAINING_DYNAMICS
from modeling.running.actions import record_result
from snapshots.freezing.job import freeze_snapshot, request_freeze
from snapshots.models import Snapshot
from snapshots.statistics.job import compute_statistics, request_statistics
from tests.addresses import sample_site
from tests.counts import usual_by
from validation.annotators.membership import invite
from validation.labelling.instructions import read_instructions
from validation.models import Assignment, BatchItem, Label, Question
from validation.statistics import cached
from validation.statistics.vote_patterns import DIMENSIONS

PEOPLE, DAYS, RUNS, GENRES, EACH, BATCH = 40, 21, 20, 10, 3, 5
PROMPTS = ("fiction", "speech", "letters")
# The people of a pair: four validators and the author, counted from one of the forty on.
PLACES = (0, 7, 16, 29)
AUTHOR = 35
GUESSERS = (3, 17)
HARD_GENRE = 3
BASELINES = ("hypothesis_only", "cbow", "bilstm", "esim", "infersent")
SEEDS = (1, 2, 3, 4)
EPOCHS = 8
BY_HAND = ("models", "cross")  # statistics that only a researcher asks for
MANY = 10_000  # pairs, above which `unchecked` pays
REFILLED = (Label, BatchItem, Pair, Assignment, LedgerEntry)
REPORTED = 300  # premises for one report of a problem
CONTROLLED = 250  # pairs for one that an expert labels
UNWRITTEN = 100  # premises for one that nobody has written for


class FullCorpus:
    """A sample site whose corpus grows: `add_pairs`, then `freeze_and_train`, then more pairs."""

    def __init__(self) -> None:
        self.site = sample_site()
        self.corpus = self.site.corpus
        self.question = Question.objects.select_related("corpus").get(corpus=self.corpus)
        self.now = timezone.now()
        self.pairs, self.in_a_row = 0, 1
        self.texts = sentences(7)
        self.dice = random.Random(15)
        self.crowd = User.objects.bulk_create(
            User(username=f"worker-{number}", code=f"wk{number:06}x") for number in range(PEOPLE)
        )
        assert self.corpus.consent_form is not None
        for person in self.crowd:
            give_consent(user=person, form=self.corpus.consent_form)
            invite(question=self.question, annotator=person)
        self.versions = [self._prompt(slug) for slug in PROMPTS]
        PromptReading.objects.bulk_create(
            PromptReading(annotator=person, version=version, tries=1, passed_at=self.now)
            for person in self.crowd
            for version in self.versions
        )
        for person in self.crowd:
            read_instructions(question=self.question, annotator=person, answers={})
        Path(settings.INCOMING_ROOT).mkdir(parents=True, exist_ok=True)
        line = {"premise": "A cat sleeps.", "hypothesis": "It rests.", "label": "entailment"}
        (Path(settings.INCOMING_ROOT) / "new.jsonl").write_text(json.dumps(line) + "\n")
        self.site.queries["imports/new/"] = "?file=new.jsonl"
        self.genres = [
            Genre.objects.create(
                corpus=self.corpus,
                slug=f"genre-{number}",
                name=f"Genre {number}",
                prompt=self.versions[number % len(PROMPTS)].prompt,
                in_training=number != GENRES - 1,
            )
            for number in range(GENRES)
        ]

    def _prompt(self, slug: str) -> PromptVersion:
        prompt, _ = Prompt.objects.get_or_create(
            corpus=self.corpus, slug=slug, defaults={"name": slug.title(), "status": "open"}
        )
        version = prompt.versions.first()
        return version or PromptVersion.objects.create(
            prompt=prompt, number=1, instructions="Write.", digest=slug
        )

    def worker(self) -> User:
        """Returns one of the crowd."""
        return self.crowd[0]

    def add_pairs(self, number: int) -> None:
        """Adds so many pairs with five labels each, made in the last three weeks; some seats of the last stay open."""
        with transaction.atomic(), unchecked(*REFILLED) if number > MANY else nullcontext():
            self._add_pairs(number)
        analyze()
        self.pairs += number

    def _add_pairs(self, number: int) -> None:
        rows = Rows()
        # The same people meet on pairs in a row, so that kappas have enough.
        self.in_a_row = max(1, min(20, number // EACH // PEOPLE))
        batches: list[list[tuple[Any, ...]]] = [[] for _ in range(PEOPLE)]
        for place in range(-(-number // EACH)):
            share = place * EACH / number
            self._add_premise(rows, place, share, min(EACH, number - place * EACH), batches)
        self._leave_open(rows, batches)
        for place in range(max(4, number // EACH // UNWRITTEN)):
            self._premise(rows, place, written=None)
        rows.write()

    def _premise(self, rows: Rows, place: int, written: tuple[User, str] | None) -> tuple[int, int]:
        """Adds a premise with its seat for one writer; returns both keys."""
        genre = self.genres[place % GENRES]
        premise = rows.next_of(Premise)
        name = f"full-{premise}"
        rows.add(
            Premise,
            corpus_id=self.corpus.pk,
            genre_id=genre.pk,
            public_id=name,
            group=name,
            text=next(self.texts),
            digest=f"{premise:064}",
            line=premise,
            created_at=self._at(0),
        )
        seat = rows.add(
            WritingSeat,
            premise_id=premise,
            position=1,
            genre_id=genre.pk,
            turn=premise,
            annotator_id=written and written[0].pk,
            leased_until=written and written[1],
            submitted_at=written and written[1],
        )
        return premise, seat

    def _add_premise(
        self, rows: Rows, place: int, share: float, pairs: int, batches: list[list[tuple[Any, ...]]]
    ) -> None:
        first = place // self.in_a_row % PEOPLE
        author, at = self.crowd[(first + AUTHOR) % PEOPLE], self._at(share)
        premise, seat = self._premise(rows, place, (author, at))
        version = self.versions[place % GENRES % len(PROMPTS)]
        shared = {"corpus_id": self.corpus.pk, "annotator_id": author.pk, "seat_id": seat}
        task = rows.add(
            WritingAssignment, **shared, prompt_version_id=version.pk, token=f"full-w{premise}",
            created_at=at, closed_at=at, outcome="submitted",
        )  # fmt: skip
        rows.add(
            WritingSignals,
            assignment_id=task,
            active_ms=self.dice.randint(30_000, 200_000),
            keystrokes=self.dice.randint(80, 400),
        )
        self._earn(rows, author, "writing", version.pay_cents, f"full-w{premise}", at)
        if place % REPORTED == 0:
            reporter = self.crowd[first]
            told = rows.add(
                WritingAssignment, **{**shared, "annotator_id": reporter.pk}, prompt_version_id=version.pk,
                token=f"full-r{premise}", created_at=at, closed_at=at, outcome="reported",
            )  # fmt: skip
            rows.add(ProblemReport, assignment_id=told, text="A word is missing.", created_at=at)
        for truth in LABELS[:pairs]:
            pair = rows.next_of(Pair)
            rows.add(
                Pair, corpus_id=self.corpus.pk, premise_id=premise, hypothesis=next(self.texts), public_id=f"full-{pair}",
                scheme="nli3", author_id=author.pk, author_label=truth, prompt_version_id=version.pk, assignment_id=task,
                created_at=at,
            )  # fmt: skip
            seat_of = {"pair_id": pair, "premise_id": premise, "author_id": author.pk}
            self._label(rows, seat_of, 1, origin="author", label=truth, annotator_id=author.pk, cast_at=at)
            if pair % CONTROLLED == 0:
                expert = self.site.people["researcher"].pk
                self._label(
                    rows, seat_of, None, origin="expert", label=truth, annotator_id=expert, cast_at=at
                )
            for position, offset in enumerate(PLACES, start=2):
                who = (first + offset) % PEOPLE
                batches[who].append((seat_of, position, truth, place % GENRES))
                if len(batches[who]) == BATCH:
                    self._close(rows, who, batches[who], share)
                    batches[who] = []

    def _label(self, rows: Rows, seat: dict[str, int], position: int | None, **values: Any) -> int:
        return rows.add(
            Label,
            question_id=self.question.pk,
            scheme="nli3",
            position=position,
            token=f"full-{rows.next_of(Label)}",
            **seat,
            **values,
        )

    def _close(self, rows: Rows, who: int, seats: list[tuple[Any, ...]], share: float) -> None:
        """Adds a batch with its labels, as sent."""
        person, at = self.crowd[who], self._at(share)
        batch = rows.add(
            Assignment, question_id=self.question.pk, annotator_id=person.pk, token=f"full-{rows.next_of(Assignment)}",
            leased_until=at, created_at=at, closed_at=at,
        )  # fmt: skip
        for order, (seat, position, truth, genre) in enumerate(seats):
            label = self._answer(who, truth, genre)
            key = self._label(
                rows, seat, position, origin="cast", label=label, annotator_id=person.pk, cast_at=at
            )
            seconds = 1 if who == GUESSERS[0] else 3 + who % 9 + 6 * self.dice.random()
            rows.add(
                BatchItem,
                assignment_id=batch,
                seat_id=key,
                order=order,
                answer=label,
                active_ms=int(1000 * seconds),
            )
        self._earn(rows, person, "labels", BATCH * self.question.pay_cents, f"full-b{batch}", at)

    def _answer(self, who: int, truth: str, genre: int) -> str:
        """Draws an answer: guessers give any; the others err more or less often, most in the hard genre."""
        sure = 0 if who in GUESSERS else 0.95 - who % 10 / 50 - 0.15 * (genre == HARD_GENRE)
        return truth if self.dice.random() < sure else self.dice.choice(LABELS)

    def _leave_open(self, rows: Rows, batches: list[list[tuple[Any, ...]]]) -> None:
        for batch in batches:
            for seat, position, _, _ in batch:
                self._label(rows, seat, position, origin="cast", turn=rows.next_of(Label))

    def _earn(self, rows: Rows, person: User, kind: str, cents: int, key: str, at: str) -> None:
        rows.add(
            LedgerEntry,
            user_id=person.pk,
            corpus_id=self.corpus.pk,
            kind=kind,
            cents=cents,
            reason="work",
            key=key,
            created_at=at,
        )

    def _at(self, share: float) -> str:
        """Returns a time at so much of the three weeks, with some hours of chance."""
        ago = max(0.01, DAYS * (1 - share) - self.dice.random() / 2)
        return f"{self.now - timedelta(days=ago):%Y-%m-%d %H:%M:%S}"

    def freeze_and_train(self) -> None:
        """Freezes the corpus, counts the snapshot's statistics, and stores 20 runs with predictions: nothing is trained."""
        held = max(3, min(1000, self.pairs // 6 // GENRES))
        type(self.corpus).objects.filter(pk=self.corpus.pk).update(
            dev_pairs_per_genre=held, test_pairs_per_genre=held
        )
        self.corpus.refresh_from_db()
        snapshot = freeze_snapshot(snapshot_id=request_freeze(corpus=self.corpus).pk)
        snapshot = Snapshot.objects.select_related("corpus").get(pk=snapshot.pk)
        for kind in ("corpus", "artifacts"):
            compute_statistics(statistics_id=request_statistics(snapshot=snapshot, kind=kind).pk)
        people = self.site.people
        marking = begin_marking(
            snapshot=snapshot, partition="dev", number=20, phenomena=["negation"], seed=1, by=people["researcher"]
        )  # fmt: skip
        sweeps = [
            request_sweep(snapshot=snapshot, baseline=name, seeds=SEEDS, config={"epochs": EPOCHS})
            for name in BASELINES
        ]
        parts = {part: list(_lines(snapshot, part)) for part in ("dev", "test")}
        runs = TrainingRun.objects.filter(parent__in=sweeps).order_by("pk")
        for number, run in enumerate(runs):
            self._finish(run, snapshot, parts, 0.5 + 0.08 * (number // len(SEEDS)) + 0.01 * run.seed)
        first = runs[0]
        self._write_dynamics(first, snapshot)
        places = self.site.places
        by_pk: dict[str, dict[str, Any]] = {
            "snapshots/": {"pk": snapshot.pk},
            "runs/": {"pk": first.pk, "partition": "test"},
        }
        marked: dict[str, dict[str, Any]] = {"snapshots/<int:pk>/marking/": {"partition": marking.partition}}
        merged = {
            start: {**values, **by_pk.get(start, {}), **marked.get(start, {})}
            for start, values in places.items()
        }
        merged[""] = {**merged[""], "snapshot_id": snapshot.pk}
        merged["corpora/"] = {
            **merged["corpora/"],
            "public_id": parts["test"][0]["pairID"],
            "code": self.crowd[0].code,
        }
        merged["c/"] = {**merged["c/"], "public_id": parts["test"][0]["pairID"]}
        sent = Assignment.objects.filter(annotator=self.worker(), closed_at__isnull=False).latest("pk")
        merged["work/mine/batches/"] = {"token": sent.token}
        chosen = urlencode([("run", run.pk) for run in runs])
        queries = {**self.site.queries, "runs/curves/": f"?{chosen}"}
        self.site = replace(self.site, snapshot=snapshot, places=merged, queries=queries)

    def _finish(
        self, run: TrainingRun, snapshot: Snapshot, parts: dict[str, list[dict[str, Any]]], accuracy: float
    ) -> None:
        """Stores what a finished run leaves behind: progress, scores, predictions and their breakdowns."""
        claimed = claim(TrainingRun, run.pk, worker="bench")
        assert claimed is not None
        RunProgress.objects.bulk_create(
            RunProgress(
                run=claimed, step=100 * epoch, steps=100 * EPOCHS, epoch=epoch, loss=1.1 / epoch + run.seed / 100,
                dev_accuracy=accuracy - 0.2 / epoch, pairs_per_second=900,
            )
            for epoch in range(1, EPOCHS + 1)
        )  # fmt: skip
        folder_of(claimed).mkdir(parents=True)
        told: dict[str, Any] = {
            "train_pairs": snapshot.pair_count, "train": {"accuracy": 0.9, "genres": {}}, "seconds": 60.5,
            "pairs_per_second": 900.0, "device": "cpu",
        }  # fmt: skip
        for part, lines in parts.items():
            right = 0
            with predictions_in(folder_of(claimed), part).open("w") as stream:
                for line in lines:
                    gold = line["gold_label"]
                    guess = gold if self.dice.random() < accuracy else self.dice.choice(LABELS)
                    right += guess == gold
                    shares = {label: 0.8 if label == guess else 0.1 for label in LABELS}
                    row = {
                        "pairID": line["pairID"], "gold": gold, "predicted": guess, "probabilities": shares,
                        "genre": line["genre"],
                    }  # fmt: skip
                    stream.write(json.dumps(row) + "\n")
            told[part] = {
                "accuracy": right / len(lines), "majority": 0.35, "pairs": len(lines),
                "distribution": {"pairs": len(lines), "kl": 0.4, "jsd": 0.1, "entropy_correlation": 0.2},
            }  # fmt: skip
        record_result(run=claimed, metrics=told)
        store_breakdowns(claimed, snapshot, folder_of(claimed), tuple(parts))

    def _write_dynamics(self, run: TrainingRun, snapshot: Snapshot) -> None:
        with (folder_of(run) / TRAINING_DYNAMICS).open("w") as stream:
            for line in _lines(snapshot, "train"):
                confidence = round(self.dice.betavariate(4, 2), 3)
                row = {
                    "pairID": line["pairID"], "gold": line["gold_label"], "genre": line["genre"], "epochs": EPOCHS,
                    "confidence": confidence, "variability": round(confidence * (1 - confidence), 3),
                    "correctness": round(confidence * EPOCHS) / EPOCHS,
                }  # fmt: skip
                stream.write(json.dumps(row) + "\n")

    def count_statistics(self) -> None:
        """Counts what workers count for pages: all kinds of statistics, but no models of reliability."""
        kinds = [kind for kind in cached.COMPUTE if kind not in BY_HAND]
        wanted = [(kind, usual_by(kind)) for kind in kinds] + [
            (cached.Kind.AGREEMENT, by) for by in DIMENSIONS
        ]
        for each, by in wanted:
            row = cached.request_statistics(question=self.question, kind=each, by=by)
            cached.carry_out(statistics_id=row.pk)
            row.refresh_from_db()
            assert row.made_at is not None, f"{each} {by}: {row.error}"


def analyze() -> None:
    """Refreshes the planner's statistics of our own tables: those that all databases of a server share may be locked."""
    refresh_planner(*(model for model in apps.get_models() if model._meta.managed))


def _lines(snapshot: Snapshot, partition: str) -> Iterator[dict[str, Any]]:
    with (snapshot.folder / f"{partition}.jsonl").open(encoding="utf-8") as stream:
        for text in stream:
            line = json.loads(text)
            if line["gold_label"] != "-":
                yield line
