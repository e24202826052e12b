"""Writes schemas as tables of the reference pages."""

import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

HEAD = ("| key | default | meaning |", "|---|---|---|")


def rows(model: type[BaseModel], without: Iterable[str] = ()) -> list[str]:
    """Return a row for each key of a model: name, default, meaning."""
    left_out = set(without)
    return [
        f"| `{key}` | {default_in_words(field)} | {field.description or ''} |".replace("|  |", "| |")
        for key, field in model.model_fields.items()
        if key not in left_out
    ]


def default_in_words(field: FieldInfo) -> str:
    """Return a default as people type it."""
    if field.is_required():
        return "needed"
    default: Any = field.default
    if default is None or default == () or not isinstance(default, str | bool | int | float):
        return "none"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f'`"{default}"`' if isinstance(default, str) else f"`{default}`"


def with_table(page: str, heading: str, table: Iterable[str]) -> str:
    """Return the page with the first table under this heading replaced. Raises ValueError if there is none."""
    start = page.index(f"\n{heading}\n")
    rest = page[start + 1 :]
    found = re.search(r"(?:^\|.*\n)+", rest, re.MULTILINE)
    following = re.search(r"^#+ ", rest[len(heading) :], re.MULTILINE)
    if found is None or (following and found.start() > len(heading) + following.start()):
        raise ValueError(f"There is no table under {heading}.")
    return page[: start + 1] + rest[: found.start()] + "\n".join(table) + "\n" + rest[found.end() :]
