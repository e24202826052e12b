"""Reads published formats of which a map of columns is not enough, a function from a record to a pair for each.

SNLI and MultiNLI, JSON Lines or tables: `annotator_labels` starts with the author's label. `captionID` (SNLI) or `promptID`
(MultiNLI) is the premise's public id. Captions of one image are about one scene, so they share a group: the part of the id
before `#`.

ChaosNLI (Nie, Zhou and Bansal 2020), JSON Lines: pairs of both with a hundred more labels. `old_labels` are the five of the
first corpus, the author's first: they decide gold. The hundred come as counts (entailment, neutral, contradiction) and stand
behind them, from position 6, in no order.

MPE (Lai, Bisk and Hockenmaier 2017): four captions of one picture, a sentence, five judgements as counts. The file's label
is final: low-agreement items were decided beyond their votes, so it is kept beside them.

DNC (Poliak et al. 2018), JSON arrays: pairs recast from other annotations. `recast_X_data.json` holds the pairs;
`recast_X_metadata.json`, if it lies in the same folder, says which sentence of which corpus each is from: pairs of one such
sentence belong together. Relation extraction (`KG`) has labels from 1 to 5, and for test pairs the three to five judgements
behind them.

ANLI (Nie et al. 2020), JSON Lines, with the labels of its verifiers: `verifier_labels_R1-3.jsonl`, if it lies in the same
folder, has two or three labels for the `uid` of all pairs of dev and test and of 23,403 of train.
"""

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from collection.formats import records
from collection.formats.lines import BadLine, Record, json_array_records, json_records
from collection.formats.records import LETTERS, MAX_GROUP, ImportedPair, Unreadable
from collection.formats.tables import tsv_records
from nli.labels import SCHEMES

PARSES = ("sentence1_parse", "sentence1_binary_parse", "sentence2_parse", "sentence2_binary_parse")
SNLI_KEYS = frozenset(
    {
        *("annotator_labels", "captionID", "promptID", "gold_label", "pairID", "genre"),
        *("sentence1", "sentence2", *PARSES),
    }
)
TABLE_LABELS = tuple(f"label{n}" for n in range(1, 6))
MAX_PARSE = 100_000


def read_snli(line: int, record: dict[str, Any]) -> ImportedPair:
    """Reads a pair; `sentence1` and `sentence2` are required. Raises Unreadable."""
    caption = records.optional_text(record, "captionID")
    first, first_binary, second, second_binary = (
        records.optional_text(record, key, MAX_PARSE) for key in PARSES
    )
    return ImportedPair(
        line=line,
        premise=(records.non_empty_text(record, "sentence1"),),
        hypothesis=records.required_text(record, "sentence2"),
        premise_id=caption or records.optional_text(record, "promptID"),
        pair_id=records.optional_text(record, "pairID"),
        genre=records.optional_text(record, "genre"),
        group=caption.partition("#")[0],
        document=caption.partition("#")[0],
        labels=records.labels(record, "annotator_labels"),
        has_author=True,
        published_label=records.label(record.get("gold_label"), "gold_label"),
        has_gold="gold_label" in record,
        parses=(first, first_binary, second, second_binary),
        unread=records.unread(record, SNLI_KEYS - ({"promptID"} if caption else set())),
    )


def read_snli_table(line: int, record: dict[str, Any]) -> ImportedPair:
    """The same fields as columns: labels in `label1` ... `label5`, gold in `gold_label` or, in tables that
    hold little else, `label`. Raises Unreadable."""
    plain = {key: value for key, value in record.items() if key not in TABLE_LABELS}
    # A row with fewer than five labels ends in empty cells.
    given = [record[key] for key in TABLE_LABELS if record.get(key)]
    if given:
        plain["annotator_labels"] = given
    if "label" in plain and "gold_label" not in plain:
        plain["gold_label"] = plain.pop("label")
    return read_snli(line, plain)


SEATS = 5
CHAOSNLI_KEYS = frozenset(
    {
        *("uid", "old_labels", "old_label", "label_count"),
        *("example.premise", "example.hypothesis", "example.source"),
    }
)


def read_chaosnli(line: int, record: dict[str, Any]) -> ImportedPair:
    """Reads a pair; `example` with `premise` and `hypothesis`, and `label_count`, are required. Raises Unreadable."""
    example = record.get("example")
    if not isinstance(example, dict):
        raise Unreadable('there is no object "example"')
    counts = record.get("label_count")
    if not (isinstance(counts, list) and len(counts) == 3 and all(_is_count(each) for each in counts)):
        raise Unreadable('"label_count" must be three numbers: entailment, neutral, contradiction')
    five = records.labels(record, "old_labels")
    if len(five) > SEATS:
        raise Unreadable(f'"old_labels" has {len(five)} entries instead of {SEATS}')
    more = [label for label, number in zip(LETTERS.values(), counts, strict=True) for _ in range(number)]
    image, is_caption, _ = records.optional_text(record, "uid").partition("#")
    source = records.optional_text(example, "source")
    return ImportedPair(
        line=line,
        premise=(records.non_empty_text(example, "premise"),),
        hypothesis=records.required_text(example, "hypothesis"),
        pair_id=records.optional_text(record, "uid"),
        genre=source.partition("_")[0],
        group=image if is_caption else "",
        document=image if is_caption else "",
        labels=(*five, *(None,) * (SEATS - len(five)), *more),
        has_author=True,
        published_label=records.letter_label(record.get("old_label"), "old_label"),
        has_gold="old_label" in record,
        metadata=records.metadata(example, ["source"]),
        unread=records.unread(record, CHAOSNLI_KEYS),
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10_000


LABELS = SCHEMES["nli3"]
PREMISES = tuple(f"premise{n}" for n in range(1, 5))
MPE_KEYS = frozenset(
    {"ID", *PREMISES, "hypothesis", "gold_label", *(f"{label}_judgments" for label in LABELS)}
)
MOST_JUDGEMENTS = 1000
# One published line has spaces where the tab before its label should be.
SPACES_FOR_TAB = re.compile(r" {2,}(?=(?:entailment|neutral|contradiction)$)")


def mpe_records(path: Path) -> Iterator[Record | BadLine]:
    return tsv_records(path, mend=lambda line: SPACES_FOR_TAB.sub("\t", line))


def read_mpe(line: int, record: dict[str, Any]) -> ImportedPair:
    """Reads a pair whose premises are `caption id/text`. The order of judgements is unknown. Raises Unreadable."""
    cells = [records.non_empty_text(record, key).partition("/") for key in PREMISES]
    for key, (_, slash, text) in zip(PREMISES, cells, strict=True):
        if not slash or not text.strip():
            raise Unreadable(f'"{key}" must be a caption\'s id, a slash and its text')
    ids = [caption for caption, _, _ in cells]
    image = ids[0].partition("#")[0]
    return ImportedPair(
        line=line,
        premise=tuple(text for _, _, text in cells),
        hypothesis=records.required_text(record, "hypothesis"),
        premise_id=" ".join(ids),
        pair_id=records.optional_text(record, "ID"),
        group=image,
        document=image,
        labels=tuple(label for label in LABELS for _ in range(_judgements(record, label))),
        published_label=records.label(record.get("gold_label"), "gold_label"),
        has_gold="gold_label" in record,
        gold_stands=True,
        unread=records.unread(record, MPE_KEYS),
    )


def _judgements(record: dict[str, Any], label: str) -> int:
    key = f"{label}_judgments"
    text = records.required_text(record, key)
    if not (text.isdecimal() and text.isascii()) or len(text) > 4 or int(text) > MOST_JUDGEMENTS:
        raise Unreadable(f'"{key}" must be a number of judgements, not "{text[:40]}"')
    return int(text)


METADATA = ("corpus", "corpus-sent-id", "corpus-license", "creation-approach", "misc", "corpus-split")
DNC_KEYS = frozenset(
    {"context", "hypothesis", "label", "pair-id", "split", "type-of-inference", "annotations", *METADATA}
)


ABOUT = "\0"  # what the file of metadata says of a pair; no key of a file has this name


def dnc_records(path: Path) -> Iterator[Record | BadLine]:
    """Yields the pairs with their metadata, joined by `pair-id`."""
    about = yield from _beside(_metadata_of(path), json_array_records, "pair-id")
    for item in json_array_records(path):
        if isinstance(item, BadLine):
            yield item
        else:
            line, record = item
            yield line, {ABOUT: about.take(record.get("pair-id")) or {}, **record}
    yield from about.untaken()


@dataclass
class _Beside:
    """The records of a second file, by the id of their pair. One without a pair, or the second of a pair, is refused."""

    key: str
    records: dict[str, tuple[Path, int, dict[str, Any]]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def take(self, value: object) -> dict[str, Any] | None:
        """Returns the record of a pair; None without one."""
        found = self.records.get(str(value))
        if found is None:
            return None
        self.taken.add(str(value))
        return found[2]

    def untaken(self) -> Iterator[BadLine]:
        for value, (path, line, _) in self.records.items():
            if value not in self.taken:
                yield BadLine(line, f"of {path.name}: no pair has the {self.key} {value[:80]!r}")


def _beside(
    paths: Iterable[Path], read: Callable[[Path], Iterator[Record | BadLine]], key: str, *more: str
) -> Generator[BadLine, None, _Beside]:
    """Reads the records of files beside one of pairs; yields those that are refused. `key`, `more`: what each must have."""
    found = _Beside(key)
    for path in paths:
        for item in read(path):
            if isinstance(item, BadLine):
                yield BadLine(item.line, f"of {path.name}: {item.reason}")
                continue
            line, record = item
            value = str(record.get(key))
            if not {key, *more} <= record.keys():
                names = " and ".join(f'"{name}"' for name in (key, *more))
                yield BadLine(line, f"of {path.name}: a line must have {names}")
            elif value in found.records:
                yield BadLine(line, f"of {path.name}: the {key} {value[:80]!r} is there twice")
            else:
                found.records[value] = path, line, record
    return found


def _metadata_of(path: Path) -> list[Path]:
    plain = path.name.removesuffix(".gz")
    name = plain.replace("_data.json", "_metadata.json")
    found = (path.with_name(each) for each in (name, f"{name}.gz"))
    return [] if name == plain else [each for each in found if each.is_file()][:1]


def read_dnc(line: int, record: dict[str, Any]) -> ImportedPair:
    """Reads a pair; `context`, `hypothesis` and `label` are required. Raises Unreadable."""
    beside = {key: value for key, value in record.pop(ABOUT, {}).items() if key != "pair-id"}
    records.required(record, "label")
    votes = tuple(filter(None, records.optional_text(record, "annotations").split(",")))
    about = {**beside, **{key: record[key] for key in METADATA if key in record}}
    sentence = records.optional_text(about, "corpus-sent-id", MAX_GROUP)
    source = f"{records.optional_text(about, 'corpus', MAX_GROUP)} {sentence}"[:MAX_GROUP] if sentence else ""
    return ImportedPair(
        line=line,
        premise=(records.non_empty_text(record, "context"),),
        hypothesis=records.required_text(record, "hypothesis"),
        pair_id=records.optional_text(record, "pair-id"),
        genre=records.optional_text(record, "type-of-inference"),
        group=source,
        document=source,
        partition=records.partition(record, "split"),
        labels=votes if len(votes) > 1 else (),  # one judgement alone is the label itself
        published_label=records.label(record["label"], "label"),
        has_gold=True,
        metadata=records.metadata(about, list(about)),
        unread=records.unread(record, DNC_KEYS),
    )


VERIFIERS = "verifier_labels_R1-3.jsonl"
THEIRS, OURS = "verifier labels", "verifier_labels"


def anli_records(path: Path) -> Iterator[Record | BadLine]:
    """Yields the pairs with the labels of their verifiers. Labels in the pair's own line stay.

    The verifiers of all rounds and parts are in one file, so most of its lines go to pairs of other files.
    """
    beside = [each for name in (VERIFIERS, f"{VERIFIERS}.gz") if (each := path.with_name(name)).is_file()]
    given = yield from _beside(beside, json_records, "uid", THEIRS)
    for item in json_records(path):
        if not isinstance(item, BadLine) and (theirs := given.take(item[1].get("uid"))):
            item = item[0], {OURS: theirs[THEIRS], **item[1]}
        yield item
