"""Import, freeze and export return published corpora, and pairs of our own, unchanged, field by field."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from snapshots.models import Snapshot
from snapshots.verify import verify
from tests.commands import run, write_jsonl

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]


def released(tmp_path: Path, format_name: str) -> Path:
    """Freezes and exports the corpus `here`."""
    assert not run("freeze_snapshot", "here").failure
    exported = run("export_snapshot", "here@1", "--format", format_name, "--out", tmp_path / "out")
    assert not exported.failure
    return tmp_path / "out"


def bring(form: str, *files: Path, **options: object) -> None:
    summary = run("import_pairs", "here", *files, format=form, json=True, **options).json
    assert summary["refused_count"] == 0


def rows(path: Path) -> dict[str, list[str]]:
    """Returns rows by their first cell; corrects the one line of MPE whose last tab became spaces."""
    found = (line.replace("   ", "\t").split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {cells[0]: cells for cells in found}


def records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        yield from map(json.loads, lines)


def test_mpe(mpe_file, tmp_path):
    bring("mpe", mpe_file, partition="dev")
    ours = rows(released(tmp_path, "mpe") / "dev.txt")
    theirs = rows(mpe_file)
    assert ours.keys() == theirs.keys()
    assert {name: cells for name, cells in ours.items() if cells != theirs[name]} == {}


def test_dnc(shared_data, tmp_path):
    folder = shared_data / "dnc"
    files = [folder / part / "recast_verbnet_data.json" for part in ("train", "dev", "test")]
    bring("dnc", *files)
    out = released(tmp_path, "dnc")
    for path in files:
        theirs = {each["pair-id"]: each for each in json.loads(path.read_text())}
        ours = {
            each["pair-id"]: each for each in json.loads((out / f"{path.parent.name}_data.json").read_text())
        }
        assert ours == theirs


def test_dnc_relations_from_one_to_five(shared_data, tmp_path):
    bring("dnc", shared_data / "dnc" / "test" / "recast_kg_relations_data.json", scheme="ordinal5")
    (theirs, ours) = (
        {each["pair-id"]: each for each in json.loads(path.read_text())}
        for path in (
            shared_data / "dnc" / "test" / "recast_kg_relations_data.json",
            released(tmp_path, "dnc") / "test_data.json",
        )
    )
    assert ours == theirs


def test_dnc_relations_in_two_classes(shared_data):
    path = shared_data / "dnc" / "test" / "recast_kg_relations_data.json"
    bring("dnc", path, scheme="ordinal5")
    assert not run("freeze_snapshot", "here").failure
    table = run("report", "here@1", "two-classes", format="csv").out.splitlines()
    assert table[1].split(",")[:3] == ["test", "453", "308"]
    assert float(table[1].split(",")[3]) == pytest.approx(0.5953, abs=0.00005)
    given = Counter(row["binary-label"] for row in json.loads(path.read_text()))
    assert given == {True: 453, False: 308}


def test_402_puns_stand_in_dev_and_in_test(shared_data):
    """There are 403 numbers of source sentences, since one of the 402 has two."""
    files = [shared_data / "dnc" / part / "recast_puns_data.json" for part in ("dev", "test")]
    bring("dnc", *files)
    assert not run("freeze_snapshot", "here").failure
    snapshot = Snapshot.objects.get()
    assert snapshot.read_manifest()["groups_in_two_partitions"] == 403
    puns = [
        {row["context"].split(" heard that ", 1)[1] for row in json.loads(path.read_text())} for path in files
    ]
    assert len(puns[0] & puns[1]) == 402
    assert verify(snapshot.folder).ok


def test_snli_with_five_labels(files, tmp_path):
    bring("snli", *files, partition="dev")
    out = released(tmp_path, "jsonl")
    assert verify(out).ok
    ours = {line["pairID"]: line for line in records(out / "dev.jsonl")}
    theirs = {line["pairID"]: line for path in files for line in records(path)}
    assert ours.keys() == theirs.keys()
    for name, published in theirs.items():
        told = dict(ours[name], captionID=ours[name]["promptID"])
        assert {key: told[key] for key in published} == published
    # With the published keys alone, they are the published bytes.
    run("export_snapshot", "here@1", "--format", "snli_jsonl", "--out", tmp_path / "again")
    as_published = [line for path in files for line in path.read_bytes().splitlines()]
    assert sorted((tmp_path / "again" / "dev.jsonl").read_bytes().splitlines()) == sorted(as_published)
    # All sentences came with trees: asked to derive some, the freeze finds nothing to do and answers the same snapshot.
    assert "here@1" in run("freeze_snapshot", "here", derived_parses=True).out
    counted = json.loads((out / "manifest.json").read_bytes())["parses"]
    assert counted["shipped"] == {"sentence1": len(theirs), "sentence2": len(theirs)}
    assert counted["derived"] == counted["shipped_with_other_tokens"] == {"sentence1": 0, "sentence2": 0}


def test_the_trees_of_snli_in_tab_separated_text(files, tmp_path):
    files = files[:1]
    bring("snli", *files, partition="dev")
    text = (released(tmp_path, "snli_txt") / "dev.txt").read_text(encoding="utf-8")
    header, *table = (line.split("\t") for line in text.splitlines())
    ours = {cells[header.index("pairID")]: dict(zip(header, cells, strict=True)) for cells in table}
    theirs = {line["pairID"]: line for path in files for line in records(path)}
    assert ours.keys() == theirs.keys()
    for name, published in theirs.items():
        for side in ("sentence1", "sentence2"):
            for column in (side, f"{side}_parse", f"{side}_binary_parse"):
                assert ours[name][column] == published[column]


def test_lingnli_with_its_annotators(lingnli_file, tmp_path):
    bring("lingnli", lingnli_file, partition="dev")
    ours = Counter(
        (
            line["pairID"].partition("~")[0],  # the file gives some ids twice: the second gets a mark after ~
            line["sentence1"],
            line["sentence2"],
            line["gold_label"],
            *line["annotator_labels"],
            *line["annotator_codes"],
        )
        for line in records(released(tmp_path, "jsonl") / "dev.jsonl")
    )
    theirs = Counter(
        (
            line["pairID"],
            line["premise"],
            line["hypothesis"],
            line["label"],
            *line["annotator_labels"],
            *(f"here:{code}" for code in line["annotator_ids"]),
        )
        for line in records(lingnli_file)
    )
    assert ours == theirs


def test_lingnlis_training_part_names_the_author_of_each_pair(tmp_path):
    """Its lines hold the author's label alone; the published label is kept where it is another."""
    lines = [
        {
            **{"AnonId": 200 + number % 2, "annotator_labels": [own], "label": published},
            **{"pairID": f"{number}e", "promptID": number, "premise": f"It is {number} o'clock."},
            "hypothesis": f"The bells strike {number} times.",
        }
        for number, (own, published) in enumerate(
            [("entailment", "entailment"), ("neutral", "entailment")], 1
        )
    ]
    told = run(
        "import_pairs", "here", write_jsonl(tmp_path / "train.jsonl", lines), format="lingnli", json=True
    )
    assert (told.json["author_labels"], told.json["published_labels"]) == (2, 1)
    ours = {line["pairID"]: line for line in records(released(tmp_path, "jsonl") / "train.jsonl")}
    for line in lines:
        found = ours[line["pairID"]]
        assert found["author"] == f"here:{line['AnonId']}"
        assert (found["author_label"], found["gold_label"]) == (line["annotator_labels"][0], line["label"])
        assert (found["promptID"], found["sentence1"]) == (str(line["promptID"]), line["premise"])
        assert found["sentence2"] == line["hypothesis"]
