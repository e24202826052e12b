"""Pairs a file of scenes by machine: reads, simplifies, draws, and writes in portions."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from annotation_site.intake.files import PORTION, remember_source
from annotation_site.intake.report import LISTED, Refusal
from collection.formats.lines import BadLine, sha256_of
from collection.models import Genre
from collection.pairing.draw import Pairing, Rules
from collection.pairing.report import PairingReport
from collection.pairing.saving import PairedScene, paired_already, write_paired
from collection.pairing.scenes import Scene, read_scenes
from shared.portions import portions

SCENES_AT_ONCE = 200  # written in one transaction


@dataclass(frozen=True)
class PairingOrder:
    genre: Genre
    path: Path
    rules: Rules
    licence: str = ""
    dry_run: bool = False


@dataclass
class PairingOutcome:
    """The result of a pairing. passed_over: scenes that have machine-made pairs already, or whose premise is not open."""

    scenes: int = 0
    passed_over: int = 0
    premises: int = 0
    pairs: int = 0
    refused: list[Refusal] = field(default_factory=list)
    refused_count: int = 0
    steps: PairingReport = field(default_factory=PairingReport)

    def refuse(self, file: str, bad: BadLine) -> None:
        self.refused_count += 1
        if len(self.refused) < LISTED:
            self.refused.append(Refusal(file, bad.line, bad.reason))


def pair_premises(order: PairingOrder, tell: Callable[[str], None] = lambda text: None) -> PairingOutcome:
    """Pairs the scenes that have no machine-made pairs yet; a dry run only reports.

    Raises nli.wordnet_files.NoWordNet, FieldError. Calls `tell` with the progress. After an interruption,
    the same pairing continues where it stopped.
    """
    outcome = PairingOutcome()
    scenes = _read(order, outcome)
    waiting = _waiting(order.genre, scenes)
    outcome.scenes, outcome.passed_over = len(scenes), len(scenes) - len(waiting)
    if not waiting:
        return outcome
    pairing = Pairing(scenes, order.rules, tell)
    outcome.steps = pairing.report
    drawn = pairing.drawn(tell) if order.rules.draw else None
    paired = 0
    for numbers in portions(waiting, SCENES_AT_ONCE):
        items = [
            PairedScene(scenes[number], pairing.hypotheses(number) if drawn is None else drawn[number])
            for number in numbers
        ]
        done = _would_write(items) if order.dry_run else _write(order, items)
        outcome.premises += done["premises"]
        outcome.pairs += done["pairs"]
        paired += len(numbers)
        tell(f"{paired:,} of {len(waiting):,} scenes, {outcome.pairs:,} pairs")
    return outcome


def _read(order: PairingOrder, outcome: PairingOutcome) -> list[Scene]:
    scenes = []
    for item in read_scenes(order.path):
        if isinstance(item, BadLine):
            outcome.refuse(order.path.name, item)
        else:
            scenes.append(item)
    return scenes


def _waiting(genre: Genre, scenes: Sequence[Scene]) -> list[int]:
    """Returns the positions of the scenes that are not paired yet."""
    done: set[str] = set()
    for portion in portions(scenes, PORTION):
        done |= paired_already(genre, portion)
    return [number for number, scene in enumerate(scenes) if scene.id not in done]


def _write(order: PairingOrder, items: Sequence[PairedScene]) -> Counter[str]:
    source = remember_source(
        corpus=order.genre.corpus,
        name=order.path.name,
        digest=sha256_of(order.path),
        licence=order.licence,
    )
    return write_paired(genre=order.genre, source=source, items=items)


def _would_write(items: Sequence[PairedScene]) -> Counter[str]:
    """Counts what would be written, as if no premise existed yet."""
    paired = [item for item in items if item.hypotheses]
    return Counter(premises=len(paired), pairs=sum(len(item.hypotheses) for item in paired))


def summary(order: PairingOrder, outcome: PairingOutcome) -> dict[str, Any]:
    steps = outcome.steps.summary()
    return {
        "corpus": order.genre.corpus.slug,
        "genre": order.genre.slug,
        "file": order.path.name,
        "seed": order.rules.seed,
        "dry_run": order.dry_run,
        "scenes": outcome.scenes,
        "passed_over": outcome.passed_over,
        "premises": outcome.premises,
        "pairs": outcome.pairs,
        "origins": steps["origins"],
        "rules": steps["rules"],
        "passing": steps["passing"],
        "refused": [asdict(refusal) for refusal in outcome.refused],
        "refused_count": outcome.refused_count,
    }


def lines(order: PairingOrder, outcome: PairingOutcome) -> list[str]:
    corpus, genre = order.genre.corpus.slug, order.genre.slug
    verb = "would be made" if order.dry_run else "made"
    found = [
        f"{corpus}, {genre}: {outcome.premises:,} premises and {outcome.pairs:,} pairs {verb} of"
        f" {outcome.scenes:,} scenes of {order.path.name}, with seed {order.rules.seed}."
    ]
    if outcome.passed_over:
        found.append(
            f"Passed over: {outcome.passed_over:,} scenes that were paired before or whose premise is not open."
        )
    return found + (outcome.steps.lines() if outcome.steps.scenes else [])
