"""The leak audit: requests comparisons of parts of snapshots, counts each in a worker, and shows the counts as a table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import combinations, product

from accounts.models import User
from jobs import claims
from jobs.claims import Claim, InOtherHands
from modeling.models import LeakAudit
from modeling.reports.leaks import EDITION, Leak, Part, Place, compared, read_part
from modeling.reports.near_duplicates import SIMILAR
from nli.lines import PARTITION_FILES
from shared.tables import Column, Table, Value, plain
from snapshots.errors import SnapshotError
from snapshots.files.reading import DamagedFiles, whole_manifest
from snapshots.models import Snapshot, SnapshotFile

LEAKS = "leaks"  # name of the table
READING = 0.8  # share of a comparison's time that reading takes
Comparison = tuple[Place, Place]


class NothingToCompare(SnapshotError):
    """The snapshots have no two parts. The message says what they have, and what to do."""


@dataclass(frozen=True)
class Audits:
    """The leak audits of some snapshots. `comparisons`: each with its row, None if nobody has asked for it.

    `nothing`: why there is no comparison; empty where there is one.
    """

    comparisons: dict[Comparison, LeakAudit | None]
    nothing: str = ""

    @property
    def rows(self) -> list[LeakAudit]:
        return [row for row in self.comparisons.values() if row]

    @property
    def done(self) -> list[LeakAudit]:
        return [row for row in self.rows if row.status == LeakAudit.DONE]

    @property
    def under_way(self) -> list[LeakAudit]:
        return [row for row in self.rows if row.is_under_way]

    @property
    def worked_on(self) -> list[LeakAudit]:
        return [row for row in self.rows if row.status == LeakAudit.WORKING]

    @property
    def waiting(self) -> LeakAudit | None:
        """Returns a comparison that waits, where no worker is at work on another."""
        waits = (row for row in self.rows if row.status == LeakAudit.WAITING)
        return None if self.worked_on else next(waits, None)

    @property
    def errors(self) -> list[str]:
        """Returns why comparisons failed, each sentence once: a damaged file fails all that need it."""
        return list(dict.fromkeys(row.error for row in self.rows if row.status == LeakAudit.FAILED))

    @property
    def uncounted(self) -> int:
        """Returns how many comparisons are neither counted nor under way."""
        return len(self.comparisons) - len(self.done) - len(self.under_way)

    @property
    def state(self) -> str:
        """Returns how many are counted, or why there is nothing to count; empty once all are counted."""
        number, done = len(self.comparisons), len(self.done)
        return self.nothing or ("" if done == number else f"Counted comparisons: {done} of {number}.")

    @property
    def percent_done(self) -> int:
        done = len(self.done) + sum(row.share for row in self.worked_on)
        return int(100 * done / max(1, len(self.comparisons)))


def audits_of(snapshots: Sequence[Snapshot]) -> Audits:
    """Returns the comparisons of one snapshot's parts with each other, or of the first one's with those of the others.

    In two queries.
    """
    parts = _parts(snapshots)
    first, *others = snapshots
    if others:
        comparisons = list(product(parts[first], [place for other in others for place in parts[other]]))
    else:
        comparisons = [(later, earlier) for earlier, later in combinations(parts[first], 2)]
    if not comparisons:
        return Audits({}, _why_nothing(parts))
    stored = LeakAudit.objects.filter(edition=EDITION, snapshot=first, other__in=snapshots)
    rows = {row.places: row for row in stored.select_related("snapshot__corpus", "other__corpus")}
    return Audits({each: rows.get(each) for each in comparisons})


def _parts(snapshots: Sequence[Snapshot]) -> dict[Snapshot, list[Place]]:
    """Returns the parts of each snapshot. An empty partition has no file."""
    names = {name: partition for partition, name in PARTITION_FILES.items()}
    files = SnapshotFile.objects.filter(snapshot__in=snapshots, name__in=names)
    found = {(file.snapshot_id, names[file.name]) for file in files}
    return {
        snapshot: [
            (snapshot, partition) for partition in PARTITION_FILES if (snapshot.pk, partition) in found
        ]
        for snapshot in snapshots
    }


def _why_nothing(parts: Mapping[Snapshot, Sequence[Place]]) -> str:
    snapshot, places = min(parts.items(), key=lambda item: len(item[1]))
    have = f"pairs in {places[0][1]} alone" if places else "no pairs"
    return f"{snapshot} has {have}, so there is nothing to compare. Choose a further snapshot."


def request_audits(snapshots: Sequence[Snapshot]) -> list[LeakAudit]:
    """Returns the rows of all comparisons. Those that are new or failed wait for a worker. Raises NothingToCompare."""
    audits = audits_of(snapshots)
    if audits.nothing:
        raise NothingToCompare(audits.nothing)
    return [_request(each) for each in audits.comparisons]


def _request(comparison: Comparison) -> LeakAudit:
    (snapshot, partition), (other, other_partition) = comparison
    row: LeakAudit = claims.request(
        LeakAudit,
        snapshot=snapshot,
        partition=partition,
        other=other,
        other_partition=other_partition,
        edition=EDITION,
    )
    return row


def stop_audits(snapshots: Sequence[Snapshot], *, by: User) -> bool:
    """Stops the comparisons that are under way; what is counted stays. Returns False if there were none."""
    rows = LeakAudit.objects.filter(pk__in=[row.pk for row in audits_of(snapshots).under_way])
    return claims.stop(rows, "What was counted stays; you can count the others at any time.", by=by.code)


def carry_out_audit(
    audit_id: int,
    row: LeakAudit | None = None,
    progress: Callable[[str], None] = lambda text: None,
    known: dict[Place, Part] | None = None,
) -> LeakAudit:
    """Counts a requested comparison, or one whose worker died. Returns the row with its counts.

    `known`: parts that need not be read again; what is read is added. Raises what jobs.claims.carry_out does, and
    DamagedFiles.
    """
    try:
        claims.carry_out(
            LeakAudit,
            audit_id,
            lambda claim: claim.finish(data=asdict(_count(claim, {} if known is None else known))),
            row=row,
            progress="reading the files",
            expected=(DamagedFiles,),
            tell=progress,
        )
    except InOtherHands as elsewhere:
        if elsewhere.row.status != LeakAudit.DONE:
            raise
    found: LeakAudit = LeakAudit.objects.select_related("snapshot__corpus", "other__corpus").get(pk=audit_id)
    return found


def count_here(snapshots: Sequence[Snapshot], tell: Callable[[str], None]) -> None:
    """Counts in this process what is not counted yet. Each part is read once. Raises what carry_out_audit does."""
    known: dict[Place, Part] = {}
    for comparison, stored in audits_of(snapshots).comparisons.items():
        if stored is None or stored.status != LeakAudit.DONE:
            row = _request(comparison)  # only now, or a worker would take those that wait here
            tell(f"Counting {row}")
            carry_out_audit(row.pk, progress=tell, known=known)


def _count(claim: Claim, known: dict[Place, Part]) -> Leak:
    ours, theirs = places = claim.row.places
    unread = [place for place in places if place not in known]
    manifests = {snapshot: whole_manifest(snapshot.folder, str(snapshot)) for snapshot, _ in unread}
    totals = [manifests[snapshot]["files"][PARTITION_FILES[name]]["lines"] or 0 for snapshot, name in unread]
    before = 0
    for place, total in zip(unread, totals, strict=True):

        def tell(done: int, place: Place = place, total: int = total, before: int = before) -> None:
            share = READING * (before + done) / max(1, sum(totals))
            claim.report(f"{_name(place)}: {done:,} of {total:,} pairs read", share)

        known[place] = read_part(place, tell)
        before += total
    begun = READING if unread else 0
    return compared(
        known[ours],
        known[theirs],
        lambda share: claim.report("looking for near duplicates", begun + (1 - begun) * share),
    )


def leaks(snapshots: list[Snapshot], partition: str, most: int) -> Table:
    """Returns the stored counts, a row for each two parts; `partition` is ignored."""
    columns = (
        Column("part"),
        Column("compared with"),
        Column("pairs", kind="count"),
        Column("same pair", kind="count"),
        Column("same premise", kind="count"),
        Column("same hypothesis", kind="count"),
        Column("same prompt", kind="count"),
        Column("same group", kind="count"),
        Column("near duplicates", kind="count"),
        Column("such as"),
    )
    audits = audits_of(snapshots)
    rows = [list[Value]([*map(_name, row.places), *astuple(Leak(**(row.data or {})))]) for row in audits.done]
    return plain(LEAKS, "What parts have in common", columns, rows[:most], tuple(_notes(audits)))


def _notes(audits: Audits) -> Iterator[str]:
    yield (
        "How many pairs of the part have a pair, premise, hypothesis, prompt (id of the premise) or group that the other"
        " part has, too. Letters' case and white space do not count."
    )
    yield (
        f"Near duplicate: no identical pair, but one with {SIMILAR:.0%} or more of the same three-word sequences in premise"
        " and hypothesis (Jaccard similarity; candidates by MinHash)."
    )
    if audits.state:
        yield audits.state


def _name(place: Place) -> str:
    snapshot, partition = place
    return f"{snapshot} {partition}"
