"""Compares rows with a corpus file, and describes each difference in a line."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from django.db import models

from schemas.base import Part

SHOWN = 60  # characters of an old or new value in a line


@dataclass
class Changes:
    """The changes by a file (`+` new, `-` gone, `~` different), notes, and errors."""

    lines: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def new(self, what: str) -> None:
        self.lines.append(("+", what))

    def gone(self, what: str) -> None:
        self.lines.append(("-", what))

    def different(self, what: str) -> None:
        self.lines.append(("~", what))

    def refuse(self, why: str) -> None:
        self.errors.append(why)


def note_fields(row: models.Model, wanted: dict[str, Any], name: str, changes: Changes) -> list[str]:
    """Adds a line for each column that differs. Returns their names."""
    differing = [key for key, value in wanted.items() if getattr(row, key) != value]
    for key in differing:
        changes.different(f"{name}: {key}: {_difference(getattr(row, key), wanted[key])}")
    return differing


def set_fields(row: models.Model, wanted: dict[str, Any], name: str, changes: Changes) -> None:
    """Writes the columns that differ, and adds a line for each."""
    differing = note_fields(row, wanted, name, changes)
    for key in differing:
        setattr(row, key, wanted[key])
    if differing:
        row.save(update_fields=differing)


def note_rows(
    manager: Any,
    parts: Sequence[Any],
    kind: type[Part],
    name: str,
    changes: Changes,
    names: dict[str, str] | None = None,
) -> bool:
    """Adds a line for each part that is new, gone or different. Returns whether there is any.

    `kind`: the schema of the parts. `names`: key of a part -> column, where they differ.
    """
    names = names or {}
    old = [
        # Not validated: old rows may be invalid under the schema of today.
        kind.model_construct(**{key: getattr(row, names.get(key, key)) for key in kind.model_fields})
        for row in manager.order_by("order")
    ]
    steps = SequenceMatcher(a=old, b=list(parts), autojunk=False).get_opcodes()
    for step, old_from, old_to, new_from, new_to in steps:
        before, after = old[old_from:old_to], parts[new_from:new_to]
        if step == "replace" and len(before) == len(after):
            for place, (one, other) in enumerate(zip(before, after, strict=True), start=new_from + 1):
                _note_part(f"{name} {place}", dict(one), dict(other), changes)
        elif step != "equal":
            for place, part in enumerate(before, start=old_from + 1):
                changes.gone(f"{name} {place}: {_shortened(part)}")
            for place, part in enumerate(after, start=new_from + 1):
                changes.new(f"{name} {place}: {_shortened(part)}")
    return old != list(parts)


def _note_part(name: str, old: dict[str, Any], new: dict[str, Any], changes: Changes) -> None:
    for key, value in old.items():
        if value != new[key]:
            changes.different(f"{name}: {key}: {_difference(value, new[key])}")


def replace_rows(manager: Any, parts: Sequence[Any], names: dict[str, str] | None = None) -> None:
    """Replaces all rows of a related manager by the parts, in their order."""
    names = names or {}
    manager.all().delete()
    manager.bulk_create(
        manager.model(
            **{manager.field.name: manager.instance},
            order=order,
            **{names.get(key, key): value for key, value in part},
        )
        for order, part in enumerate(parts)
    )


def _difference(old: Any, new: Any) -> str:
    """Returns both values; of long texts, only the part where they begin to differ."""
    if isinstance(old, str) and isinstance(new, str) and max(len(old), len(new)) > SHOWN:
        same = next(
            (n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
        )
        start = max(0, same - 15)
        return f"{_excerpt(old, start)} -> {_excerpt(new, start)}"
    return f"{_plain(old)} -> {_plain(new)}"


def _shortened(part: Any) -> str:
    return _excerpt(" / ".join(str(value) for value in dict(part).values() if value))


def _excerpt(text: str, start: int = 0) -> str:
    piece = " ".join(text[start : start + SHOWN].split())
    return f'"{"..." if start else ""}{piece}{"..." if start + SHOWN < len(text) else ""}"'


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
