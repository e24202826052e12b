"""`import_pairs CORPUS FILE... --format F`: pairs of published files, with their labels."""

from argparse import BooleanOptionalAction
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation_site.intake.files import Progress
from annotation_site.intake.looks import looked_through
from annotation_site.intake.orders import AUTO, ImportForm
from annotation_site.intake.pairs import PairOrder, import_pairs, summary
from annotation_site.intake.report import PairReport, refused_lines
from annotation_site.management.pairs import PairsCommand, add_fields, lines, rows_in_words
from collection.formats.field_errors import FieldError
from collection.formats.registry import FORMATS
from collection.formats.sniffing import sniffed


class Command(PairsCommand):
    help = (
        "Imports pairs with their labels from published files, also compressed ones (.gz). Creates the corpus if it does not"
        " exist. Reports each invalid line with its number and reason, and imports the valid ones."
        " Importing the same file again skips the pairs that exist."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS")
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        formats = "; ".join(f"{form.name}: {form.about}" for form in FORMATS.values())
        parser.add_argument(
            "--format",
            required=True,
            choices=[*sorted(FORMATS), AUTO],
            help=f"{AUTO}: by the first file's columns; {formats}",
        )
        parser.add_argument(
            "--columns",
            action="append",
            default=[],
            metavar="FIELD=COLUMN,...",
            help=str(ImportForm.base_fields["columns"].help_text),
        )
        parser.add_argument(
            "--open",
            action=BooleanOptionalAction,
            help="open pairs without votes for labelling; --labels author does this, too",
        )
        others = ("corpus", "how", "columns", "open", "names")
        add_fields(parser, ImportForm, *(name for name in ImportForm.base_fields if name not in others))
        super().add_arguments(parser)

    def write(self, options: dict[str, Any]) -> None:
        progress = Progress()
        columns = options["columns"]
        columns = columns if isinstance(columns, str) else ",".join(columns)
        form = ImportForm({**options, "how": options["format"], "columns": columns})
        order = form.order(options["files"], tell=progress.tell, dry_run=options["dry_run"])
        if options["format"] == AUTO:
            self.stderr.write(f"{order.files[0].name} is read with {order.read_as}")
        order = looked_through(order, progress.tell, judges=not order.dry_run)
        report = import_pairs(order, progress.tell)
        self.show(
            order,
            report,
            as_json=summary(order, report) if options["json"] else None,
            text=[*lines(order, report), f"  {rows_in_words(report)}"],
            nothing=lambda: nothing_imported(order, report),
        )


def nothing_imported(order: PairOrder, report: PairReport) -> str:
    why = refused_lines(report) if report.refused_count else "The file contains no pairs"
    return f"{why}. Nothing was imported into {order.slug}.{hint(order)}"


def hint(order: PairOrder) -> str:
    """Returns what the file looks like, where that is another format than was named."""
    try:
        guess = sniffed(order.files[0])
    except FieldError:
        return ""
    return f" The file looks like {guess.typed}." if guess.form.name != order.form.name else ""
