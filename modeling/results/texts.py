"""Reads the few pairs that a page shows: their texts, and the labels that people gave."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from nli.lines import HYPOTHESIS, PREMISE, Line, premises_of, votes_in
from snapshots.freezing.lines import COLUMNS, lines_of
from snapshots.models import Snapshot, SnapshotPair
from validation.questions.lookup import main_question


@dataclass(frozen=True)
class FrozenPair:
    """A pair as its snapshot has it. `line`: its line of the snapshot's files."""

    line: Line

    @property
    def premise(self) -> str:
        return str(self.line[PREMISE])

    @property
    def sentences(self) -> Sequence[str]:
        """Returns the sentences of a premise that has several; else the premise."""
        return premises_of(self.line)

    @property
    def hypothesis(self) -> str:
        return str(self.line[HYPOTHESIS])

    @property
    def deciding(self) -> list[str]:
        """Returns the labels that decided the gold label, in the order of their positions."""
        return list(self.line["annotator_labels"])

    @property
    def votes(self) -> Mapping[str, int]:
        """Returns how many people gave each label, the most frequent first (nli.lines.votes_in)."""
        return dict(votes_in(self.line).most_common())

    @property
    def decided(self) -> Mapping[str, int]:
        """Returns the votes that decided the gold label, where there are others; else nothing."""
        decided = Counter(self.deciding)
        return {} if decided == self.votes else dict(decided.most_common())

    @property
    def left_out(self) -> int:
        """Returns how many answers name several labels, and are no votes."""
        return int(self.line.get("answers_left_out", 0))


def frozen_pairs(snapshot: Snapshot, names: Collection[str]) -> dict[str, FrozenPair]:
    """Returns pairs of a snapshot by their ids. Makes the same queries for any number of them."""
    found = SnapshotPair.objects.named(snapshot, names)
    rows = list(found.values_list(*COLUMNS, named=True))
    scheme = main_question(snapshot.corpus).scheme
    return {line["pairID"]: FrozenPair(line) for line in lines_of(rows, scheme)}
