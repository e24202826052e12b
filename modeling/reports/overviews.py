"""Defines this platform's own tables over the runs and pairs of frozen snapshots, beside those of the papers.

Each is computed at every request: by `report`, on its page, as CSV and over REST. What takes longer than a page may, the
counts of leaks, is a job.
"""

from collections.abc import Callable
from dataclasses import dataclass

from modeling.reports.evaluation_sets import challenge, human, power, unscored
from modeling.reports.leak_audits import LEAKS, leaks
from modeling.reports.many_answers import lacking, many_answers
from modeling.reports.missed import missed
from modeling.reports.parity import parity
from modeling.reports.top_features import features
from modeling.reports.twins import twins
from modeling.reports.unscored import Unscored
from shared.tables import Table
from snapshots.models import Snapshot


@dataclass(frozen=True)
class Overview:
    """How one table is made: `make` gets the snapshots, the partition and how many rows at most.

    `about`: a sentence about its content. `several`: it covers all named snapshots, else the first alone. Without
    `by_partition` it is the same for every partition.
    """

    title: str
    about: str
    make: Callable[[list[Snapshot], str, int], Table]
    several: bool = False
    by_partition: bool = True
    lacks: Callable[[list[Snapshot], str, int], list[Unscored]] | None = (
        None  # the scores that it shows and lacks
    )


MOST_ROWS = 10_000

OVERVIEWS: dict[str, Overview] = {
    "twins": Overview(
        "Runs beside their hypothesis-only twins",
        "What the premise adds to each run, in accuracy and in bits (PVI).",
        twins,
    ),
    "missed": Overview(
        "Pairs that all runs miss",
        "Pairs that no run answers correctly, or only few: hard ones, and ones with a wrong label.",
        missed,
    ),
    "human": Overview(
        "Human ceiling",
        "How often one annotator gives the gold label of the others: what a model cannot be expected to exceed.",
        human,
    ),
    "power": Overview(
        "Pairs that a difference needs",
        "Whether this partition is large enough to tell two systems apart.",
        power,
    ),
    "challenge": Overview(
        "Models on several snapshots",
        "The models of the first snapshot on challenge sets: name these as further snapshots.",
        challenge,
        several=True,
        lacks=unscored,
    ),
    "many-answers": Overview(
        "Models beside many answers",
        "How near the models of the first snapshot are to people's labels beyond the seats, by their entropy (ChaosNLI).",
        many_answers,
        several=True,
        lacks=lacking,
    ),
    "parity": Overview(
        "Parity on minimal pairs",
        "Whether models answer alike where two pairs differ in one word that should not matter, such as he and she.",
        parity,
    ),
    LEAKS: Overview(
        "What parts have in common",
        "Whether texts of one part are in another: of one snapshot, or of the first and each further one.",
        leaks,
        several=True,
        by_partition=False,
    ),
    "features": Overview(
        "Top features of the lexicalized classifier",
        "The words and word pairs that speak most for each label (SNLI, section 3.4).",
        features,
        by_partition=False,
    ),
}


def overview(name: str, snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Makes the table `name`. Raises KeyError, PredictionsMissing."""
    kind = OVERVIEWS[name]
    return kind.make(snapshots if kind.several else snapshots[:1], partition, most)
