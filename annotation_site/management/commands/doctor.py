"""`doctor`: checks every part of the installation and all rules of the data."""

import importlib.util
import json
import sys
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.management.base import BaseCommand, CommandParser

from annotation_site.operation.health import ATTENTION, DOWN, OK, Part, all_parts, worst
from annotation_site.operation.invariants import INVARIANTS
from annotation_site.operation.settings_checks import settings_are_advisable
from snapshots.files.draft_folders import remove_abandoned
from snapshots.freezing.job import folders_without_row

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

    def handle(self, *args: Any, **options: Any) -> None:
        # No web server is asked: this is none.
        parts = [*all_parts()[1:], settings_part(), training_part(), drafts_part()]
        rules = {}
        if not database_is_down(parts):
            parts.append(folders_part())
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
    return {invariant.rule: invariant.broken() for invariant in INVARIANTS}


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
    names = ", ".join(f"{path.parent.name}/{path.name}" for path in found[:NAMED])
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    says = (
        f"{len(found)} snapshot folder{'s' if len(found) > 1 else ''} without a row: {names}{more}. Was the database "
        "restored from an older backup? Nothing deletes them; docs/how-to/operate.md says what to do."
    )
    return Part("folders", ATTENTION, says, {"without_row": len(found)})


def as_json(state: str, parts: list[Part], rules: dict[str, int]) -> dict[str, Any]:
    return {
        "status": state,
        "parts": {part.name: {"state": part.state, "says": part.says, **part.figures} for part in parts},
        "broken_rules": rules,
    }
