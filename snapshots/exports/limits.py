"""What the formats of SNLI and MultiNLI can hold: three labels, and one sentence a premise."""

from collections.abc import Mapping
from typing import Any

from nli.lines import Line
from snapshots.files.reading import ExportError

NLI3 = ("entailment", "neutral", "contradiction")


def check_nli3(manifest: Mapping[str, Any], format_name: str) -> None:
    """Raises ExportError for a corpus of another scheme."""
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
            f"{format_name} has one sentence a premise; the premise {line['promptID']!r} has several. Use jsonl."
        )
