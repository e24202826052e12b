"""`import_pairs CORPUS FILE... --format F`: pairs of published files, with their labels."""

from argparse import BooleanOptionalAction
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation_site.intake.files import Progress
from annotation_site.intake.looks import looked_through
from annotation_site.intake.orders import AUTO, CHOICES, IMPORT_OPTIONS, order_of
from annotation_site.intake.pairs import PairOrder, import_pairs, summary
from annotation_site.intake.report import PairReport, refused_lines
from annotation_site.management.pairs import PairsCommand, lines, rows_in_words
from collection.formats.maps import FIELDS, BadMap
from collection.formats.registry import FORMATS
from collection.formats.sniffing import sniffed
from shared.whole_numbers import MOST_SEATS, whole


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
            choices=CHOICES["format"],
            help=f"{AUTO}: by the first file's columns; {formats}",
        )
        parser.add_argument(
            "--columns",
            action="append",
            metavar="FIELD=COLUMN,...",
            help=f"what the file calls {', '.join(FIELDS)}; COLUMN+COLUMN where a field takes several",
        )
        parser.add_argument(
            "--label-map",
            metavar="LABEL=OURS,...",
            help="what the file's labels mean: 1=contradiction,2-4=neutral,5=entailment; nothing after = is no label",
        )
        self.add_shared_arguments(
            parser,
            what="line",
            licence="of the files",
            unless=", but none where pairs have votes or are to be labelled",
        )
        parser.add_argument(
            "--partition", choices=CHOICES["partition"], help="the published partition of the files"
        )
        parser.add_argument("--labels", choices=CHOICES["labels"], help="which labels come along")
        parser.add_argument("--genre", help="genre of the pairs, unless a line names another")
        parser.add_argument(
            "--only-genre", metavar="NAME", help="leave out pairs whose line names another genre"
        )
        parser.add_argument(
            "--open",
            action=BooleanOptionalAction,
            help="open pairs without votes for labelling; --labels author does this, too",
        )
        parser.add_argument("--scheme", choices=CHOICES["scheme"], help="label scheme of a new corpus")
        parser.add_argument(
            "--protocol",
            choices=CHOICES["protocol"],
            help="how the pairs of a new corpus were made",
        )
        parser.add_argument("--language", help="language of a new corpus, such as de or zh")
        parser.add_argument(
            "--seats", type=whole(1, MOST_SEATS), help="labels for each pair of a new corpus; default 5"
        )
        parser.add_argument(
            "--threshold",
            type=whole(1, MOST_SEATS),
            help="equal labels that make a gold label; more than half of the seats",
        )
        parser.add_argument(
            "--gold-rule",
            choices=CHOICES["gold_rule"],
            help="how labels make a gold label; majority_of_all where pairs have different numbers of labels",
        )
        parser.add_argument("--unlabelled", action="store_true", help="accept files without any label")
        parser.add_argument(
            "--gather",
            action="store_true",
            help="each line is one person's answer: gather those with the same texts and id; name the column of people as"
            " annotators",
        )
        parser.add_argument(
            "--partly",
            action="store_true",
            help="import the other lines though a whole class, or more than a tenth of a file, is refused",
        )
        parser.set_defaults(**IMPORT_OPTIONS)

    def write(self, options: dict[str, Any]) -> None:
        progress = Progress()
        order = order_of(options, progress.tell)
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
    """Return what the file looks like, where that is another format than was named."""
    try:
        guess = sniffed(order.files[0])
    except BadMap:
        return ""
    return f" The file looks like {guess.typed}." if guess.form.name != order.form.name else ""
