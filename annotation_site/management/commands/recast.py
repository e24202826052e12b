"""`recast CORPUS RECIPE SOURCE...`: pairs made from annotations of another kind, by a recipe."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation_site.intake.files import Progress
from annotation_site.intake.looks import looked_at
from annotation_site.intake.orders import RECIPE, ImportForm, offered_recipes, samples
from annotation_site.intake.pairs import PairOrder, import_pairs, summary
from annotation_site.intake.report import PairReport
from annotation_site.management.pairs import PairsCommand, add_fields, lines
from collection.recasting.recipe_format import RecastFormat
from shared.whole_numbers import whole

SAMPLE = 3  # rows that a dry run shows
LONGEST = 200  # characters of a row on the screen
REASONS = 10


class Command(PairsCommand):
    help = (
        "Makes pairs from annotations of another kind, by a recipe, and imports them like the pairs of a published"
        " file. Reports each invalid row with its number and reason. After an interruption, the same command continues."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS", help="made if it is not there")
        parser.add_argument(
            "recipe",
            metavar="RECIPE",
            help="; ".join(f"{name}: {each.about}" for name, each in offered_recipes()[0].items()),
        )
        parser.add_argument("files", nargs="+", type=Path, metavar="SOURCE")
        parser.add_argument(
            "--recipes",
            type=Path,
            metavar="FOLDER",
            help="a folder with recipes of your own; default: the site's (RECIPES_FOLDER)",
        )
        parser.add_argument(
            "--sample",
            type=whole(0),
            metavar="N",
            help="show the first N rows of each file with their pairs; default 3 in a dry run",
        )
        parser.add_argument(
            "--names", type=Path, metavar="FILE", help=str(ImportForm.base_fields["names"].help_text)
        )
        add_fields(parser, ImportForm, *("open", "seed", "split", "licence", "strict", "without_look"))
        super().add_arguments(parser)

    def write(self, options: dict[str, Any]) -> None:
        progress = Progress()
        order = ImportForm({**options, "how": f"{RECIPE}{options['recipe']}"}).order(
            options["files"],
            options["names"],
            progress.tell,
            recipes_in=options["recipes"],
        )
        form = order.form
        assert isinstance(form, RecastFormat)
        unless_told = SAMPLE if options["dry_run"] else 0
        sample = samples(order, unless_told if options["sample"] is None else options["sample"])
        if options["dry_run"]:
            report, found = looked_at(order, progress.tell)
        else:
            report, found = import_pairs(order, progress.tell), {}
        counts = {
            "recipe": form.recipe.name,
            "dry_run": options["dry_run"],
            "rows": form.rows_read.total(),
            "passed_over": dict(form.passed_over.most_common()),
        }
        as_json = {**summary(order, report), **counts, **found, "sample": sample}
        self.show(
            order,
            report,
            as_json=as_json if options["json"] else None,
            text=[*sample_lines(sample), *report_lines(form, order, report, found)],
            nothing=lambda: (
                f"No row of the source became a pair. Does {form.recipe.name} read this file? It is for:"
                f" {form.recipe.about}."
            ),
        )


def sample_lines(shown: list[dict[str, Any]]) -> list[str]:
    found = []
    for each in shown:
        row = "; ".join(f"{key}: {value}" for key, value in each["row"].items())
        found.append(f"{each['file']}, line {each['line']}: {short(row)}")
        if why := each["refused"] or each["passed_over"]:
            found.append(f"  nothing: {why}")
        for pair in each["pairs"]:
            found += [
                f"  {pair['label'] or 'no label'}, {pair['partition'] or 'no partition'}",
                f"    {short(pair['context'])}",
                f"    {short(pair['hypothesis'])}",
            ]
    return found


def short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def report_lines(
    form: RecastFormat, order: PairOrder, report: PairReport, found: dict[str, Any]
) -> list[str]:
    """Returns the report for a person."""
    rows = form.rows_read.total()
    if found:
        there = f", and {known:,} are there already" if (known := report.counts["skipped"]) else ""
        first = [
            f"{order.slug}: {report.counts['pairs']:,} pairs would be made of {rows:,} rows{there}. Nothing was written."
        ]
        first += [
            f"  {what}: " + ", ".join(f"{name} {number:,}" for name, number in sorted(found[key].items()))
            for what, key in (("labels", "labels_by_name"), ("partitions", "partitions"))
            if found[key]
        ]
        first += [
            f"  {name} was imported into {order.slug} before: pairs that exist are skipped"
            for name in found["imported_before"]
        ]
    else:
        first = [*lines(order, report), f"  {rows:,} rows read by {form.name}"]
    return first + [
        f"  {number:,} rows passed over: {why}" for why, number in form.passed_over.most_common(REASONS)
    ]
