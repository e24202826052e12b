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
        parser.add_argument("--strict", action="store_true", help="import nothing if any line is invalid")
        parser.add_argument(
            "--open",
            action=BooleanOptionalAction,
            default=None,
            help="open pairs without votes for validation; --labels author does this, too",
        )
        parser.add_argument(
            "--seed",
            type=int,
            default=0,
            help="for --split, and for the order in which opened pairs are handed out",
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
        parser.add_argument("--licence", default="")
        parser.add_argument("--language", default="", help="language of a new corpus, such as de or zh")
        parser.add_argument("--seats", type=int, help="labels for each pair of a new corpus; default 5")
        parser.add_argument(
            "--threshold",
            type=int,
            help="equal labels that make a gold label; more than half of the seats",
        )
        parser.add_argument("--unlabelled", action="store_true", help="accept files without any label")
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def write(self, options: dict[str, Any]) -> None:
        order = order_of(options)
        if options["format"] == AUTO:
            self.stderr.write(f"{order.files[0].name} is read with {order.read_as}")
        try:
            report = import_pairs(order, Progress().tell)
        except KeyboardInterrupt:
            raise CommandError(INTERRUPTED) from None
        except (WrongCorpus, NoLabels, ValueError) as problem:
            raise CommandError(str(problem)) from None
        except StrictRefusal as problem:
            self.tell_refused(problem.report)
            raise CommandError(
                f"{refused_lines(problem.report)}, so nothing was imported (--strict)."
            ) from None
        self.tell_refused(report)
        if options["json"]:
            self.stdout.write(json.dumps(summary(order, report)))
        else:
            self.stdout.write("\n".join(lines(order, report)))
        if not report.counts.get("pairs") and not report.counts.get("skipped"):
            why = refused_lines(report) if report.refused_count else "The file contains no pairs"
            raise CommandError(f"{why}. Nothing was imported into {order.slug}.{hint(order)}")


def nothing_imported(order: PairOrder, report: PairReport) -> str:
    why = refused_lines(report) if report.refused_count else "There are no pairs in the file"
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


def refused_lines(report: PairReport) -> str:
    return f"{report.refused_count:,} line{' was' if report.refused_count == 1 else 's were'} refused"


def lines(order: PairOrder, report: PairReport) -> list[str]:
    """The report for a person: what went in, then what is worth knowing about it."""
    counts = report.counts
    done = "would be imported; nothing was written" if order.dry_run else "imported"
    first = f"{order.slug}: {counts.get('pairs', 0):,} pairs, {counts.get('premises', 0):,} new premises and"
    notes = {
        "skipped": "pairs existed already and were skipped",
        "author_labels": "pairs have the author's label",
        "published_labels": "pairs have a published label",
        "published_differs": "of them differ from the majority of the votes: published, differs from the votes",
        "published_without_majority": "of them have no majority behind them: published, no majority",
        "self_validated": "pairs have their author among the validators too; their labels are imported unchanged",
        "people": "new annotators, by the codes of the file",
        "fewer_labels": "pairs have fewer labels than the question has seats; no seats are opened for them",
        "more_labels": "pairs have more labels than the question has seats; the first ones decide gold",
        "empty_hypotheses": "pairs have an empty hypothesis",
        "premise_ids_changed": "premise ids belonged to another text and were changed",
        "pair_ids_changed": "pair ids stood for several pairs; the second of them got ~2, and so on",
    }
    found = [f"{first} {counts.get('labels', 0):,} labels {done}."]
    found += [f"  {counts[key]:,} {note}" for key, note in notes.items() if counts.get(key)]
    if counts.get("gold_differs"):
        examples = ", ".join(report.gold_differs)
        found.append(
            f"  {counts['gold_differs']:,} pairs whose gold label in the file differs from the rule's: {examples}"
            ""
        )
    if report.ids_changed:
        found.append(f"  changed pair ids, the first: {', '.join(report.ids_changed)}")
    if report.genres_made:
        found.append(f"  genres made: {', '.join(report.genres_made)}")
    if report.corpus_is_new and 0 < counts.get("most_labels", 0) < counts["seats"]:
        found.append(
            f"  No pair has more than {counts['most_labels']} labels. Are those all? Then withdraw this import"
            f" (withdraw_import {order.slug} --with-corpus) and import with --seats {counts['most_labels']}."
        )
    if report.left_out:
        found.append(f"  {report.left_out:,} answers name several labels and are no votes")
    if report.unread:
        found.append(f"  keys that were not read: {', '.join(sorted(report.unread))}")
    if report.opened:
        found.append(f"  {report.opened:,} pairs opened for validation")
    if order.dry_run:
        found += [line for plan in report.first for line in shown(plan)]
    return found


def shown(plan: PlannedPair) -> list[str]:
    """Return a pair as a person reads it, with what each part of it became."""
    item = plan.item
    parts = {
        "premise": " / ".join(item.premise),
        "hypothesis": item.hypothesis,
        "author's label": plan.author_label,
        "labels": ", ".join(vote.label for vote in plan.votes),
        "published label": plan.published_label,
        **{"id": item.pair_id, "genre": item.genre, "group": item.group, "partition": item.partition},
        "author": plan.author,
        "metadata": json.dumps(item.metadata, ensure_ascii=False) if item.metadata else "",
    }
    told = [f"  {name}: {text[:LONGEST_SHOWN]}" for name, text in parts.items() if text]
    return [f"line {item.line}", *told]
