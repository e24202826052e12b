"""Changes the text of a corpus file so that it says something else, and leaves its comments and order as they are.

The standard library has no writer of TOML. A change is made at the lines of the key or table that it concerns; then the
text is read again, and where it does not say what was wanted (keys in braces, keys with dots), it is written anew.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from collection.corpora.corpus_file import Statement, statements_of, value_span
from schemas.base import Place
from schemas.toml_text import block_of, is_rows, toml_of, value_of


@dataclass(frozen=True)
class Edited:
    """A text. `is_rewritten`: it was written anew, without the comments and the order of the earlier one."""

    text: str
    is_rewritten: bool = False


def edited(text: str, wanted: Mapping[str, Any]) -> Edited:
    """Returns the text of valid TOML, changed to say `wanted`."""
    if tomllib.loads(text) == wanted:
        return Edited(text)
    try:
        changed = _Editor(text).changed(wanted)
        if tomllib.loads(changed) == wanted:
            return Edited(changed)
    except (_NotThere, tomllib.TOMLDecodeError):
        pass
    return Edited(toml_of(wanted), is_rewritten=True)


class _NotThere(Exception):
    """The place has no line of its own."""


class _Editor:
    """Collects what to replace in a text: (from, to, by what), at ends of lines but for values."""

    def __init__(self, text: str) -> None:
        self.text = text if text.endswith("\n") or not text else f"{text}\n"
        self.statements = statements_of(self.text)
        self.edits: list[tuple[int, int, str]] = []

    def changed(self, wanted: Mapping[str, Any]) -> str:
        self._table((), tomllib.loads(self.text), wanted)
        pieces, position = [], 0
        for start, end, by in sorted(self.edits, key=lambda edit: edit[:2]):
            if start < position:
                raise _NotThere  # two changes of the same lines
            pieces += [self.text[position:start], by]
            position = end
        return "".join(pieces) + self.text[position:]

    def _table(self, place: Place, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
        for key, value in old.items():
            if key not in new:
                for position in range(len(value)) if is_rows(value) else ():
                    self._remove((*place, key, position))
                if not is_rows(value):
                    self._remove((*place, key))
        for key, value in new.items():
            was, here = old.get(key), (*place, key)
            if was == value and type(was) is type(value):
                continue
            if isinstance(value, Mapping) and isinstance(was, Mapping):
                self._table(here, was, value)
            elif is_rows(value) and (was is None or is_rows(was)):
                self._rows(here, was or [], value)
            elif isinstance(value, Mapping):
                self._insert(self._end_of(place), block_of(_names(here), value, is_list=False))
            elif was is not None:
                self._replace(here, value)
            else:
                self._add(place, key, value)

    def _rows(self, place: Place, old: Sequence[Any], new: Sequence[Any]) -> None:
        steps = SequenceMatcher(a=[*map(_known_by, old)], b=[*map(_known_by, new)], autojunk=False)
        for _, first, last, new_first, new_last in steps.get_opcodes():
            for position, new_position in zip(range(first, last), range(new_first, new_last), strict=False):
                self._table((*place, position), old[position], new[new_position])
            kept = min(last - first, new_last - new_first)
            for position in range(first + kept, last):
                self._remove((*place, position))
            if added := new[new_first + kept : new_last]:
                end = (
                    self._begin_of((*place, 0))
                    if old and not last
                    else self._end_of((*place, last - 1) if old else place[:-1])
                )
                for row in added:
                    self._insert(end, block_of(_names(place), row, is_list=True))

    def _begin_of(self, place: Place) -> int:
        return self._found(place)[0].start

    def _end_of(self, place: Place) -> int:
        """Returns where the last line of a table and of all that is in it ends."""
        return self._found(place)[-1].end if place or self.statements else 0

    def _found(self, place: Place) -> list[Statement]:
        found = [each for each in self.statements if each.place[: len(place)] == place]
        if not found:
            raise _NotThere
        return found

    def _remove(self, place: Place) -> None:
        self.edits += [(each.start, each.end, "") for each in self._found(place)]

    def _replace(self, place: Place, value: Any) -> None:
        (found, *more) = self._found(place)
        if more or found.is_header:
            raise _NotThere
        start, end = value_span(self.text[found.start : found.end])
        self.edits.append((found.start + start, found.start + end, value_of(value)))

    def _add(self, place: Place, key: str, value: Any) -> None:
        """Adds a key after the last key of a table, which stands before the tables in it."""
        own = [
            each
            for each in self._found(place)
            if each.place == place or (not each.is_header and each.place[:-1] == place)
        ]
        if not own:
            raise _NotThere
        self._at(own[-1].end, f"{key} = {value_of(value)}\n")

    def _insert(self, position: int, block: str) -> None:
        self._at(position, f"\n{block}")

    def _at(self, position: int, text: str) -> None:
        self.edits.append((position, position, text))


def _names(place: Place) -> list[str]:
    return [step for step in place if isinstance(step, str)]


def _known_by(row: Mapping[str, Any]) -> str:
    """Returns by what a row is found again: its slug, or all that it says."""
    return str(row["slug"]) if row.get("slug") else json.dumps(row, sort_keys=True, default=str)
