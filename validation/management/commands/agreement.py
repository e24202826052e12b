"""`manage.py agreement CORPUS [--by genre] [--json]`: the figures of SNLI's and MultiNLI's tables."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from collection.models import Corpus, Pair
from validation.agreement import NAMES, PUBLISHED, agreement, agreement_by_genre, main_question
from validation.models import Question


class Command(BaseCommand):
    help = "Agreement between annotators, as in SNLI Table 3 and MultiNLI Table 2."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", help="the corpus's slug")
        parser.add_argument("--by", choices=["genre"], help="also a row for each genre")
        parser.add_argument("--json", action="store_true", help="print JSON, and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        question = self.question(options["corpus"])
        figures = {
            "corpus": question.corpus.slug,
            **agreement(Pair.objects.filter(corpus=question.corpus), question),
        }
        if options["by"]:
            figures["by_genre"] = agreement_by_genre(question)
        if options["json"]:
            self.stdout.write(json.dumps(figures, indent=2))
        else:
            self.print_table(figures)

    def question(self, slug: str) -> Question:
        corpus = Corpus.objects.filter(slug=slug).first()
        if corpus is None:
            known = ", ".join(Corpus.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no corpus {slug!r}. Known: {known}.")
        try:
            return main_question(corpus)
        except Question.DoesNotExist:
            raise CommandError(f"{slug} has no main question. Give it one with load_corpus.") from None

    def print_table(self, figures: dict[str, Any]) -> None:
        complete = figures["pairs_with_all_labels"]
        self.stdout.write(
            f"{figures['corpus']}: {figures['pairs']:,} pairs, {complete:,} with all labels\n\n"
        )
        self.stdout.write(f"{'':44}{'here':>8}{'SNLI':>8}{'MultiNLI':>10}")
        for key, name in NAMES.items():
            snli, multinli = PUBLISHED.get(key, (None, None))
            self.stdout.write(f"{name:44}{percent(figures[key]):>8}{percent(snli):>8}{percent(multinli):>10}")
        for key, name in (
            ("fleiss_kappa", "Fleiss kappa"),
            ("fleiss_kappa_validators", "Fleiss kappa, validators alone"),
        ):
            for label, value in figures[key].items():
                self.stdout.write(f"{name + ', ' + label:44}{decimal(value):>8}")
        self.stdout.write(f"{'Krippendorff alpha':44}{decimal(figures['krippendorff_alpha']):>8}")
        if figures["krippendorff_alpha_interval"]:
            low, high = figures["krippendorff_alpha_interval"]
            self.stdout.write(f"{'  its 95% interval':44}{decimal(low):>8} to {decimal(high)}")
        for genre, row in figures.get("by_genre", {}).items():
            self.stdout.write(
                f"{genre:30}{row['pairs_with_all_labels']:>8,} pairs  unanimous {percent(row['unanimous'])}"
                f"  individual = gold {percent(row['individual_equals_gold'])}"
                f"  kappa {decimal(row['fleiss_kappa']['overall'])}"
            )


def percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}%"


def decimal(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
