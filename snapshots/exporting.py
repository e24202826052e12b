"""Exports that are kept on the server, so that REST and pages can give their files out.

A worker makes them when they are asked for. They stand in EXPORT_ROOT, outside the snapshot's own folder, and can be
made again at any time: the same snapshot with the same datasheet gives the same bytes.
"""

import hashlib
import json
import shutil
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction

from snapshots.claims import WAITING, Claim, ClaimLost, ask_again, fault
from snapshots.file_formats import EDITION, FORMATS, ExportError, UnknownFormat, export
from snapshots.manifest import answers_of, folder_of
from snapshots.models import ExportedFile, Snapshot, SnapshotExport, Work
from snapshots.planning import SnapshotError
from snapshots.tally import file_sha256

# The snapshot's own files are given out as they are.
OWN = "jsonl"
MADE = tuple(name for name in FORMATS if name != OWN)
# Nothing is heard of an export while its files are written; 433,000 pairs take less than a minute.
STALE_AFTER = timedelta(minutes=15)


class ExportInProgress(SnapshotError):
    def __init__(self, row: SnapshotExport) -> None:
        super().__init__(f"{row} is being made ({row.progress}).")


class ExportFailed(SnapshotError):
    """There are no files; asking again starts it anew. The message says why."""


def export_folder(row: SnapshotExport) -> Path:
    """Where the files of an export stand. Its parts come from the database, never from a request."""
    snapshot = row.snapshot
    return (
        Path(settings.EXPORT_ROOT)
        / snapshot.corpus.slug
        / str(snapshot.version)
        / f"{row.format}-{row.basis[:12]}"
    )


def basis_of(answers: Mapping[str, str]) -> str:
    """The hash of what decides an export's bytes beside the snapshot itself."""
    told = json.dumps([EDITION, sorted(answers.items())])
    return hashlib.sha256(told.encode()).hexdigest()


def current_exports(snapshot: Snapshot) -> dict[str, SnapshotExport]:
    """Format -> the export with today's answers, of those that were asked for. Files are loaded."""
    rows = SnapshotExport.objects.filter(snapshot=snapshot, basis=basis_of(answers_of(snapshot)))
    return {row.format: row for row in rows.select_related("snapshot__corpus").prefetch_related("files")}


def request_export(*, snapshot: Snapshot, format_name: str) -> SnapshotExport:
    """The row of this format with today's answers; a new or a failed one, or one whose files are lost, waits for a worker.

    Raises UnknownFormat, SnapshotError (not frozen).
    """
    if format_name not in MADE:
        raise UnknownFormat(format_name)
    if snapshot.status != Snapshot.Status.FROZEN:
        raise SnapshotError(f"{snapshot} is not frozen yet: there is nothing to export.")
    row, _ = SnapshotExport.objects.get_or_create(
        snapshot=snapshot,
        format=format_name,
        basis=basis_of(answers_of(snapshot)),
        defaults={"progress": WAITING},
    )
    if row.status == Work.Status.DONE and not _is_whole(row):
        lost = SnapshotExport.objects.filter(pk=row.pk, status=Work.Status.DONE)
        lost.update(status=Work.Status.FAILED, error="Its files were lost.")
        row.refresh_from_db()
    ask_again(row)
    return row


def carry_out_export(*, export_id: int) -> SnapshotExport:
    """Makes the files of an export that was asked for, or takes up one whose worker died; returns the row.

    Raises ExportInProgress, ExportFailed, SnapshotExport.DoesNotExist.
    """
    row = SnapshotExport.objects.select_related("snapshot__corpus").get(pk=export_id)
    if row.status == Work.Status.DONE:
        return row
    claim = None
    try:
        claim = Claim(row, progress="writing the files", stale_after=STALE_AFTER)
        return _made(row, claim)
    except ClaimLost:
        row.refresh_from_db()
        if row.status == Work.Status.DONE:
            return row
        raise ExportInProgress(row) from None
    except Exception as error:
        told = str(error) if isinstance(error, ExportError) else fault(error)
        if claim:
            claim.fail(told)
        raise ExportFailed(told) from error


def _made(row: SnapshotExport, claim: Claim[SnapshotExport]) -> SnapshotExport:
    snapshot, folder = row.snapshot, export_folder(row)
    answers = answers_of(snapshot)
    if basis_of(answers) != row.basis:
        raise ExportError("The datasheet has been answered anew since this was asked for. Ask again.")
    shutil.rmtree(folder, ignore_errors=True)
    names = export(folder_of(snapshot), str(snapshot), row.format, folder, answers)
    with transaction.atomic():
        row.files.all().delete()
        ExportedFile.objects.bulk_create(
            ExportedFile(
                export=row,
                name=name,
                sha256=file_sha256(folder / name),
                size=(folder / name).stat().st_size,
            )
            for name in names
        )
        claim.finish()
    _forget_older(row)
    return row


def _forget_older(row: SnapshotExport) -> None:
    """Exports of the same format with earlier answers; whoever is reading such a file reads it to its end."""
    older = SnapshotExport.objects.filter(snapshot=row.snapshot, format=row.format).exclude(pk=row.pk)
    for each in older.exclude(status=Work.Status.WORKING).select_related("snapshot__corpus"):
        shutil.rmtree(export_folder(each), ignore_errors=True)
        each.delete()


def _is_whole(row: SnapshotExport) -> bool:
    folder = export_folder(row)
    try:
        return all((folder / file.name).stat().st_size == file.size for file in row.files.all())
    except OSError:
        return False
