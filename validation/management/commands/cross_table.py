"""`cross_table CORPUS QUESTION [--by partition] [--csv | --json]`: the answers to a question beside the gold labels."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from validation.questions.lookup import question_for_command
from validation.statistics.cross_table import cross_csv, cross_table
from validation.statistics.vote_patterns import PAIR_KEYS


class Command(BaseCommand):
    help = (
        "Counts pairs by their answer to a question and their gold label; pairs that were vetted out are counted"
        " separately."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS")
        parser.add_argument("question", metavar="QUESTION", help="the slug of a question beside the main one")
        parser.add_argument("--by", choices=list(PAIR_KEYS), default="", help="a table of each group")
        printed = parser.add_mutually_exclusive_group()
        printed.add_argument("--json", action="store_true", help="print JSON, and nothing else")
        printed.add_argument(
            "--csv", action="store_true", help="print only a table, with a row for each cell"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        table = cross_table(question_for_command(options["corpus"], options["question"]), options["by"])
        if options["json"]:
            self.stdout.write(json.dumps(table))
        elif options["csv"]:
            self.stdout.write(cross_csv(table), ending="")
        else:
            self.stdout.write("\n".join(lines(table)))


def lines(table: dict[str, Any]) -> list[str]:
    wide = max(map(len, (*table["answers"], "answer"))) + 2
    found = []
    for part, title in (("standing", "pairs that count"), ("withdrawn", "pairs that were vetted out")):
        for name, rows in table[part].items():
            found.append(f"{title}{f', {name}' if name else ''}")
            found.append(f"  {'answer':{wide}}" + "".join(f"{label:>16}" for label in table["gold_labels"]))
            found += [
                f"  {answer:{wide}}" + "".join(f"{number:>16,}" for number in numbers)
                for answer, numbers in zip(table["answers"], rows, strict=True)
            ]
    return found or ["No pair has an answer to this question yet."]
