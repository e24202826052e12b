"""Draws hypotheses for scenes: simplifies captions, drops those too easy or too odd, draws by seed (MPE, 4.1)."""

import random
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from collection.pairing.captions import Caption, read_captions, with_used_words
from collection.pairing.lists import STOP_WORDS
from collection.pairing.report import (
    FROM_PREMISE,
    NOT_DRAWN,
    OTHER,
    OVERLAP,
    RARE,
    REPEATED,
    SAME,
    THIN,
    VERBLESS,
    OriginReport,
    PairingReport,
)
from collection.pairing.scenes import CAPTIONS, Scene
from collection.pairing.simplify import Key, Simplification, gives, simplifications
from collection.pairing.wordnet import load_nouns


class CaptionIndex:
    """An index of the positions of captions by their lemmas and broader words."""

    def __init__(self, captions: Sequence[Caption]) -> None:
        self.captions = captions
        self.places: dict[str, list[int]] = {}
        for place, caption in enumerate(captions):
            for form in caption.vocabulary:
                self.places.setdefault(form, []).append(place)
        self._answers: dict[tuple[Key, int], bool] = {}

    def is_given_by(self, key: Key, at_least: int) -> bool:
        """Returns whether at least so many captions can be simplified to these lemmas."""
        if (key, at_least) not in self._answers:
            self._answers[key, at_least] = self._count(key, at_least) >= at_least
        return self._answers[key, at_least]

    def _count(self, key: Key, enough: int) -> int:
        rarest, *others = sorted((self.places.get(lemma, []) for lemma in set(key)), key=len)
        both = set(rarest).intersection(*others)
        found = 0
        for place in sorted(both):
            found += gives(self.captions[place], key)
            if found >= enough:
                break
        return found


WORD = re.compile(r"[a-z0-9]+(?:['’-][a-z0-9]+)*")


def words(sentence: str) -> list[str]:
    """Returns lower-case words and numbers in order; a hyphen or apostrophe inside a word belongs to it."""
    return WORD.findall(sentence.lower())


def content_words(sentence: str) -> list[str]:
    """Returns the words that are no stop words."""
    return [word for word in words(sentence) if word not in STOP_WORDS]


def word_overlap(premise: Iterable[str], hypothesis: str) -> float:
    """Returns the share, 0 to 1, of the hypothesis's content words that occur in at least one premise sentence.

    Repeated words count each time. Raises ValueError for a hypothesis without content words.
    """
    asked = content_words(hypothesis)
    if not asked:
        raise ValueError(f'"{hypothesis}" has no content words')
    there = {word for sentence in premise for word in words(sentence)}
    return sum(word in there for word in asked) / len(asked)


FEWEST_WORDS = 2  # content words of a hypothesis
TRIES = 5  # captions of other scenes, if the first ones give nothing


@dataclass(frozen=True)
class Rules:
    """each: hypotheses for each scene and origin. captions: how many captions must simplify to a hypothesis."""

    seed: int
    each: int = 1
    overlap: float = 0.5
    captions: int = 2


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A drawn hypothesis with its caption (from 1), scene and rules."""

    text: str
    origin: str
    scene: str
    caption: int
    rules: tuple[str, ...]

    @property
    def construction(self) -> str:
        whose = "the same scene" if self.origin == SAME else f"scene {self.scene}"
        return f"caption {self.caption} of {whose}: {', '.join(self.rules)}"


class Pairing:
    """The parsed scenes of one file. Parsing is the slow part: several hundred captions a second."""

    def __init__(
        self, scenes: Sequence[Scene], rules: Rules, tell: Callable[[str], None] = lambda text: None
    ) -> None:
        self.scenes, self.rules = scenes, rules
        self.report = PairingReport()
        captions: list[Caption] = []
        texts = (caption for scene in scenes for caption in scene.captions)
        for caption in read_captions(texts, load_nouns()):
            captions.append(caption)
            tell(f"{len(captions):,} of {CAPTIONS * len(scenes):,} captions parsed")
        self.captions = with_used_words(captions, rules.captions)
        self.index = CaptionIndex(self.captions)

    def hypotheses(self, number: int) -> list[Hypothesis]:
        """Returns the hypotheses for the scene of that number (from 0). Depends only on the seed and the file."""
        chance = random.Random(f"{self.rules.seed} {self.scenes[number].id}")
        self.report.scenes += 1
        taken: dict[Key, Hypothesis] = {}
        for origin, sources in ((SAME, self._own(number)), (OTHER, self._others(number, chance))):
            report, before = self.report.origins[origin], len(taken)
            for scene, caption in sources:
                usable = self._usable(number, scene, caption, taken, report)
                if usable:
                    chance.shuffle(usable)
                    for each in usable[: self.rules.each]:
                        taken[each.key] = Hypothesis(
                            each.text, origin, self.scenes[scene].id, caption + 1, each.rules
                        )
                        self._count(report, number, each)
                    for each in usable[self.rules.each :]:
                        report.drop(NOT_DRAWN, each.text)
                    break
            report.empty += len(taken) == before
        return list(taken.values())

    def _own(self, number: int) -> Iterator[tuple[int, int]]:
        yield number, CAPTIONS - 1

    def _others(self, number: int, chance: random.Random) -> Iterator[tuple[int, int]]:
        """Yields random captions of other scenes, as (scene, caption)."""
        if len(self.scenes) > 1:
            for _ in range(TRIES):
                other = chance.randrange(len(self.scenes) - 1)
                yield other + (other >= number), chance.randrange(CAPTIONS)

    def _usable(
        self, number: int, scene: int, caption: int, taken: Container[Key], report: OriginReport
    ) -> list[Simplification]:
        """Returns the simplifications of a caption that no step drops, for the scene of that number."""
        found = []
        for each in simplifications(self._captions_of(scene)[caption]):
            report.made += 1
            if step := self._step_that_drops(each, number, taken):
                report.drop(step, each.text)
            else:
                found.append(each)
        return found

    def _step_that_drops(self, each: Simplification, number: int, taken: Container[Key]) -> str:
        """Returns the first step that drops it; empty if none does."""
        if not each.has_verb:
            return VERBLESS
        if len(content_words(each.text)) < FEWEST_WORDS:
            return THIN
        if any(gives(sentence, each.key) for sentence in self._captions_of(number)[:-1]):
            return FROM_PREMISE
        if word_overlap(self.scenes[number].premise, each.text) > self.rules.overlap:
            return OVERLAP
        if not self.index.is_given_by(each.key, self.rules.captions):
            return RARE
        return REPEATED if each.key in taken else ""

    def _count(self, report: OriginReport, number: int, drawn: Simplification) -> None:
        report.drawn += 1
        report.overlap.add(word_overlap(self.scenes[number].premise, drawn.text))
        report.words.add(len(words(drawn.text)))
        self.report.rules.update(drawn.rules)

    def _captions_of(self, number: int) -> Sequence[Caption]:
        return self.captions[CAPTIONS * number : CAPTIONS * (number + 1)]
