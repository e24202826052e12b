"""`manage.py attach_trees CORPUS FILE --made-by NAME`: parse trees that were made elsewhere."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from snapshots.errors import SnapshotError
from snapshots.parses.attached_trees import SHOWN, attach_trees
from validation.questions.lookup import corpus_for_command


class Command(BaseCommand):
    help = (
        "Attaches parse trees that were made elsewhere to the pairs of a corpus: JSON Lines or a table with pairID and"
        " SNLI's sentence1_parse, sentence2_parse (bracketed trees), and their binary parses, if there are any. The words"
        " must be those of the sentences. `freeze_snapshot --trees FILE` uses them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS", help="the corpus's slug")
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--made-by", required=True, metavar="NAME", help="what made them, such as 'Stanford PCFG 3.5.2'"
        )
        parser.add_argument(
            "--partly", action="store_true", help="leave wrong lines out instead of refusing the file"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_for_command(options["corpus"])
        try:
            found = attach_trees(
                corpus=corpus, path=options["file"], made_by=options["made_by"], partly=options["partly"]
            )
        except (SnapshotError, OSError) as error:
            raise CommandError(str(error)) from None
        for text in found.wrong[:SHOWN]:
            self.stderr.write(text)
        left_out = f", {len(found.wrong):,} lines left out" if found.wrong else ""
        self.stdout.write(f"Trees for {found.sentences:,} sentences of {found.pairs:,} pairs{left_out}.")
        self.stdout.write(f"freeze_snapshot {corpus.slug} --trees {options['file'].name} uses them.")
