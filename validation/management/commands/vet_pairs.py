"""`vet_pairs CORPUS --question SLUG --labels major`: withdraws pairs by the answers to a question or by a list."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from collection.members.lookup import researcher_of
from collection.models import PARTITIONS, Corpus, Vetting
from shared.csv_files import csv_lines
from shared.whole_numbers import whole
from validation.errors import ValidationError
from validation.pairs.vetting import (
    ANY,
    GOLD,
    Choice,
    Preview,
    preview_vetting,
    undo_vetting,
    vet,
    vetted_rows,
)
from validation.questions.lookup import question_for_command

NAMES_SHOWN = 10


class Command(BaseCommand):
    help = (
        "Withdraws pairs by the answers to a question or by a list of ids; without --reason it only reports what it"
        " would withdraw. --undo N restores the pairs of a withdrawal, --pairs N prints them as CSV. With none of these:"
        " lists the withdrawals."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS")
        parser.add_argument(
            "--question", metavar="SLUG", help="choose by the answers to this question; main is the main one"
        )
        parser.add_argument(
            "--labels", metavar="LABEL,...", default="", help="withdraw the pairs with one of these labels"
        )
        parser.add_argument(
            "--any",
            action="store_true",
            help="choose pairs with at least one such label, whatever the answer by the rule",
        )
        parser.add_argument(
            "--list",
            type=Path,
            metavar="FILE",
            help="a file with a pair id on each line, instead of a question",
        )
        parser.add_argument("--partition", choices=PARTITIONS, default="", help="only pairs that are in it")
        parser.add_argument(
            "--reason", default="", help="withdraw them; the reason is stored and never published"
        )
        parser.add_argument("--by", default="", metavar="USERNAME", help="the researcher who decides it")
        parser.add_argument("--undo", type=whole(0), metavar="N", help="restore the pairs of a withdrawal")
        parser.add_argument(
            "--pairs", type=whole(0), metavar="N", help="print the pairs of a withdrawal as CSV"
        )
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = question_for_command(options["corpus"]).corpus
        try:
            if options["pairs"] is not None:
                vetting = vetting_of(corpus, options["pairs"])
                for line in csv_lines(vetted_rows(vetting)):
                    self.stdout.write(line, ending="")
            elif options["undo"] is not None:
                vetting = vetting_of(corpus, options["undo"])
                back = undo_vetting(vetting=vetting, by=researcher_of(options["by"], corpus))
                self.show(
                    {"corpus": corpus.slug, "given_back": back}, f"{back:,} pairs count again.", options
                )
            elif options["question"] or options["list"]:
                self.withdraw(corpus, choice_of(corpus, options), options)
            else:
                self.list_vettings(corpus, options)
        except ValidationError as problem:
            raise CommandError(str(problem)) from None

    def withdraw(self, corpus: Corpus, choice: Choice, options: dict[str, Any]) -> None:
        seen = preview_vetting(corpus=corpus, choice=choice)
        found: dict[str, Any] = {"corpus": corpus.slug, "chosen_by": choice.in_words, **seen.as_json()}
        if options["reason"]:
            vetting = vet(
                corpus=corpus,
                choice=choice,
                by=researcher_of(options["by"], corpus),
                reason=options["reason"],
            )
            found |= {"withdrawal": vetting.pk, "withdrawn": vetting.pairs_withdrawn}
        self.show(found, "\n".join(lines(choice, seen, found)), options)

    def list_vettings(self, corpus: Corpus, options: dict[str, Any]) -> None:
        rows = [
            {
                "withdrawal": each.pk,
                "at": each.created_at.isoformat(),
                "by": each.by.code,
                **{"chosen_by": each.chosen_by, "pairs": each.pairs_withdrawn, "reason": each.reason},
                "undone": each.undone_at.isoformat() if each.undone_at else None,
            }
            for each in corpus.vettings.select_related("by").order_by("pk")
        ]
        text = [
            f"{row['withdrawal']}: {str(row['at'])[:10]}, {row['pairs']:,} pairs, {row['chosen_by']}"
            f"{', undone' if row['undone'] else ''}: {row['reason']}"
            for row in rows
        ]
        self.show(rows, "\n".join(text) or f"No pair of {corpus.slug} was vetted out.", options)

    def show(self, facts: Any, text: str, options: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(facts) if options["json"] else text)


def choice_of(corpus: Corpus, options: dict[str, Any]) -> Choice:
    """Raises CommandError, ValidationError."""
    if options["list"]:
        if options["question"]:
            raise CommandError("Choose by --question or by --list, not by both.")
        return Choice(names=names_in(options["list"]), partition=options["partition"])
    name = options["question"]
    labels = tuple(filter(None, (label.strip() for label in options["labels"].split(","))))
    question = question_for_command(corpus.slug, None if name == "main" else name)
    return Choice(
        question=question, labels=labels, by=ANY if options["any"] else GOLD, partition=options["partition"]
    )


def names_in(path: Path) -> tuple[str, ...]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise CommandError(f"{path} cannot be read: {problem}.") from None
    return tuple(dict.fromkeys(filter(None, map(str.strip, text.splitlines()))))


def vetting_of(corpus: Corpus, number: int) -> Vetting:
    found = Vetting.objects.filter(corpus=corpus, pk=number).select_related("corpus").first()
    if found is None:
        known = (
            ", ".join(str(pk) for pk in corpus.vettings.order_by("pk").values_list("pk", flat=True)) or "none"
        )
        raise CommandError(f"{corpus.slug} has no withdrawal {number}; there are: {known}.")
    return found


def lines(choice: Choice, seen: Preview, found: dict[str, Any]) -> list[str]:
    done = (
        f"withdrawn (withdrawal {found['withdrawal']})"
        if "withdrawal" in found
        else "would be withdrawn; nothing was written"
    )
    report_lines = [f"{found.get('withdrawn', seen.pairs):,} pairs {done}: {choice.in_words}."]
    report_lines += [
        f"  {what}: " + ", ".join(f"{name} {number:,}" for name, number in counts.most_common())
        for what, counts in (
            ("genre", seen.genres),
            ("gold label", seen.gold),
            ("partition", seen.partitions),
        )
        if counts
    ]
    report_lines.append(f"  {seen.labels:,} labels stay in the history, {seen.seats:,} empty seats close")
    if seen.unknown:
        report_lines.append(
            f"  {len(seen.unknown):,} id{' is' if len(seen.unknown) == 1 else 's are'} not in the corpus:"
            f" {', '.join(seen.unknown[:NAMES_SHOWN])}"
        )
    if seen.gone:
        report_lines.append(f"  {seen.gone:,} pairs of the list were withdrawn before")
    return report_lines
