"""`manage.py quality CORPUS [--models] [--csv] [--json]`: statistics of each annotator, and who may be guessing."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from shared.figures import shown
from shared.table_formats import as_text
from validation.questions.lookup import question_for_command
from validation.statistics.annotator_figures import STATISTICS
from validation.statistics.annotator_quality import annotators
from validation.statistics.annotator_table import as_csv, table_of
from validation.statistics.cached import Kind, store
from validation.statistics.reliability_models import NothingToFit
from validation.statistics.scope import Counted


class Command(BaseCommand):
    help = "Prints each annotator's agreement with the others, control items, label shares, speed and flags."
    tenths_reported = 0

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", help="the corpus's slug")
        parser.add_argument("--question", metavar="SLUG", help="slug of another question than the main one")
        parser.add_argument(
            "--models",
            action="store_true",
            help="fit Dawid and Skene's model and MACE first (takes seconds to minutes)",
        )
        parser.add_argument(
            "--csv", action="store_true", help="print only a table, with a row for each annotator"
        )
        parser.add_argument("--json", action="store_true", help="print only JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        question = question_for_command(options["corpus"], options["question"])
        try:
            if options["models"]:
                store(question=question, kind=Kind.MODELS, progress=self.report)
        except NothingToFit as problem:
            raise CommandError(str(problem)) from None
        found = annotators(question)
        table = table_of(question, found)
        if options["json"] or options["csv"]:
            printed = as_csv(table, question.labels) if options["csv"] else json.dumps(table, indent=2) + "\n"
            self.stdout.write(printed, ending="")
            return
        (figure,) = shown([STATISTICS], question, Counted(question, found))
        self.stdout.write(as_text(figure.table))
        if models := table["models"]:
            differs = models["differs"]
            self.stdout.write(
                f"Models of {models['made_at']}, over {models['pairs']:,} pairs with a majority: Dawid and Skene's model"
                f" gives {differs['dawid_skene']:,} another label, MACE {differs['mace']:,}."
            )

    def report(self, part: float) -> None:
        """Prints a line for each tenth on standard error, so that redirected output holds only the table."""
        tenth = int(10 * part)
        if tenth > self.tenths_reported:
            self.tenths_reported = tenth
            self.stderr.write(f"{10 * tenth}% done")
