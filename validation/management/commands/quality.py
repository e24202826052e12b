"""`manage.py quality CORPUS [--models] [--json]`: how well each annotator labels, and who may be guessing."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from validation.management.commands.agreement import decimal, percent, question_of
from validation.measuring import Kind, keep, shown
from validation.quality import RULES, NothingToFit, annotators, fit_models


class Command(BaseCommand):
    help = "Each annotator's agreement with the others, control items, labels and speed, and flags with their rules."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", help="the corpus's slug")
        parser.add_argument(
            "--models", action="store_true", help="fit Dawid and Skene's model and MACE anew (takes a while)"
        )
        parser.add_argument("--json", action="store_true", help="print JSON, and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        question = question_of(options["corpus"])
        try:
            if options["models"]:
                keep(question=question, kind=Kind.MODELS, content=fit_models(question))
        except NothingToFit as problem:
            raise CommandError(str(problem)) from None
        models, kept = shown(question, Kind.MODELS)
        if models and kept and kept.made_at:
            models = {"made_at": kept.made_at.isoformat(timespec="seconds"), **models}
        found = annotators(question)
        if options["json"]:
            printed = {
                "corpus": question.corpus.slug,
                "annotators": [asdict(each) for each in found],
                "rules": RULES,
                "models": models,
            }
            self.stdout.write(json.dumps(printed, indent=2))
            return
        reliability = models["annotators"] if models else {}
        self.stdout.write(
            f"{'':20}{'labels':>8}{'= others':>10}{'controls':>10}{'seconds':>9}{'D. & S.':>9}{'MACE':>7}  flags"
        )
        for each in found:
            model = reliability.get(each.code, {})
            controls = f"{each.controls_right}/{each.controls}" if each.controls else ""
            self.stdout.write(
                f"{each.code:20}{each.labels:>8,}{percent(each.equals_others):>10}{controls:>10}"
                f"{decimal(each.median_seconds)[:-2]:>9}{decimal(model.get('dawid_skene')):>9}"
                f"{decimal(model.get('mace')):>7}  {', '.join(each.flags)}"
            )
        for flag in sorted({flag for each in found for flag in each.flags}):
            self.stdout.write(f"{flag}: {RULES[flag]}")
        if models:
            differs = models["differs"]
            self.stdout.write(
                f"Models of {models['made_at']}: of {models['pairs']:,} majorities Dawid and Skene's model decides"
                f" {differs['dawid_skene']:,} otherwise, MACE {differs['mace']:,}."
            )
