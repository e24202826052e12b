"""Draws hypotheses for scenes: simplifies captions, drops those too easy or too odd, draws by seed (MPE, 4.1)."""

import random
import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from heapq import heappop, heappush
from itertools import chain

from collection.formats.field_errors import FieldError
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
from nli.lines import PARTITIONS


class CaptionIndex:
    """An index of the positions of captions by their lemmas and broader words."""

    def __init__(self, captions: Sequence[Caption], partitions: Sequence[str] = ()) -> None:
        self.captions, self.partitions = captions, partitions
        self.places: dict[str, list[int]] = {}
        for place, caption in enumerate(captions):
            for form in caption.vocabulary:
                self.places.setdefault(form, []).append(place)
        self._answers: dict[tuple[Key, int, str], bool] = {}

    def is_given_by(self, key: Key, at_least: int, partition: str = "") -> bool:
        """Returns whether at least so many captions, of train and the partition or of all, simplify to these lemmas."""
        asked = (key, at_least, partition)
        if asked not in self._answers:
            self._answers[asked] = self._count(*asked) >= at_least
        return self._answers[asked]

    def _count(self, key: Key, enough: int, partition: str) -> int:
        rarest, *others = sorted((self.places.get(lemma, []) for lemma in set(key)), key=len)
        both = set(rarest).intersection(*others)
        found = 0
        for place in sorted(both):
            if partition and self.partitions[place] not in (TRAIN, partition):
                continue
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
ALL = 2**63  # hypotheses of a scene: as many as there are
TRAIN = PARTITIONS[0]


@dataclass(frozen=True)
class Rules:
    """each: hypotheses for each scene and origin. captions: how many captions must simplify to a hypothesis.

    draw: how many to draw of all that pass, by partition, or under "" of all partitions together. Empty: all.
    """

    seed: int
    each: int = 1
    overlap: float = 0.5
    captions: int = 2
    draw: Mapping[str, int] = field(default_factory=dict)


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
        self.index = CaptionIndex(
            self.captions, [scene.partition for scene in scenes for _ in scene.captions]
        )
        self.alike: dict[str, list[int]] = {}
        for number, scene in enumerate(scenes):
            self.alike.setdefault(scene.partition, []).append(number)

    def hypotheses(self, number: int) -> list[Hypothesis]:
        """Returns the hypotheses for the scene of that number (from 0). Depends only on the seed and the file."""
        found = self._passing(number)
        self._count(number, found)
        return found

    def drawn(self, tell: Callable[[str], None] = lambda text: None) -> dict[int, list[Hypothesis]]:
        """Draws as many hypotheses of all scenes as the rules say, by the seed. Returns them by the number of the scene.

        Where fewer pass, all are taken. Raises FieldError for a partition that no scene has.
        """
        wanted = self.rules.draw
        if unknown := wanted.keys() - self.alike.keys() - {""}:
            raise FieldError(f'no scene has the partition "{min(unknown)}".', "draw")
        kept: dict[str, list[tuple[bytes, int, int, Hypothesis]]] = {}
        for number, scene in enumerate(self.scenes):
            name = "" if "" in wanted else scene.partition
            passing = self._passing(number)
            self.report.passing[name] += len(passing)
            heap = kept.setdefault(name, [])
            for place, each in enumerate(passing):
                turn = sha256(f"{self.rules.seed}\n{scene.id}\n{each.text}".encode()).digest()
                heappush(heap, (turn, number, place, each))
                if len(heap) > wanted.get(name, 0):
                    left = heappop(heap)[-1]
                    self.report.origins[left.origin].drop(NOT_DRAWN, left.text)
            tell(f"pairings of {number + 1:,} of {len(self.scenes):,} scenes")
        found: dict[int, list[Hypothesis]] = {number: [] for number in range(len(self.scenes))}
        for _, number, _, each in sorted(chain.from_iterable(kept.values())):
            found[number].append(each)
        for number, hypotheses in found.items():
            self._count(number, hypotheses)
        return found

    def _passing(self, number: int) -> list[Hypothesis]:
        """Returns the hypotheses that no step drops, as many of each origin as the rules allow."""
        chance = random.Random(f"{self.rules.seed} {self.scenes[number].id}")
        self.report.scenes += 1
        taken: dict[Key, Hypothesis] = {}
        for origin, sources in ((SAME, self._own(number)), (OTHER, self._others(number, chance))):
            report = self.report.origins[origin]
            for scene, caption in sources:
                usable = self._usable(number, scene, caption, taken, report)
                if usable:
                    chance.shuffle(usable)
                    for each in usable[: self.rules.each]:
                        taken[each.key] = Hypothesis(
                            each.text, origin, self.scenes[scene].id, caption + 1, each.rules
                        )
                    for each in usable[self.rules.each :]:
                        report.drop(NOT_DRAWN, each.text)
                    break
        return list(taken.values())

    def _own(self, number: int) -> Iterator[tuple[int, int]]:
        yield number, CAPTIONS - 1

    def _others(self, number: int, chance: random.Random) -> Iterator[tuple[int, int]]:
        """Yields random captions of other scenes of the same partition, as (scene, caption)."""
        alike = self.alike[self.scenes[number].partition]
        if len(alike) > 1:
            for _ in range(TRIES):
                other = chance.randrange(len(alike) - 1)
                yield alike[other + (other >= bisect_left(alike, number))], chance.randrange(CAPTIONS)

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
        if not self.index.is_given_by(each.key, self.rules.captions, self.scenes[number].partition):
            return RARE
        return REPEATED if each.key in taken else ""

    def _count(self, number: int, drawn: Sequence[Hypothesis]) -> None:
        for origin, report in self.report.origins.items():
            report.empty += all(each.origin != origin for each in drawn)
        for each in drawn:
            report = self.report.origins[each.origin]
            report.drawn += 1
            report.overlap.add(word_overlap(self.scenes[number].premise, each.text))
            report.words.add(len(words(each.text)))
            self.report.rules.update(each.rules)

    def _captions_of(self, number: int) -> Sequence[Caption]:
        return self.captions[CAPTIONS * number : CAPTIONS * (number + 1)]
