"""`import_premises CORPUS FILE --genre G`: premises to write about, filtered, with a report."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_site.importing import LISTED, Refusal, portions
from annotation_site.management.files import (
    INTERRUPTED,
    Progress,
    known_corpus,
    readable_files,
    short_licence,
)
from collection.filters import FILTERS, Dropped
from collection.formats import BadLine
from collection.formats.lines import sha256_of
from collection.formats.premise_files import read_premises
from collection.importing import remember_source, write_premises
from collection.models import Corpus, Genre

SHOWN = 20  # refused lines on the screen
EXCERPT = 100  # characters of a dropped line


@dataclass
class PremiseReport:
    """What became of a file: how many premises went in, what the filters dropped, what was refused."""

    premises: int = 0
    dropped: dict[str, Dropped] = field(default_factory=dict)
    refused: list[Refusal] = field(default_factory=list)
    refused_count: int = 0

    def refuse(self, file: str, bad: list[BadLine]) -> None:
        self.refused_count += len(bad)
        room = max(0, LISTED - len(self.refused))
        self.refused += [Refusal(file, line.line, line.reason) for line in bad[:room]]


class Command(BaseCommand):
    help = (
        "Imports premises from plain text (one a line), .jsonl or .tsv, .gz as they are, and opens them"
        " for writing. Texts that the genre has already are passed over, so an import can be repeated."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS")
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--genre", required=True, help="the genre's slug, as the corpus file names it")
        parser.add_argument("--licence", default="", help="the licence of the texts, kept with their source")
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        genre = known_genre(known_corpus(options["corpus"]), options["genre"])
        (path,) = readable_files([options["file"]])
        try:
            report = import_file(genre, path, short_licence(options["licence"]), Progress())
        except KeyboardInterrupt:
            raise CommandError(INTERRUPTED) from None
        for refusal in report.refused[:SHOWN]:
            self.stderr.write(f"{refusal.file}, line {refusal.line}: {refusal.reason}.")
        if report.refused_count:
            self.stderr.write(f"Refused: {report.refused_count:,}.")
        if options["json"]:
            self.stdout.write(json.dumps(summary(genre, path, report)))
        else:
            self.stdout.write("\n".join(lines(genre, path, report)))
        if not report.premises and not report.dropped:
            raise CommandError(f"No line of {path.name} could be taken. Nothing was imported.")


def known_genre(corpus: Corpus, slug: str) -> Genre:
    """The genre of that slug. Raises CommandError that lists those there are."""
    genre = corpus.genres.filter(slug=slug).first()
    if genre is None:
        known = ", ".join(corpus.genres.order_by("slug").values_list("slug", flat=True)) or "none"
        raise CommandError(f'{corpus.slug} has no genre "{slug}"; its genres are: {known}.')
    return genre


def import_file(genre: Genre, path: Path, licence: str, progress: Progress) -> PremiseReport:
    report = PremiseReport()
    source = None
    for portion in portions(read_premises(path)):
        bad = [item for item in portion if isinstance(item, BadLine)]
        good = [item for item in portion if not isinstance(item, BadLine)]
        report.refuse(path.name, bad)
        if good:
            source = source or remember_source(
                corpus=genre.corpus, name=path.name, digest=sha256_of(path), licence=licence
            )
            written, refused = write_premises(
                genre=genre, source=source, candidates=good, dropped=report.dropped
            )
            report.premises += written
            report.refuse(path.name, refused)
        progress.tell(f"{path.name}: line {portion[-1].line:,}, {report.premises:,} premises in")
    return report


def summary(genre: Genre, path: Path, report: PremiseReport) -> dict[str, Any]:
    return {
        "corpus": genre.corpus.slug,
        "genre": genre.slug,
        "file": path.name,
        "premises": report.premises,
        "dropped": {
            rule.name: {
                "reason": rule.reason,
                "count": report.dropped[rule.name].count,
                "examples": [
                    {"line": line, "text": text} for line, text in report.dropped[rule.name].examples
                ],
            }
            for rule in FILTERS
            if rule.name in report.dropped
        },
        "refused": [asdict(refusal) for refusal in report.refused],
        "refused_count": report.refused_count,
    }


def lines(genre: Genre, path: Path, report: PremiseReport) -> list[str]:
    found = [f"{genre.corpus.slug}, {genre.slug}: {report.premises:,} premises imported from {path.name}."]
    for rule in FILTERS:
        dropped = report.dropped.get(rule.name)
        if dropped:
            found.append(f"  {dropped.count:,} dropped: {rule.reason}")
            found += [f"    line {line}: {text[:EXCERPT]}" for line, text in dropped.examples]
    return found
