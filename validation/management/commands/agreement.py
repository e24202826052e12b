"""`manage.py agreement CORPUS [--by genre] [--json | --csv]`: agreement, as in SNLI's and MultiNLI's tables."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from collection.models import Pair
from shared.figures import shown
from shared.numbers import decimals
from shared.table_formats import as_text
from shared.whole_numbers import seed
from validation.questions.lookup import question_for_command
from validation.statistics import agreement_figures
from validation.statistics.agreement import pairwise_kappa, report
from validation.statistics.scope import Counted
from validation.statistics.vote_patterns import DIMENSIONS


class Command(BaseCommand):
    help = "Prints the agreement between annotators, as in SNLI Table 3 and MultiNLI Table 2."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", help="the corpus's slug")
        parser.add_argument("--question", metavar="SLUG", help="slug of another question than the main one")
        about = "; ".join(f"{name}: {meaning}" for name, meaning in DIMENSIONS.items())
        parser.add_argument(
            "--by", choices=list(DIMENSIONS), default="", help=f"also print a row for each group. {about}"
        )
        parser.add_argument(
            "--pairwise", action="store_true", help="also print Cohen's kappa of each two annotators"
        )
        parser.add_argument("--seed", type=seed, default=0, help="seed of the confidence intervals")
        printed = parser.add_mutually_exclusive_group()
        printed.add_argument("--json", action="store_true", help="print only JSON")
        printed.add_argument(
            "--csv", action="store_true", help="print only a table, with a row for each figure"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        question = question_for_command(options["corpus"], options["question"])
        pairs = Pair.objects.filter(corpus=question.corpus)
        found = report(pairs, question, by=options["by"], seed=options["seed"])
        pairwise = pairwise_kappa(question) if options["pairwise"] else None
        if options["json"]:
            printed = {"corpus": question.corpus.slug, **found.as_json()}
            if pairwise is not None:
                printed["pairwise_kappa"] = pairwise
            self.stdout.write(json.dumps(printed, indent=2))
        elif options["csv"]:
            self.stdout.write(found.as_csv(pairwise or ()), ending="")
        else:
            complete = found.figures["pairs_with_all_labels"]
            self.stdout.write(
                f"{options['corpus']}: {found.figures['pairs']:,} pairs, {complete:,} with all labels\n\n"
            )
            parameters = agreement_figures.By(by=options["by"])
            for each in shown(agreement_figures.FIGURES, question, Counted(question, found), parameters):
                self.stdout.write(as_text(each.table))
            for row in pairwise or ():
                names = " and ".join(row["annotators"])
                self.stdout.write(f"{names:44}{decimals(row['kappa']):>8}  over {row['pairs']:,} pairs")
