"""`load_corpus FILE.toml`: creates or updates a corpus with its genres, prompts and question."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from annotation_site.management.files import readable_files
from collection.corpus_files import BadCorpusFile, CorpusFile, read_corpus_file
from collection.loading import Changes, LoadRefused, load_corpus
from validation.loading import load_question


class Command(BaseCommand):
    help = "Creates or updates a corpus with its genres, prompts, question and consent form from a TOML file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.toml")
        parser.add_argument(
            "--dry-run", action="store_true", help="print what would change, and change nothing"
        )
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        (path,) = readable_files([options["file"]])
        try:
            file = read_corpus_file(path)
            changes = load(file, dry_run=options["dry_run"])
        except BadCorpusFile as problem:
            raise CommandError("\n".join([*problem.faults, "Nothing was loaded."])) from None
        except LoadRefused as problem:
            raise CommandError("\n".join([*problem.reasons, "Nothing was loaded."])) from None
        for warning in [*file.warnings, *changes.notes]:
            self.stderr.write(f"Warning: {warning}")
        if options["json"]:
            self.stdout.write(json.dumps(summary(file, changes, options["dry_run"])))
        else:
            self.stdout.write("\n".join(lines(file, changes, options["dry_run"])))


def load(file: CorpusFile, *, dry_run: bool = False) -> Changes:
    """Loads all of the file or nothing. Raises LoadRefused."""
    changes = Changes()
    with transaction.atomic():
        corpus = load_corpus(file=file, changes=changes)
        load_question(corpus=corpus, part=file.question, changes=changes)
        if changes.refusals:
            raise LoadRefused(changes.refusals)
        if dry_run:
            transaction.set_rollback(True)
    return changes


def lines(file: CorpusFile, changes: Changes, dry_run: bool) -> list[str]:
    slug = file.corpus.slug
    if not changes.lines:
        return [f"{slug} is as the file says; nothing to change."]
    end = (
        "Nothing was changed: this was a trial run."
        if dry_run
        else f"{slug}: {len(changes.lines)} changes made."
    )
    return [*(f"{sign} {what}" for sign, what in changes.lines), end]


def summary(file: CorpusFile, changes: Changes, dry_run: bool) -> dict[str, Any]:
    return {
        "corpus": file.corpus.slug,
        "dry_run": dry_run,
        "changes": [{"sign": sign, "what": what} for sign, what in changes.lines],
        "warnings": [*file.warnings, *changes.notes],
    }
