"""Count the lines of a snapshot by partition, genre, gold label, votes and parses. Standard library only.

The writer counts the lines that it writes, and the checker those that it reads: both must get the same counts.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import cast

from nli import answers
from nli.agreement import Pattern, agreement_from_patterns
from nli.gold import AUTHOR, DECIDED, SOURCES, WITHHELD, Rule
from nli.labels import NO_GOLD
from nli.lines import SIDES, Line, missing_answers
from nli.manifest import Agreement, Answers, Parses, PartitionCounts
from snapshots.files.trees import fits

# Sources of gold labels that come with votes; a pair of the source AUTHOR has its author's label alone.
JUDGED = frozenset(SOURCES) - {AUTHOR, WITHHELD}
PARSES = (SHIPPED, UNLIKE, DERIVED, ATTACHED) = tuple(Parses.__annotations__)


class LineCounts:
    """Counts of lines by partition, genre and gold label, and of votes by pattern. It stores no line."""

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

    def include(self, other: "LineCounts") -> None:
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
        missing = missing_answers(line, self.rule)
        if line["gold_source"] in DECIDED:
            return Pattern(author, votes, line["gold_label"], line["gold_source"], missing=missing)
        return Pattern(author, votes, missing=missing)

    @property
    def pairs(self) -> int:
        return sum(self.sources.values())

    def agreement(self) -> Agreement:
        """Returns the agreement of the annotators over these lines, as `validation.agreement` reports it."""
        ordered = dict(sorted(self.patterns.items(), key=str))
        return cast(Agreement, {"pairs": self.pairs, **agreement_from_patterns(ordered, self.rule)})

    def partitions(self, premises: Mapping[str, int]) -> dict[str, PartitionCounts]:
        """Returns the counts of each partition; `premises` has its number of different premises.

        A genre of dev or test is matched if it occurs in train, else mismatched.
        """
        in_train = set(self.genres.get("train", ()))
        found: dict[str, PartitionCounts] = {}
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

    def answer_counts(self) -> Answers:
        """Returns the number of answers of each kind; see nli.answers.KINDS."""
        found = {kind: self.answers[kind] for kind in answers.KINDS}
        if not found["left_out"]:
            del found["left_out"]  # older snapshots do not say it
        return cast(Answers, found)

    def parse_counts(self) -> Parses:
        """Returns the number of lines by kind of parses and side."""
        found = {kind: {side: self.parses[kind][side] for side in SIDES} for kind in PARSES}
        if not any(found[ATTACHED].values()):
            del found[ATTACHED]  # older snapshots do not say it
        return cast(Parses, found)


def kind_of_parses(line: Line, side: str) -> str:
    """Returns whether the parses of a side came with the corpus, were derived here or attached; "" without parses.

    Published trees are never changed, so trees whose tokens differ from their sentence have a kind of their own.
    """
    if not line[f"{side}_parse"] and not line[f"{side}_binary_parse"]:
        return ""
    if side in line.get("derived_parses", ()):
        return DERIVED
    if side in line.get("attached_parses", ()):
        return ATTACHED
    return SHIPPED if fits(line[side], line[f"{side}_parse"], line[f"{side}_binary_parse"]) else UNLIKE
