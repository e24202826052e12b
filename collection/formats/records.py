"""The common form of an imported pair, and readers for the fields of a record."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence, Sized
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from collection.formats.lines import Row, type_names
from collection.texts import flaw_in

MAX_TEXT = 10_000  # characters of a sentence
MAX_ID = 200
MAX_GROUP = 300
# How a hypothesis was written -> the longest value.
WRITTEN = {
    "author_reason": MAX_TEXT,
    "arm": 60,
    "family": MAX_ID,
    "edited_from": MAX_TEXT,
    "edit_distance": 6,
}
BLANK: tuple[Any, ...] = (None, "", [], {})
NO_LABEL = frozenset({"", "-"})  # how published files write a missing label
# What is told of an import, by the name of its count.
SEVERAL, NONE, UNSURE, DISAGREE = "answers_left_out", "answers_without_label", "dont_know", "labels_disagree"
# What files call the published partitions, in small letters.
PARTITIONS = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("dev", "development", "trial", "val", "valid", "validation"), "dev"),
    "test": "test",
}
LETTERS = {"e": "entailment", "n": "neutral", "c": "contradiction"}  # nli3 as some files spell it


class Unreadable(Exception):
    """The record is invalid. The text says why, without the line's number."""


class RuledOut(Unreadable):
    """A rule of the format refuses the record."""


@dataclass(frozen=True, slots=True)
class ImportedPair:
    """One pair of a published file.

    labels: the individual labels by position; None for a missing one. If `has_author`, the first
        one is the author's, in an elicited corpus.
    author_label: the author's label if it is not among `labels`, because these are on another scale.
    annotators: who gave them, in the same order; empty if unknown. Codes are the file's own.
    published_label: the file's gold label; None if there is none. `has_gold`: whether the file has gold labels.
        `gold_stands`: it was decided beyond the votes, and is stored beside them.
    partition: the published partition that the line names; empty if it names none. `drawn`: it was drawn instead.
    parses: premise, premise binary, hypothesis, hypothesis binary; empty where the file has none.
    rows: of the file, which the pair was gathered from.
    told: what of the lines is not in the pair, or was changed, by the name of its count.
    metadata: facts about the origin of the pair, stored as they came; values as in JSON.
    gold_source: of a snapshot's line: how its gold label was decided (nli.gold.SOURCES); waiting: how many
        of its seats waited, if it says so. reasons: position -> the reason
        for that label. answers: all other answers, with the keys of nli.answers.
    sets: names of the sets in which the pair is put. author_reason, arm, family, edited_from, edit_distance, advice_seen,
        model_tries, model_answer, twin_answer: as in a line of a snapshot.
    unread: how often keys that are not kept have a value.
    """

    line: int
    premise: tuple[str, ...]
    hypothesis: str
    premise_id: str = ""
    pair_id: str = ""
    genre: str = ""
    group: str = ""
    document: str = ""
    labels: tuple[str | None, ...] = ()
    has_author: bool = False
    author_label: str | None = None
    author: str = ""
    annotators: tuple[str, ...] = ()
    published_label: str | None = None
    has_gold: bool = False
    gold_stands: bool = False
    partition: str = ""
    drawn: bool = False
    parses: tuple[str, str, str, str] = ("", "", "", "")
    metadata: Mapping[str, Any] | None = None
    gold_source: str = ""
    waiting: int = 0
    reasons: Mapping[int, str] = field(default_factory=dict)
    answers: tuple[Mapping[str, Any], ...] = ()
    sets: tuple[str, ...] = ()
    author_reason: str = ""
    arm: str = ""
    family: str = ""
    edited_from: str = ""
    edit_distance: int = 0
    advice_seen: bool = False
    model_tries: int = 0
    model_answer: str = ""
    twin_answer: str = ""
    rows: int = 1
    told: Mapping[str, int] = field(default_factory=dict)
    unread: Mapping[str, int] = field(default_factory=dict)

    @property
    def left_out(self) -> int:
        """Returns how many answers name several labels; `labels` has none of these."""
        return self.told.get(SEVERAL, 0)


def storable(what: str, text: str, longest: int = MAX_TEXT) -> str:
    """Returns the text. Raises Unreadable for what databases cannot store: NUL, lone surrogates, very long texts."""
    if len(text) > longest:
        raise Unreadable(f"{what} is {len(text):,} characters long; the limit is {longest:,}")
    if "\x00" in text:
        raise Unreadable(f"{what} contains a NUL character; remove it")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise Unreadable(
                f"{what} holds half of a character (a lone surrogate); type the character again"
            ) from None
    return text


def required(record: dict[str, Any], key: str) -> None:
    if key not in record:
        raise Unreadable(f'there is no "{key}"')


def required_text(record: dict[str, Any], key: str) -> str:
    """Returns a required string, which may be empty."""
    required(record, key)
    return storable(f'"{key}"', _string(record[key], key))


def non_empty_text(record: dict[str, Any], key: str) -> str:
    """Returns a required string that is not blank."""
    text = required_text(record, key)
    if not text.strip():
        raise Unreadable(f'"{key}" is empty')
    return text


def optional_text(record: dict[str, Any], key: str, longest: int = MAX_ID) -> str:
    """Returns a string, or a whole number as a string; empty if the key is missing or null."""
    value = record.get(key)
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return storable(f'"{key}"', _string(value, key), longest).strip()


def optional_name(record: dict[str, Any], key: str, longest: int = MAX_ID) -> str:
    """Returns an id, or another name that stands in addresses and lists; empty if the key is missing or null."""
    name = optional_text(record, key, longest)
    if flaw := flaw_in(name):
        raise Unreadable(f"the {key} {name[:80]!r} {flaw}")
    return name


def how_written(record: dict[str, Any], columns: Mapping[str, str | None]) -> dict[str, Any]:
    """Returns what of WRITTEN a record says. `columns`: each of these -> its column, None without one. Raises Unreadable."""
    there = {name: column for name, column in columns.items() if column is not None and column in record}
    found: dict[str, Any] = {name: optional_text(record, there[name], WRITTEN[name]) for name in there}
    distance = found.get("edit_distance", "")
    if distance and not distance.isdecimal():
        raise Unreadable(f'"{there["edit_distance"]}" is no number of words, but "{distance}"')
    found["edit_distance"] = int(distance or 0)
    if found.get("edited_from") and not distance:
        raise Unreadable(f'"{there["edited_from"]}" has no "edit_distance" beside it')
    return found


def sentences(record: dict[str, Any], key: str) -> tuple[str, ...]:
    """Returns a premise: a string, or a list of strings; none of them empty."""
    if key not in record:
        raise Unreadable(f'there is no "{key}"')
    value = record[key]
    found = tuple(value) if isinstance(value, list) else (value,)
    if not found:
        raise Unreadable(f'"{key}" is an empty list')
    for sentence in found:
        if not storable(f'"{key}"', _string(sentence, key)).strip():
            raise Unreadable(f'"{key}" is empty')
    return found


def label(value: object, key: str) -> str | None:
    """Returns a label as the file spells it. Numbers become strings."""
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    text = storable(f'"{key}"', _string(value, key), MAX_ID)
    return None if text in NO_LABEL else text


def letter_label(value: object, key: str) -> str | None:
    """Returns a label of nli3 from its first letter; `x` is a missing label."""
    found = label(value, key)
    return None if found == "x" else LETTERS.get(found or "", found)


def labels(record: dict[str, Any], key: str) -> tuple[str | None, ...]:
    """Returns a list of labels; empty if the key is missing or null. A missing label is None."""
    return tuple(label(value, key) for value in listed(record, key))


def codes(record: dict[str, Any], key: str) -> tuple[str, ...]:
    """Returns a list of annotators' codes; empty if the key is missing or null."""
    return tuple(optional_text({key: value}, key) for value in listed(record, key))


def same_length(first: str, labels: Sized, second: str, annotators: Sized) -> None:
    """Raises Unreadable if annotators are named, but not one for each label."""
    if len(annotators) and len(annotators) != len(labels):
        raise Unreadable(f'"{first}" has {len(labels)} entries, but "{second}" has {len(annotators)}')


def unread(record: dict[str, Any], known: AbstractSet[str]) -> Counter[str]:
    """Returns how often keys that are not in `known` have a value. Where `known` names `a.b`, the rest of `a` counts.

    Of gathered records, other values than the first's are not kept either.
    """
    found = Counter[str]()
    for key in record.keys() - known:
        parts = leaves(key, record[key]) if any(each.startswith(f"{key}.") for each in known) else ()
        for name, value in parts or [(key, record[key])]:
            if name not in known and value not in BLANK:
                found[printable(name)] += 1
    if isinstance(record, Row):
        found.update({printable(key): times for key, times in record.more.items() if key not in known})
        found.update({printable(key): times for key, times in record.other.items() if key in known})
    return found


def leaves(name: str, value: Any) -> list[tuple[str, Any]]:
    """Returns the values in objects, and in lists of objects, with their names: `a.b`."""
    if isinstance(value, dict):
        return [leaf for key, each in value.items() for leaf in leaves(f"{name}.{key}", each)]
    if isinstance(value, list) and any(isinstance(each, dict) for each in value):
        return [leaf for each in value for leaf in leaves(name, each)]
    return [(name, value)]


def rows_of(record: dict[str, Any]) -> int:
    """Returns of how many rows of the file the record is."""
    return max(1, record.rows) if isinstance(record, Row) else 1


def told(record: dict[str, Any]) -> Counter[str]:
    """Returns what its reader did to the record."""
    return Counter(record.told) if isinstance(record, Row) else Counter()


def partition(record: dict[str, Any], key: str) -> str:
    """Returns the published partition; empty if the record names none."""
    name = optional_text(record, key)
    if name and name.lower() not in PARTITIONS:
        raise Unreadable(f'"{key}" must be one of {", ".join(PARTITIONS)}, not "{name}"')
    return PARTITIONS[name.lower()] if name else ""


def metadata(record: dict[str, Any], keys: Sequence[str]) -> dict[str, Any] | None:
    """Returns the values of these keys as they came; None if there are none."""
    found = {key: record[key] for key in keys if key in record}
    for key, value in found.items():
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        except ValueError:
            raise Unreadable(f'"{key}" is NaN or Infinity; write a number') from None
        storable(f'"{key}"', text.replace("\\u0000", "\x00"))
    return found or None


def printable(key: str) -> str:
    """Returns the key in characters that every terminal and database accepts."""
    return key.encode(errors="backslashreplace").decode() or "(a column without a name)"


def listed(record: dict[str, Any], key: str) -> list[Any]:
    """Returns a list; empty if the key is missing or null."""
    value = record.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise Unreadable(f'"{key}" must be a list, not {_named(value)}')
    return value


def _string(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise Unreadable(f'"{key}" must be a string, not {_named(value)}')
    return value


def _named(value: object) -> str:
    return type_names.get(type(value), "a number")
