"""`import_premises CORPUS FILE --genre G`: premises to write about, filtered, with a report."""

import codecs
import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_site.intake.files import (
    Progress,
    known_corpus,
    known_genre,
    readable_files,
    short_licence,
)
from annotation_site.intake.premises import (
    EXAMPLES,
    PremiseOrder,
    PremiseReport,
    import_premises,
    preview,
    summary,
)
from collection.premises.filters.registry import DUPLICATE, NAMES
from collection.premises.filters.shape import LONGEST
from collection.premises.intake import ReadElsewhere
from shared.whole_numbers import whole

SHOWN = 20  # refused lines on the screen
EXCERPT = 100  # characters of a dropped line
INTERRUPTED = "Interrupted. What was written stays; the same command goes on where it stopped."


class Command(BaseCommand):
    help = (
        "Imports premises from plain text, .jsonl or .tsv, also compressed (.gz), and opens them for writing. Filters"
        " drop unsuitable lines. Dropped lines are stored, and researchers can restore them. An"
        " interrupted import continues where it stopped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS")
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--genre", required=True, help="the genre's slug, as the corpus file names it")
        parser.add_argument(
            "--licence", default="", help="the licence of the texts, stored with their source"
        )
        parser.add_argument("--encoding", default="utf-8", help="of the file, such as cp1252; default utf-8")
        parser.add_argument("--split", action="store_true", help="running text: split it into sentences")
        parser.add_argument(
            "--document", default="", help="document of the premises, unless a line names another"
        )
        parser.add_argument(
            "--alone",
            action="store_true",
            help="allow premises of one document in different partitions",
        )
        parser.add_argument(
            "--longest",
            type=whole(1),
            default=LONGEST,
            metavar="N",
            help=f"characters of a sentence; default {LONGEST}",
        )
        parser.add_argument(
            "--without",
            action="append",
            default=[],
            metavar="FILTER",
            choices=[name for name in NAMES if name != DUPLICATE.name],
            help=f"leave a filter out; may stand several times. The filters: {', '.join(NAMES[1:])}",
        )
        parser.add_argument("--dry-run", action="store_true", help="only report what the filters would drop")
        parser.add_argument(
            "--examples",
            type=whole(0),
            default=EXAMPLES,
            metavar="N",
            help=f"lines of each filter to show; default {EXAMPLES}",
        )
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        genre = known_genre(known_corpus(options["corpus"]), options["genre"])
        (path,) = readable_files([options["file"]])
        order = PremiseOrder(
            genre=genre,
            path=path,
            licence=short_licence(options["licence"]),
            encoding=known_encoding(options["encoding"]),
            split=options["split"],
            document=options["document"][:300],
            alone=options["alone"],
            longest=options["longest"],
            without=options["without"],
        )
        work = preview if options["dry_run"] else import_premises
        try:
            report = work(order, Progress().tell, options["examples"])
        except KeyboardInterrupt:
            raise CommandError(INTERRUPTED) from None
        except ReadElsewhere as problem:
            raise CommandError(str(problem)) from None
        self.warn(order, report)
        if options["json"]:
            self.stdout.write(json.dumps(summary(order, report, options["dry_run"])))
        else:
            self.stdout.write("\n".join(lines(order, report, options["dry_run"])))
        if report.refused_count and not report.premises and not report.present and not report.dropped:
            raise CommandError(f"No line of {path.name} is a valid premise. Nothing was imported.")
        if not report.lines_read and not report.finished_before:
            raise CommandError(
                f"{path.name} contains no text; check that it is the right file. Nothing was imported."
            )

    def warn(self, order: PremiseOrder, report: PremiseReport) -> None:
        for refusal in report.refused[:SHOWN]:
            self.stderr.write(f"{refusal.file}, line {refusal.line}: {refusal.reason}.")
        if report.refused_count:
            self.stderr.write(f"Refused: {report.refused_count:,}.")
        if any(" is not UTF-8;" in refusal.reason for refusal in report.refused):
            self.stderr.write("If the file is in another encoding, name it, such as: --encoding cp1252")
        asked = {rule.name for rule in report.filters} | set(order.without)
        if "foreign_language" not in asked:
            language = order.genre.corpus.language
            self.stderr.write(f'The filter foreign_language was not asked: it does not know "{language}".')


def known_encoding(name: str) -> str:
    """Returns the encoding's usual name. Raises CommandError for one that Python does not know as an encoding of text."""
    try:
        "".encode(name)
        return codecs.lookup(name).name
    except LookupError:
        raise CommandError(
            f'There is no encoding "{name}". Often it is utf-8, utf-16, cp1252 (Windows) or latin-1.'
        ) from None


def lines(order: PremiseOrder, report: PremiseReport, dry_run: bool) -> list[str]:
    where, file = f"{order.genre.corpus.slug}, {order.genre.slug}", order.path.name
    if report.finished_before:
        return [f"{where}: all of {file} was read on {report.finished_before}. There is nothing to do."]
    done = "would be imported" if dry_run else "imported"
    found = [f"{where}: {report.premises:,} premises {done} from {file}."]
    if report.resumed_after:
        found.append(f"  Lines up to {report.resumed_after:,} had been read before.")
    if report.present:
        found.append(f"  {report.present:,} were there from an earlier reading with other settings.")
    for rule in (DUPLICATE, *report.filters):
        found.append(f"  {report.dropped[rule.name]:,} dropped as {rule.name}: {rule.reason}")
        found += [f"    line {line}: {text[:EXCERPT]}" for line, text in report.shown.get(rule.name, [])]
    return found
