"""`offer_texts CORPUS FILE --origin NAME`: brings drafts that writers change, under prompts with `mode = "edit"`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation_site.intake.files import OrderCommand, known_corpus, readable_files
from collection.formats.lines import BadLine, json_records
from collection.writing.starts import BadDrafts, offer_texts


class Command(OrderCommand):
    help = (
        "Reads drafts, an object a line: `premise` (its id), `text`, and `label` where it is a draft for one label. Writers"
        ' find them in their fields under prompts with mode = "edit". A file with an error brings none of them.'
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS")
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument(
            "--origin", required=True, help="where the drafts come from, such as the name of a model"
        )

        parser.add_argument(
            "--arm",
            default="",
            help="the slug of the prompt under which they are offered; default: under all",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = known_corpus(options["corpus"])
        (path,) = readable_files([options["file"]])
        rows, errors = [], []
        for item in json_records(path):
            if isinstance(item, BadLine):
                errors.append(f"line {item.line}: {item.reason}")
            else:
                rows.append(item)
        try:
            if errors:
                raise BadDrafts(errors)
            number = offer_texts(corpus=corpus, rows=rows, origin=options["origin"], arm=options["arm"])
        except BadDrafts as bad:
            raise CommandError(f"{path.name}: nothing was stored. {bad}") from None
        self.stdout.write(f"{number:,} drafts stored, {len(rows) - number:,} were there before.")
