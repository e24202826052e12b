"""`doctor`: checks every part of the installation and all rules of the data."""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.management.base import BaseCommand, CommandParser

from annotation_site.operation.health import ATTENTION, DOWN, OK, Part, all_parts, worst
from annotation_site.operation.invariants import INVARIANTS
from annotation_site.operation.settings_checks import settings_are_advisable
from snapshots.files.draft_folders import remove_abandoned
from snapshots.files.hashes import file_sha256
from snapshots.freezing.job import folders_without_row
from snapshots.models import Snapshot, SnapshotFile

NAMED = 5
MARKS = {OK: "ok       ", ATTENTION: "attention", DOWN: "DOWN     "}


class Command(BaseCommand):
    help = (
        "Checks every part of the installation, and counts rows that break a rule. Exits with 1 if something is"
        " down or broken, with 0 if something only needs attention."
    )
    requires_system_checks: list[str] = []  # its own part of the report

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")
        parser.add_argument(
            "--hashes", action="store_true", help="read the files of all snapshots to the last byte"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        # No web server is asked: this is none.
        parts = [*all_parts()[1:], settings_part(), training_part(), drafts_part()]
        rules = {}
        if not database_is_down(parts):
            parts += [folders_part(), files_part(hashes=options["hashes"])]
            rules = count_broken()
        state = DOWN if any(rules.values()) else worst(parts)
        if options["json"]:
            self.stdout.write(json.dumps(as_json(state, parts, rules)))
        else:
            self.write_report(parts, rules)
        if state == DOWN:
            sys.exit(1)

    def write_report(self, parts: list[Part], rules: dict[str, int]) -> None:
        for part in parts:
            self.stdout.write(f"{MARKS[part.state]}  {part.name}: {part.says}")
        for rule, broken in rules.items():
            if broken:
                self.stdout.write(f"{MARKS[DOWN]}  {rule}: broken {broken} times")
            else:
                self.stdout.write(f"{MARKS[OK]}  {rule}.")
        if not rules:
            self.stdout.write(f"{MARKS[DOWN]}  The rules were not checked. Repair the database first.")


def database_is_down(parts: list[Part]) -> bool:
    return any(part.name == "database" and part.state == DOWN for part in parts)


def count_broken() -> dict[str, int]:
    """Returns how many rows break each rule."""
    return {rule: rows.count() for rule, rows in INVARIANTS.items()}


def settings_part() -> Part:
    found = [*checks.run_checks(), *settings_are_advisable()]
    if not found:
        return Part("settings", OK, "The settings fit together.")
    says = " ".join(f"{message.msg} {message.hint or ''}".strip() + f" ({message.id})" for message in found)
    serious = any(message.is_serious() for message in found)
    return Part("settings", DOWN if serious else ATTENTION, says)


def training_part() -> Part:
    """Checks whether this environment can train. It looks for the packages without loading them."""
    missing = [name for name in ("torch", "numpy", "safetensors") if importlib.util.find_spec(name) is None]
    if missing:
        return Part("training", ATTENTION, f"{', '.join(missing)} not installed: other machines must train.")
    return Part("training", OK, "PyTorch is installed.")


def drafts_part() -> Part:
    """Deletes unfinished folders of freezes and exports whose process was killed."""
    folders = [*settings.SNAPSHOT_ROOT.glob("*/"), *settings.EXPORT_ROOT.glob("*/*/")]
    removed = sum(map(remove_abandoned, folders))
    if not removed:
        return Part("drafts", OK, "No killed freeze or export left anything behind.")
    summary = (
        "1 unfinished folder of a killed process was"
        if removed == 1
        else f"{removed} unfinished folders of killed processes were"
    )
    return Part("drafts", OK, f"{summary} removed.", {"removed": removed})


def folders_part() -> Part:
    """Reports snapshot folders without a row in the database, as after restoring an older backup."""
    found = folders_without_row()
    if not found:
        return Part("folders", OK, "Every snapshot folder has its row.", {"without_row": 0})
    names = some([f"{path.parent.name}/{path.name}" for path in found])
    says = (
        f"{len(found)} snapshot folder{'s' if len(found) > 1 else ''} without a row: {names}. Was the database "
        "restored from an older backup? Nothing deletes them; docs/how-to/operate.md says what to do."
    )
    return Part("folders", ATTENTION, says, {"without_row": len(found)})


def files_part(*, hashes: bool) -> Part:
    """Looks for files of frozen snapshots that are missing or damaged: by their length, or by their hash."""
    rows = SnapshotFile.objects.filter(snapshot__status=Snapshot.Status.FROZEN).select_related(
        "snapshot__corpus"
    )
    broken = [str(path) for row in rows if not is_whole(row, path := row.snapshot.folder / row.name, hashes)]
    if broken:
        says = f"{len(broken)} files of frozen snapshots are missing or damaged: {some(broken)}. Restore them from a backup."
        return Part("files", DOWN, says, {"broken": broken})
    says = (
        "have the hashes that were recorded" if hashes else "are there, at full length; --hashes reads them"
    )
    return Part("files", OK, f"All files of frozen snapshots {says}.", {"broken": []})


def is_whole(row: SnapshotFile, path: Path, hashes: bool) -> bool:
    if not path.is_file() or path.stat().st_size != row.size:
        return False
    return not hashes or file_sha256(path) == row.sha256


def some(names: list[str]) -> str:
    """Returns the first names, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def as_json(state: str, parts: list[Part], rules: dict[str, int]) -> dict[str, Any]:
    return {
        "status": state,
        "parts": {part.name: {"state": part.state, "says": part.says, **part.figures} for part in parts},
        "broken_rules": rules,
    }
