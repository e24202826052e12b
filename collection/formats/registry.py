"""The formats in which files of pairs can be imported, by name.

A format is a reader of records with a column map and a label map, or with a small function from a record to an
`ImportedPair`; each is one table in `formats.toml`. The lines of a file come out one by one, as pairs or as
`BadLine`s with a reason.
"""

import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from collection.formats.answer_lines import (
    add_one_records,
    block_records,
    gathered,
    gathered_explanations,
    gathered_veridicality,
    read_varierr,
    scitail_records,
    varierr_records,
)
from collection.formats.field_errors import FieldError
from collection.formats.lines import BadLine, Record, elements, json_array_records, json_records
from collection.formats.maps import FieldMap, LabelMap, label_map
from collection.formats.published_records import (
    anli_records,
    dnc_records,
    mpe_records,
    read_chaosnli,
    read_dnc,
    read_mpe,
    read_snli,
    read_snli_table,
)
from collection.formats.records import ImportedPair, RuledOut, Unreadable, printable, rows_of
from collection.formats.snapshot import facts_beside, read_snapshot_line, snapshot_records
from collection.formats.tables import WITHOUT_HEADER, any_records, csv_records, table_records, tsv_records
from nli.manifest import PartitionSeats
from shared.portions import portions

PORTION = 2000  # records between two words about the progress
PEEKED = 100  # records among which each column that the researcher named must occur


@dataclass(frozen=True)
class ImportFormat:
    """How to read a file, and the settings of a new corpus for it.

    fields: column map and label map; or `read_record`, if a map is not enough.
    scheme, protocol: None if a file of this format fits corpora of any.
    question_scheme: of the main question's labels, if it is not the corpus's.
    genre: of the pairs, unless a line names another. language: of a new corpus.
    question, wordings: the question that people were asked, and its words for the labels; empty: ours.
    seats, threshold, gold_rule: of a new corpus's main question; None: our defaults. partitions: those with seats and a
    threshold of their own.
    genres: name, register and in_training of genres that the import makes, by slug. questions: columns of questions beside
    the main one, by slug. corpus: description, licence and made_for_demo of a new corpus.
    people: the corpus whose name stands before the codes of annotators, and codes that have one already keep theirs;
    None: that of the import. simulated: codes of people of the file who are a simulated crowd.
    ids_repeat: several pairs of a file may have one id; the second gets `~2` at its end, the third `~3`.
    ids_of_file: ids are numbers within a file; one that a pair of another file has gets the file's name before it.
    left_behind: what the file beside the pairs says and no import keeps, for the report.
    facts: reads values for the fields above from a file beside the pairs.
    gathers: makes pairs' records of all records of a file, before the first pair. tell: hears how far this is.
    has_rounds: the file says which of its labels were asked for later, beyond the seats.
    mark: columns by which a file of this format is recognised; `a|b`: one of the two. marked_values: for formats that
    share their columns, what all values of a column must contain.
    """

    name: str
    about: str
    records: Callable[[Path], Iterator[Record | BadLine]]
    fields: FieldMap | None = None
    read_record: Callable[[int, dict[str, Any]], ImportedPair] | None = None
    mark: frozenset[str] = frozenset()
    marked_values: Mapping[str, str] = field(default_factory=dict)
    scheme: str | None = None
    protocol: str | None = None
    question_scheme: str | None = None
    genre: str = "all"
    language: str = "en"
    question: str = ""
    wordings: Mapping[str, str] = field(default_factory=dict)
    seats: int | None = None
    threshold: int | None = None
    gold_rule: str | None = None
    partitions: Mapping[str, PartitionSeats] = field(default_factory=dict)
    genres: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    questions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    corpus: Mapping[str, Any] = field(default_factory=dict)
    people: str | None = None
    simulated: frozenset[str] = frozenset()
    left_behind: frozenset[str] = frozenset()
    ids_repeat: bool = False
    ids_of_file: bool = False
    has_rounds: bool = False
    facts: Callable[[Path], dict[str, Any]] | None = None
    gathers: Callable[[Iterator[Record | BadLine]], Iterator[Record | BadLine]] | None = None
    tell: Callable[[str], None] = lambda text: None

    def knowing(self, path: Path) -> "ImportFormat":
        """Returns the format with the facts from the file beside this one. Raises ValueError for an invalid file."""
        return replace(self, **self.facts(path)) if self.facts else self

    def is_marked(self, keys: Collection[str], records: Collection[Mapping[str, Any]]) -> bool:
        """Returns whether these columns, and the values in them, identify the format."""
        return (
            bool(self.mark)
            and all(not set(each.split("|")).isdisjoint(keys) for each in self.mark)
            and all(
                part in str(record.get(key)) for record in records for key, part in self.marked_values.items()
            )
        )

    def mapped(self, columns: Mapping[str, tuple[str, ...]], labels: LabelMap | None) -> "ImportFormat":
        """Returns the format with other columns or labels. Raises FieldError for one that has no map."""
        if not columns and labels is None:
            return self
        if self.fields is None:
            raise FieldError(
                f"The format {self.name} has its own columns and labels; “columns” and “label map” go with jsonl, tsv,"
                " csv and the formats that are such maps."
            )
        fields = self.fields.with_columns(columns) if columns else self.fields
        named = [column for given in columns.values() for column in given]
        has_header = not named or not all(column.isdecimal() for column in named)
        return replace(
            self,
            fields=fields.with_labels(labels) if labels else fields,
            records=self.records if has_header else WITHOUT_HEADER.get(self.name, self.records),
        )

    def gathering(self) -> "ImportFormat":
        """Returns the format for files with an answer on each line. Raises FieldError for one that has no plain label."""
        labels = self.fields and (self.fields.columns.get("label") or self.fields.columns.get("labels"))
        if self.fields is None or self.gathers or not labels or len(labels) > 1:
            raise FieldError(
                f"it goes with jsonl, json, tsv, csv and one column of labels, not with {self.name}.",
                "gather",
            )
        fields, person = self.fields, ""
        if "annotators" in fields.named:
            (person,) = fields.columns["annotators"]
        left = {
            name: columns for name, columns in fields.columns.items() if name not in ("label", "annotators")
        }
        columns = {**left, "labels": labels, **({"annotators": (person,)} if person else {})}
        answers = replace(fields, columns=columns, has_author=False, splits=False)
        return replace(self, fields=answers, gathers=gathered(fields.pair_in, labels[0], person))

    def read(self, path: Path) -> Iterator[ImportedPair | BadLine]:
        """Yields the pairs of a file in their order; an invalid line comes as a BadLine.

        Raises FieldError if a column that the researcher named does not exist.
        """
        found = self.gathers(self.told(path)) if self.gathers else self._records(path)
        if self.fields and self.fields.named:
            first = list(islice(found, PEEKED))
            if peeked := [item[1] for item in first if not isinstance(item, BadLine)]:
                self.fields.check(peeked)
            found = chain(first, found)
        read = self.fields.read if self.fields else self.read_record
        assert read is not None
        for item in found:
            if isinstance(item, BadLine):
                yield item
                continue
            line, record = item
            try:
                yield read(line, record)
            except Unreadable as problem:
                keys, meant = tuple(map(printable, record)), isinstance(problem, RuledOut)
                yield BadLine(line, str(problem), keys, rows=rows_of(record), meant=meant)

    def _records(self, path: Path) -> Iterator[Record | BadLine]:
        """Yields the records of a file, with what named columns find inside objects."""
        if not (self.fields and self.fields.dotted):
            yield from self.records(path)
            return
        for item in self.records(path):
            yield item if isinstance(item, BadLine) else (item[0], self.fields.with_inner(item[1]))

    def told(self, path: Path) -> Iterator[Record | BadLine]:
        """Yields the records of a file of which all must be read before the first pair, and tells how far it is."""
        for portion in portions(self._records(path), PORTION):
            yield from portion
            last = portion[-1]
            line = last.line if isinstance(last, BadLine) else last[0]
            self.tell(f"{path.name}: line {line:,}, looked through before the first pair")


FORMATS_FILE = Path(__file__).with_name("formats.toml")
READS: dict[str, Callable[[Path], Iterator[Record | BadLine]]] = {
    "json": json_records,
    "json_array": json_array_records,
    "tsv": tsv_records,
    "csv": csv_records,
    "table": table_records,
    "any": any_records,
    "pair elements": elements("pair"),
    "problem elements": elements("problem"),
    "mpe": mpe_records,
    "anli": anli_records,
    "scitail": scitail_records,
    "add_one": add_one_records,
    "block": block_records,
    "varierr": varierr_records,
    "dnc": dnc_records,
    "snapshot": snapshot_records,
}
PAIRS: dict[str, Callable[[int, dict[str, Any]], ImportedPair]] = {
    "snli": read_snli,
    "snli_table": read_snli_table,
    "mpe": read_mpe,
    "chaosnli": read_chaosnli,
    "varierr": read_varierr,
    "dnc": read_dnc,
    "snapshot_line": read_snapshot_line,
}
GATHERS = {  # by format
    "mega-veridicality": gathered_veridicality,
    "livenli": gathered(("uid",), "multilabel", "worker_id"),
    "litex": gathered_explanations,
}


def _formats() -> dict[str, ImportFormat]:
    data = tomllib.loads(FORMATS_FILE.read_text(encoding="utf-8"))
    given = data["formats"]
    return {
        name: _format(name, {**given.get(entry.pop("like", ""), {}), **entry}, data["labels"])
        for name, entry in given.items()
    }


def _format(name: str, given: dict[str, Any], labels: Mapping[str, Mapping[str, str]]) -> ImportFormat:
    """Returns the format of a table of the file. `labels`: the maps that a table can name."""

    def taken(*keys: str) -> dict[str, Any]:
        return {key: given.pop(key) for key in keys if key in given}

    fields = None
    if "columns" in given:
        columns = {field: tuple(text.split("+")) for field, text in given.pop("columns").items()}
        found = given.pop("labels", {})
        words = labels[found] if isinstance(found, str) else found
        ranges = label_map(given.pop("ranges")).ranges if "ranges" in given else ()
        meant = LabelMap(
            {theirs: ours or None for theirs, ours in words.items()},
            ranges,
            **taken("refused", "several", "gap"),
        )
        fields = FieldMap(columns, meant, **taken("splits", "has_author", "alone"))
    return ImportFormat(
        name=name,
        records=READS[given.pop("reads")],
        fields=fields,
        read_record=PAIRS[given.pop("pair")] if "pair" in given else None,
        mark=frozenset(given.pop("mark", ())),
        gathers=GATHERS.get(name),
        facts=facts_beside if name == "snapshot" else None,
        **given,
    )


FORMATS = _formats()
