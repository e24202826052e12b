"""Request exports, write them in a worker, and store them on the server, where pages and REST send their files.

They are in EXPORT_ROOT, outside the snapshot's folder, and can be written again at any time: the same snapshot with the
same datasheet gives the same bytes.
"""

import hashlib
import json
import shutil
from collections.abc import Mapping

from django.db import transaction

from jobs import claims
from jobs.claims import Claim, InOtherHands
from snapshots.errors import SnapshotError
from snapshots.exports.formats import EDITION, FORMATS, UnknownFormat, export
from snapshots.exports.limits import ExportError
from snapshots.files.draft_folders import draft_of, put_in_place
from snapshots.files.hashes import file_sha256
from snapshots.files.reading import DamagedFiles
from snapshots.models import ExportedFile, Snapshot, SnapshotExport, Work

# The snapshot's own files: no export is needed.
OWN = "jsonl"
MADE = tuple(name for name in FORMATS if name != OWN)


def basis_of(answers: Mapping[str, str]) -> str:
    """Returns the hash of an export's other inputs: the formats' edition and the datasheet's answers."""
    text = json.dumps([EDITION, sorted(answers.items())])
    return hashlib.sha256(text.encode()).hexdigest()


def current_exports(snapshot: Snapshot) -> dict[str, SnapshotExport]:
    """Returns the requested exports with today's answers, by format, with their files."""
    rows = SnapshotExport.objects.filter(snapshot=snapshot, basis=basis_of(snapshot.datasheet_answers()))
    return {row.format: row for row in rows.select_related("snapshot__corpus").prefetch_related("files")}


def request_export(*, snapshot: Snapshot, format_name: str) -> SnapshotExport:
    """Returns the row of a format with today's answers. If it is new, failed, or its files are lost, it waits for a worker.

    Raises UnknownFormat, SnapshotError (not frozen).
    """
    if format_name not in MADE:
        raise UnknownFormat(format_name)
    if snapshot.status != Snapshot.Status.FROZEN:
        raise SnapshotError(f"{snapshot} is not frozen yet, so it cannot be exported.")
    basis = basis_of(snapshot.datasheet_answers())
    row: SnapshotExport = claims.request(SnapshotExport, snapshot=snapshot, format=format_name, basis=basis)
    if row.status == Work.Status.DONE and not _is_whole(row):
        claims.ask_again(row, Work.Status.DONE)
    return row


def carry_out_export(export_id: int, row: SnapshotExport | None = None) -> SnapshotExport:
    """Writes the files of a requested export, or of one whose worker died. Returns the row.

    Raises what jobs.claims.carry_out does, ExportError, DamagedFiles.
    """
    try:
        claims.carry_out(
            SnapshotExport,
            export_id,
            _make,
            row=row,
            progress="writing the files",
            expected=(ExportError, DamagedFiles),
        )
    except InOtherHands as elsewhere:
        if elsewhere.row.status != Work.Status.DONE:
            raise
    return SnapshotExport.objects.select_related("snapshot__corpus").get(pk=export_id)


def _make(claim: Claim) -> None:
    row: SnapshotExport = claim.row
    snapshot, folder = row.snapshot, row.folder
    answers = snapshot.datasheet_answers()
    if basis_of(answers) != row.basis:
        raise ExportError("The datasheet has new answers since this export was requested. Request it again.")
    with draft_of(folder) as draft:
        made = draft / "made"
        names = export(snapshot.folder, str(snapshot), row.format, made, answers)
        files = [
            ExportedFile(
                export=row, name=name, sha256=file_sha256(made / name), size=(made / name).stat().st_size
            )
            for name in names
        ]
        with transaction.atomic():
            # Locks the row: if two workers believe that they hold the claim, one of them stores its files.
            claim.finish()
            row.files.all().delete()
            ExportedFile.objects.bulk_create(files)
            shutil.rmtree(folder, ignore_errors=True)
            put_in_place(made, folder)
    _delete_older(row)


def _delete_older(row: SnapshotExport) -> None:
    """Deletes exports of the same format with earlier answers. A download that has begun can still finish."""
    older = SnapshotExport.objects.filter(snapshot=row.snapshot, format=row.format).exclude(pk=row.pk)
    for each in older.exclude(status=Work.Status.WORKING).select_related("snapshot__corpus"):
        shutil.rmtree(each.folder, ignore_errors=True)
        each.delete()


def _is_whole(row: SnapshotExport) -> bool:
    folder = row.folder
    try:
        return all((folder / file.name).stat().st_size == file.size for file in row.files.all())
    except OSError:
        return False
