"""`cross_table CORPUS QUESTION [--by partition | --predicted FILE]`: the answers to a question beside the gold labels."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from collection.formats.lines import BadLine, json_records
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
        groups = parser.add_mutually_exclusive_group()
        groups.add_argument("--by", choices=list(PAIR_KEYS), default="", help="a table of each group")
        groups.add_argument(
            "--predicted",
            type=Path,
            metavar="FILE",
            help="a table of each label that a run predicts: predictions-dev.jsonl or -test.jsonl of its folder",
        )
        printed = parser.add_mutually_exclusive_group()
        printed.add_argument("--json", action="store_true", help="print JSON, and nothing else")
        printed.add_argument(
            "--csv", action="store_true", help="print only a table, with a row for each cell"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        question = question_for_command(options["corpus"], options["question"])
        predicted = read_predicted(options["predicted"]) if options["predicted"] else None
        table = cross_table(question, options["by"], predicted=predicted)
        if options["json"]:
            self.stdout.write(json.dumps(table))
        elif options["csv"]:
            self.stdout.write(cross_csv(table), ending="")
        else:
            self.stdout.write("\n".join(lines(table)))


def read_predicted(path: Path) -> dict[str, str]:
    """Reads pair id and predicted label of each line. Raises CommandError."""
    found: dict[str, str] = {}
    if not path.is_file():
        raise CommandError(f"There is no file {path}.")
    for item in json_records(path):
        if isinstance(item, BadLine):
            raise CommandError(f"{path.name}, line {item.line}: {item.reason}")
        number, line = item
        if "pairID" not in line or "predicted" not in line:
            raise CommandError(f"{path.name}, line {number}: it has no pairID or no predicted label.")
        found[str(line["pairID"])] = str(line["predicted"])
    return found


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
