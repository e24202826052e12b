"""`manage.py keep_model_labels CORPUS FILE --model NAME`: what a model says of pairs, kept beside what people say."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from collection.models import Pair
from validation.errors import WrongLabel
from validation.models import Question
from validation.quality_control.model_labels import keep_model_labels
from validation.questions.lookup import question_for_command

PORTION = 1000
FAULTS_SHOWN = 10


class Said(NamedTuple):
    """A line of the file."""

    line: int
    pair: str
    label: str
    reason: str


class Command(BaseCommand):
    help = "Keeps labels of a model: marked as such, in no seat, in no gold label and in no figure. All lines or none."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", help="the corpus's slug")
        parser.add_argument(
            "file", type=Path, help="JSON Lines with `id`, `label` and, where it gave one, `reason`"
        )
        parser.add_argument("--model", required=True, help="its name and version, as everybody will see it")
        parser.add_argument("--question", metavar="SLUG", help="another question than the main one")
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        question, model = question_for_command(options["corpus"], options["question"]), options["model"]
        if not 0 < len(model.strip()) <= 100:
            raise CommandError("--model wants a name of at most 100 characters.")
        said, faults = read(options["file"])
        new = 0
        with transaction.atomic():
            for start in range(0, len(said), PORTION):
                added, wrong = keep(question, model, said[start : start + PORTION])
                new += added
                faults += wrong
            if faults:
                more = f"\n... and {len(faults) - FAULTS_SHOWN:,} more" if len(faults) > FAULTS_SHOWN else ""
                shown = "\n".join(faults[:FAULTS_SHOWN])
                raise CommandError(f"Nothing was kept, because of these lines:\n{shown}{more}")
        facts = {"corpus": question.corpus.slug, "model": model.strip(), "new": new, "known": len(said) - new}
        if options["json"]:
            self.stdout.write(json.dumps(facts))
        else:
            self.stdout.write(
                f"{question.corpus.slug}: {new:,} labels of {facts['model']} are kept; {len(said) - new:,} were known."
            )


def read(path: Path) -> tuple[list[Said], list[str]]:
    """The lines of the file, one a pair, and what is wrong with the others. Raises CommandError."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None
    said: list[Said] = []
    faults: list[str] = []
    seen: set[str] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        found = _read_line(number, line)
        if isinstance(found, str):
            faults.append(found)
        elif found.pair in seen:
            faults.append(f"Line {number}: {found.pair} stands in the file twice.")
        else:
            seen.add(found.pair)
            said.append(found)
    if not said and not faults:
        raise CommandError(f"{path} has no lines.")
    return said, faults


def _read_line(number: int, line: str) -> Said | str:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        return f"Line {number} is no JSON: {error}."
    values = [record.get(key, "") for key in ("id", "label", "reason")] if isinstance(record, dict) else []
    if not values or not all(isinstance(value, str) and "\0" not in value for value in values):
        return f"Line {number} is no object with the texts `id`, `label` and `reason`."
    return Said(number, *values)


def keep(question: Question, model: str, portion: Sequence[Said]) -> tuple[int, list[str]]:
    """Keeps these lines; returns how many are new, and what is wrong with which."""
    pairs = Pair.objects.filter(corpus=question.corpus_id, public_id__in=[each.pair for each in portion])
    known = {pair.public_id: pair for pair in pairs}
    faults = [
        f"Line {each.line}: there is no pair {each.pair!r} here."
        for each in portion
        if each.pair not in known
    ]
    labels = {known[each.pair]: (each.label, each.reason) for each in portion if each.pair in known}
    try:
        return keep_model_labels(question=question, model=model, labels=labels), faults
    except WrongLabel as refusal:
        lines = {each.pair: each.line for each in portion}
        return 0, faults + [f"Line {lines[name]}: {why}" for name, why in refusal.errors.items()]
