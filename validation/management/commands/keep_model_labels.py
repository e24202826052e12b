"""`manage.py keep_model_labels CORPUS FILE --model NAME`: stores the labels of a model, which never count."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from collection.models import Pair
from shared.portions import portions
from validation.errors import WrongLabel
from validation.models import Question
from validation.quality_control.model_labels import keep_model_labels
from validation.questions.lookup import question_for_command

PORTION = 1000
ERRORS_SHOWN = 10


class Line(NamedTuple):
    """A line of the file."""

    line: int
    pair: str
    label: str
    reason: str


class Command(BaseCommand):
    help = "Stores the labels of a model. They never count: not for gold labels, nor in statistics. All lines or none."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", help="the corpus's slug")
        parser.add_argument("file", type=Path, help="JSON Lines with `id`, `label` and optionally `reason`")
        parser.add_argument("--model", required=True, help="name and version of the model, as pages show it")
        parser.add_argument("--question", metavar="SLUG", help="slug of another question than the main one")
        parser.add_argument("--json", action="store_true", help="print only JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        question, model = question_for_command(options["corpus"], options["question"]), options["model"]
        if not 0 < len(model.strip()) <= 100:
            raise CommandError("--model needs a name of 1 to 100 characters.")
        lines, errors = read(options["file"])
        new = 0
        with transaction.atomic():
            for part in portions(lines, PORTION):
                added, wrong = keep(question, model, part)
                new += added
                errors += wrong
            if errors:
                more = f"\n... and {len(errors) - ERRORS_SHOWN:,} more" if len(errors) > ERRORS_SHOWN else ""
                shown = "\n".join(errors[:ERRORS_SHOWN])
                raise CommandError(f"Nothing was stored. Please correct these lines:\n{shown}{more}")
        facts = {
            "corpus": question.corpus.slug,
            "model": model.strip(),
            "new": new,
            "known": len(lines) - new,
        }
        if options["json"]:
            self.stdout.write(json.dumps(facts))
        else:
            self.stdout.write(
                f"{question.corpus.slug}: {new:,} new labels of {facts['model']}; {len(lines) - new:,} were stored before."
            )


def read(path: Path) -> tuple[list[Line], list[str]]:
    """Returns the valid lines of the file, and the errors of the others. Raises CommandError."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from None
    lines: list[Line] = []
    errors: list[str] = []
    seen: set[str] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        found = _read_line(number, line)
        if isinstance(found, str):
            errors.append(found)
        elif found.pair in seen:
            errors.append(f"Line {number}: the pair {found.pair} is in the file twice.")
        else:
            seen.add(found.pair)
            lines.append(found)
    if not lines and not errors:
        raise CommandError(f"{path} is empty. Nothing was stored.")
    return lines, errors


def _read_line(number: int, line: str) -> Line | str:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        return f"Line {number} is not JSON: {error}."
    values = [record.get(key, "") for key in ("id", "label", "reason")] if isinstance(record, dict) else []
    if not values or not all(isinstance(value, str) and "\0" not in value for value in values):
        return f"Line {number} is not an object with the texts `id`, `label` and optionally `reason`."
    return Line(number, *values)


def keep(question: Question, model: str, portion: Sequence[Line]) -> tuple[int, list[str]]:
    """Stores these lines; returns the number of new labels, and the errors by line."""
    pairs = Pair.objects.filter(corpus=question.corpus_id, public_id__in=[each.pair for each in portion])
    known = {pair.public_id: pair for pair in pairs}
    errors = [
        f"Line {each.line}: the corpus has no pair {each.pair!r}."
        for each in portion
        if each.pair not in known
    ]
    labels = {known[each.pair]: (each.label, each.reason) for each in portion if each.pair in known}
    try:
        return keep_model_labels(question=question, model=model, labels=labels), errors
    except WrongLabel as refusal:
        lines = {each.pair: each.line for each in portion}
        return 0, errors + [f"Line {lines[name]}: {why}" for name, why in refusal.errors.items()]
