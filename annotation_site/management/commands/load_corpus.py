"""`load_corpus FILE.toml`: creates or updates a corpus with its genres, prompts and question."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from annotation_site.intake.files import readable_files
from collection.corpora.corpus_file import BadCorpusFile, read_corpus_file
from collection.corpora.differences import Changes
from collection.corpora.loading import LoadRefused, load_corpus
from collection.corpus_schema import CorpusFile
from collection.models import Corpus, Genre
from snapshots.models import Placement
from validation.questions.corpus_file import load_questions


class Command(BaseCommand):
    help = (
        "Creates or updates a corpus with its genres, prompts, question and consent form from a TOML file."
        " Prints what would change and, in a terminal, asks before it does so."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.toml")
        parser.add_argument(
            "--dry-run", action="store_true", help="print what would change, and change nothing"
        )
        parser.add_argument("--yes", action="store_true", help="make the changes without asking")
        parser.add_argument(
            "--json", action="store_true", help="print only JSON on standard output, and do not ask"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        (path,) = readable_files([options["file"]])
        try:
            file = read_corpus_file(path)
            # First all of it on trial, so that the difference is on the screen before anything is done.
            changes = load(file, dry_run=True)
            self.show(file, changes, options)
            if changes.lines and not options["dry_run"]:
                if is_asked(options) and not agreed(len(changes.lines)):
                    raise CommandError("Nothing was changed.")
                load(file, expected=changes)
        except BadCorpusFile as problem:
            raise CommandError("\n".join([*problem.faults, "Nothing was loaded."])) from None
        except LoadRefused as problem:
            raise CommandError("\n".join([*problem.reasons, "Nothing was loaded."])) from None
        if options["json"]:
            self.stdout.write(json.dumps(summary(file, changes, options)))
        elif changes.lines:
            self.stdout.write(ending(file, changes, options["dry_run"]))

    def show(self, file: CorpusFile, changes: Changes, options: dict[str, Any]) -> None:
        if not options["json"]:
            lines = [f"{sign} {what}" for sign, what in changes.lines]
            self.stdout.write(
                "\n".join(lines) or f"{file.corpus.slug} is as the file says; nothing to change."
            )
            self.stdout.flush()
        for warning in warnings_of(file, changes, options):
            self.stderr.write(f"Warning: {warning}")


def is_asked(options: dict[str, Any]) -> bool:
    """Returns whether to ask before changing anything: only people at a terminal are asked."""
    is_program = options["yes"] or options["json"] or options.get("stdout") is not None
    return not is_program and sys.stdin.isatty()


def agreed(count: int) -> bool:
    try:
        answer = input(f"Make {'this change' if count == 1 else f'these {count} changes'}? [y/N] ")
    except (EOFError, KeyboardInterrupt):
        return False
    return answer.strip().lower() in ("y", "yes")


def load(file: CorpusFile, *, dry_run: bool = False, expected: Changes | None = None) -> Changes:
    """Loads the whole file or nothing. Raises LoadRefused, also if more than the `expected` changes would be made."""
    changes = Changes()
    with transaction.atomic():
        in_training = _genres_in_training(file)
        corpus = load_corpus(file=file, changes=changes)
        load_questions(corpus=corpus, main=file.question, beside=file.questions, changes=changes)
        _refuse_leaving_training(corpus, in_training, changes)
        if changes.refusals:
            raise LoadRefused(changes.refusals)
        if expected is not None and changes.lines != expected.lines:
            raise LoadRefused(
                [
                    "Somebody else has just changed the corpus. Run the command again to see the remaining changes."
                ]
            )
        if dry_run:
            transaction.set_rollback(True)
    return changes


def _genres_in_training(file: CorpusFile) -> list[int]:
    genres = Genre.objects.filter(corpus__slug=file.corpus.slug, in_training=True)
    return list(genres.values_list("pk", flat=True))


def _refuse_leaving_training(corpus: Corpus, in_training: list[int], changes: Changes) -> None:
    """A genre outside training has nothing in train; premises that a snapshot placed there never move."""
    for genre in Genre.objects.filter(corpus=corpus, pk__in=in_training, in_training=False):
        if placed := Placement.objects.filter(premise__genre=genre, partition="train").count():
            changes.refuse(
                f'[[genres]] "{genre.slug}" in_training: {placed:,} premises of it stand in the train part of'
                " a snapshot, so it cannot leave training. Put in_training = true back into the file."
            )


def ending(file: CorpusFile, changes: Changes, dry_run: bool) -> str:
    if dry_run:
        return "Dry run: nothing was changed."
    return f"{file.corpus.slug}: {len(changes.lines)} changes made."


def warnings_of(file: CorpusFile, changes: Changes, options: dict[str, Any]) -> list[str]:
    return [*(f"{Path(options['file']).name}: {warning}" for warning in file.warnings), *changes.notes]


def summary(file: CorpusFile, changes: Changes, options: dict[str, Any]) -> dict[str, Any]:
    return {
        "corpus": file.corpus.slug,
        "dry_run": options["dry_run"],
        "changes": [{"sign": sign, "what": what} for sign, what in changes.lines],
        "warnings": warnings_of(file, changes, options),
    }
