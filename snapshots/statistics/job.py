"""Statistics of a frozen snapshot: asked for, worked out from its files, kept for good."""

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jobs import claims
from jobs.claims import Claim, InOtherHands, JobFailed
from jobs.models import WAITING_FOR_A_WORKER
from nli.lines import premise_rule_of, rule_of
from nli.tokens import is_english
from snapshots.errors import SnapshotError
from snapshots.files.reading import ExportError, all_lines, whole_manifest
from snapshots.models import Snapshot, SnapshotStatistics
from snapshots.statistics import artifacts, corpus, tags
from snapshots.statistics.pairs import Pair, pair_of

logger = logging.getLogger(__name__)
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


def kinds_for(snapshot: Snapshot) -> list[SnapshotStatistics.Kind]:
    """What can be worked out for a snapshot: tags need English."""
    return [kind for kind in Kind if kind != Kind.TAGS or is_english(snapshot.corpus.language)]


def check_tagger(snapshot: Snapshot) -> None:
    """Raises NoTagger where the corpus is not in English."""
    if not is_english(snapshot.corpus.language):
        raise NoTagger(snapshot, snapshot.corpus.language)


def request_statistics(*, snapshot: Snapshot, kind: str) -> SnapshotStatistics:
    """The row of this kind in today's edition; a new or a failed one waits for a worker. Raises NotFrozen, NoTagger."""
    if snapshot.status != Snapshot.Status.FROZEN:
        raise NotFrozen(snapshot)
    if kind == Kind.TAGS:
        check_tagger(snapshot)
    row, _ = SnapshotStatistics.objects.get_or_create(
        snapshot=snapshot,
        kind=kind,
        edition=EDITIONS[kind],
        defaults={"progress": WAITING_FOR_A_WORKER},
    )
    claims.ask_again(row)
    return row


def work_out_statistics(
    *, statistics_id: int, worker: str = "", progress: Callable[[str], None] = lambda text: None
) -> SnapshotStatistics:
    """Carries a request out, or claims one whose worker died; returns the row with its data.

    `progress` hears how far it is. Raises StatisticsInProgress, StatisticsFailed, SnapshotStatistics.DoesNotExist,
    jobs.claims.Interrupted.
    """
    try:
        claims.carry_out(
            SnapshotStatistics,
            statistics_id,
            lambda claim: claim.finish(data=_measured(claim.row, claim)),
            worker=worker,
            progress="reading the files",
            expected=(ExportError,),
            tell=progress,
        )
    except InOtherHands as elsewhere:
        if elsewhere.row.status != SnapshotStatistics.Status.DONE:
            raise StatisticsInProgress(elsewhere.row) from None
    except (ExportError, JobFailed) as error:
        raise StatisticsFailed(str(error)) from error
    return SnapshotStatistics.objects.select_related("snapshot__corpus").get(pk=statistics_id)


def work(statistics_id: int, worker: str) -> None:
    """Carries a request out for a worker; one that is in other hands is left to them."""
    try:
        work_out_statistics(statistics_id=statistics_id, worker=worker)
    except StatisticsInProgress as error:
        logger.info("%s", error)


def _measured(row: SnapshotStatistics, claim: Claim) -> dict[str, Any]:
    folder = row.snapshot.folder
    manifest = whole_manifest(folder, str(row.snapshot))
    total = manifest["pairs"]

    def pairs() -> Iterator[Pair]:
        return (pair_of(partition, line) for partition, line in all_lines(folder, manifest))

    def report(done: int) -> None:
        claim.report(f"{done:,} of {total:,} pairs", done / max(total, 1))

    return measure(row.kind, pairs, manifest, report)


def measure(
    kind: str,
    pairs: Callable[[], Iterator[Pair]],
    manifest: Mapping[str, Any],
    progress: Callable[[int], None],
) -> dict[str, Any]:
    """The figures of one kind over `pairs()`; labels, seats and language are those of the manifest's corpus."""
    facts = manifest["corpus"]
    rule = rule_of(facts)
    labels = rule.gold_labels
    if kind == Kind.CORPUS:
        return corpus.measure(
            pairs(),
            labels=labels,
            reads=rule.reads,
            seats=facts["question"]["seats"],
            language=facts["language"],
            seed=manifest["seed"],
            single_premises=premise_rule_of(facts),
            progress=progress,
        )
    if kind == Kind.ARTIFACTS:
        return artifacts.measure(pairs, labels=labels, language=facts["language"], progress=progress)
    from snapshots.statistics.spacy_tagger import annotate  # spaCy: in workers and commands only

    return tags.measure(pairs(), annotate, labels=labels, progress=progress)
