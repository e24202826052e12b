"""Compare single premises with the whole: how many of a premise's sentences have the pair's label (MPE, Table 4)."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from nli.gold import Rule
from nli.labels import NO_GOLD
from nli.lines import PARTITIONS
from nli.single_premises import Comparison, labels_of_premises
from snapshots.statistics.pairs import Pair

DEFINITIONS = {
    "single_premises": (
        "Pairs of several premises with a gold label, each premise of which was also judged by itself and has all its "
        "labels, by how many of the premises' own labels equal the gold label. A premise's own label is the one with "
        "enough votes; without one it agrees with nothing."
    ),
    "premise_votes": (
        "Most premises agree: in how many of these pairs more than half of the premises have the gold label. Voting "
        "scheme (MPE, section 5.2): entailment where more premises are entailment than contradiction, contradiction "
        "where fewer are, else neutral; only for these three labels."
    ),
    "scene_examples": "One pair for each number of premises that agree: the first in the order of a hash of seed and name.",
}


class Scenes:
    """Counts by partition. rule: the rule for single premises; None if the corpus does not ask for their labels."""

    def __init__(self, rule: Rule | None, labels: Sequence[str], seed: int) -> None:
        self.rule, self.labels, self.seed = rule, labels, seed
        self.counted: defaultdict[str | None, Comparison] = defaultdict(Comparison)
        self.examples: dict[int, tuple[str, Pair, list[str | None]]] = {}

    def add(self, pair: Pair) -> None:
        if self.rule is None or pair.label == NO_GOLD or not pair.single_premise_labels:
            return
        of_premises = labels_of_premises(pair.single_premise_labels, self.rule)
        if of_premises is None:
            return
        for partition in (None, pair.partition):
            self.counted[partition].add(pair.label, of_premises)
        place = hashlib.sha256(f"{self.seed}:{pair.name}".encode()).hexdigest()
        agree = of_premises.count(pair.label)
        if agree not in self.examples or place < self.examples[agree][0]:
            self.examples[agree] = (place, pair, of_premises)

    def figures(self) -> dict[str, Any]:
        """Returns `groups` (each partition, and None for all) and `examples` by the number of premises that agree."""
        order = (*PARTITIONS, None)
        return {
            "groups": [
                {
                    "partition": partition,
                    **(self.counted[partition].figures(self.labels) or {}),
                }
                for partition in sorted(self.counted, key=order.index)
            ],
            "examples": [
                {
                    "agree": agree,
                    "name": pair.name,
                    "premise": list(pair.premise),
                    "labels": [label or NO_GOLD for label in labels],
                    "hypothesis": pair.hypothesis,
                    "gold_label": pair.label,
                }
                for agree, (_, pair, labels) in sorted(self.examples.items())
            ],
        }
