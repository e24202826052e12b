"""Run a management command as a person would, and make files for it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import CommandError, call_command


@dataclass(frozen=True)
class Run:
    """The output of a command, and the sentence with which it failed (empty if it did not)."""

    out: str
    err: str
    failure: str = ""

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(name: str, *args: object, **options: Any) -> Run:
    out, err = StringIO(), StringIO()
    failure = ""
    try:
        call_command(name, *map(str, args), stdout=out, stderr=err, **options)
    except CommandError as problem:
        failure = str(problem)
    return Run(out.getvalue(), err.getvalue(), failure)


def write_jsonl(path: Path, records: Iterable[object]) -> Path:
    """Writes one line for each record; a record that is a text is written unchanged."""
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
