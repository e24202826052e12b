"""Strict reading of one table of a TOML file. Faults are gathered, so that all come out at once.

A reader of a key that is missing or wrong notes the fault and answers the default (or an empty value), so
that the reading can go on; the caller must look at `Faults.found` before it uses anything.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
MAX_SMALL = 32_767  # what a small whole number holds in every database

type_names = {str: "a text", bool: "true or false", int: "a whole number", float: "a number", list: "a list"}


class Faults:
    """The faults of one file, as sentences that name file, table and key."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[str] = []

    def add(self, table: str, what: str) -> None:
        self.found.append(": ".join(filter(None, (self.file, table, what))) + ".")

    def repeated(self, table: str, key: str, values: Iterable[str]) -> None:
        """A fault for each value that comes twice. Empty ones are faults already."""
        values = [value for value in values if value]
        for value in dict.fromkeys(values):
            if values.count(value) > 1:
                self.add(table, f'{key} "{value}" is there {values.count(value)} times; once is right')


class Table:
    """A table with its name, such as `[corpus]`, and the keys that were asked for."""

    def __init__(self, content: dict[str, Any], name: str, faults: Faults, is_there: bool = True) -> None:
        self.content, self.name, self.faults, self.is_there = content, name, faults, is_there
        self.asked: list[str] = []

    def fault(self, key: str, what: str) -> None:
        if self.is_there:
            self.faults.add(self.name, f"{key}: {what}")

    def text(self, key: str, *, default: str | None = None, longest: int = 100_000) -> str:
        """A text without white space at its ends; never empty unless the default is."""
        value = self._value(key, str, default)
        if value is None:
            return ""
        text = str(value).strip()
        if not text and default is None:
            self.fault(key, "is empty; write something there")
        if len(text) > longest:
            self.fault(key, f"is {len(text):,} characters long; at most {longest:,} are possible")
        if "\x00" in text:
            self.fault(key, "holds a NUL character; take it out")
        return text

    def slug(self, key: str = "slug", *, default: str | None = None) -> str:
        """A short name for addresses and commands."""
        text = self.text(key, default=default, longest=60)
        if text and not SLUG.fullmatch(text):
            self.fault(
                key, f'"{text}" must be small letters, digits and single hyphens, such as "face-to-face"'
            )
        return text

    def choice(self, key: str, choices: Sequence[str], *, default: str | None = None) -> str:
        """One of the choices. With none at all (an unknown scheme, a fault already) anything will do."""
        text = self.text(key, default=default)
        if text and choices and text not in choices:
            self.fault(key, f'"{text}" is none of {", ".join(choices)}')
        return text

    def whole(self, key: str, *, default: int, least: int = 0, most: int = MAX_SMALL) -> int:
        value = self._value(key, int, default)
        if value is None:
            return default
        if not least <= value <= most:
            self.fault(key, f"is {value}; it must be from {least} to {most}")
            return default
        return int(value)

    def flag(self, key: str, *, default: bool) -> bool:
        value = self._value(key, bool, default)
        return default if value is None else bool(value)

    def table(self, key: str, *, required: bool = False) -> "Table":
        """A table in this one; one that is not there is empty, and its missing keys are no further faults."""
        self.asked.append(key)
        value = self.content.get(key)
        if value is None and required:
            self.faults.add("", f"there is no [{key}] table; add it")
        if value is not None and not isinstance(value, dict):
            self.faults.add(self.name, f"{key} must be one table, [{key}]")
            value = None
        return Table(value or {}, f"{self.name} [{key}]".strip(), self.faults, is_there=value is not None)

    def tables(self, key: str) -> list["Table"]:
        """The tables of a list, such as [[prompts]], named by their slug or else by their place."""
        self.asked.append(key)
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            self.fault(key, f"must be a list of tables, [[{key}]]")
            return []
        return [
            Table(entry, f"{self.name} [[{key}]] {_name_of(entry, place)}".strip(), self.faults)
            for place, entry in enumerate(value, start=1)
        ]

    def covers(self, key: str, given: Sequence[str], wanted: Sequence[str]) -> None:
        """A fault for each wanted value that is missing from a list of tables, or is there twice."""
        self.faults.repeated(f"{self.name} [[{key}]]", "label", given)
        for label in wanted:
            if label not in given and self.is_there:
                self.fault(key, f'"{label}" is missing; add a table for it')

    def finish(self) -> None:
        """Faults for the keys that nobody asked for."""
        known = ", ".join(dict.fromkeys(self.asked))
        for key in self.content:
            if key not in self.asked:
                self.fault(key, f"unknown key; the keys here are: {known}")

    def _value(self, key: str, kind: type, default: Any) -> Any:
        self.asked.append(key)
        if key not in self.content:
            if default is None:
                self.fault(key, "is missing; add it")
            return default
        value = self.content[key]
        # True is an int to Python, but not to a reader of the file.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fault(
                key, f"must be {type_names[kind]}, not {type_names.get(type(value), 'a table or a date')}"
            )
            return None
        return value


def _name_of(entry: dict[str, Any], place: int) -> str:
    slug = entry.get("slug")
    return f'"{slug}"' if isinstance(slug, str) and slug else str(place)
