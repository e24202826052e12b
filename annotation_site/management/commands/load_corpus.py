"""`load_corpus FILE.toml`: creates or updates a corpus with its genres, prompts and question."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation_site.intake.corpus_files import load
from annotation_site.intake.files import OrderCommand, readable_files
from collection.corpora.corpus_file import BadCorpusFile, read_corpus_file
from collection.corpora.differences import Changes
from collection.corpora.loading import LoadRefused
from collection.corpus_schema import CorpusFile


class Command(OrderCommand):
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
            if not options["dry_run"]:
                if changes.lines and is_asked(options) and not agreed(len(changes.lines)):
                    raise CommandError("Nothing was changed.")
                load(file, expected=changes)
        except BadCorpusFile as problem:
            raise CommandError("\n".join([*problem.errors, "Nothing was loaded."])) from None
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
