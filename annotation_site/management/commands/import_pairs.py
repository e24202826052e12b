"""`import_pairs CORPUS FILE... --format F`: pairs of published files, with their labels."""

import re
from argparse import BooleanOptionalAction
from dataclasses import replace
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
from annotation_site.management.pairs import PairsCommand, check_slug, lines, refused_lines
from collection.formats.maps import FIELDS, BadMap, column_map, label_map
from collection.formats.registry import FORMATS
from collection.formats.sniffing import Guess, sniffed
from collection.imports.pair_plans import ALL, AUTHOR
from collection.imports.splits import split_of
from collection.models import PARTITIONS, Corpus
from nli.labels import SCHEMES

LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
MOST_SEATS = 99
AUTO = "auto"


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
            help=f"what the file calls {', '.join(FIELDS)}; COLUMN+COLUMN where a field takes several",
        )
        parser.add_argument(
            "--label-map",
            default="",
            metavar="LABEL=OURS,...",
            help="what the file's labels mean: 1=contradiction,2-4=neutral,5=entailment; nothing after = is no label",
        )
        self.add_shared_arguments(parser, what="line", split="none", licence="of the files")
        parser.add_argument(
            "--partition", choices=PARTITIONS, default="", help="the published partition of the files"
        )
        parser.add_argument("--labels", choices=[ALL, AUTHOR], default=ALL, help="which labels come along")
        parser.add_argument("--genre", default="", help="the genre of pairs whose line names none")
        parser.add_argument(
            "--open",
            action=BooleanOptionalAction,
            default=None,
            help="open pairs without votes for validation; --labels author does this, too",
        )
        parser.add_argument(
            "--scheme", choices=sorted(SCHEMES), default="", help="label scheme of a new corpus"
        )
        parser.add_argument(
            "--protocol",
            choices=Corpus.Protocol.values,
            default="",
            help="how the pairs of a new corpus were made",
        )
        parser.add_argument("--language", default="", help="language of a new corpus, such as de or zh")
        parser.add_argument("--seats", type=int, help="labels for each pair of a new corpus; default 5")
        parser.add_argument(
            "--threshold",
            type=int,
            help="equal labels that make a gold label; more than half of the seats",
        )
        parser.add_argument("--unlabelled", action="store_true", help="accept files without any label")

    def write(self, options: dict[str, Any]) -> None:
        order = order_of(options)
        if options["format"] == AUTO:
            self.stderr.write(f"{order.files[0].name} is read with {order.read_as}")
        report = import_pairs(order, Progress().tell)
        self.show(
            report,
            as_json=summary(order, report) if options["json"] else None,
            text=lines(order, report),
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
    return f" The file looks like {guess.options}." if guess.form.name != order.form.name else ""


def form_of(options: dict[str, Any], path: Path) -> Guess:
    """Return the format that was named, or that the file is of, with the maps of the options. Raises CommandError."""
    try:
        given = options["columns"]
        columns = column_map(given if isinstance(given, str) else ",".join(given))
        labels = label_map(options["label_map"]) if options["label_map"] else None
        named = options["format"]
        guess = sniffed(path) if named == AUTO else Guess(FORMATS[named], f"--format {named}")
        return replace(guess, form=guess.form.mapped(columns, labels))
    except BadMap as problem:
        raise CommandError(str(problem)) from None


def order_of(options: dict[str, Any]) -> PairOrder:
    check_slug(options["corpus"])
    try:
        split = split_of(options["split"], options["seed"])
    except ValueError as problem:
        raise CommandError(str(problem)) from None
    opens = options["open"]
    check_rule(options["seats"], options["threshold"])
    if options["language"] and not LANGUAGE.fullmatch(options["language"]):
        raise CommandError(
            f"--language {options['language']} is not a language tag. Use one such as en, de or zh-Hant."
        )
    files = readable_files(options["files"])
    guess = form_of(options, files[0])
    return PairOrder(
        slug=options["corpus"],
        form=guess.form,
        files=files,
        scheme=options["scheme"] or scheme_of(guess, options["corpus"]),
        read_as=guess.options,
        dry_run=options["dry_run"],
        protocol=options["protocol"],
        licence=short_licence(options["licence"]),
        language=options["language"],
        seats=options["seats"],
        threshold=options["threshold"],
        unlabelled=options["unlabelled"],
        genre=options["genre"],
        partition=options["partition"],
        take=options["labels"],
        strict=options["strict"],
        open=options["labels"] == AUTHOR if opens is None else opens,
        seed=options["seed"],
        split=split,
    )


def scheme_of(guess: Guess, slug: str) -> str:
    """Return the scheme of a guessed map, for a corpus that is not there yet."""
    return "" if Corpus.objects.filter(slug=slug).exists() else guess.scheme


def check_rule(seats: int | None, threshold: int | None) -> None:
    if seats is None and threshold is None:
        return
    there = 5 if seats is None else seats
    needed = there // 2 + 1 if threshold is None else threshold
    if not (1 <= needed <= there <= MOST_SEATS and needed * 2 > there):
        raise CommandError(
            f"--seats {there} with --threshold {needed} decides nothing: the threshold must be more than half of the"
            f" seats, and no more than there are; at most {MOST_SEATS} seats."
        )
