"""Writes published corpora as a training run reads them: in the shape of a frozen snapshot, without a database.

The platform's own parsers (`collection.formats`) read them, from a folder with a folder for each data set.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from collection.formats.lines import BadLine, sha256_of
from collection.formats.maps import column_map
from collection.formats.records import ImportedPair
from collection.formats.registry import FORMATS
from collection.imports.splits import Split
from nli.labels import reading

HELD_OUT = 300  # premises of a corpus without a dev set that become one


@dataclass(frozen=True)
class Corpus:
    """The files of a corpus by partition, under the data folder, and how to read them.

    `form` is a format of `collection.formats`, or "table": premise and hypothesis in `sentence1` and `sentence2`.
    Without `dev`, whole premises of train are held out. `unsplit`: files without partitions, split 80:10:10 by
    premise. `reading`: the labels of the files as labels of the scheme, if they are others. `apart`: each sentence of
    a premise becomes a pair of its own, named after it and its place.
    """

    form: str
    train: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    scheme: str = "nli3"
    unsplit: tuple[str, ...] = ()
    reading: Mapping[str, str] = field(default_factory=dict)
    apart: bool = False


DNC = "dnc/{0}/recast_{1}_data.json{2}"
CORPORA = {
    "mpe": Corpus("mpe", ("mpe/mpe_train.txt.gz",), ("mpe/mpe_dev.txt",), ("mpe/mpe_test.txt",)),
    # Their labels are those of all four premises together: only what is predicted for them is used.
    "premises": Corpus("mpe", test=("mpe/mpe_dev.txt", "mpe/mpe_test.txt"), apart=True),
    "snli": Corpus("jsonl", ("snli_gold/dev.jsonl.gz",), (), ("snli_gold/test.jsonl.gz",)),
    "multinli": Corpus(
        "table",
        ("multinli_train_genre_sample/mnli_train.tsv.gz",),
        ("multinli_train_genre_sample/mnli_val.tsv.gz",),
    ),
    "xnli": Corpus("table", test=("xnli_en/xnli_en_genre_dev.tsv", "xnli_en/xnli_en_genre_test.tsv")),
    "sick": Corpus(
        "sick", ("sick/SICK_train.txt",), ("sick/SICK_trial.txt",), ("sick/SICK_test_annotated.txt",)
    ),
    "lingnli": Corpus("lingnli", tuple(f"lingnli/train_{part}.jsonl.gz" for part in ("base", "LotS"))),
    **{
        name: Corpus(
            "dnc",
            (DNC.format("train", name, zipped),),
            (DNC.format("dev", name, ""),),
            (DNC.format("test", name, ""),),
            "entailed2",
        )
        for name, zipped in (("sentiment", ".gz"), ("verbnet", ""))
    },
    # Their train files are not at hand: their dev pairs serve as more of the DNC to learn from.
    **{
        name: Corpus(
            "dnc", (DNC.format("dev", name, zipped),), (), (DNC.format("test", name, tested),), "entailed2"
        )
        for name, zipped, tested in (("factuality", ".gz", ".gz"), ("puns", "", ""))
    },
    "winogender": Corpus("dnc", test=(DNC.format("test", "winogender", ""),), scheme="entailed2"),
    "relations": Corpus(
        "dnc-relations",
        (DNC.format("dev", "kg_relations", ".gz"),),
        test=(DNC.format("test", "kg_relations", ""),),
        scheme="entailed2",
        reading=reading("ordinal5", "entailed2"),
    ),
    # The scale in three classes as in the Hypothesis Only paper, section 4.2.
    "joci": Corpus(
        "joci",
        unsplit=("joci/joci.csv.gz",),
        reading={
            "1": "contradiction",
            **dict.fromkeys(("2", "3", "4"), "neutral"),
            "5": "entailment",
        },
    ),
}
# Learnt from together: the train parts one after another, and so the dev parts. No test part.
UNIONS = {
    "dnc": ("sentiment", "verbnet", "factuality", "puns"),
    "dnc+relations": ("sentiment", "verbnet", "factuality", "puns", "relations"),
    "pool": ("snli", "multinli", "lingnli", "sick", "mpe"),
}
# The test sets for runs on a union, from which pairs with a premise of these sets are left out. MPE's
# premises are captions, of which SNLI's are some.
TESTED = {"pool": ("snli", "xnli")}


def freeze(name: str, data: Path, out: Path) -> dict[str, dict[str, str]]:
    """Writes missing partitions under `out`; returns {partition: {"path", "sha256"}}, as RUN.json names files."""
    folder = out / name
    if not folder.is_dir():
        if name in UNIONS:
            members = [freeze(member, data, out) for member in UNIONS[name]]
            tests = [freeze(test, data, out)["test"] for test in TESTED.get(name, ())]
            tested = frozenset(one for test in tests for line in lines_of(test) for one in premises_of(line))
            texts = {
                partition: "".join(
                    line
                    for files in members
                    for line in lines_of(files[partition])
                    if tested.isdisjoint(premises_of(line))
                )
                for partition in ("train", "dev")
            }
        else:
            texts = {
                partition: "".join(json.dumps(row) + "\n" for row in rows)
                for partition, rows in partitions_of(CORPORA[name], data).items()
            }
        folder.mkdir(parents=True)
        for partition, text in texts.items():
            (folder / f"{partition}.jsonl").write_text(text, encoding="utf-8")
    return {
        path.stem: {"path": str(path), "sha256": sha256_of(path)} for path in sorted(folder.glob("*.jsonl"))
    }


def lines_of(file: Mapping[str, str]) -> list[str]:
    """Returns the lines of a frozen file, with their line ends."""
    return Path(file["path"]).read_text(encoding="utf-8").splitlines(keepends=True)


def premises_of(line: str) -> list[str]:
    """Returns the premises of a frozen pair, letters and digits only: corpora differ in spaces and full stops."""
    row = json.loads(line)
    texts = row.get("premise_sentences") or [row["sentence1"]]
    return ["".join(filter(str.isalnum, text.lower())) for text in texts]


def scheme_of(name: str) -> str:
    """Returns the label scheme of a corpus, or of the members of a union."""
    return CORPORA[UNIONS[name][0] if name in UNIONS else name].scheme


def partitions_of(corpus: Corpus, data: Path) -> dict[str, list[dict[str, Any]]]:
    """Returns the rows of each partition of the corpus."""
    found = {
        partition: [row for file in files for row in rows_of(corpus, data / file)]
        for partition, files in (("train", corpus.train), ("dev", corpus.dev), ("test", corpus.test))
        if files
    }
    for file in corpus.unsplit:
        for row in rows_of(corpus, data / file):
            found.setdefault(Split().partition_of(row["sentence1"]), []).append(row)
    if "train" in found and "dev" not in found:
        found["train"], found["dev"] = hold_out(found["train"], HELD_OUT)
    return found


def rows_of(corpus: Corpus, path: Path) -> Iterator[dict[str, Any]]:
    """Yields the pairs of a file as lines of a snapshot. Reports and leaves out lines without a pair."""
    for pair in pairs_of(corpus.form, path):
        if isinstance(pair, BadLine):
            print(f"{path}, line {pair.line} is left out: {pair.reason}", file=sys.stderr)
            continue
        label = pair.published_label or (pair.labels[0] if pair.labels else None)
        several = {"premise_sentences": pair.premise} if len(pair.premise) > 1 else {}
        row = {
            "pairID": f"{path.name.partition('.')[0]}-{pair.line}",
            "gold_label": corpus.reading.get(label, label) if label else "-",
            "sentence2": pair.hypothesis,
            "genre": pair.genre or path.parent.name,
        }
        if corpus.apart:
            for place, sentence in enumerate(pair.premise):
                yield {**row, "pairID": f"{row['pairID']}-{place}", "sentence1": sentence}
        else:
            yield {**row, "sentence1": " ".join(pair.premise), **several}


TABLE = FORMATS["tsv"].mapped(column_map("premise=sentence1,hypothesis=sentence2"), None)


def pairs_of(form: str, path: Path) -> Iterable[ImportedPair | BadLine]:
    """Yields the pairs of a file in a published format, or of a table with the columns

    `sentence1`, `sentence2`, `label` and `genre`.
    """
    return TABLE.read(path) if form == "table" else FORMATS[form].read(path)


def hold_out(rows: list[dict[str, Any]], premises: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Returns (the rest, the pairs of so many premises). Premises are chosen by their digest."""
    texts = sorted(
        {row["sentence1"] for row in rows}, key=lambda text: hashlib.sha256(text.encode()).digest()
    )
    chosen = frozenset(texts[:premises])
    return (
        [row for row in rows if row["sentence1"] not in chosen],
        [row for row in rows if row["sentence1"] in chosen],
    )
