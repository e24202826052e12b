"""PASCAL RTE-1 to 3 in one corpus: each file numbers its pairs anew, and the default keeps them apart."""

import re

import pytest

from collection.models import Pair
from snapshots.exports.formats import export
from tests.commands import run
from tests.snapshots.material import folder, freeze, lines

pytestmark = pytest.mark.django_db

FILES = ("rte1_dev.xml", "rte2_dev.xml", "rte3_dev.xml")


def test_files_that_number_their_pairs_from_1_are_kept_apart_in_one_corpus(shared_data, tmp_path):
    files = [shared_data / "rte_pascal" / name for name in FILES]
    ids = [re.findall(r'<pair id="(\d+)"', file.read_text()) for file in files]
    apart = sum(map(len, ids)) - len(set().union(*ids))
    asked = {"format": "rte", "partition": "test", "json": True}
    looked = run("import_pairs", "rte", *files, **asked, dry_run=True).json
    done = run("import_pairs", "rte", *files, **asked).json
    assert (looked["pairs"], looked["refused_count"]) == (done["pairs"], done["refused_count"]) == (1767, 0)
    assert looked["pair_ids_of_file"] == done["pair_ids_of_file"] == apart > 700
    told = run("import_pairs", "again", *files, format="rte", partition="test", dry_run=True).out
    assert (
        f"{apart} pair ids belonged to pairs of another file: the file’s name now stands before them" in told
    )
    assert "rte2_dev-" in told
    names = set(Pair.objects.values_list("public_id", flat=True))
    assert {"13", "rte2_dev-13", "rte3_dev-1", "rte3_dev-13"} <= names
    again = run("import_pairs", "rte", *files, **asked).json
    assert (again["pairs"], again["skipped"], again["pair_ids_of_file"]) == (0, 1767, 0)
    snapshot = freeze(Pair.objects.first().corpus)
    export(folder(snapshot), str(snapshot), "jsonl", tmp_path / "made")
    by_id = {line["pairID"]: line for line in lines(snapshot, "test")}
    assert by_id["rte3_dev-13"]["metadata"]["id"] == "13"
    assert "id" not in by_id["13"].get("metadata", {})


def test_one_file_with_an_id_for_two_pairs_is_refused_as_before(tmp_path):
    pair = '<pair id="1" value="TRUE" task="IR"><t>A {0}.</t><h>B.</h></pair>'
    file = tmp_path / "one.xml"
    file.write_text(
        f'<?xml version="1.0"?><entailment-corpus>{pair.format(1)}{pair.format(2)}</entailment-corpus>'
    )
    done = run("import_pairs", "one", file, format="rte", json=True, partly=True).json
    assert (done["pairs"], done["refused_count"], done["pair_ids_of_file"]) == (1, 1, 0)
