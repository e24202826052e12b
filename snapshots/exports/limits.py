"""Check what a format can hold: SNLI and MultiNLI have three labels, and one sentence in each premise."""

from nli.labels import SCHEMES
from nli.lines import Line
from nli.manifest import Manifest
from snapshots.errors import SnapshotError

NLI3 = SCHEMES["nli3"]


class ExportError(SnapshotError):
    """The snapshot cannot be written in a format. The message states the reason, and what to do."""


def check_nli3(manifest: Manifest, format_name: str) -> None:
    """Checks the label scheme. Raises ExportError if it is not nli3."""
    facts = manifest["corpus"]
    if facts["scheme"] != "nli3":
        raise ExportError(
            f"{format_name} holds entailment, neutral and contradiction; "
            f"{facts['slug']} has the scheme {facts['scheme']}. Use jsonl."
        )


def check_one_sentence(line: Line, format_name: str) -> None:
    """Checks the number of sentences. Raises ExportError for a premise of several sentences."""
    if "premise_sentences" in line:
        raise ExportError(
            f"{format_name} has one sentence in each premise; the premise {line['promptID']!r} has several. Use jsonl."
        )
