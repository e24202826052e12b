"""Column maps and label maps: which columns a file has, and what its labels mean.

Most published formats are only such maps. For any other file, a researcher gives one on the command line.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from difflib import get_close_matches
from functools import cached_property
from itertools import pairwise
from typing import Any

from collection.formats import records
from collection.formats.field_errors import FieldError
from collection.formats.lines import Row
from collection.formats.records import MAX_GROUP, ImportedPair, RuledOut, Unreadable
from nli.labels import SCHEMES

# Field -> whether it can have several columns.
FIELDS: dict[str, bool] = {
    "premise": True,
    "hypothesis": False,
    "label": False,
    "author_label": False,
    "labels": True,
    "author": False,
    "annotators": True,
    "genre": False,
    "id": False,
    "premise_id": False,
    "group": False,
    "document": False,
    "partition": False,
    "metadata": True,
    **dict.fromkeys(records.WRITTEN, False),
}
# Scheme -> its labels as files spell them, in small letters.
SPELLINGS = {
    "nli3": {
        **dict.fromkeys(("entailment", "entails", "e"), "entailment"),
        **dict.fromkeys(("neutral", "unknown", "n"), "neutral"),
        **dict.fromkeys(("contradiction", "contradicts", "c"), "contradiction"),
    },
    "entailed2": {
        **dict.fromkeys(("entailed", "entailment", "entails", "yes", "true"), "entailed"),
        **dict.fromkeys(
            ("not-entailed", "not_entailed", "not_entailment", "non-entailment", "neutral", "no", "false"),
            "not-entailed",
        ),
    },
    "ordinal5": {label: label for label in SCHEMES["ordinal5"]},
}
NUMBER = r"[+-]?\d+(?:\.\d+)?"
RANGE = re.compile(rf"({NUMBER})(?:-|\.\.)({NUMBER})")
BETWEEN = re.compile(r"[,;|]")
AROUND = " \t[]'\""


class Several(Unreadable):
    """An answer names several labels."""


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers from `low` to `high`, both included, and the label that they stand for."""

    low: Decimal
    high: Decimal
    label: str | None


@dataclass(frozen=True)
class LabelMap:
    """The meaning of a file's labels.

    words: label of the file -> ours; None: no label. refused: label of the file -> why pairs with it are refused.
    several: the separator of labels in an answer that names more than one. A number is rounded to as many decimals
    as the bounds of the ranges have, halves away from zero, and then looked up in the ranges. gap: why a number in none of
    them has no label, by the format's rule.
    """

    words: Mapping[str, str | None] = field(default_factory=dict)
    ranges: tuple[Range, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    several: str = ""
    gap: str = ""

    @property
    def targets(self) -> set[str]:
        """Returns the labels that the map gives."""
        return {label for label in (*self.words.values(), *(each.label for each in self.ranges)) if label}

    def read(self, value: object, key: str) -> str | None:
        """Returns our label. Raises Unreadable for a refused label, or a number outside all ranges."""
        if self.ranges and isinstance(value, float):
            value = repr(value)
        if isinstance(value, str):
            value = value.strip()
            if value in self.words:
                return self.words[value]
        found = records.label(value, key)
        if found is None:
            return None
        if self.several and self.several in found:
            raise Several(f'"{key}" names several labels ({found}); only single labels can be imported')
        if found in self.refused:
            raise RuledOut(self.refused[found])
        if self.ranges and (number := _number(found)) is not None:
            return self._ranged(number, found, key)
        return self.words.get(found, found)

    def _ranged(self, number: Decimal, text: str, key: str) -> str | None:
        step = min(_step(each) for each in self.ranges)
        rounded = number.quantize(step, ROUND_HALF_UP)
        for each in self.ranges:
            if each.low <= rounded <= each.high:
                return each.label
        if self.gap:
            raise RuledOut(self.gap)
        raise Unreadable(f'"{key}" is {text}, which is in no range of the label map')


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number) < 10**9 else None


def _step(each: Range) -> Decimal:
    """Returns the unit of the last decimal of a range's bounds."""
    exponents = (int(bound.as_tuple().exponent) for bound in (each.low, each.high))
    return Decimal(1).scaleb(min(0, *exponents))


def label_map(text: str) -> LabelMap:
    """Returns the map that a text like `1=contradiction,2-4=neutral,5=entailment` says. Raises FieldError."""
    words: dict[str, str | None] = {}
    ranges: list[Range] = []
    for entry in filter(None, (part.strip() for part in text.split(","))):
        theirs, equals, ours = (part.strip() for part in entry.partition("="))
        if not equals or not theirs:
            raise FieldError(
                f'"{entry}" is invalid; write label=label or low-high=label, such as 2-4=neutral.',
                "label_map",
            )
        if made := _range(theirs, ours or None):
            ranges.append(made)
        elif theirs in words:
            raise FieldError(f'the label "{theirs}" is there twice; name it once.', "label_map")
        else:
            words[theirs] = ours or None
    if not words and not ranges:
        raise FieldError("it is empty; write it like 1=contradiction,2-4=neutral,5=entailment.", "label_map")
    ranges.sort(key=lambda each: each.low)
    for one, other in pairwise(ranges):
        if other.low <= one.high:
            raise FieldError(
                f"the ranges {one.low}-{one.high} and {other.low}-{other.high} overlap.", "label_map"
            )
    return LabelMap(words, tuple(ranges))


def _range(text: str, label: str | None) -> Range | None:
    if (number := _number(text)) is not None:
        return Range(number, number, label)
    if (found := RANGE.fullmatch(text)) is None:
        return None
    low, high = Decimal(found[1]), Decimal(found[2])
    if low > high:
        raise FieldError(
            f'the range "{text}" begins above its end; write the lower number first.', "label_map"
        )
    return Range(low, high, label)


def column_map(text: str) -> dict[str, tuple[str, ...]]:
    """Returns field -> columns from a text like `premise=context,labels=label1+label2`. Raises FieldError."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, equals, given = (part.strip() for part in entry.partition("="))
        if not equals:
            raise FieldError(f'"{entry}" is invalid; write field=column, such as premise=context.', "columns")
        if name not in FIELDS:
            raise FieldError(f'there is no field "{name}"; the fields are: {", ".join(FIELDS)}.', "columns")
        if name in found:
            raise FieldError(f'the field "{name}" is there twice; name it once.', "columns")
        columns = tuple(filter(None, (column.strip() for column in given.split("+"))))
        if len(columns) > 1 and not FIELDS[name]:
            several = ", ".join(each for each, many in FIELDS.items() if many)
            raise FieldError(
                f'"{name}" takes one column, not {len(columns)}; several can go into {several}.', "columns"
            )
        if not columns and name in {"premise", "hypothesis"}:
            raise FieldError(f'"{name}" needs a column.', "columns")
        found[name] = columns
    return found


@dataclass(frozen=True)
class FieldMap:
    """Which columns contain a pair, and what their labels mean.

    columns: field -> its columns. `a|b` is the first of the two that a line has. Several columns of `premise` are
    its sentences. splits: whether a list's cell may be a text such as `2, 3, 3`. has_author: whether the first
    label is the author's. alone: whether a label without others is the author's, too. gold_stands: whether the gold
    label was decided beyond the labels beside it. named: fields that the researcher mapped, whose columns must be in the
    file. A column `a.b` is what stands under `b` in the object `a`, or in all objects of the list `a`.
    """

    columns: Mapping[str, tuple[str, ...]]
    labels: LabelMap = LabelMap()
    splits: bool = True
    has_author: bool = False
    alone: bool = False
    gold_stands: bool = False
    named: frozenset[str] = frozenset()

    def with_columns(self, given: Mapping[str, tuple[str, ...]]) -> "FieldMap":
        """Returns the map with other columns for some fields. A named column serves no other field."""
        taken = {column for columns in given.values() for column in columns}
        remaining = {
            name: tuple(column for column in columns if column not in taken)
            for name, columns in self.columns.items()
            if name not in given
        }
        columns = {**{name: found for name, found in remaining.items() if found}, **given}
        return replace(self, columns=columns, named=self.named | given.keys(), splits=True)

    def with_labels(self, given: LabelMap) -> "FieldMap":
        return replace(self, labels=given)

    @cached_property
    def dotted(self) -> list[str]:
        """Returns the columns that may be inside an object."""
        return [
            column for name in sorted(self.named) for column in self.columns.get(name, ()) if "." in column
        ]

    def with_inner(self, record: dict[str, Any]) -> dict[str, Any]:
        """Returns the record with what the columns `a.b` name."""
        found = dict(record)
        for column in self.dotted:
            key, _, path = column.partition(".")
            if column not in record and (value := _inside(record.get(key), path)) is not None:
                found[column] = value
        return found

    def check(self, found: Iterable[Mapping[str, Any]]) -> None:
        """Raises FieldError if a column that the researcher named is in none of the records."""
        names = (
            name
            for record in found
            for key in record
            for name, _ in ((key, 0), *records.leaves(key, record[key]))
        )
        there = list(dict.fromkeys(map(records.printable, names)))
        for name in FIELDS:
            for column in self.columns.get(name, ()) if name in self.named else ():
                if not set(column.split("|")).isdisjoint(there):
                    continue
                close = get_close_matches(column, there, 1)
                meant = f' Did you mean "{close[0]}"?' if close else ""
                raise FieldError(
                    f'{name}={column}: there is no column "{column}".{meant} The columns are: {", ".join(there)}.',
                    "columns",
                )
        for name in ("premise", "hypothesis"):
            if self.named and not self.columns.get(name):
                raise FieldError(
                    f'no column is left for "{name}"; name it. The columns are: {", ".join(there)}.',
                    "columns",
                )

    def read(self, line: int, record: dict[str, Any]) -> ImportedPair:
        """Returns the pair of a record. Raises Unreadable."""
        gold, split, told = self._one(record, "label"), self._one(record, "partition"), records.told(record)
        published = self._label(record[gold], gold, told) if gold else None
        labels = self._labels(record, told)
        annotators = self._list(record, "annotators", records.codes)
        author = self._text(record, "author")
        if (own := self._one(record, "author_label")) is not None:
            labels = (self._label(record[own], own, told), *labels)
            annotators = (author, *annotators) if annotators else ()
        elif self.alone and gold and not labels:
            labels = (published,)
        records.same_length(self._name("labels"), labels, self._name("annotators"), annotators)
        rows = record.rows if isinstance(record, Row) else 0
        if rows:  # the places of answers that were gathered mean nothing
            annotators = tuple(code for code, label in zip(annotators, labels, strict=False) if label)
            labels = tuple(filter(None, labels))
        return ImportedPair(
            line=line,
            premise=self._premise(record),
            hypothesis=self._hypothesis(record),
            premise_id=self._text(record, "premise_id"),
            pair_id=self._text(record, "id"),
            genre=self._text(record, "genre"),
            group=self._text(record, "group", MAX_GROUP),
            document=self._text(record, "document", MAX_GROUP),
            labels=labels,
            has_author=self.has_author,
            author=author,
            annotators=annotators,
            published_label=published,
            has_gold=gold is not None,
            gold_stands=self.gold_stands,
            partition=records.partition(record, split) if split is not None else "",
            metadata=records.metadata(record, self._there(record, "metadata")),
            **records.how_written(record, {name: self._one(record, name) for name in records.WRITTEN}),
            rows=rows or 1,
            told=told,
            unread=records.unread(record, self.columns_read(record)),
        )

    def _label(self, value: object, column: str, told: Counter[str]) -> str | None:
        """Returns our label. Counts an answer that names several, and one that the map takes for none."""
        try:
            found = self.labels.read(value, column)
        except Several:
            told[records.SEVERAL] += 1
            return None
        if found is None and str("" if value is None else value).strip() not in records.NO_LABEL:
            told[records.NONE] += 1
        return found

    def pair_in(self, record: dict[str, Any]) -> tuple[str, ...]:
        """Returns what tells the pair of a record from others: its texts and its id."""
        columns = (column for name in ("premise", "hypothesis", "id") for column in self._there(record, name))
        return tuple(str(record[column]) for column in columns)

    def columns_read(self, record: dict[str, Any]) -> set[str]:
        """Returns the columns of the record that go into the pair."""
        there = ((self._there(record, name), many) for name, many in FIELDS.items())
        return {column for columns, many in there for column in (columns if many else columns[:1])}

    def _there(self, record: dict[str, Any], name: str) -> list[str]:
        """Returns the columns of a field that the record has, in the map's order."""
        found = []
        for spelled in self.columns.get(name, ()):
            if spelled in record:
                found.append(spelled)
            elif "|" in spelled:
                found += [each for each in spelled.split("|") if each in record][:1]
        return found

    def _one(self, record: dict[str, Any], name: str) -> str | None:
        return next(iter(self._there(record, name)), None)

    def _name(self, name: str) -> str:
        return "+".join(self.columns.get(name, (name,)))

    def _text(self, record: dict[str, Any], name: str, longest: int = records.MAX_ID) -> str:
        column = self._one(record, name)
        return records.optional_text(record, column, longest) if column else ""

    def _premise(self, record: dict[str, Any]) -> tuple[str, ...]:
        columns = self._there(record, "premise")
        if len(columns) < len(self.columns["premise"]):
            lacking = next(each for each in self.columns["premise"] if not _has(record, each))
            raise Unreadable(_missing(lacking))
        if len(columns) == 1:
            return records.sentences(record, columns[0])
        texts = [records.required_text(record, column) for column in columns]
        found = tuple(text for text in texts if text.strip())
        if not found:
            raise Unreadable(" and ".join(f'"{column}"' for column in columns) + " are empty")
        return found

    def _hypothesis(self, record: dict[str, Any]) -> str:
        column = self._one(record, "hypothesis")
        if column is None:
            raise Unreadable(_missing(self.columns["hypothesis"][0]))
        return records.required_text(record, column)

    def _labels(self, record: dict[str, Any], told: Counter[str]) -> tuple[str | None, ...]:
        columns = self._there(record, "labels")
        if len(columns) == len(self.columns.get("labels", ())) == 1:
            values = [(value, columns[0]) for value in self._split(record, columns[0])]
        else:
            values = [(record[column], column) for column in columns]
        return tuple(self._label(value, column, told) for value, column in values)

    def _list(
        self, record: dict[str, Any], name: str, read: Callable[[dict[str, Any], str], tuple[str, ...]]
    ) -> tuple[str, ...]:
        columns = self._there(record, name)
        if len(columns) == len(self.columns.get(name, ())) == 1:
            return read({columns[0]: self._split(record, columns[0])}, columns[0])
        return tuple(records.optional_text(record, column) for column in columns)

    def _split(self, record: dict[str, Any], column: str) -> list[Any]:
        value = record.get(column)
        if self.splits and isinstance(value, str):
            return [part.strip(AROUND) for part in BETWEEN.split(value)] if value.strip(AROUND) else []
        return records.listed(record, column)


def _has(record: dict[str, Any], spelled: str) -> bool:
    return any(column in record for column in (spelled, *spelled.split("|")))


def _inside(value: Any, path: str) -> Any:
    """Returns what stands at `a.b` in the value; of a list of objects a list of all that stands there."""
    key, _, rest = path.partition(".")
    if isinstance(value, list):
        found = [_inside(each, path) for each in value]
        return [each for one in found for each in (one if isinstance(one, list) else [one])]
    inner = value.get(key) if isinstance(value, dict) else None
    return _inside(inner, rest) if rest else inner


def _missing(spelled: str) -> str:
    return "there is no " + " or ".join(f'"{each}"' for each in spelled.split("|"))
