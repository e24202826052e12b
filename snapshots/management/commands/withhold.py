"""`manage.py withhold CORPUS [PARTITION] [--frozen] [--name WHO] [--remove WHO] [--release] [--by USERNAME]`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from collection.members.lookup import researcher_of
from collection.models import Corpus
from nli.lines import HELD_OUT
from snapshots.errors import SnapshotError
from snapshots.withholding.actions import (
    lift,
    name_reader,
    remove_reader,
    researcher_called,
    standing_of,
    withhold,
)
from validation.questions.lookup import corpus_for_command


class Command(BaseCommand):
    help = (
        "Withholds the labels of a partition, names who reads them, or releases them. Without a partition it says what is"
        " withheld."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", help="slug of the corpus")
        parser.add_argument("partition", nargs="?", choices=HELD_OUT)
        parser.add_argument(
            "--frozen",
            action="store_true",
            help="also take the labels out of frozen snapshots, whose hashes change; what was downloaded before stays out",
        )
        doing = parser.add_mutually_exclusive_group()
        doing.add_argument(
            "--name", metavar="WHO", help="let this researcher (user name or code) read the labels"
        )
        doing.add_argument("--remove", metavar="WHO", help="take that right away")
        doing.add_argument("--release", action="store_true", help="release the labels for good")
        parser.add_argument("--by", metavar="USERNAME", help="the researcher who decides this")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_for_command(options["corpus"])
        try:
            if options["partition"]:
                self._do(corpus, options["partition"], options)
        except SnapshotError as error:
            raise CommandError(str(error)) from None
        rows = corpus.withholdings.order_by("pk").prefetch_related("readers")
        for row in rows:
            readers = ", ".join(sorted(reader.username for reader in row.readers.all())) or "administrators"
            ended = (
                f", released {row.lifted_at.date()}"
                if row.lifted_at
                else f"; its labels are read by {readers}"
            )
            self.stdout.write(f"{row.partition} of {corpus.slug}: withheld since {row.since.date()}{ended}.")
        if not rows:
            self.stdout.write(f"{corpus.slug} withholds no labels.")

    def _do(self, corpus: Corpus, partition: str, options: dict[str, Any]) -> None:
        by = researcher_of(options["by"] or "", corpus)
        if options["name"] or options["remove"]:
            act = name_reader if options["name"] else remove_reader
            reader = researcher_called(
                options["name"] or options["remove"], corpus if options["name"] else None
            )
            act(withholding=standing_of(corpus, partition), reader=reader, by=by)
        elif options["release"]:
            lift(withholding=standing_of(corpus, partition), by=by)
        else:
            withhold(corpus=corpus, partition=partition, by=by, frozen=options["frozen"])
