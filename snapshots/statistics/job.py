"""Request statistics of a frozen snapshot, compute them from its files in a worker, and store them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jobs import claims
from jobs.claims import Claim, InOtherHands
from nli.gold import OF_ALL
from nli.lines import rule_of
from nli.manifest import Manifest
from nli.single_premises import premise_rule_of
from nli.tokens import is_english
from snapshots.errors import SnapshotError
from snapshots.files.reading import DamagedFiles, all_lines, whole_manifest
from snapshots.models import Snapshot, SnapshotStatistics
from snapshots.statistics import artifacts, corpus, tags
from snapshots.statistics.pairs import Pair, pair_of

Kind = SnapshotStatistics.Kind
EDITIONS: Mapping[str, int] = {
    Kind.CORPUS: corpus.EDITION,
    Kind.ARTIFACTS: artifacts.EDITION,
    Kind.TAGS: tags.EDITION,
}


class NotFrozen(SnapshotError):
    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(f"{snapshot} is not frozen yet, so it has no files to count.")


class NoTagger(SnapshotError):
    def __init__(self, snapshot: Snapshot, language: str) -> None:
        super().__init__(f"{snapshot} is in the language {language!r}; annotation tags are for English only.")


def kinds_for(snapshot: Snapshot) -> list[SnapshotStatistics.Kind]:
    """Returns the kinds of statistics that a snapshot can have: tags need English."""
    return [kind for kind in Kind if kind != Kind.TAGS or is_english(snapshot.corpus.language)]


def check_tagger(snapshot: Snapshot) -> None:
    """Raises NoTagger if the corpus is not in English."""
    if not is_english(snapshot.corpus.language):
        raise NoTagger(snapshot, snapshot.corpus.language)


def request_statistics(*, snapshot: Snapshot, kind: str) -> SnapshotStatistics:
    """Returns the row of a kind in the current edition. If it is new or failed, it waits for a worker.

    Raises NotFrozen, NoTagger.
    """
    if snapshot.status != Snapshot.Status.FROZEN:
        raise NotFrozen(snapshot)
    if kind == Kind.TAGS:
        check_tagger(snapshot)
    row: SnapshotStatistics = claims.request(
        SnapshotStatistics, snapshot=snapshot, kind=kind, edition=EDITIONS[kind]
    )
    return row


def compute_statistics(
    statistics_id: int,
    row: SnapshotStatistics | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> SnapshotStatistics:
    """Computes requested statistics, or those whose worker died. Returns the row with its data.

    Calls `progress` with its progress. Raises what jobs.claims.carry_out does, and DamagedFiles.
    """
    try:
        claims.carry_out(
            SnapshotStatistics,
            statistics_id,
            lambda claim: claim.finish(data=_compute(claim.row, claim)),
            row=row,
            progress="reading the files",
            expected=(DamagedFiles,),
            tell=progress,
        )
    except InOtherHands as elsewhere:
        if elsewhere.row.status != SnapshotStatistics.Status.DONE:
            raise
    return SnapshotStatistics.objects.select_related("snapshot__corpus").get(pk=statistics_id)


def _compute(row: SnapshotStatistics, claim: Claim) -> dict[str, Any]:
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
    manifest: Manifest,
    progress: Callable[[int], None],
) -> dict[str, Any]:
    """Computes the statistics of one kind over `pairs()`, with labels, seats and language from the manifest."""
    facts = manifest["corpus"]
    rule = rule_of(facts)
    labels = rule.gold_labels
    if kind == Kind.CORPUS:
        return corpus.measure(
            pairs(),
            labels=labels,
            reads=rule.reads,
            seats=None if rule.name == OF_ALL else rule.seats,
            language=facts["language"],
            seed=manifest["seed"],
            single_premises=premise_rule_of(facts),
            progress=progress,
        )
    if kind == Kind.ARTIFACTS:
        return artifacts.measure(pairs, labels=labels, language=facts["language"], progress=progress)
    from snapshots.statistics.spacy_tagger import annotate, parse  # spaCy: in workers and commands only

    return tags.measure(pairs(), annotate, labels=labels, parse=parse, progress=progress)
