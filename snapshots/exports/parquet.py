"""Write Parquet files with a dataset card, Croissant metadata and a datasheet.

`datasets.load_dataset(FOLDER)` opens them with class labels. Pairs without a gold label are in a separate configuration,
`no_gold`: somebody would train on a class -1.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Self

from nli import answers
from nli.gold import Rule
from nli.labels import NO_GOLD
from nli.lines import Line, distribution, premises_of, rule_of, votes_in
from snapshots.exports.croissant import CROISSANT, croissant
from snapshots.exports.dataset_card import card
from snapshots.files.datasheet import DATASHEET, WithAnswers, datasheet
from snapshots.files.reading import by_portion, partitions

ROWS_AT_ONCE = 10_000
CARD = "README.md"
TEXTS = (
    "pairID",
    "promptID",
    "premise",
    "hypothesis",
    "gold_source",
    "author",
    "genre",
    "group",
    "prompt_version",
    "sentence1_parse",
    "sentence1_binary_parse",
    "sentence2_parse",
    "sentence2_binary_parse",
)
LISTS = ("premise_sentences", "annotator_labels", "annotator_codes", "derived_parses")
LABEL, DISTRIBUTION, AUTHOR_LABEL = "label", "label_distribution", "author_label"
LEFT_OUT, GIVEN, METADATA = "answers_left_out", "answers", "metadata"


def parquet(source: Path, manifest: WithAnswers, out: Path) -> dict[str, int]:
    rule = rule_of(manifest["corpus"])
    labels = list(rule.gold_labels)
    written: dict[str, int] = {}
    for partition, name in partitions(manifest):
        with ExitStack() as stack:
            files = {
                has_gold: stack.enter_context(
                    _File(
                        out / f"{partition}{'' if has_gold else '_no_gold'}.parquet",
                        labels,
                        has_gold=has_gold,
                    )
                )
                for has_gold in (True, False)
            }
            for portion in by_portion(source / name, partial(_columns, rule)):
                for has_gold, columns in portion.items():
                    files[has_gold].add(columns)
            for file in files.values():
                if number := file.finish():
                    written[file.path.name] = number
    (out / CROISSANT).write_text(croissant(manifest, out, sorted(written)), encoding="utf-8")
    (out / CARD).write_text(card(manifest, written), encoding="utf-8")
    (out / DATASHEET).write_text(datasheet(manifest, manifest.get("datasheet_answers")), encoding="utf-8")
    return {}


def _has_gold(line: Line) -> bool:
    return bool(line["gold_label"] != NO_GOLD)


def _shares(line: Line, labels: Sequence[str]) -> list[float] | None:
    """Return the soft label of a line as a list, in the order of the scheme."""
    shares = distribution(line["annotator_labels"], labels)
    return list(shares.values()) if shares else None


def _counts(line: Line, name: str, labels: Sequence[str]) -> list[int] | None:
    """Return the counts of a named set of labels in the order of the labels that could be given; None without extra ones.

    Of an older snapshot, too, whose lines do not count the extra labels by themselves.
    """
    counted = votes_in(line, name.partition("_")[0]) if answers.COUNTS[1] in line else None
    return None if counted is None else [counted[each] for each in labels]


def features(labels: list[str], *, has_gold: bool) -> dict[str, Any]:
    """Return the columns in the terms of the `datasets` library."""
    text, number = ({"dtype": kind, "_type": "Value"} for kind in ("string", "int64"))
    return {
        **dict.fromkeys(TEXTS, text),
        **{name: {"feature": text, "_type": "List"} for name in LISTS},
        AUTHOR_LABEL: text,
        DISTRIBUTION: {"feature": {"dtype": "float64", "_type": "Value"}, "_type": "List"},
        **{name: {"feature": number, "_type": "List"} for name in answers.COUNTS},
        LEFT_OUT: number,
        GIVEN: {"feature": _answer_features(), "_type": "List"},
        METADATA: text,
        **({LABEL: {"names": labels, "_type": "ClassLabel"}} if has_gold else {}),
    }


def _answer_features() -> dict[str, Any]:
    kinds = {
        **dict.fromkeys(answers.TEXTS, "string"),
        **dict.fromkeys(answers.NUMBERS, "int64"),
        "counts": "bool",
    }
    return {name: {"dtype": kind, "_type": "Value"} for name, kind in kinds.items()}


def _schema(labels: list[str], *, has_gold: bool) -> Any:
    import pyarrow as pa  # here, because a web process needs only the names of the formats

    text, texts = pa.string(), pa.list_(pa.string())
    fields = [(name, text) for name in TEXTS] + [(name, texts) for name in LISTS]
    fields += [
        (AUTHOR_LABEL, text),
        (DISTRIBUTION, pa.list_(pa.float64())),
        *((name, pa.list_(pa.int64())) for name in answers.COUNTS),
        (LEFT_OUT, pa.int64()),
    ]
    kinds = {"string": text, "int64": pa.int64(), "bool": pa.bool_()}
    answer = pa.struct([(name, kinds[each["dtype"]]) for name, each in _answer_features().items()])
    fields += [(GIVEN, pa.list_(answer)), (METADATA, text)]
    fields += [(LABEL, pa.int64())] if has_gold else []
    description = {"info": {"features": features(labels, has_gold=has_gold)}}
    return pa.schema(fields, metadata={"huggingface": json.dumps(description, sort_keys=True)})


def _columns(rule: Rule, read: Iterator[Line]) -> dict[bool, bytes]:
    """Return the rows with and without a gold label, each as an Arrow stream, which is smaller to send than rows."""
    chosen: dict[bool, list[Line]] = {True: [], False: []}
    for line in read:
        chosen[_has_gold(line)].append(line)
    return {has_gold: _stream(lines, rule, has_gold=has_gold) for has_gold, lines in chosen.items()}


def _stream(lines: list[Line], rule: Rule, *, has_gold: bool) -> bytes:
    """Return the lines as an Arrow stream: the gold label as its index, a premise of one sentence as a list of one."""
    import pyarrow as pa

    labels = list(rule.gold_labels)
    numbers = {label: number for number, label in enumerate(labels)}
    fields = {"premise": "sentence1", "hypothesis": "sentence2"}
    columns: dict[str, list[Any]] = {
        **{name: [line.get(fields.get(name, name), "") for line in lines] for name in TEXTS},
        "premise_sentences": [list(premises_of(line)) for line in lines],
        "annotator_labels": [line["annotator_labels"] for line in lines],
        "annotator_codes": [line["annotator_codes"] for line in lines],
        "derived_parses": [line.get("derived_parses", []) for line in lines],
        AUTHOR_LABEL: [line["author_label"] for line in lines],
        DISTRIBUTION: [_shares(line, rule.labels) for line in lines],
        **{name: [_counts(line, name, rule.labels) for line in lines] for name in answers.COUNTS},
        LEFT_OUT: [line.get(LEFT_OUT, 0) for line in lines],
        GIVEN: [answers.answers_of(line) for line in lines],
        METADATA: [
            json.dumps(line[METADATA], ensure_ascii=False) if METADATA in line else "" for line in lines
        ],
        **({LABEL: [numbers[line["gold_label"]] for line in lines]} if has_gold else {}),
    }
    schema, sink = _schema(labels, has_gold=has_gold), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as stream:
        stream.write_table(pa.table(columns, schema=schema))
    text: bytes = sink.getvalue().to_pybytes()
    return text


class _File:
    """A Parquet file with ten thousand rows in each row group. A file without rows is deleted."""

    def __init__(self, path: Path, labels: list[str], *, has_gold: bool) -> None:
        from pyarrow.parquet import ParquetWriter

        self.path, self.rows = path, 0
        self.waiting: list[Any] = []
        self.writer = ParquetWriter(path, _schema(labels, has_gold=has_gold), compression="zstd")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave an unfinished file as it is: on a full disk, closing it would raise a second error."""
        self.writer.is_open = False

    def add(self, columns: bytes) -> None:
        import pyarrow as pa

        self.waiting.append(pa.ipc.open_stream(columns).read_all())
        while sum(table.num_rows for table in self.waiting) >= ROWS_AT_ONCE:
            self._write()

    def finish(self) -> int:
        """Close the file. Returns its number of rows."""
        if any(table.num_rows for table in self.waiting):
            self._write()
        self.writer.close()
        if not self.rows:
            self.path.unlink()
        return self.rows

    def _write(self) -> None:
        import pyarrow as pa

        together = pa.concat_tables(self.waiting)
        group = together.slice(0, ROWS_AT_ONCE).combine_chunks()
        self.waiting = [together.slice(ROWS_AT_ONCE)]
        self.writer.write_table(group)
        self.rows += group.num_rows
