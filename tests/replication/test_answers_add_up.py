"""Every published file at hand goes in by a command and out by a snapshot: its lines and answers, or the summary names them.

Files are counted here by json, csv and xml alone. Of long ones the first rows are taken, unless WHOLE_CORPORA is set, as
once before a release: docs/imported-corpora.md says what they gave.
"""

import csv
import gzip
import json
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from collection.formats.records import MAX_TEXT, leaves
from tests.commands import run
from tests.corpora import make_corpus
from tests.replication.imported_corpora import WENT, WHOLE
from validation.models import Label

pytestmark = pytest.mark.django_db

ROWS = 120  # of all files that match a pattern; of those with a hundred labels a pair a tenth
TOLD = ("answers_left_out", "answers_without_label", "dont_know", "labels_disagree")
E, N, C = THREE = ("entailment", "neutral", "contradiction")
LETTERS = dict(zip("enc", THREE, strict=True))
ENTAILED = dict.fromkeys(("TRUE", "YES", "entailment"), "entailed")
ENTAILED |= dict.fromkeys(("FALSE", "NO", "not_entailment"), "not-entailed")

Raw = dict[str, Any]
# The labels that people gave, or the published one where no other is there; None for an answer that only the summary has.
Labels = Callable[[Raw], Iterable[str | None]]


@dataclass(frozen=True)
class Case:
    """A format and what its rows say.

    by: what tells the pairs apart, where a row is one answer to a pair. rows: of all files together.
    """

    form: str
    labels: Labels
    by: tuple[str, ...] = ()
    is_refused: Callable[[Raw], bool] = lambda row: False
    rows: int = ROWS


def given(value: object) -> bool:
    return value not in (None, "", "-")


def listed(*keys: str, spelled: dict[str, str] | None = None, several: str = "|") -> Labels:
    """Reads lists and single values; a missing label is none, and one that names several is told."""
    words = spelled or {}

    def labels(row: Raw) -> Iterator[str | None]:
        for key in keys:
            value = row.get(key)
            for each in value if isinstance(value, list) else [value]:
                if given(each):
                    text = str(each).strip()
                    yield None if several in text else words.get(text, text)

    return labels


def binned(neutral: float, numbers: Callable[[Raw], Iterable[float]]) -> Labels:
    return lambda row: [N if abs(each) < neutral else E if each > 0 else C for each in numbers(row)]


def chaosnli(row: Raw) -> list[str]:
    more = zip(THREE, row["label_count"], strict=True)
    return [each for each in row["old_labels"] if each] + [label for label, n in more for _ in range(n)]


def relations(row: Raw) -> list[str]:
    return row["annotations"].split(",")


def varierr(row: Raw) -> list[str | None]:
    people: dict[int, set[str]] = {}
    for label in THREE:
        for reason in row[label]:
            people.setdefault(reason["annotator"], set()).add(label)
    return [*map(alone, people.values()), *(None for _ in row["idk"])]


def lewidi(row: Raw) -> list[str | None]:
    return [alone(set(answer.split(","))) for answer in row["annotations"].values()]


def alone(labels: set[str]) -> str | None:
    return next(iter(labels)) if len(labels) == 1 else None


def semi_automatic(row: Raw) -> list[str | None]:
    letters = [row.get(f"label{n}") for n in range(1, 6)] if "label1" in row else [row["label"]]
    return [LETTERS.get(letter) for letter in letters if letter]  # x is told


GOLD, LABEL = listed("gold_label"), listed("label")
TABLE = Case("multinli_txt", GOLD)
FIELDS = Case("jsonl", LABEL)
LINGNLI = Case("lingnli", listed("annotator_labels"))
RTE = Case("rte", listed("value", "entailment", spelled=ENTAILED))
LEWIDI = Case("varierr", lewidi)
LITEX = Case("litex", GOLD, by=("pairID",))
# The files of one pattern are imported together; those whose ids repeat have patterns of their own.
CASES = {
    "ambient/ambient_full.jsonl": Case("ambient", listed("labels", several=",")),
    "ambient/crowdworker_annotations.jsonl": Case("ambient-crowd", listed("q0_gold")),
    "ambient/linguist_annotations.jsonl": Case("ambient-linguists", listed("annotations")),
    "anli/anli_dev_*": Case("anli", listed("gold_label", "verifier_labels", spelled=LETTERS)),
    "anli/anli_test_*": FIELDS,
    "chaosnli/*.jsonl": Case("chaosnli", chaosnli, rows=ROWS // 10),
    "commitmentbank/*.csv": Case(
        "commitmentbank", binned(1, lambda row: map(float, row["Reponses"].split(",")))
    ),
    "counterfactual_nli/original_*.tsv": TABLE,
    "counterfactual_nli/revised_hypothesis_*.tsv": TABLE,
    "counterfactual_nli/revised_premise_*.tsv": TABLE,
    "dnc/*/recast_[!k]*_data.json*": Case("dnc", LABEL),
    "dnc/*/recast_kg_*_data.json*": Case("dnc-relations", relations),
    "dnc/function_words/*_data.json": Case("dnc-function-words", LABEL),
    "entailment_new_protocols/*.jsonl": Case("new-protocols", listed("annotator_labels")),
    "entailment_new_protocols/*.tsv.gz": Case("new-protocols", listed("label1")),
    "imppres/*/*.gz": Case("imppres", listed("gold_label", "gold_label_log")),
    "joci/joci.csv.gz": Case("joci", listed("LABEL"), is_refused=lambda row: row["LABEL"] == "0"),
    "joci/joci-AnB.csv.gz": Case("joci", listed("LABEL"), is_refused=lambda row: row["LABEL"] == "0"),
    "klue_nli_dev/*.json": Case("klue", listed("author", *(f"label{n}" for n in range(2, 6)))),
    "lingnli/*_base.jsonl.gz": LINGNLI,
    "lingnli/*_LotS.jsonl.gz": LINGNLI,
    "litex/esnli_*": LITEX,
    "litex/varierr_*": LITEX,
    "livenli/livenli.csv": Case(
        "livenli", listed("multilabel", spelled={"true": E, "either": N, "false": C}), by=("uid",)
    ),
    "med/MED.tsv": Case("med", GOLD),
    "mpe/mpe_*": Case(
        "mpe", lambda row: [each for each in THREE for _ in range(int(row[f"{each}_judgments"].split()[0]))]
    ),
    "multinli_dev_matched_gold/*.gz": FIELDS,
    "multinli_train_genre_sample/*.gz": Case(
        "multinli_txt", LABEL, is_refused=lambda row: len(row["sentence1"]) > MAX_TEXT
    ),
    "nli_variation/*.jsonl": Case("nli-variation", binned(16.5, lambda row: row["labels"]), rows=ROWS // 10),
    "rte_glue/*.gz": Case("rte-glue", listed("label", spelled=ENTAILED)),
    "rte_pascal/rte1_*": RTE,
    "rte_pascal/rte2_dev.xml": RTE,
    "rte_pascal/rte2_test.xml": RTE,
    "rte_pascal/rte3_*": RTE,
    "semi_automatic_nli/*.jsonl*": Case("semi-automatic-nli", semi_automatic),
    "sick/SICK.txt.gz": Case("sick", lambda row: [row["entailment_label"].lower()]),
    "sick/SICK_*.txt": Case("sick", lambda row: [row["entailment_judgment"].lower()]),
    "snli_5label/*.jsonl": Case("snli", listed("annotator_labels")),
    "snli_gold/*.gz": FIELDS,
    "varierr/varierr.jsonl": Case("varierr", varierr),
    "varierr/lewidi_train.json": LEWIDI,
    "varierr/lewidi_dev.json": LEWIDI,
    "varierr/lewidi_test.json": LEWIDI,
    "xnli_en/*.tsv": Case("multinli_txt", LABEL),
}
PREMISES = "text_genres/*.tsv*"
NO_PAIRS = (
    *("README.md", "*/README*", "anli/verifier_labels_*", "dnc/*/*_metadata.json*", "lingnli/workers_*.csv"),
    *("text_genres/*.zip", "varierr/lewidi_annotators.json", "varierr/published_results.tsv"),
)


def test_every_file_of_every_corpus_is_tried_once(shared_data):
    patterns = (*CASES, PREMISES, *NO_PAIRS)
    tried = Counter(path for pattern in patterns for path in shared_data.glob(pattern))
    assert tried == Counter(path for path in shared_data.rglob("*") if path.is_file())
    folders = {path.name for path in shared_data.iterdir() if path.is_dir()}
    assert folders == {Path(pattern).parts[0] for pattern in (*CASES, PREMISES)}


def text_of(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def beginning(path: Path, folder: Path, rows: int) -> Path:
    """Writes the first rows of a file into another, in the layout of the file."""
    folder.mkdir(exist_ok=True)
    target = folder / path.name.removesuffix(".gz")
    text = text_of(path)
    if target.suffix == ".json":
        found = json.loads(text)
        part = dict(islice(found.items(), rows)) if isinstance(found, dict) else found[:rows]
        target.write_text(json.dumps(part, indent=0))
    elif target.suffix == ".xml":
        *pairs, end = text.split("</pair>")
        target.write_text(
            "</pair>".join([*pairs[:rows], end if len(pairs) <= rows else "</entailment-corpus>"])
        )
    elif target.suffix == ".csv":
        with target.open("w", newline="") as file:
            csv.writer(file).writerows(islice(csv.reader(text.splitlines(keepends=True)), rows + 1))
    else:
        has_head = target.suffix != ".jsonl"
        target.write_text("".join(islice(text.splitlines(keepends=True), rows + has_head)), newline="")
    return target


def rows_of(path: Path) -> list[Raw]:
    text = path.read_text()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    if path.suffix == ".json":
        found = json.loads(text)
        return list(found.values()) if isinstance(found, dict) else found
    if path.suffix == ".xml":
        return [dict(pair.attrib) for pair in ET.fromstring(text).iter("pair")]
    if path.suffix == ".csv":
        return list(csv.DictReader(text.splitlines(keepends=True)))
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def names_with_values(row: Raw) -> Iterator[str]:
    for key in row:
        yield from (name for name, value in leaves(key, row[key]) if value not in (None, "", [], {}))


def labels_in(case: Case, rows: list[Raw]) -> Counter[str | None]:
    """Counts the labels. Of explanations of a pair, only one label is the pair's: none where they are of several."""
    if case.form != "litex":
        return Counter(label for row in rows if not case.is_refused(row) for label in case.labels(row))
    pairs: dict[object, set[str | None]] = {}
    for row in rows:
        pairs.setdefault(row["pairID"], set()).update(case.labels(row))
    return Counter(alone(labels) for labels in pairs.values() if labels)


def labels_out(lines: list[Raw]) -> Counter[str]:
    """Counts the labels of exported lines: the answers, else the labels, else the published one."""
    found = Counter[str]()
    for line in lines:
        answers = [answer["label"] for answer in line.get("answers", ())]
        gold = [line["gold_label"]] if line["gold_source"] == "published" else []
        found.update(answers or line["annotator_labels"] or gold)
    return found


@pytest.mark.parametrize("pattern", CASES)
def test_what_goes_in_comes_out_or_is_named(shared_data, tmp_path, pattern):
    case, paths = CASES[pattern], sorted(shared_data.glob(pattern))
    assert paths
    most = 10**9 if WHOLE else case.rows // len(paths)
    files = [beginning(path, tmp_path / path.parent.name, most) for path in paths]
    rows = [row for file in files for row in rows_of(file)]
    imported = run("import_pairs", "here", *files, format=case.form, json=True)
    assert not imported.failure
    told = imported.json
    assert told["rows"] == len(rows) == sum(told[key] for key in WENT)
    assert told["refused_count"] == sum(map(case.is_refused, rows))
    assert told["rows_skipped"] == 0

    assert not run("freeze_snapshot", "here").failure
    assert not run("export_snapshot", "here@1", format="jsonl", out=tmp_path / "out").failure
    lines = [
        json.loads(line)
        for path in (tmp_path / "out").glob("*.jsonl")
        for line in path.read_text().splitlines()
    ]
    pairs = {tuple(row[key] for key in case.by) for row in rows} if case.by else rows
    assert len(lines) == told["pairs"] == len(pairs) - told["refused_count"]
    expected = labels_in(case, rows)
    assert expected.pop(None, 0) == sum(told[key] for key in TOLD)
    assert labels_out(lines) == expected
    assert Label.objects.count() == told["labels"]

    there = Counter(each or "(a column without a name)" for row in rows for each in names_with_values(row))
    for key, times in told["keys_not_read"].items():
        assert times == there.get(key, times)
        name = key.partition("~")[0]  # the second column of that name
        assert name in there or any(each.startswith(f"{name}.") for each in there), key


def test_premises_are_kept_dropped_or_refused(shared_data, tmp_path):
    corpus = make_corpus(slug="here")
    for path in sorted(shared_data.glob(PREMISES)):
        file = beginning(path, tmp_path, 20)
        genre = corpus.genres.first().slug
        told = run("import_premises", "here", file, genre=genre, json=True).json
        dropped = sum(each["count"] for each in told["dropped"].values())
        assert told["premises"] + dropped + told["refused_count"] == len(rows_of(file)) == 20
