"""Takes the labels of a partition out of a snapshot that was frozen with them: files, rows, and what was counted of both."""

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from typing import cast

from nli.lines import FULL_FILES, MANIFEST, PARTITION_FILES, rule_of, text_alone
from nli.manifest import FORMAT, Manifest
from snapshots.errors import SnapshotError
from snapshots.files.caches import forget_cached
from snapshots.files.counts import LineCounts
from snapshots.files.draft_folders import draft_file
from snapshots.files.hashes import content_sha256, file_sha256, manifest_sha256
from snapshots.files.reading import lines, partitions, whole_manifest
from snapshots.freezing.copying import withhold_labels
from snapshots.freezing.manifest import counted, text_of
from snapshots.freezing.writing import HashedFile
from snapshots.models import ExportedFile, Snapshot, SnapshotExport, SnapshotFile, SnapshotStatistics

# What other apps made of a partition of a snapshot, and take back. They raise SnapshotError where they cannot.
FORGET: list[Callable[[Snapshot, str], None]] = []


def take_labels_out(snapshot: Snapshot, partition: str) -> None:
    """Leaves the texts alone in a frozen snapshot, in the transaction of the caller. The snapshot gets another hash.

    The files come first, and again after a failure: one that broke off has fewer labels than its rows, never more. Raises
    SnapshotError.
    """
    for forget in FORGET:
        forget(snapshot, partition)
    before = snapshot.sha256
    manifest = _rewritten(snapshot, partition)
    withhold_labels(snapshot, [partition])
    snapshot.sha256 = manifest["sha256"]
    snapshot.save(update_fields=["sha256"])
    for name in (PARTITION_FILES[partition], MANIFEST):
        path = snapshot.folder / name
        SnapshotFile.objects.filter(snapshot=snapshot, name=name).update(
            sha256=file_sha256(path), size=path.stat().st_size
        )
    SnapshotStatistics.objects.filter(snapshot=snapshot).delete()
    exports = SnapshotExport.objects.filter(snapshot=snapshot).select_related("snapshot__corpus")
    for export in exports:
        shutil.rmtree(export.folder, ignore_errors=True)
    ExportedFile.objects.filter(export__in=exports).delete()
    exports.delete()
    forget_cached(before)


def _rewritten(snapshot: Snapshot, partition: str) -> Manifest:
    """Moves the full file of a partition to where no address serves it, and writes texts and manifest anew."""
    manifest, folder = snapshot.read_manifest(), snapshot.folder
    if manifest is None or manifest["format"] != FORMAT:
        raise SnapshotError(
            f"The files of {snapshot} are missing or of an early format: nothing was withheld."
        )
    name, full = PARTITION_FILES[partition], FULL_FILES[partition]
    if full in manifest.get("withheld", {}):
        return manifest
    listed, sealed = manifest["files"][name], snapshot.sealed_folder / full
    if not sealed.is_file() or file_sha256(sealed) != listed["sha256"]:
        whole_manifest(folder, str(snapshot))
        sealed.parent.mkdir(parents=True, exist_ok=True)
        sealed.parent.chmod(0o700)
        with draft_file(sealed) as draft:
            shutil.copyfile(folder / name, draft)
    counts = LineCounts(rule_of(manifest["corpus"]))
    with draft_file(folder / name) as draft, ExitStack() as stack:
        texts = HashedFile(draft, stack)
        for part, file in partitions(manifest):
            for line in lines(sealed if part == partition else folder / file):
                kept = text_alone(line) if part == partition else line
                counts.add(part, kept)
                if part == partition:
                    texts.add(kept)
        written = texts.finish()
        draft.chmod(0o644)
    files = manifest["files"] | {
        name: {"sha256": written.sha256, "bytes": written.size, "lines": written.lines}
    }
    withheld = manifest.get("withheld", {}) | {full: listed}
    premises = {part: number["premises"] for part, number in manifest["partitions"].items()}
    changed = cast(Manifest, {
        **manifest, **counted(snapshot, counts, premises), "files": files, "withheld": withheld,
        "sha256": content_sha256({each: entry["sha256"] for each, entry in (files | withheld).items()}),
        "about": {**manifest["about"], "sha256_before": manifest["sha256"]},
    })  # fmt: skip
    changed["manifest_sha256"] = manifest_sha256(changed)
    with draft_file(folder / MANIFEST) as draft:
        draft.write_text(text_of(changed), encoding="utf-8")
        draft.chmod(0o644)
    return changed
