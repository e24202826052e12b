"""How much runs doubt the gold labels of pairs: one minus the probability that they give the gold label."""

from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from accounts.people.gates import viewer
from modeling.folders import predictions_of
from modeling.models import Evaluation, TrainingRun
from modeling.results.predicted import read_predicted

MOST_RUNS = 20


@dataclass(frozen=True)
class Doubts:
    """The doubt of one run about each pair that it was evaluated on."""

    run: int
    ids: list[str]
    values: npt.NDArray[np.float64]

    @cached_property
    def by_id(self) -> dict[str, float]:
        return dict(zip(self.ids, self.values.tolist(), strict=True))

    def ranked(self, part: int = 0) -> list[str]:
        """Returns the ids, the most doubted first; of equals, the first of the file first.

        part: of this tenth alone, from 1 on; each holds its upper end, and the first holds 0, too.
        """
        order = np.argsort(-self.values, kind="stable")
        return [self.ids[place] for place in order if not part or self._tenths[place] == part]

    def by_tenth(self, among: Set[str]) -> list[int]:
        """Returns how many pairs of these ids are in each tenth, the least doubted first."""
        tenths = self._tenths[[name in among for name in self.ids]]
        counts: list[int] = np.bincount(tenths, minlength=11)[1:].tolist()
        return counts

    @cached_property
    def _tenths(self) -> npt.NDArray[np.int64]:
        return np.clip(np.ceil(self.values * 10), 1, 10).astype(np.int64)


def runs_with_predictions(corpus_id: int) -> list[tuple[int, str]]:
    """Returns (number, name) of the newest runs that were evaluated on pairs of the corpus."""
    rows = (
        TrainingRun.objects.of(viewer())
        .filter(status=TrainingRun.Status.DONE, evaluations__snapshot__corpus=corpus_id)
        .order_by("-pk")
    )
    found = rows.distinct().values_list("pk", "baseline", "snapshot__corpus__slug", "snapshot__version")
    return [
        (pk, f"{pk}: {baseline} on {slug}@{version}") for pk, baseline, slug, version in found[:MOST_RUNS]
    ]


def doubts_of(run: int, corpus_id: int) -> Doubts | None:
    """Returns the doubts of a run about pairs of this corpus; None if this machine has no file of its predictions.

    A pair that is in several snapshots has the doubt of the newest.
    """
    rows = Evaluation.objects.filter(
        run=run, run__status=TrainingRun.Status.DONE, snapshot__corpus=corpus_id
    ).select_related("run", "snapshot__corpus")
    ids: list[str] = []
    values, known = [], set[str]()
    for row in rows.order_by("-snapshot", "partition"):
        path = predictions_of(row.run, row.snapshot, row.partition)
        if path is None:
            continue
        read = read_predicted(path)
        new = [place for place, name in enumerate(read.ids) if name not in known]
        ids += [read.ids[place] for place in new]
        values.append(1 - read.of_gold[new])
        known.update(read.ids)
    return Doubts(run, ids, np.concatenate(values)) if values else None
