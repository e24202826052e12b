"""Counts what each step of pairing dropped, with examples."""

from collections import Counter
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

EXAMPLES = 3

SAME, OTHER = "same_scene", "other_scene"
ORIGINS = {SAME: "From the scene's fifth caption", OTHER: "From a random other scene"}

VERBLESS, THIN, FROM_PREMISE = "verbless", "thin", "from_premise"
OVERLAP, RARE, REPEATED, NOT_DRAWN = "overlap", "rare", "repeated", "not_drawn"
STEPS = {
    VERBLESS: "no verb, so no sentence",
    THIN: "under two words that are no stop words",
    FROM_PREMISE: "a premise simplifies to it too",
    OVERLAP: "shares too many words with the premises",
    RARE: "too few captions simplify to it",
    REPEATED: "the scene has a hypothesis with the same lemmas",
    NOT_DRAWN: "would do, but was not drawn",
}


@dataclass
class Spread:
    """Mean and standard deviation (of all values, not of a sample)."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> None:
        self.count += 1
        self.total += value
        self.squares += value * value

    @property
    def mean(self) -> float | None:
        return self.total / self.count if self.count else None

    @property
    def deviation(self) -> float | None:
        if not self.count:
            return None
        return sqrt(max(0.0, self.squares / self.count - (self.total / self.count) ** 2))

    def __str__(self) -> str:
        return "none" if self.mean is None else f"{self.mean:.2f} ± {self.deviation:.2f}"

    def summary(self) -> dict[str, float | None]:
        return {"mean": self.mean, "deviation": self.deviation}


@dataclass
class OriginReport:
    """The report of one origin. made: dropped plus drawn. empty: scenes that got no hypothesis.

    overlap and words are of the hypotheses drawn; words count no punctuation.
    """

    made: int = 0
    drawn: int = 0
    empty: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    overlap: Spread = field(default_factory=Spread)
    words: Spread = field(default_factory=Spread)

    def drop(self, step: str, text: str) -> None:
        self.dropped[step] += 1
        shown = self.examples.setdefault(step, [])
        if len(shown) < EXAMPLES and text not in shown:
            shown.append(text)

    def summary(self) -> dict[str, Any]:
        return {
            "made": self.made,
            "dropped": {
                step: {"reason": reason, "count": self.dropped[step], "examples": self.examples.get(step, [])}
                for step, reason in STEPS.items()
            },
            "drawn": self.drawn,
            "scenes_without": self.empty,
            "word_overlap": self.overlap.summary(),
            "hypothesis_words": self.words.summary(),
        }


@dataclass
class PairingReport:
    """The report of all scenes. passing: where some are drawn of all, how many pass, by partition."""

    scenes: int = 0
    origins: dict[str, OriginReport] = field(
        default_factory=lambda: {name: OriginReport() for name in ORIGINS}
    )
    rules: Counter[str] = field(default_factory=Counter)
    passing: Counter[str] = field(default_factory=Counter)

    def summary(self) -> dict[str, Any]:
        return {
            "scenes": self.scenes,
            "origins": {name: origin.summary() for name, origin in self.origins.items()},
            "rules": dict(sorted(self.rules.items())),
            "passing": dict(self.passing),
        }

    def lines(self) -> list[str]:
        """Returns the report for a screen."""
        found = []
        for name, origin in self.origins.items():
            found.append(f"{ORIGINS[name]}: {origin.made:,} simplifications")
            for step, reason in STEPS.items():
                if origin.dropped[step]:
                    found.append(f"  {origin.dropped[step]:,} dropped: {reason}")
                    found += [f"    {text}" for text in origin.examples[step]]
            found.append(f"  {origin.drawn:,} drawn; scenes without a hypothesis: {origin.empty:,}")
            if origin.drawn:
                found.append(f"  word overlap {origin.overlap}, words in a hypothesis {origin.words}")
        for name, number in self.passing.items():
            found.append(f"Pairings that pass{f' in {name}' if name else ''}: {number:,}")
        if self.rules:
            found.append(
                "Rules used: " + ", ".join(f"{rule} {n:,}" for rule, n in sorted(self.rules.items()))
            )
        return found
