"""`import_premises CORPUS FILE --genre G`: premises to write about, filtered, with a report."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation_site.intake.files import OrderCommand, Progress
from annotation_site.intake.orders import PremiseForm
from annotation_site.intake.premises import (
    EXAMPLES,
    PremiseOrder,
    PremiseReport,
    import_premises,
    preview,
    summary,
)
from annotation_site.management.pairs import add_fields
from collection.premises.filters.registry import DUPLICATE
from collection.premises.intake import ReadElsewhere
from shared.whole_numbers import whole

SHOWN = 20  # refused lines on the screen
EXCERPT = 100  # characters of a dropped line


class Command(OrderCommand):
    help = (
        "Imports premises from plain text, .jsonl or .tsv, also compressed (.gz), and opens them for writing. Filters"
        " drop unsuitable lines. Dropped lines are stored, and researchers can restore them. An"
        " interrupted import continues where it stopped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS")
        parser.add_argument("file", type=Path, metavar="FILE")
        add_fields(parser, PremiseForm, *PremiseForm.base_fields)
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
        order = PremiseForm(options).order(options["corpus"], [options["file"]])
        work = preview if options["dry_run"] else import_premises
        try:
            report = work(order, Progress().tell, options["examples"])
        except ReadElsewhere as problem:
            raise CommandError(str(problem)) from None
        self.warn(order, report)
        if options["json"]:
            self.stdout.write(json.dumps(summary(order, report, options["dry_run"])))
        else:
            self.stdout.write("\n".join(lines(order, report, options["dry_run"])))
        if report.refused_count and not report.premises and not report.present and not report.dropped:
            raise CommandError(f"No line of {order.path.name} is a valid premise. Nothing was imported.")
        if not report.lines_read and not report.finished_before:
            raise CommandError(
                f"{order.path.name} contains no text; check that it is the right file. Nothing was imported."
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
