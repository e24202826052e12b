"""`recast CORPUS RECIPE SOURCE...`: pairs made from annotations of another kind, by a recipe."""

from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation_site.intake.pairs import (
    PairOrder,
    PairReport,
    import_pairs,
    summary,
)
from annotation_site.management.files import Progress, readable_files, short_licence
from annotation_site.management.pairs import PairsCommand, check_slug, lines
from collection.formats.lines import BadLine
from collection.imports.pair_plans import Rules, plan_pair
from collection.imports.splits import Split, split_of
from collection.models import Corpus
from collection.recasting.form import RecastFormat, Row, recast_format
from collection.recasting.names import NAMES, read_names
from collection.recasting.recipe import Recipe
from collection.recasting.registry import recipes
from nli.labels import SCHEMES

SAMPLE = 3  # rows that a dry run shows
LONGEST = 200  # characters of a row on the screen
REASONS = 10


class Command(PairsCommand):
    help = (
        "Makes pairs from annotations of another kind, by a recipe, and imports them like the pairs of a published"
        " file. A bad row is refused with its number and reason; the same command goes on after an interruption."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS", help="made if it is not there")
        parser.add_argument(
            "recipe",
            metavar="RECIPE",
            help="; ".join(f"{name}: {each.about}" for name, each in recipes().items()),
        )
        parser.add_argument("files", nargs="+", type=Path, metavar="SOURCE")
        parser.add_argument(
            "--recipes", type=Path, metavar="FOLDER", help="a folder with recipes of your own"
        )
        self.add_shared_arguments(parser, what="row", split="80:10:10", licence="instead of the recipe's")
        parser.add_argument(
            "--sample",
            type=int,
            metavar="N",
            help="show the first N rows of each file with their pairs; default 3 in a dry run",
        )
        parser.add_argument(
            "--names", type=Path, metavar="FILE", help="names to draw from: name, or name,count"
        )
        parser.add_argument("--open", action="store_true", help="open the pairs for validation")

    def write(self, options: dict[str, Any]) -> None:
        form, order = recast_order(options)
        sample = self.samples(form, order, options)
        if options["dry_run"]:
            report, found = would_be_made(form, order)
        else:
            report, found = import_pairs(order, Progress().tell), {}
        counts = {
            "recipe": form.recipe.name,
            "dry_run": options["dry_run"],
            "rows": form.rows_read.total(),
            "passed_over": dict(form.passed_over.most_common()),
        }
        as_json = {**summary(order, report), **counts, **found, "sample": sample}
        self.show(
            report,
            as_json=as_json if options["json"] else None,
            text=[*sample_lines(sample), *told(form, order, report, found)],
            nothing=lambda: (
                f"No row of the source became a pair. Does {form.recipe.name} read this file? It is for:"
                f" {form.recipe.about}."
            ),
        )

    def samples(self, form: RecastFormat, order: PairOrder, options: dict[str, Any]) -> list[dict[str, Any]]:
        number = options["sample"] if options["sample"] is not None else SAMPLE if options["dry_run"] else 0
        return [
            sample_of(path.name, row, order.split)
            for path in order.files
            for row in islice(form.rows(path), max(number, 0))
        ]


def recast_order(options: dict[str, Any]) -> tuple[RecastFormat, PairOrder]:
    """Reads the options. Raises CommandError, or ValueError that says which option is invalid."""
    check_slug(options["corpus"])
    recipe = recipe_of(options["recipe"], options["recipes"])
    files = readable_files(options["files"])
    names = read_names(readable_files([options["names"]])[0]) if options["names"] else NAMES
    form = recast_format(recipe, files, seed=options["seed"], names=names)
    licence = short_licence(options["licence"]) or recipe.licence
    order = PairOrder(
        slug=options["corpus"],
        form=form,
        files=files,
        licence=licence,
        unlabelled=True,  # where a recipe gives no label, people are to be asked
        strict=options["strict"],
        open=options["open"],
        seed=options["seed"],
        split=split_of(options["split"], options["seed"]),
        about=f"Recast by {form.name} from {', '.join(path.name for path in files)}: {recipe.citation}.",
    )
    return form, order


def recipe_of(name: str, folder: Path | None) -> Recipe:
    known = recipes(folder)
    if name not in known:
        raise CommandError(f'There is no recipe "{name}"; the recipes are: {", ".join(sorted(known))}.')
    return known[name]


def would_be_made(form: RecastFormat, order: PairOrder) -> tuple[PairReport, dict[str, Any]]:
    """Counts the pairs that would be made, and writes nothing."""
    corpus = Corpus.objects.filter(slug=order.slug).first()
    scheme = corpus.scheme if corpus else form.scheme or "entailed2"
    rules = Rules(scheme, SCHEMES[scheme], elicited=False)
    report = PairReport()
    labels, partitions, pairs = Counter[str](), Counter[str](), 0
    for path in order.files:
        for item in form.read(path):
            plan = item if isinstance(item, BadLine) else plan_pair(order.placed(item), rules)
            if isinstance(plan, BadLine):
                report.refuse(path.name, [plan])
                continue
            pairs += 1
            labels[plan.published_label or ("votes" if plan.votes else "none")] += 1
            partitions[plan.item.partition or "none"] += 1
    report.counts = {"pairs": pairs}
    return report, {"labels_by_name": dict(labels), "partitions": dict(partitions)}


def sample_of(file: str, row: Row, split: Split | None) -> dict[str, Any]:
    placed = [split.placed(pair) if split else pair for pair in row.pairs]
    return {
        "file": file,
        "line": row.line,
        "row": {key: str(value) for key, value in row.record.items()},
        "refused": row.refused.reason if row.refused else "",
        "passed_over": row.passed_over,
        "pairs": [
            {
                "context": " ".join(pair.premise),
                "hypothesis": pair.hypothesis,
                "label": pair.published_label,
                "partition": pair.partition,
            }
            for pair in placed
        ],
    }


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


def told(form: RecastFormat, order: PairOrder, report: PairReport, found: dict[str, Any]) -> list[str]:
    """The report for a person."""
    rows = form.rows_read.total()
    if found:
        first = [
            f"{order.slug}: {report.counts['pairs']:,} pairs would be made of {rows:,} rows. Nothing was written."
        ]
        first += [
            f"  {what}: " + ", ".join(f"{name} {number:,}" for name, number in sorted(found[key].items()))
            for what, key in (("labels", "labels_by_name"), ("partitions", "partitions"))
            if found[key]
        ]
    else:
        first = [*lines(order, report), f"  {rows:,} rows read by {form.name}"]
    return first + [
        f"  {number:,} rows passed over: {why}" for why, number in form.passed_over.most_common(REASONS)
    ]
