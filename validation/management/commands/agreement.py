"""`manage.py agreement CORPUS [--by genre] [--json | --csv]`: agreement, as in SNLI's and MultiNLI's tables."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from collection.models import Pair
from shared.numbers import decimals, percent
from shared.whole_numbers import seed
from validation.models import Question
from validation.questions.lookup import question_for_command
from validation.statistics.agreement import AgreementReport, pairwise_kappa, report
from validation.statistics.definitions import NAMES, PUBLISHED, published_kappas
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
            self.print_table(question, found)
            for row in pairwise or ():
                names = " and ".join(row["annotators"])
                self.stdout.write(f"{names:44}{decimals(row['kappa']):>8}  over {row['pairs']:,} pairs")

    def print_table(self, question: Question, found: AgreementReport) -> None:
        figures, ends = found.figures, found.intervals
        complete = figures["pairs_with_all_labels"]
        self.stdout.write(
            f"{question.corpus.slug}: {figures['pairs']:,} pairs, {complete:,} with all labels\n\n"
        )
        self.stdout.write(f"{'':44}{'here':>8}{'95% interval':>18}{'SNLI':>8}{'MultiNLI':>10}")
        for key, name in NAMES.items():
            snli, multinli = PUBLISHED.get(key, (None, None))
            interval = " to ".join(percent(end) for end in ends[key] or ())
            self.stdout.write(
                f"{name:44}{percent(figures[key]):>8}{interval:>18}{percent(snli):>8}{percent(multinli):>10}"
            )
        for key, name in (
            ("fleiss_kappa", "Fleiss kappa"),
            ("fleiss_kappa_validators", "Fleiss kappa, validators alone"),
        ):
            beside = published_kappas(question.labels) if key == "fleiss_kappa" else {}
            for label, value in figures[key].items():
                self.print_decimal(f"{name}, {label}", value, ends[key][label], beside.get(label))
        self.print_decimal("Krippendorff alpha", figures["krippendorff_alpha"], ends["krippendorff_alpha"])
        alpha = found.breakdown["krippendorff_alpha_all_pairs"]
        self.print_decimal("Krippendorff alpha, two labels or more", alpha, None)
        for source, number in found.breakdown["gold_sources"].items():
            self.stdout.write(f"{'gold label: ' + source:44}{number:>8,}")
        if found.without_self_validated is not None:
            others = found.without_self_validated
            self.stdout.write(
                f"Authors validated {found.self_validated:,} pairs of their own. Over the other"
                f" {others['pairs_with_all_labels']:,}: unanimous {percent(others['unanimous'])}, individual = gold"
                f" {percent(others['individual_equals_gold'])}, individual = author"
                f" {percent(others['individual_equals_author'])}, gold = author {percent(others['gold_equals_author'])}"
            )
        single, more = found.single_premises, found.more_labels
        if single:
            agree = ", ".join(f"{number}: {percent(part)}" for number, part in single["agree"].items())
            self.stdout.write(
                f"Single premises whose label equals the gold label, over {single['pairs']:,} pairs: {agree};"
                f" the majority of the premises equals it in {percent(single['majority_of_premises'])}, the vote of"
                f" entailment against contradiction in {percent(single['more_of_premises'])}"
            )
        if more:
            self.stdout.write(
                f"{more['pairs']:,} pairs have {more['labels']:,} extra labels: entropy {decimals(more['entropy'])} bits,"
                f" alpha {decimals(more['krippendorff_alpha'])}, kappa {decimals(more['fleiss_kappa'])};"
                f" in {percent(more['differs'])} of the pairs they lead to another label than the gold label"
            )
        for group, row in found.rows.items():
            self.stdout.write(
                f"{group or '(none)':30}{row['pairs_with_all_labels']:>8,} pairs"
                f"  unanimous {percent(row['unanimous'])}"
                f"  individual = gold {percent(row['individual_equals_gold'])}"
                f"  kappa {decimals(row['fleiss_kappa']['overall'])}"
            )

    def print_decimal(
        self, name: str, value: float | None, ends: list[float] | None, snli: float | None = None
    ) -> None:
        interval = " to ".join(decimals(end) for end in ends or ())
        self.stdout.write(f"{name:44}{decimals(value):>8}{interval:>18}{decimals(snli, 2):>8}".rstrip())
