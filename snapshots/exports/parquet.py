"""Write Parquet files with a dataset card, Croissant metadata and a datasheet.

`datasets.load_dataset(FOLDER)` opens them with class labels. Pairs without a gold label are in a separate configuration,
`no_gold`: somebody would train on a class -1.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Self

from nli import answers
from nli.gold import Rule
from nli.lines import PARTITIONS, Line, distribution, has_gold, premises_of, rule_of, votes_in
from nli.manifest import Manifest
from snapshots.exports.croissant import CROISSANT, croissant
from snapshots.files.datasheet import DATASHEET, PROTOCOLS, WithAnswers, canary, datasheet
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
    "author_reason",
    "arm",
    "family",
    "edited_from",
    "model_answer",
    "twin_answer",
    "sentence1_parse",
    "sentence1_binary_parse",
    "sentence2_parse",
    "sentence2_binary_parse",
)
LISTS = ("premise_sentences", "annotator_labels", "annotator_codes", "derived_parses", "sets")
LABEL, DISTRIBUTION, AUTHOR_LABEL = "label", "label_distribution", "author_label"
NUMBERS = ("answers_left_out", "edit_distance", "model_tries")
ADVICE, GIVEN, METADATA = "advice_seen", "answers", "metadata"


def parquet(source: Path, manifest: WithAnswers, out: Path) -> dict[str, int]:
    rule = rule_of(manifest["corpus"])
    labels = list(rule.gold_labels)
    written: dict[str, int] = {}
    for partition, name in partitions(manifest):
        with ExitStack() as stack:
            files = {
                decided: stack.enter_context(
                    _File(
                        out / f"{partition}{'' if decided else '_no_gold'}.parquet", labels, has_gold=decided
                    )
                )
                for decided in (True, False)
            }
            for portion in by_portion(source / name, partial(_columns, rule)):
                for decided, columns in portion.items():
                    files[decided].add(columns)
            for file in files.values():
                if number := file.finish():
                    written[file.path.name] = number
    (out / CROISSANT).write_text(croissant(manifest, out, sorted(written)), encoding="utf-8")
    (out / CARD).write_text(card(manifest, written), encoding="utf-8")
    (out / DATASHEET).write_text(datasheet(manifest, manifest.get("datasheet_answers")), encoding="utf-8")
    return {}


def _shares(line: Line, labels: Sequence[str]) -> list[float] | None:
    """Returns the soft label of a line as a list, in the order of the scheme."""
    shares = distribution(line["annotator_labels"], labels)
    return list(shares.values()) if shares else None


def _counts(line: Line, name: str, labels: Sequence[str]) -> list[int] | None:
    """Returns the counts of a named set of labels in the order of the labels that could be given; None without extra ones.

    Of an older snapshot, too, whose lines do not count the extra labels by themselves.
    """
    counted = votes_in(line, name.partition("_")[0]) if answers.COUNTS[1] in line else None
    return None if counted is None else [counted[each] for each in labels]


def features(labels: list[str], *, has_gold: bool) -> dict[str, Any]:
    """Returns the columns in the terms of the `datasets` library."""
    text, number = ({"dtype": kind, "_type": "Value"} for kind in ("string", "int64"))
    return {
        **dict.fromkeys(TEXTS, text),
        **{name: {"feature": text, "_type": "List"} for name in LISTS},
        AUTHOR_LABEL: text,
        DISTRIBUTION: {"feature": {"dtype": "float64", "_type": "Value"}, "_type": "List"},
        **{name: {"feature": number, "_type": "List"} for name in answers.COUNTS},
        **dict.fromkeys(NUMBERS, number),
        ADVICE: {"dtype": "bool", "_type": "Value"},
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
        *((name, pa.int64()) for name in NUMBERS),
        (ADVICE, pa.bool_()),
    ]
    kinds = {"string": text, "int64": pa.int64(), "bool": pa.bool_()}
    answer = pa.struct([(name, kinds[each["dtype"]]) for name, each in _answer_features().items()])
    fields += [(GIVEN, pa.list_(answer)), (METADATA, text)]
    fields += [(LABEL, pa.int64())] if has_gold else []
    description = {"info": {"features": features(labels, has_gold=has_gold)}}
    return pa.schema(fields, metadata={"huggingface": json.dumps(description, sort_keys=True)})


def _columns(rule: Rule, read: Iterator[Line]) -> dict[bool, bytes]:
    """Returns the rows with and without a gold label, each as an Arrow stream, which is smaller to send than rows."""
    chosen: dict[bool, list[Line]] = {True: [], False: []}
    for line in read:
        chosen[has_gold(line)].append(line)
    return {decided: _stream(lines, rule, has_gold=decided) for decided, lines in chosen.items()}


def _stream(lines: list[Line], rule: Rule, *, has_gold: bool) -> bytes:
    """Returns the lines as an Arrow stream: the gold label as its index, a premise of one sentence as a list of one."""
    import pyarrow as pa

    labels = list(rule.gold_labels)
    numbers = {label: number for number, label in enumerate(labels)}
    fields = {"premise": "sentence1", "hypothesis": "sentence2"}
    columns: dict[str, list[Any]] = {
        **{name: [line.get(fields.get(name, name), "") for line in lines] for name in TEXTS},
        "premise_sentences": [list(premises_of(line)) for line in lines],
        **{name: [line.get(name, []) for line in lines] for name in LISTS if name != "premise_sentences"},
        AUTHOR_LABEL: [line["author_label"] for line in lines],
        DISTRIBUTION: [_shares(line, rule.labels) for line in lines],
        **{name: [_counts(line, name, rule.labels) for line in lines] for name in answers.COUNTS},
        **{name: [line.get(name, 0) for line in lines] for name in NUMBERS},
        ADVICE: [line.get(ADVICE, False) for line in lines],
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
        """Leaves an unfinished file as it is: on a full disk, closing it would raise a second error."""
        self.writer.is_open = False

    def add(self, columns: bytes) -> None:
        import pyarrow as pa

        self.waiting.append(pa.ipc.open_stream(columns).read_all())
        while sum(table.num_rows for table in self.waiting) >= ROWS_AT_ONCE:
            self._write()

    def finish(self) -> int:
        """Closes the file. Returns its number of rows."""
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


def card(manifest: Manifest, files: Mapping[str, int]) -> str:
    """Returns README.md with the configurations in its head, as `datasets.load_dataset(FOLDER)` reads it.

    files: the number of rows of each Parquet file.
    """
    facts = manifest["corpus"]
    rule = rule_of(facts)
    order = "same order" if rule.labels == rule.gold_labels else f"order {', '.join(rule.labels)}"
    head = ["---", f"pretty_name: {json.dumps(facts['name'], ensure_ascii=False)}"]
    head += ["task_categories:", "- text-classification", "language:", f"- {facts['language']}", "configs:"]
    made = set()
    for config, suffix in (("default", ""), ("no_gold", "_no_gold")):
        splits = [name for name in PARTITIONS if f"{name}{suffix}.parquet" in files]
        if splits:
            made.add(config)
            head += [f"- config_name: {config}", *(["  default: true"] if config == "default" else [])]
            head += [f"  version: {hub_version(manifest)}", "  data_files:"]
            for split in splits:
                head += [f"  - split: {split}", f"    path: {split}{suffix}.parquet"]
    loads = ['pairs = load_dataset("FOLDER")  # pairs with a gold label'] if "default" in made else []
    loads += (
        ['undecided = load_dataset("FOLDER", "no_gold")  # pairs without one'] if "no_gold" in made else []
    )
    rows = "\n".join(f"| `{name}` | {number:,} |" for name, number in sorted(files.items()))
    return "\n".join(
        [
            *head,
            "---",
            "",
            f"# {facts['name']}",
            "",
            facts["description"] or PROTOCOLS[facts["protocol"]],
            "",
            f"Snapshot `{manifest['name']}`, sha256 `{manifest['sha256']}`.",
            "",
            "```python",
            "from datasets import load_dataset",
            "",
            *loads,
            "```",
            "",
            "| file | pairs |",
            "|---|---|",
            rows,
            "",
            f"`label` is a class: {', '.join(rule.gold_labels)}. Labels of people, in the {order}:",
            "",
            "| column | what it counts |",
            "|---|---|",
            *(f"| `{name}` | {meaning} |" for name, meaning in label_columns(manifest)),
            "",
            f"More about how it was made: [{DATASHEET}]({DATASHEET}).",
            "",
            f"Benchmark data should not be trained on unknowingly. Canary: `{canary(manifest)}`",
            "",
        ]
    )


def label_columns(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yields each column with a soft label, and what it is of; those that no pair of the snapshot fills are left out."""
    found = manifest.get("answers")
    extra, left_out = (found["extra"], found.get("left_out", 0)) if found else (0, 0)
    yield "label_distribution", "`seats`: shares of the labels in `annotator_labels`, which decide"
    if extra:
        yield (
            "extra_label_counts",
            f"`extra`: the {extra:,} labels that were asked for later, beyond the seats",
        )
        yield "all_label_counts", "`all`: both together"
    if left_out:
        yield (
            "answers_left_out",
            f"answers that name several labels, and are in no column above: {left_out:,}",
        )


def hub_version(manifest: Manifest) -> str:
    """Returns a version for the `datasets` library that no other snapshot has: 1, the snapshot's number, its hash.

    The library caches a folder under the folder's name and this head. Without a version it would return the data of
    another folder of the same name, or of an older snapshot in this folder.
    """
    number = manifest["name"].rpartition("@")[2]
    return f"1.{number}.{int(manifest['sha256'][:8], 16)}"
