"""Published corpora as the files that a training run reads: the shape of a frozen snapshot, without a database.

Read by the platform's own parsers (`collection.formats`), from a folder with a folder for each data set.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collection.formats.lines import BadLine, sha256_of
from collection.formats.maps import column_map
from collection.formats.records import ImportedPair
from collection.formats.registry import FORMATS

HELD_OUT = 300  # premises of a corpus without a dev set that become one


@dataclass(frozen=True)
class Corpus:
    """Which files make its partitions, under the data folder, and how they are read.

    `form` is a format of `collection.formats`, or "table": premise and hypothesis in `sentence1` and
    `sentence2`. Where there is no `dev`, whole premises of train are held out.
    """

    form: str
    train: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    scheme: str = "nli3"


DNC = "dnc/{0}/recast_{1}_data.json{2}"
CORPORA = {
    "mpe": Corpus("mpe", ("mpe/mpe_train.txt.gz",), ("mpe/mpe_dev.txt",), ("mpe/mpe_test.txt",)),
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
    # Their train files are not at hand: their dev pairs serve as more of the DNC to learn from, and for nothing else.
    **{
        name: Corpus("dnc", (DNC.format("dev", name, zipped),), scheme="entailed2")
        for name, zipped in (("factuality", ".gz"), ("puns", ""))
    },
}
# Learnt from together: the train parts one after another, and so the dev parts. No test part.
UNIONS = {
    "dnc": ("sentiment", "verbnet", "factuality", "puns"),
    "pool": ("snli", "multinli", "lingnli", "sick", "mpe"),
}
# The tests of what is learnt from a union: it is left without the pairs that have a premise of theirs. MPE's
# premises are captions, of which SNLI's are some.
TESTED = {"pool": ("snli", "xnli")}


def freeze(name: str, data: Path, out: Path) -> dict[str, dict[str, str]]:
    """Writes the corpus's partitions under `out`, where they are not there yet: {partition: {"path", "sha256"}},
    as RUN.json names files.
    """
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
    """The lines of a frozen file, with their ends."""
    return Path(file["path"]).read_text(encoding="utf-8").splitlines(keepends=True)


def premises_of(line: str) -> list[str]:
    """The premises of a frozen pair, by their letters and digits: corpora write spaces and stops in their own way."""
    row = json.loads(line)
    texts = row.get("premise_sentences") or [row["sentence1"]]
    return ["".join(filter(str.isalnum, text.lower())) for text in texts]


def scheme_of(name: str) -> str:
    """The labels of a corpus, or of a union's members."""
    return CORPORA[UNIONS[name][0] if name in UNIONS else name].scheme


def partitions_of(corpus: Corpus, data: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of each partition that the corpus has."""
    found = {
        partition: [row for file in files for row in rows_of(corpus.form, data / file)]
        for partition, files in (("train", corpus.train), ("dev", corpus.dev), ("test", corpus.test))
        if files
    }
    if "train" in found and "dev" not in found:
        found["train"], found["dev"] = hold_out(found["train"], HELD_OUT)
    return found


def rows_of(form: str, path: Path) -> Iterator[dict[str, Any]]:
    """The pairs of a file as lines of a snapshot's. A line that says no pair is left out, and told."""
    for pair in pairs_of(form, path):
        if isinstance(pair, BadLine):
            print(f"{path}, line {pair.line} is left out: {pair.reason}", file=sys.stderr)
            continue
        label = pair.published_label or (pair.labels[0] if pair.labels else None)
        several = {"premise_sentences": pair.premise} if len(pair.premise) > 1 else {}
        yield {
            "pairID": f"{path.name.partition('.')[0]}-{pair.line}",
            "gold_label": label or "-",
            "sentence1": " ".join(pair.premise),
            "sentence2": pair.hypothesis,
            "genre": pair.genre or path.parent.name,
            **several,
        }


TABLE = FORMATS["tsv"].mapped(column_map("premise=sentence1,hypothesis=sentence2"), None)


def pairs_of(form: str, path: Path) -> Iterable[ImportedPair | BadLine]:
    """The pairs of a file in a published format, or of a table with `sentence1`, `sentence2`, `label` and `genre`."""
    return TABLE.read(path) if form == "table" else FORMATS[form].read(path)


def hold_out(rows: list[dict[str, Any]], premises: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(the rest, the pairs of so many premises): whole premises, drawn by their digest."""
    texts = sorted(
        {row["sentence1"] for row in rows}, key=lambda text: hashlib.sha256(text.encode()).digest()
    )
    chosen = frozenset(texts[:premises])
    return (
        [row for row in rows if row["sentence1"] not in chosen],
        [row for row in rows if row["sentence1"] in chosen],
    )
