"""Request a freeze, carry it out, stop it; find the folders of snapshots. A freeze is a job (jobs/).

The snapshot's folder gets its name only under a lock on the row, and only if the worker still holds the claim.
"""

import logging
import os
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, OperationalError, transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from collection.models import Corpus, Pair, Premise
from collection.models.querysets import refresh_planner
from jobs import claims
from jobs.claims import Claim, InOtherHands, JobFailed
from jobs.failures import is_transient
from shared.whole_numbers import why_no_seed
from snapshots.errors import SnapshotError
from snapshots.files.draft_folders import draft_of, put_in_place
from snapshots.files.reading import manifest_in
from snapshots.freezing.copying import consistent_read, copy_rows, delete_copied_rows, withhold_labels
from snapshots.freezing.plan import FreezePlan, check_hold_out, check_parsable, withheld_partitions
from snapshots.freezing.writing import Written, write
from snapshots.models import (
    Placement,
    Snapshot,
    SnapshotFile,
)
from snapshots.parses.attached_trees import trees_named
from snapshots.parses.stored_trees import derive_parses, installed_parser
from validation.models import Adjudication, Assignment, BatchItem, Label

logger = logging.getLogger(__name__)
COPIES_TRIED = 3


class EmptyCorpus(SnapshotError):
    def __init__(self, corpus: Corpus) -> None:
        super().__init__(f"{corpus.slug} has no pairs to freeze. Write or import some first.")


class FreezeInProgress(SnapshotError):
    """Another freeze of the corpus is under way. `snapshot` is its row, if it still exists."""

    def __init__(self, corpus: Corpus, snapshot: Snapshot | None) -> None:
        self.snapshot = snapshot
        state = f" ({snapshot}: {snapshot.progress or snapshot.get_status_display()})" if snapshot else ""
        super().__init__(f"A freeze of {corpus.slug} is under way{state}. Wait until it is done.")


class FreezeFailed(SnapshotError):
    """The freeze ended without a snapshot. A new request starts it again under the same number."""


def request_freeze(
    *,
    corpus: Corpus,
    seed: int = 0,
    dev_from_train: int = 0,
    author_disjoint: bool = False,
    derived_parses: bool = False,
    trees: str = "",
    by: User | None = None,
) -> Snapshot:
    """Creates the row of a freeze that waits for a worker; `freeze_snapshot` does the work.

    A failed freeze is requested again in its own row and keeps its number, unless a folder of that number exists. A new
    number is above those of all rows and all folders. derived_parses: derive parse trees for sentences without one;
    trees: or use those of this file, which `attach_trees` read.
    Raises SnapshotError for another seed than a column holds, EmptyCorpus, FreezeInProgress, HoldOutRefused, NotParsable.
    """
    if not Pair.objects.filter(corpus=corpus).to_freeze().exists():
        raise EmptyCorpus(corpus)
    if wrong := why_no_seed(seed):
        raise SnapshotError(wrong)
    check_hold_out(corpus, dev_from_train)
    if derived_parses:
        check_parsable(corpus)
    attached = trees_named(corpus, trees, derived_parses=derived_parses)
    asked: dict[str, Any] = {
        "seed": seed,
        "dev_from_train": dev_from_train,
        "author_disjoint": author_disjoint,
        "parser": installed_parser() if derived_parses else attached,
        "requested_by": by,
    }
    try:
        with transaction.atomic():
            newest = Snapshot.objects.filter(corpus=corpus).aggregate(version=Max("version"))["version"] or 0
            free = max(newest, highest_folder(corpus.slug)) + 1
            failed = Snapshot.objects.filter(corpus=corpus, status=Snapshot.Status.FAILED).first()
            if failed:
                if failed.folder.exists():
                    asked["version"] = free
                if claims.ask_again_where(Snapshot.objects.filter(pk=failed.pk), **asked):
                    failed.refresh_from_db()
                    return failed
            return Snapshot.objects.create(
                corpus=corpus, **{**claims.wanted(Snapshot), "version": free, **asked}
            )
    except IntegrityError:
        # Two requests at once: the constraint one_freeze_at_a_time, or that of the version, let one through.
        current = Snapshot.objects.under_way().filter(corpus=corpus).select_related("corpus").first()
        raise FreezeInProgress(corpus, current) from None


def stop_freeze(*, snapshot: Snapshot, by: User) -> Snapshot:
    """Ends a freeze that waits or is under way. Its worker stops at its next report or heartbeat.

    The parse trees that it derived stay stored, and the next freeze uses them. Raises SnapshotError if it is not under way.
    """
    again = "You can freeze again at any time."
    if not claims.stop(Snapshot.objects.filter(pk=snapshot.pk), again, by=by.code):
        raise SnapshotError("This freeze is no longer under way, so it cannot be stopped.")
    snapshot.refresh_from_db()
    return snapshot


def freeze_snapshot(*, snapshot_id: int, row: Snapshot | None = None) -> Snapshot:
    """Carries out a requested freeze, or one whose worker died. Returns the frozen snapshot.

    If nothing has changed since an earlier snapshot, returns that one, deletes this row and frees its number.
    Raises Snapshot.DoesNotExist, FreezeInProgress (another worker has claimed it), HoldOutRefused,
    FreezeFailed, jobs.claims.Interrupted.
    """
    try:
        frozen: Snapshot = claims.carry_out(
            Snapshot,
            snapshot_id,
            _freeze,
            row=row,
            progress="copying the pairs",
            expected=(SnapshotError,),
        )
        return frozen
    except JobFailed as error:
        raise FreezeFailed(str(error)) from error
    except InOtherHands as elsewhere:
        theirs: Snapshot = elsewhere.row
        if theirs.status == Snapshot.Status.FROZEN:
            return theirs
        if theirs.status == Snapshot.Status.FAILED:
            raise FreezeFailed(theirs.error) from None
        raise FreezeInProgress(theirs.corpus, theirs) from None


def work(snapshot_id: int, row: Snapshot) -> None:
    """Carries out a freeze that a worker claimed; does nothing if the claim is lost."""
    try:
        freeze_snapshot(snapshot_id=snapshot_id, row=row)
    except FreezeInProgress as error:
        logger.info("%s", error)


def forget_freeze(row: Snapshot) -> None:
    """Deletes the rows and placements of a failed freeze. Runs in the caller's transaction."""
    delete_copied_rows(row)
    # A placement is final only once its snapshot exists: the next freeze may draw with another seed.
    Placement.objects.filter(first_snapshot=row).delete()


def _freeze(claim: Claim) -> Snapshot:
    snapshot: Snapshot = claim.row
    planned = _copy(claim)
    claim.report("pairs copied", at_once=True)
    if snapshot.parser is not None and snapshot.parser.source_id is None:
        derive_parses(snapshot, claim.report)
    targets = snapshot.folder, snapshot.sealed_folder
    with ExitStack() as stack:
        draft = stack.enter_context(draft_of(targets[0]))
        sealed = stack.enter_context(draft_of(targets[1])) if planned.withheld else draft
        written = write(snapshot, planned, draft, sealed, claim.report)
        return _complete(claim, (draft, sealed), targets, written)


def _copy(claim: Claim) -> FreezePlan:
    """Copies the rows in one transaction, which is rolled back if the claim was lost in the meantime.

    An earlier worker may still be copying the same rows. A copy that fails for that reason is tried again.
    """
    # Before the transaction, as its locks last as long. A database that does not know how many pairs there are, after
    # rows were loaded in bulk, may count the votes of all pairs again for each: 3,000 pairs took minutes.
    refresh_planner(Premise, Pair, Label, Adjudication, Assignment, BatchItem)
    for tried in range(1, COPIES_TRIED + 1):
        try:
            with consistent_read():
                planned = copy_rows(claim.row)
                claim.confirm()
                return planned
        except (IntegrityError, OperationalError) as error:
            claim.report("copying the pairs", at_once=True)
            if tried == COPIES_TRIED or not (isinstance(error, IntegrityError) or is_transient(error)):
                raise
    raise AssertionError("unreachable")


def _complete(
    claim: Claim, drafts: tuple[Path, Path], targets: tuple[Path, Path], written: Written
) -> Snapshot:
    """Gives the folders their names and the row its hash, under a lock on the row and with the claim still held.

    The second folder has the full files of withheld partitions. Raises SnapshotError if others are withheld by now.
    """
    with transaction.atomic():
        locked = Snapshot.objects.select_for_update(no_key=True, of=("self",)).select_related("corpus")
        row: Snapshot | None = locked.held_as(claim.row).first()
        if row is None:
            raise claims.ClaimLost(str(claim.row))
        Corpus.objects.select_for_update(no_key=True).get(pk=row.corpus_id)  # `withhold` and `lift` wait here
        if withheld_partitions(row.corpus) != written.withheld:
            raise SnapshotError("What is withheld changed during the freeze. Freeze again.")
        withhold_labels(row, written.withheld)
        same = Snapshot.objects.frozen().filter(corpus=row.corpus, sha256=written.sha256).first()
        if same is not None:
            _delete_unchanged(row, same)
            return Snapshot.objects.select_related("corpus").get(pk=same.pk)
        _record(claim, written)
        if written.withheld:
            if targets[1].exists():  # of a freeze that died, or of a newer database than this one
                os.replace(targets[1], _aside(targets[1], "unknown"))
            put_in_place(drafts[1], targets[1])
            targets[1].chmod(0o700)
        give_name(drafts[0], targets[0], written.sha256)
    row.refresh_from_db()
    return row


def _delete_unchanged(row: Snapshot, same: Snapshot) -> None:
    """Deletes a new snapshot with the same content as `same`; its number is free again."""
    Placement.objects.filter(first_snapshot=row).update(first_snapshot=same)
    delete_copied_rows(row)
    row.delete()


def _record(claim: Claim, written: Written) -> None:
    SnapshotFile.objects.bulk_create(
        SnapshotFile(snapshot=claim.row, name=file.name, sha256=file.sha256, size=file.size, lines=file.lines)
        for file in written.files
    )
    claim.finish(sha256=written.sha256, pair_count=written.pairs, frozen_at=timezone.now())


def highest_folder(slug: str) -> int:
    """Returns the highest number of a corpus's snapshot folders, 0 if there are none; `2.lost-...` counts as 2.

    A folder has no row if the database was restored from a backup that is older than the folder.
    """
    names = (path.name.partition(".")[0] for path in (Path(settings.SNAPSHOT_ROOT) / slug).glob("[0-9]*"))
    return max((int(name) for name in names if name.isdecimal()), default=0)


def folders_without_row() -> list[Path]:
    """Returns the snapshot folders without a frozen snapshot in the database."""
    named = {row.folder for row in Snapshot.objects.frozen().select_related("corpus")}
    root = Path(settings.SNAPSHOT_ROOT)
    return sorted(path for path in root.glob("*/[0-9]*") if path.is_dir() and path not in named)


def give_name(draft: Path, target: Path, sha256: str) -> None:
    """Renames the draft to `target`, so that the folder is there whole or not at all.

    A folder of that name exists if a freeze died between its rename and its commit; then it has the same content
    and is deleted. If the database was restored from an older backup, the folder holds another snapshot, which
    somebody may have cited: it gets another name and is never deleted.
    """
    if target.exists():
        found = manifest_in(target)
        there = str(found.get("sha256") or "unknown") if found else "unknown"
        if there == sha256:
            shutil.rmtree(target)
        else:
            aside = _aside(target, there)
            os.replace(target, aside)
            logger.error(
                "%s already exists and is another snapshot (sha256 %s). It was renamed to %s. Was the database restored "
                "from a backup that is older than this folder?",
                target, there, aside,
            )  # fmt: skip
    put_in_place(draft, target)


def _aside(target: Path, sha256: str) -> Path:
    """Returns a free name beside `target`."""
    name = f"{target.name}.lost-{sha256[:12]}"
    names = [name, *(f"{name}-{number}" for number in range(2, 1000))]
    return next(path for path in map(target.with_name, names) if not path.exists())
