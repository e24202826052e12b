"""`simulate CORPUS --annotators N`: a simulated crowd works through the real pages."""

import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import requests
from django.core.management.base import CommandError, CommandParser
from django.db.models import Exists, OuterRef

from accounts.models import User
from accounts.people.registration import create_person
from annotation_site.intake.files import OrderCommand, known_corpus
from annotation_site.operation.server import site
from annotation_site.simulated_crowd import (
    Annotator,
    CrowdError,
    Judge,
    Replay,
    Tally,
    mostly_agreeing,
    run_crowd,
)
from collection.formats.lines import BadLine
from collection.formats.registry import FORMATS
from collection.models import Corpus
from shared.whole_numbers import seed, whole
from validation.annotators.membership import invite
from validation.models import Label, Question
from validation.questions.addresses import address_of
from validation.questions.lookup import main_question


class Command(OrderCommand):
    help = (
        "A simulated crowd signs in and works through the site's own pages. Its accounts, and so everything it"
        " does, are marked as simulated. With --replay it casts labels 2-5 of a published file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus")
        parser.add_argument("--annotators", type=whole(1, 10_000), default=20)
        parser.add_argument("--at-once", type=whole(1, 1000), default=16, help="how many work at one time")
        parser.add_argument(
            "--replay", type=Path, nargs="+", metavar="FILE", help="cast the labels 2-5 of these files"
        )
        parser.add_argument("--format", choices=sorted(FORMATS), default="snli", help="of the replayed files")
        parser.add_argument("--write", action="store_true", help="write for open premises first")
        parser.add_argument("--url", help="address of a running site; without it a site is started")
        parser.add_argument("--seed", type=seed, default=0)
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = known_corpus(options["corpus"])
        if options["annotators"] < 1 or options["at_once"] < 1:
            raise CommandError("--annotators and --at-once must be at least 1.")
        replay = Replay(published_labels(options["format"], options["replay"])) if options["replay"] else None
        questions = [main_question(corpus)] if replay else asked(corpus)
        judges = {
            question: replay.judge if replay else mostly_agreeing(question.labels, options["seed"])
            for question in questions
        }
        people = [simulated(corpus, number, questions) for number in range(1, options["annotators"] + 1)]
        start = time.monotonic()
        with nullcontext(options["url"]) if options["url"] else site() as url:
            tally = self.work(url, corpus, people, judges, options)
        self.report(corpus, people, tally, time.monotonic() - start, replay, as_json=options["json"])

    def work(
        self,
        url: str,
        corpus: Corpus,
        people: Sequence[tuple[str, str]],
        judges: Mapping[Question, Judge],
        options: dict[str, Any],
    ) -> Tally:
        tally = Tally()

        def day(annotator: Annotator) -> None:
            if options["write"]:
                annotator.write(corpus.slug, tally, options["seed"])
            for question, judge in judges.items():
                annotator.label(address_of("labelling", question), judge, tally)

        try:
            run_crowd([Annotator(url, *person) for person in people], options["at_once"], day)
        except (CrowdError, requests.RequestException) as error:
            raise CommandError(f"The crowd could not go on: {error}") from None
        return tally

    def report(
        self,
        corpus: Corpus,
        people: Sequence[Any],
        tally: Tally,
        seconds: float,
        replay: Replay | None,
        *,
        as_json: bool,
    ) -> None:
        facts = {
            "corpus": corpus.slug,
            "annotators": len(people),
            "labels": tally.labels,
            "skipped": tally.skipped,
            "batches": tally.batches,
            "premises_written": tally.written,
            "labels_not_dealt": replay.undealt() if replay else 0,
            "seconds": round(seconds, 2),
            "labels_per_second": round(tally.labels / seconds, 1),
        }
        if as_json:
            self.stdout.write(json.dumps(facts))
            return
        self.stdout.write(
            f"{len(people)} simulated annotators cast {tally.labels:,} labels in {tally.batches:,} batches"
            f" ({tally.skipped:,} pairs skipped) and wrote for {tally.written:,} premises in {seconds:.1f} s."
        )
        if facts["labels_not_dealt"]:
            self.stdout.write(f"{facts['labels_not_dealt']:,} labels of the file found no open seat.")


def published_labels(format_name: str, files: Sequence[Path]) -> Iterator[tuple[str, str, list[str]]]:
    """Yields (premise, hypothesis, labels without the author's) of every pair of the files."""
    for path in files:
        if not path.is_file():
            raise CommandError(f"There is no file {path} to replay.")
        for pair in FORMATS[format_name].read(path):
            if not isinstance(pair, BadLine):
                labels = [label for label in pair.labels[1:] if label]
                yield " ".join(pair.premise), pair.hypothesis, labels


def asked(corpus: Corpus) -> list[Question]:
    """Returns the main question, and those beside it under which pairs are open."""
    main = main_question(corpus)
    open_seats = Label.objects.open().filter(question=OuterRef("pk"))
    beside = Question.objects.filter(Exists(open_seats), corpus=corpus).exclude(pk=main.pk)
    return [main, *beside.order_by("slug")]


def simulated(corpus: Corpus, number: int, questions: Sequence[Question]) -> tuple[str, str]:
    """Makes simulated annotator `number` of the corpus if there is none, sets a new password, and invites them.

    Returns user name and password.
    """
    name, password = f"simulated-{corpus.slug}-{number}", secrets.token_urlsafe(12)
    user = User.objects.filter(username=name, kind=User.Kind.SIMULATED).first()
    if user is None:
        user = create_person(username=name, password=password, kind=User.Kind.SIMULATED)
    else:
        user.set_password(password)
        user.save(update_fields=["password"])
    for question in questions:
        invite(question=question, annotator=user)
    return name, password
