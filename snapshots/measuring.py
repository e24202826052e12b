"""Statistics of a frozen snapshot: asked for, worked out from its files, kept for good.

The work is claimed as a freeze is: the heartbeat is the claim's token, and whoever was thought dead finds out
at the next sign of life.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from snapshots.file_formats.reading import ExportError, all_lines, whole_manifest
from snapshots.manifest import folder_of
from snapshots.models import Snapshot, SnapshotStatistics
from snapshots.planning import SnapshotError
from snapshots.statistics import artifacts, corpus, tags
from snapshots.statistics.pairs import Pair, pair_of

logger = logging.getLogger(__name__)
STALE_AFTER = timedelta(minutes=3)
SIGN_EVERY = timedelta(seconds=2)  # a sign of life is a write; ten thousand short pairs take less
Kind = SnapshotStatistics.Kind
EDITIONS: Mapping[str, int] = {
    Kind.CORPUS: corpus.EDITION,
    Kind.ARTIFACTS: artifacts.EDITION,
    Kind.TAGS: tags.EDITION,
}


class NotFrozen(SnapshotError):
    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(f"{snapshot} is not frozen yet: there are no files to count.")


class NoTagger(SnapshotError):
    def __init__(self, snapshot: Snapshot, language: str) -> None:
        super().__init__(
            f"{snapshot} is in the language {language!r}; annotation tags are for English alone."
        )


class StatisticsInProgress(SnapshotError):
    def __init__(self, row: SnapshotStatistics) -> None:
        super().__init__(
            f"The {row.kind} statistics of {row.snapshot} are being worked out ({row.progress})."
        )


class StatisticsFailed(SnapshotError):
    """The work ended without figures; asking again starts it anew."""


class _ClaimLost(Exception):
    """Somebody else works on it."""


def kinds_for(snapshot: Snapshot) -> list[SnapshotStatistics.Kind]:
    """What can be worked out for a snapshot: tags need English."""
    return [kind for kind in Kind if kind != Kind.TAGS or _is_english(snapshot.corpus.language)]


def _is_english(language: str) -> bool:
    return language.split("-")[0].lower() == "en"


def request_statistics(*, snapshot: Snapshot, kind: str) -> SnapshotStatistics:
    """The row of this kind in today's edition; a new or a failed one waits for a worker. Raises NotFrozen, NoTagger."""
    if snapshot.status != Snapshot.Status.FROZEN:
        raise NotFrozen(snapshot)
    if kind == Kind.TAGS and not _is_english(snapshot.corpus.language):
        raise NoTagger(snapshot, snapshot.corpus.language)
    row, _ = SnapshotStatistics.objects.get_or_create(
        snapshot=snapshot,
        kind=kind,
        edition=EDITIONS[kind],
        defaults={"progress": "waiting for a worker"},
    )
    failed = SnapshotStatistics.objects.filter(pk=row.pk, status="failed")
    if failed.update(
        status="requested", error="", progress="waiting for a worker", requested_at=timezone.now()
    ):
        row.refresh_from_db()
    return row


def work_out_statistics(
    *, statistics_id: int, progress: Callable[[str], None] = lambda text: None
) -> SnapshotStatistics:
    """Carries a request out, or takes up one whose worker died; returns the row with its data.

    `progress` hears how far it is. Raises StatisticsInProgress, StatisticsFailed, SnapshotStatistics.DoesNotExist.
    """
    work = _Work(statistics_id, progress)
    if work.row.status == SnapshotStatistics.Status.DONE:
        return work.row
    try:
        work.claim()
        data = work.measure()
        return work.finish(data)
    except _ClaimLost:
        work.row.refresh_from_db()
        if work.row.status == SnapshotStatistics.Status.DONE:
            return work.row
        raise StatisticsInProgress(work.row) from None
    except KeyboardInterrupt:
        work.fail("Stopped by hand. Ask again when you like.")
        raise
    except Exception as error:
        told = str(error) if isinstance(error, ExportError) else _sentence(error)
        work.fail(told)
        raise StatisticsFailed(told) from error


def _sentence(error: Exception) -> str:
    return f"The software failed ({type(error).__name__}: {error}). Tell its operator, then ask again."


class _Work:
    """One claim on one row."""

    def __init__(self, statistics_id: int, progress: Callable[[str], None]) -> None:
        self.row = SnapshotStatistics.objects.select_related("snapshot__corpus").get(pk=statistics_id)
        self.progress = progress
        self.beat: datetime | None = None

    def claim(self) -> None:
        now = timezone.now()
        taken = SnapshotStatistics.objects.takeable(now - STALE_AFTER).filter(pk=self.row.pk)
        if not taken.update(status="working", heartbeat_at=now, progress="reading the files"):
            raise _ClaimLost
        self.beat = now

    def measure(self) -> dict[str, Any]:
        snapshot = self.row.snapshot
        folder = folder_of(snapshot)
        manifest = whole_manifest(folder, str(snapshot))

        def pairs() -> Iterator[Pair]:
            return (pair_of(partition, line) for partition, line in all_lines(folder, manifest))

        return measure(self.row.kind, pairs, manifest, self.sign_of_life(manifest["pairs"]))

    def sign_of_life(self, total: int) -> Callable[[int], None]:
        def sign(done: int) -> None:
            now = timezone.now()
            if self.beat is None or now - self.beat < SIGN_EVERY:
                return
            self._update(heartbeat_at=now, progress=f"{done:,} of {total:,} pairs")
            self.beat = now

        return sign

    def finish(self, data: dict[str, Any]) -> SnapshotStatistics:
        self._update(status="done", data=data, progress="", error="")
        self.row.refresh_from_db()
        return self.row

    def fail(self, error: str) -> None:
        ours = SnapshotStatistics.objects.filter(pk=self.row.pk, status="working", heartbeat_at=self.beat)
        if ours.update(status="failed", error=error, progress=""):
            logger.warning("%s could not be worked out: %s", self.row, error)

    def _update(self, **values: Any) -> None:
        """Only while the claim is ours. Raises _ClaimLost."""
        ours = SnapshotStatistics.objects.filter(pk=self.row.pk, status="working", heartbeat_at=self.beat)
        if not ours.update(**values):
            raise _ClaimLost
        if text := values.get("progress"):
            self.progress(text)


def measure(
    kind: str,
    pairs: Callable[[], Iterator[Pair]],
    manifest: Mapping[str, Any],
    progress: Callable[[int], None],
) -> dict[str, Any]:
    """The figures of one kind over `pairs()`; labels, seats and language are those of the manifest's corpus."""
    facts = manifest["corpus"]
    labels = facts["labels"]
    if kind == Kind.CORPUS:
        return corpus.measure(
            pairs(),
            labels=labels,
            seats=facts["question"]["seats"],
            language=facts["language"],
            seed=manifest["seed"],
            progress=progress,
        )
    if kind == Kind.ARTIFACTS:
        return artifacts.measure(pairs, labels=labels, progress=progress)
    from snapshots.statistics.tagger import annotate  # spaCy: in workers and commands only

    return tags.measure(pairs(), annotate, labels=labels, progress=progress)
