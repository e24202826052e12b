"""What the lines of a snapshot's files add up to. Standard library only: the writer counts the lines
as it writes them, the checker counts them as it reads them, and both must come to the same.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from nli import answers
from nli.agreement import Pattern, agreement_from_patterns
from nli.gold import ADJUDICATED, AUTHOR, PUBLISHED, SOURCES, Rule
from nli.labels import NO_GOLD
from nli.lines import SIDES, Line
from snapshots.files.trees import fits

# Where there are labels to count: with the other source, the author's label stands alone.
JUDGED = frozenset(SOURCES) - {AUTHOR}
DECIDED = frozenset({ADJUDICATED, PUBLISHED})  # beyond the votes
PARSES = (SHIPPED, UNLIKE, DERIVED) = ("shipped", "shipped_with_other_tokens", "derived")


class Tally:
    """Counts of lines by partition, genre and gold label, and of votes by pattern; never the lines."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.genres: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.gold: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.sources: Counter[str] = Counter()
        self.patterns: Counter[Pattern] = Counter()
        self.parses: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.answers: Counter[str] = Counter()
        self.with_metadata = 0

    def add(self, partition: str, line: Line) -> None:
        self.genres[partition][line["genre"]] += 1
        self.gold[partition][line["gold_label"]] += 1
        self.sources[line["gold_source"]] += 1
        for side in SIDES:
            if kind := kind_of_parses(line, side):
                self.parses[kind][side] += 1
        self.answers.update(answers.count(line))
        self.with_metadata += "metadata" in line
        if line["gold_source"] in JUDGED:
            self.patterns[self._pattern(line)] += 1

    def include(self, other: "Tally") -> None:
        """Adds the counts of other lines."""
        for mine, theirs in (
            (self.genres, other.genres),
            (self.gold, other.gold),
            (self.parses, other.parses),
        ):
            for key, counts in theirs.items():
                mine[key].update(counts)
        self.sources.update(other.sources)
        self.answers.update(other.answers)
        self.with_metadata += other.with_metadata
        self.patterns.update(other.patterns)

    def _pattern(self, line: Line) -> Pattern:
        author = line["author_label"] if line["author_label"] in self.rule.labels else None
        votes = self.rule.count(line["annotator_labels"])
        if line["gold_source"] in DECIDED:
            return Pattern(author, votes, line["gold_label"], line["gold_source"])
        return Pattern(author, votes)

    @property
    def pairs(self) -> int:
        return sum(self.sources.values())

    def agreement(self) -> dict[str, Any]:
        """The figures of `validation.agreement` over these lines."""
        ordered = dict(sorted(self.patterns.items(), key=str))
        return {"pairs": self.pairs, **agreement_from_patterns(ordered, self.rule)}

    def partitions(self, premises: Mapping[str, int]) -> dict[str, dict[str, Any]]:
        """Partition -> counts; `premises` has the number of different premises in each.

        A genre of dev or test is matched if it occurs in train, else mismatched.
        """
        in_train = set(self.genres.get("train", ()))
        found: dict[str, dict[str, Any]] = {}
        for name in sorted(self.genres):
            genres = self.genres[name]
            found[name] = {
                "pairs": sum(genres.values()),
                "premises": premises[name],
                "genres": {genre: genres[genre] for genre in sorted(genres)},
                "gold_labels": {label: self.gold[name][label] for label in (*self.rule.gold_labels, NO_GOLD)},
            }
            if name != "train":
                found[name]["matched"] = sorted(set(genres) & in_train)
                found[name]["mismatched"] = sorted(set(genres) - in_train)
        return found

    def answered(self) -> dict[str, int]:
        """Kind of answers -> their number; see nli.answers.KINDS."""
        return {kind: self.answers[kind] for kind in answers.KINDS}

    def parsed(self) -> dict[str, dict[str, int]]:
        """Kind of parses -> side -> number of lines."""
        return {kind: {side: self.parses[kind][side] for side in SIDES} for kind in PARSES}


def kind_of_parses(line: Line, side: str) -> str:
    """Whether the parses of a side came with the corpus or were derived here; "" if there are none.

    Published trees are kept as they came, whatever they are; so those that lack their sentence's tokens are told apart.
    """
    if not line[f"{side}_parse"] and not line[f"{side}_binary_parse"]:
        return ""
    if side in line.get("derived_parses", ()):
        return DERIVED
    return SHIPPED if fits(line[side], line[f"{side}_parse"], line[f"{side}_binary_parse"]) else UNLIKE
