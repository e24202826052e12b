"""Guesses the format of a file by its columns, or a map for a file of no known format."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from collection.formats.field_errors import FieldError, option
from collection.formats.lines import BadLine, Record, packed
from collection.formats.maps import SPELLINGS, column_map, label_map
from collection.formats.records import PARTITIONS, ImportedPair, leaves
from collection.formats.registry import FORMATS, ImportFormat
from collection.formats.tables import WITHOUT_HEADER, any_records, container_of
from nli.labels import SCHEMES

LOOKED_AT = 100  # records
LINES_TRIED = 2000  # in search of a pair
# Field -> what files call its column, in small letters, the likelier first.
NAMES = {
    field: tuple(names.split())
    for field, names in {
        "premise": "premise sentence1 sentence_1 sentence_a context text1 text s1 text_a prem",
        "hypothesis": "hypothesis sentence2 sentence_2 sentence_b statement text2 s2 text_b hypo",
        "label": "gold_label label gold relation entailment_judgment judgment answer",
        "labels": "annotator_labels labels",
        "annotators": "annotator_ids worker_ids annotators",
        "id": "id pairid pair_id uid guid",
        "premise_id": "promptid premise_id",
        "genre": "genre",
        "group": "group",
        "partition": "partition split",
    }.items()
}
# Columns that say who gave the answer of a line, in small letters.
PEOPLE = (
    *("worker", "worker_id", "workerid", "annotator", "annotator_id", "annotatorid", "user", "user_id"),
    *("judge", "rater", "participant"),
)
AUTHORS = {"author", "author_label", "writer_label"}  # columns that tell an author's label from votes
JUDGED = "judged"  # the protocol of pairs without an author
NUMBER = re.compile(r"\d+")
MOSTLY = 0.9  # of a column's values are labels: the others may be words for none


@dataclass(frozen=True)
class Guess:
    """A format for a file. `options`: what a researcher would choose for it, by the names of fields.

    `scheme` and `protocol` are those of a corpus that is to be made.
    """

    form: ImportFormat
    options: Mapping[str, str | bool]
    scheme: str = ""
    protocol: str = ""

    @property
    def typed(self) -> str:
        """Returns the options of a command."""
        named = self.options.items()
        return " ".join(option(name) if value is True else f"{option(name)} {value}" for name, value in named)


def sniffed(path: Path) -> Guess:
    """Returns the format of a file. Raises FieldError where its columns or labels say too little."""
    if why := packed(path):
        raise FieldError(f"{why}.")
    container = container_of(path)
    if container == "xml":
        for name in ("rte", "fracas"):
            if _fits(FORMATS[name], path):
                return Guess(FORMATS[name], {"format": name})
        raise FieldError(
            f"{path.name} is XML, but neither PASCAL RTE nor FraCaS; only these two can be imported from XML."
        )
    looked = list(islice(any_records(path), LOOKED_AT))
    found = [item for item in looked if not isinstance(item, BadLine)]
    keys = list(dict.fromkeys(key for _, record in found for key in record))
    if not keys and _fits(FORMATS["varierr"], path):
        return Guess(FORMATS["varierr"], {"format": "varierr"})
    marked = [form for form in FORMATS.values() if form.is_marked(keys, [record for _, record in found])]
    for form in sorted(marked, key=lambda each: -len(each.mark)):
        if _fits(form, path):
            return Guess(form, {"format": form.name})
    bad = next((item for item in looked if isinstance(item, BadLine)), None)
    if bad and not found:
        raise FieldError(
            f"{path.name} holds no table and no JSON that can be read: line {bad.line}: {bad.reason}."
        )
    return _mapped(path.name, FORMATS[container], keys, found)


def _fits(form: ImportFormat, path: Path) -> bool:
    """Returns whether the first lines hold a pair with labels of the format's scheme."""
    looked = islice(form.read(path), LINES_TRIED)
    known = SCHEMES.get(form.scheme or "")
    return any(
        isinstance(item, ImportedPair) and (known is None or _labels(item) <= set(known)) for item in looked
    )


def _labels(pair: ImportedPair) -> set[str]:
    return {label for label in (*pair.labels, pair.published_label) if label is not None}


def _mapped(name: str, form: ImportFormat, keys: list[str], found: list[Record]) -> Guess:
    """Returns the plain format with a map of columns that have common names."""
    small = {key.lower(): key for key in reversed(keys)}
    columns = {
        field: next((small[name] for name in names if name in small), None) for field, names in NAMES.items()
    }
    listed = ", ".join(keys) or "none that can be read"
    bare = " If these are no names, number the columns: premise=1,hypothesis=2,label=3."
    for field in ("premise", "hypothesis"):
        if columns[field] is None:
            raise FieldError(
                f"The columns of {name} fit no known format, and none of them is named like {field}. Choose the format"
                f" {form.name} and name the columns: premise=...,hypothesis=...,label=... The columns are: {listed}."
                f"{bare if form.name in WITHOUT_HEADER else ''}",
                "columns",
            )
    records = [record for _, record in found]
    columns["partition"] = columns["partition"] or _partitions(records, keys)
    column = columns["label"] or columns["labels"]
    scheme, labels = _label_map(name, form.name, _map_text(columns), column, records)
    if scheme and not columns["labels"]:
        taken = {column for column in columns.values() if column}
        columns["labels"] = "+".join(votes := _votes(name, records, taken, SPELLINGS[scheme]))
        labels = ",".join(filter(None, (labels, _renamed(records, votes, SPELLINGS[scheme], labels))))
    if scheme:
        _check_unread(name, form.name, records, columns)
    gathers = not columns["labels"] and _is_of_answers(name, form.name, records, columns, small)
    # Nothing says that the first of several votes is an author's, as it is in an elicited corpus.
    protocol = JUDGED if columns["labels"] and not AUTHORS.intersection(small) else ""
    text = _map_text(columns)
    proposed: dict[str, str | bool] = {
        "format": form.name,
        "columns": text,
        "label_map": labels,
        "scheme": scheme,
        "protocol": protocol,
        "gather": gathers,
    }
    made = form.mapped(column_map(text), label_map(labels) if labels else None)
    if gathers:
        made = made.gathering()
    return Guess(made, {name: value for name, value in proposed.items() if value}, scheme, protocol)


def _map_text(columns: Mapping[str, str | None]) -> str:
    return ",".join(f"{field}={column}" for field, column in columns.items() if column)


def _partitions(records: Iterable[dict[str, Any]], keys: Iterable[str]) -> str | None:
    """Returns the column in which all values are names of partitions."""
    for key in keys:
        values = {str(record[key]).strip().lower() for record in records if record.get(key)}
        if values and values <= PARTITIONS.keys():
            return key
    return None


def _votes(
    name: str, records: Iterable[dict[str, Any]], taken: Set[str], spelled: Mapping[str, str]
) -> tuple[str, ...]:
    """Returns the columns that hold labels beside the label: numbered ones of one name, or one of lists."""
    lists, values = set(), defaultdict[str, list[str]](list)
    for record in records:
        for key, value in (leaf for column in record for leaf in leaves(column, record[column])):
            if isinstance(value, list):
                lists.add(key)
            values[key] += [text for each in _listed(value) if (text := str(each).strip().lower())]
    groups = defaultdict[str, list[str]](list)
    for key, given in values.items():
        are_labels = given and sum(each in spelled for each in given) >= MOSTLY * len(given)
        if key not in taken and are_labels and (key in lists or NUMBER.search(key)):
            groups[key if key in lists else NUMBER.sub("#", key)].append(key)
    found = [
        tuple(sorted(group, key=lambda each: [int(number) for number in NUMBER.findall(each)]))
        for first, group in groups.items()
        if first in lists or len(group) > 1
    ]
    if len(found) > 1:
        groups_ = "; ".join("+".join(group) for group in found)
        raise FieldError(
            f"{name}: several columns look like votes beside the label ({groups_}). Name those that are, by labels=...,"
            " or name the format.",
            "columns",
        )
    return found[0] if found else ()


def _check_unread(
    name: str,
    form: str,
    records: Sequence[dict[str, Any]],
    columns: Mapping[str, str | None],
) -> None:
    """Raises FieldError where a column that is not read holds the label's words, or counts of them, beside the label."""
    taken = {part for column in columns.values() if column for part in column.split("+")}
    given = defaultdict[str, list[str]](list)
    for record in records:
        for key, value in record.items():
            if key not in taken:
                given[key] += map(str.lower, _words_in(value))
    label = [str(record.get(columns["label"] or "") or "").strip().lower() for record in records]
    for key, words in given.items():
        labels = [word for word in words if word in label and not word.isdigit()]
        if labels and len(labels) >= MOSTLY * len(words) and words != label:
            raise FieldError(
                f"{name}: the column {key} holds labels, and is not read. If these are votes, choose the format {form} and"
                f" name them beside the other columns, such as {_map_text(columns)},labels=...; to leave {key} out, choose"
                " that format without it.",
                "columns",
            )


def _words_in(value: Any) -> Iterator[str]:
    """Yields the words in a value: of a list each, of an object what stands under a label's name, or its label."""
    if isinstance(value, dict):
        counts = all(isinstance(each, int | float) for each in value.values())
        yield from value if counts else _words_in(value.get("label"))
    elif isinstance(value, list):
        for each in value:
            yield from _words_in(each)
    elif isinstance(value, str) and value.strip():
        yield value.strip()


def _listed(value: Any) -> list[Any]:
    return [each for each in (value if isinstance(value, list) else [value]) if each is not None]


def _renamed(
    records: Iterable[dict[str, Any]], votes: Iterable[str], spelled: Mapping[str, str], done: str
) -> str:
    """Returns the map of labels that only votes have, in another spelling."""
    there = {entry.partition("=")[0] for entry in done.split(",")}
    given = {str(each).strip() for record in records for key in votes for each in _listed(record.get(key))}
    new = sorted(each for each in given - there if spelled.get(each.lower(), each) != each)
    return ",".join(f"{each}={spelled[each.lower()]}" for each in new)


def _is_of_answers(
    name: str,
    form: str,
    records: Iterable[dict[str, Any]],
    columns: dict[str, str | None],
    small: Mapping[str, str],
) -> bool:
    """Returns whether each line is one person's answer, whose column it then notes.

    Raises FieldError where lines with the same texts and id have other labels and nothing says whose.
    """
    label, of_pair = columns["label"], [columns[field] for field in ("id", "premise", "hypothesis")]
    given = defaultdict[tuple[str, ...], list[str]](list)
    for record in records if label else ():
        given[tuple(str(record.get(key or "")) for key in of_pair)].append(str(record.get(label or "")))
    if all(len(answers) == 1 for answers in given.values()):
        return False
    person = next((small[each] for each in PEOPLE if each in small), None)
    if person:
        columns["annotators"] = person
        return True
    if any(len(set(answers)) > 1 for answers in given.values()):
        raise FieldError(
            f"{name}: lines with the same texts have other labels. If each line is one person’s answer, choose “gather”"
            f" with the format {form} and the columns {_map_text(columns)}, and name the column of people as annotators."
            " Else mend the file."
        )
    return False


def _label_map(
    name: str, form: str, columns: str, column: str | None, records: Iterable[dict[str, Any]]
) -> tuple[str, str]:
    """Returns the scheme of the labels, and a map of those with other spellings."""
    values: set[str] = set()
    for record in records:
        value = record.get(column) if column else None
        values |= {str(each).strip() for each in (value if isinstance(value, list) else [value])}
    values -= {"", "-", "None"}
    for scheme, spelled in SPELLINGS.items():
        if values and all(value.lower() in spelled for value in values):
            changed = sorted(value for value in values if spelled[value.lower()] != value)
            return scheme, ",".join(f"{value}={spelled[value.lower()]}" for value in changed)
    if values:
        shown = ", ".join(sorted(values)[:10])
        raise FieldError(
            f'{name}: the labels in "{column}" are unknown ({shown}). Choose the format {form} and the columns {columns},'
            f" and say what they mean: {sorted(values)[0]}=...,",
            "label_map",
        )
    return "", ""
