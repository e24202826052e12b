"""What `import_pairs` and `recast` share: options, errors, the report."""

import json
from collections.abc import Callable
from typing import Any, cast

from django.core.management.base import CommandError, CommandParser
from django.forms import BooleanField, ChoiceField, MultipleChoiceField

from annotation_site.intake.files import OrderCommand
from annotation_site.intake.looks import TooMuchRefused, too_much
from annotation_site.intake.orders import OrderForm, Part, Whole
from annotation_site.intake.pairs import PairOrder, StrictRefusal, split_in_words, summary, warnings
from annotation_site.intake.report import PairReport, keys_in_words, notes_on, refused_lines
from collection.formats.field_errors import FieldError, option, said_by_command
from collection.imports.pair_plans import PlannedPair
from shared.whole_numbers import part, whole

SHOWN = 20  # refused lines on the screen
REASONS_SHOWN = 5
LONGEST_SHOWN = 300  # characters of a part of a pair


def add_fields(parser: CommandParser, form: type[OrderForm], *names: str) -> None:
    """Adds fields of a form as options of a command, with their limits, choices and help. What is not given is None."""
    for name in names:
        field: Any = form.base_fields[name]
        way: dict[str, Any] = {}
        if isinstance(field, BooleanField):
            way["action"] = "store_true"
        elif isinstance(field, ChoiceField):
            way["choices"] = [value for value, _ in cast(list[tuple[str, str]], field.choices) if value]
            if isinstance(field, MultipleChoiceField):
                way["action"] = "append"
        elif isinstance(field, Whole):
            way["type"] = whole(field.least, field.most)
        elif isinstance(field, Part):
            way["type"] = part(field.most)
        help_text = f"{field.label}. {field.help_text}".strip()
        parser.add_argument(option(name), required=field.required, help=help_text, **way)


class PairsCommand(OrderCommand):
    """A command that writes pairs of files into a corpus. A subclass does the work in `write`."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="show what would be made, and write nothing"
        )
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self.write(options)
        except (TooMuchRefused, StrictRefusal) as problem:
            self.tell_refused(problem.report)
            is_strict = isinstance(problem, StrictRefusal)
            strict = f"{refused_lines(problem.report)}, so nothing was written (--strict)."
            raise CommandError(strict if is_strict else said_by_command(problem)) from None
        except FieldError:
            raise
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
            raise CommandError(said_by_command(problem))
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
    """Returns a pair as a person reads it, with what each part of it became."""
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
