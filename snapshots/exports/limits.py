"""Check what a format can hold: SNLI and MultiNLI have three labels, and one sentence in each premise."""

from collections.abc import Mapping
from typing import Any

from nli.labels import SCHEMES
from nli.lines import Line
from snapshots.errors import SnapshotError

NLI3 = SCHEMES["nli3"]


class ExportError(SnapshotError):
    """The snapshot cannot be written in a format. The message tells a person why, and what to do."""


def check_nli3(manifest: Mapping[str, Any], format_name: str) -> None:
    """Raises ExportError for a corpus with another label scheme."""
    facts = manifest["corpus"]
    if facts["scheme"] != "nli3":
        raise ExportError(
            f"{format_name} holds entailment, neutral and contradiction; "
            f"{facts['slug']} has the scheme {facts['scheme']}. Use jsonl."
        )


def check_one_sentence(line: Line, format_name: str) -> None:
    """Raises ExportError for a premise of several sentences."""
    if "premise_sentences" in line:
        raise ExportError(
            f"{format_name} has one sentence in each premise; the premise {line['promptID']!r} has several. Use jsonl."
        )
