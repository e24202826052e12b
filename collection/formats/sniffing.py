"""Guesses the format of a file by its columns, or a map for a file of no known format."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from collection.formats.field_errors import option
from collection.formats.lines import BadLine, Record, packed
from collection.formats.maps import BadMap, column_map, label_map
from collection.formats.records import ImportedPair
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


@dataclass(frozen=True)
class Guess:
    """A format for a file. `options`: what a researcher would choose for it, by the names of fields."""

    form: ImportFormat
    options: Mapping[str, str]
    scheme: str = ""

    @property
    def typed(self) -> str:
        """Returns the options of a command."""
        return " ".join(f"{option(name)} {value}" for name, value in self.options.items())


def sniffed(path: Path) -> Guess:
    """Return the format of a file. Raises BadMap where its columns or labels say too little."""
    if why := packed(path):
        raise BadMap("{0}.", why)
    container = container_of(path)
    if container == "xml":
        for name in ("rte", "fracas"):
            if _fits(FORMATS[name], path):
                return Guess(FORMATS[name], {"format": name})
        raise BadMap(
            "{0} is XML, but neither PASCAL RTE nor FraCaS; only these two can be imported from XML.",
            path.name,
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
        raise BadMap(
            "{0} holds no table and no JSON that can be read: line {1}: {2}.", path.name, bad.line, bad.reason
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
            raise BadMap(
                "The columns of {0} fit no known format, and none of them is named like {1}. Name the columns:"
                " {format} {2} {columns} premise=...,hypothesis=...,label=... The columns are: {3}.{4}",
                *(name, field, form.name, listed, bare if form.name in WITHOUT_HEADER else ""),
            )
    text = ",".join(f"{field}={column}" for field, column in columns.items() if column)
    column = columns["label"] or columns["labels"]
    scheme, labels = _label_map(name, form.name, text, column, (record for _, record in found))
    proposed = {"format": form.name, "columns": text, "label_map": labels, "scheme": scheme}
    made = form.mapped(column_map(text), label_map(labels) if labels else None)
    return Guess(made, {name: value for name, value in proposed.items() if value}, scheme)


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
        raise BadMap(
            '{0}: the labels in "{1}" are unknown ({2}). Say what they mean:'
            " {format} {3} {columns} {4} {label_map} {5}=...,",
            *(name, column, shown, form, columns, sorted(values)[0]),
        )
    return "", ""
