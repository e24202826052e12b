"""Count how many evaluated texts occur in training: a score on texts that were learnt by heart says little.

The run folder stores 64-bit digests of the training texts: overlap can then be counted without the training files.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from modeling.baselines.data import Pair
from modeling.baselines.errors import BaselineError
from modeling.baselines.files import whole_or_absent
from modeling.baselines.program import Events
from nli.tokens import digest


@dataclass(frozen=True)
class TrainingTexts:
    """Digests of the distinct premises, hypotheses and pairs of training."""

    premises: frozenset[int] = frozenset()
    hypotheses: frozenset[int] = frozenset()
    pairs: frozenset[int] = frozenset()

    def __or__(self, other: "TrainingTexts") -> "TrainingTexts":
        """Unites two sets of training texts."""
        return TrainingTexts(
            self.premises | other.premises, self.hypotheses | other.hypotheses, self.pairs | other.pairs
        )


def training_texts(pairs: Iterable[Pair]) -> TrainingTexts:
    """Returns the digests of the texts of `pairs`."""
    premises, hypotheses, both = set(), set(), set()
    for pair in pairs:
        premises.add(digest(*pair.premise))
        hypotheses.add(digest(pair.hypothesis))
        both.add(digest(*pair.premise, pair.hypothesis))
    return TrainingTexts(frozenset(premises), frozenset(hypotheses), frozenset(both))


def count_overlap(pairs: Iterable[Pair], known: TrainingTexts) -> dict[str, int]:
    """Counts evaluated pairs that occur in training: {"pairs", "premises", "hypotheses"}.

    Each is a number of evaluated pairs: those that occur as a whole, or by their premise or hypothesis.
    """
    counts = {"pairs": 0, "premises": 0, "hypotheses": 0}
    for pair in pairs:
        counts["pairs"] += digest(*pair.premise, pair.hypothesis) in known.pairs
        counts["premises"] += digest(*pair.premise) in known.premises
        counts["hypotheses"] += digest(pair.hypothesis) in known.hypotheses
    return counts


def warn_of_overlap(events: Events, partition: str, pairs: int, overlap: dict[str, int]) -> None:
    """Warns if texts of a partition occur in training."""
    if any(overlap.values()):
        events.warn(
            f"Of {pairs} {partition} pairs, training has {overlap['pairs']} as a whole, the premise of "
            f"{overlap['premises']} and the hypothesis of {overlap['hypotheses']}.",
            partition=partition,
            overlap=overlap,
        )


def save_training_texts(path: Path, texts: TrainingTexts) -> None:
    """Writes the digests, sorted: the same texts give the same bytes."""
    arrays = {
        name: np.array(sorted(getattr(texts, name)), dtype=np.uint64)
        for name in ("premises", "hypotheses", "pairs")
    }
    with whole_or_absent(path) as temporary:
        save_file(arrays, temporary)


def load_training_texts(path: Path) -> TrainingTexts:
    """Reads the digests. Raises BaselineError if the file is missing or damaged."""
    try:
        arrays = load_file(path)
        return TrainingTexts(**{name: frozenset(array.tolist()) for name, array in arrays.items()})
    except (OSError, SafetensorError, TypeError) as error:
        raise BaselineError(f"{path} cannot be read ({error}): train the baseline again.") from error
