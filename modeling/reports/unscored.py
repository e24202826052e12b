"""Names finished runs that lack scores on a part of a snapshot, and makes these scores."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from modeling.models import TrainingRun
from modeling.results.dimensions import OWN
from modeling.running.configs import CannotStart
from modeling.running.evaluating import NEEDS_TAGS, EvaluationFailed, score
from nli.lines import PARTITIONS
from snapshots.models import Snapshot
from snapshots.statistics.job import NoTagger


@dataclass(frozen=True)
class Unscored:
    """A finished run without scores on a part of a snapshot, or without those by a dimension."""

    run: TrainingRun
    snapshot: Snapshot
    partition: str
    by: str = ""

    def __str__(self) -> str:
        """Names the run and the command that scores it."""
        by = f" by {self.by}" if self.by else ""
        own = f" --file {self.by.removeprefix(OWN)}=PATH" if self.needs_a_file else ""
        return (
            f"run {self.run.pk} on {self.snapshot} {self.partition}{by}: manage.py evaluate {self.run.pk} {self.snapshot}"
            f" --partition {self.partition}{own}{f' --by {self.by}' if self.by else ''}"
        )

    @property
    def needs_a_file(self) -> bool:
        """Returns whether only a researcher's file has the values of the dimension."""
        return self.by.startswith(OWN)


def score_all(lacking: Iterable[Unscored]) -> Iterator[tuple[str, str]]:
    """Scores each run on the parts that it lacks. Yields a text with run, snapshot and parts, and what failed, if anything.

    It leaves out what needs a researcher's file.
    """
    wanted: dict[tuple[TrainingRun, Snapshot], list[Unscored]] = {}
    for one in lacking:
        if not one.needs_a_file:
            wanted.setdefault((one.run, one.snapshot), []).append(one)
    for (run, snapshot), parts in wanted.items():
        partitions = [name for name in PARTITIONS if name in {one.partition for one in parts}]
        failure = ""
        try:
            score(run, snapshot, partitions, tags=any(one.by in NEEDS_TAGS for one in parts))
        except (CannotStart, EvaluationFailed, NoTagger, ValueError) as error:
            failure = str(error)
        yield f"run {run.pk} on {snapshot} {' and '.join(partitions)}", failure
