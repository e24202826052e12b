"""What `import_pairs` and `recast` share: options, errors, the report."""

import json
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_site.intake.files import INTERRUPTED
from annotation_site.intake.looks import TooMuchRefused, too_much
from annotation_site.intake.pairs import PairOrder, StrictRefusal, split_in_words, summary, warnings
from annotation_site.intake.report import PairReport, keys_in_words, notes_on, refused_lines
from collection.imports.pair_plans import PlannedPair
from collection.imports.splits import DEFAULT
from shared.whole_numbers import seed

SHOWN = 20  # refused lines on the screen
REASONS_SHOWN = 5
LONGEST_SHOWN = 300  # characters of a part of a pair


def add_without_look(parser: CommandParser) -> None:
    """Adds the option by which a command opens imported pairs before anybody has looked at their bias."""
    parser.add_argument(
        "--without-look",
        action="store_true",
        help="open imported pairs though nobody has looked at what their hypotheses give away (`bias CORPUS`)",
    )


class PairsCommand(BaseCommand):
    """A command that writes pairs of files into a corpus. A subclass does the work in `write`."""

    def add_shared_arguments(
        self, parser: CommandParser, *, what: str, licence: str, unless: str = ""
    ) -> None:
        """Adds the options of both commands. Their defaults are in intake/orders.py.

        what: what a source consists of, for the help texts: a line or a row. unless: the case in which --split is none
        by default.
        """
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would be made, and write nothing"
        )
        parser.add_argument(
            "--split",
            help=f"percent of train, dev and test, drawn by group, for each {what} whose file names no partition;"
            f" or none; default {DEFAULT}{unless}",
        )
        parser.add_argument(
            "--seed",
            type=seed,
            help="for all that is drawn: the split, the order of opened pairs, a recipe's choices",
        )
        add_without_look(parser)
        parser.add_argument("--licence", help=licence)
        parser.add_argument("--strict", action="store_true", help=f"write nothing if any {what} is invalid")
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.write(options)
        except KeyboardInterrupt:
            raise CommandError(INTERRUPTED) from None
        except TooMuchRefused as problem:
            self.tell_refused(problem.report)
            raise CommandError(str(problem)) from None
        except StrictRefusal as problem:
            self.tell_refused(problem.report)
            raise CommandError(
                f"{refused_lines(problem.report)}, so nothing was written (--strict)."
            ) from None
        except ValueError as problem:
            raise CommandError(str(problem)) from None

    def write(self, options: dict[str, Any]) -> None:
        raise NotImplementedError

    def show(
        self,
        order: PairOrder,
        report: PairReport,
        *,
        as_json: dict[str, Any] | None,
        text: list[str],
        nothing: Callable[[], str],
    ) -> None:
        """Prints the report as JSON, or else the lines of `text`. Raises CommandError if there was no pair, or if pairs
        that should be opened wait for a look.

        `nothing` returns the words of the first error.
        """
        self.tell_refused(report)
        self.stdout.write("\n".join(text) if as_json is None else json.dumps(as_json))
        if not report.counts.get("pairs") and not report.counts.get("skipped"):
            raise CommandError(nothing())
        if order.dry_run and (problem := too_much(order, report)):
            raise CommandError(str(problem))
        if report.unseen:
            raise CommandError(
                "The pairs are imported, and not open: nobody has looked at what their hypotheses give away. Run bias"
                f" {order.slug}, then this command again, or pass --without-look."
            )

    def tell_refused(self, report: PairReport) -> None:
        if report.refused_count > SHOWN and len(report.reasons) <= REASONS_SHOWN:
            self.tell_reasons(report)
            return
        for refusal in report.refused[:SHOWN]:
            self.stderr.write(f"{refusal.file}, line {refusal.line}: {refusal.reason}.")
        if report.refused_count > SHOWN:
            self.stderr.write(f"... and {report.refused_count - SHOWN:,} more.")
        if report.refused_count:
            self.stderr.write(f"{refused_lines(report)}.")

    def tell_reasons(self, report: PairReport) -> None:
        """Prints each reason that several lines share once, with the first of these lines."""
        for reason, number in report.reasons.most_common():
            first = report.firsts[reason]
            self.stderr.write(f"{number:,} lines, first {first.file}, line {first.line}: {reason}.")
        if report.keys:
            self.stderr.write(f"The keys or columns of the file are: {', '.join(report.keys)}.")


def lines(order: PairOrder, report: PairReport) -> list[str]:
    """Returns the report for a person: what was imported, then remarks about it."""
    counts = report.counts
    done = "would be imported; nothing was written" if order.dry_run else "imported"
    first = f"{order.slug}: {counts.get('pairs', 0):,} pairs, {counts.get('premises', 0):,} new premises and"
    found = [f"{first} {counts.get('labels', 0):,} labels {done}."]
    found += [f"  {number:,} {note}" for number, note in notes_on(summary(order, report))]
    if report.gold_differs:
        found.append(
            f"  pairs with another gold label in the file, the first: {', '.join(report.gold_differs)}"
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
    if report.partitions:
        each = ", ".join(f"{name} {number:,}" for name, number in sorted(report.partitions.items()))
        found.append(f"  partitions: {each} ({split_in_words(order)})")
    found += [f"  Look: {warning}." for warning in warnings(order, report)]
    if report.corpus_is_new:
        language = order.language or order.form.language
        found.append(f"  language: {language}" + ("" if order.language else " (--language names another)"))
    if report.unread:
        found.append(f"  keys that are not kept: {keys_in_words(report.unread)}")
    if order.dry_run:
        found += [line for plan in report.first for line in shown(plan)]
    return found


def rows_in_words(report: PairReport) -> str:
    """Says where the rows of the files went."""
    parts = {
        "in pairs": report.counts.get("rows_in_pairs", 0),
        "of pairs that were there already": report.counts.get("rows_skipped", 0),
        "of other genres": report.rows_of_other_genres,
        "refused": report.refused_count,
    }
    told = ", ".join(f"{number:,} {what}" for what, number in parts.items() if number)
    return f"{report.rows.total():,} rows read: {told}"


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
    fields = [f"  {name}: {text[:LONGEST_SHOWN]}" for name, text in parts.items() if text]
    return [f"line {item.line}", *fields]
