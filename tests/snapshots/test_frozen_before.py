"""Snapshots of earlier versions still verify. The folders under frozen/ are as those versions wrote them."""

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from nli.lines import MANIFEST
from nli.manifest import Manifest
from nli.shapes import fields_of
from snapshots.verify import verify

FROZEN = Path(__file__).parent / "frozen"
EVERY_VERSION = {field.name for field in fields_of(Manifest) if field.since == 1}


class Old(NamedTuple):
    """Facts of a snapshot: its pairs, the keys of its manifest that not every version has, and the content of its files."""

    pairs: int
    has: set[str]
    holds: tuple[str, ...] = ()


BEFORE_ANSWERS = {"annotators", "author_disjoint", "parser", "parses", "provenance", "times", "withdrawn"}
WITH_ANSWERS = BEFORE_ANSWERS | {"answers", "pairs_with_metadata"}
WITH_GROUPS = WITH_ANSWERS | {"groups_in_two_partitions"}
# By folder. `adjudicated` has two pairs that wait for a researcher: the checker of its own day called them wrong.
# The two of the first version give an interval of alpha, which later versions left out.
OLD = {
    "first_version": Old(12, set(), ('"krippendorff_alpha_interval": [',)),
    "first_version_of_a_scale": Old(6, set(), ('"krippendorff_alpha_interval": [', '"ordinal": true')),
    "adjudicated": Old(8, BEFORE_ANSWERS, ('"gold_rule": "adjudicated"',)),
    "parses": Old(3, BEFORE_ANSWERS, ('"derived_parses": ["sentence1", "sentence2"]', '"tool": "spaCy"')),
    "single_premises": Old(2, BEFORE_ANSWERS, ('"single_premise_labels"', '"single_premises": {')),
    "metadata": Old(2, WITH_ANSWERS, ('"metadata": {"corpus": "Our own"', '"pairs_with_metadata": 2')),
    "answers": Old(3, WITH_ANSWERS, ('"all_label_counts"', '"question": "grammar"', '"reason": "Bread is')),
    "scale_decides_in_two": Old(3, WITH_GROUPS, ('"gold_scheme": "entailed2"', '"scheme": "ordinal5"')),
    "groups_in_two_partitions": Old(2, WITH_GROUPS, ('"groups_in_two_partitions": 1',)),
    "second_version": Old(
        3,
        WITH_GROUPS,
        (
            *('"format": "quintet-snapshot-2"', '"scheme": "ordinal5"', '"origin": "model"', '"round": 2'),
            *('"withdrawn": "its annotator was excluded"', '"reason": "A bus stop', '"derived_parses"'),
        ),
    ),
    "fewer_seats": Old(4, WITH_GROUPS, ('"partitions": {\n      "train": {\n        "seats": 1',)),
}


# Each file of each version is read whole in the first grade; altered are the two versions of the format.
TO_ALTER = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ("first_version", "second_version") else pytest.mark.thorough)
        for name in OLD
    ],
)


@pytest.fixture(params=OLD)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def copied(name: str, tmp_path: Path) -> Path:
    return Path(shutil.copytree(FROZEN / name, tmp_path / name))


def test_a_snapshot_of_an_earlier_version_is_whole(name: str) -> None:
    report = verify(FROZEN / name)
    assert (report.findings, report.pairs) == ([], OLD[name].pairs)


def test_objects_inside_the_manifest_have_the_keys_that_are_declared(tmp_path: Path) -> None:
    """Agreement, too: a key that no version wrote, one that is missing, and one of another type."""
    copied = Path(shutil.copytree(FROZEN / "second_version", tmp_path / "copied"))
    told = json.loads((copied / MANIFEST).read_bytes())
    told["agreement"]["kapa"] = told["agreement"].pop("unanimous")
    told["agreement"]["fleiss_kappa"]["overall"] = "high"
    told["partitions"]["train"]["size"] = 2
    (copied / MANIFEST).write_text(json.dumps(told))
    found = {finding.text for finding in verify(copied).findings}
    assert {
        "'agreement.kapa' is a key that no snapshot has",
        "'agreement.unanimous' is missing",
        "'agreement.fleiss_kappa.overall' is not a number or null",
        "'partitions.train.size' is a key that no snapshot has",
    } <= found


def test_gold_labels_of_a_scheme_that_early_snapshots_did_not_name_cannot_be_checked() -> None:
    """A corpus was judged on a scale and decided in two classes. The checker says so, and what to do."""
    found = [finding.text for finding in verify(FROZEN / "scale_without_its_scheme").findings]
    assert any("cannot be checked; freeze the corpus again" in text for text in found)


def test_it_is_as_its_version_wrote_it(name: str) -> None:
    assert json.loads((FROZEN / name / MANIFEST).read_bytes()).keys() == EVERY_VERSION | OLD[name].has
    text = "".join(path.read_text() for path in (FROZEN / name).iterdir())
    assert [words for words in OLD[name].holds if words not in text] == []


@TO_ALTER
def test_one_altered_byte_in_a_file_is_found(name: str, copied: Path) -> None:
    dice = random.Random(name)
    for path in copied.iterdir():
        if path.name == MANIFEST:
            continue
        whole = path.read_bytes()
        for place in [0, len(whole) - 1, *dice.sample(range(len(whole)), 6)]:
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            assert any(finding.file == path.name for finding in verify(copied).findings), (path.name, place)
        path.write_bytes(whole)


@TO_ALTER
def test_one_altered_value_in_the_manifest_is_found(copied: Path) -> None:
    """Only blanks between values of a manifest may change, and `about`: no hash covers these."""
    told = json.loads((copied / MANIFEST).read_bytes())
    for holder, key in values(told):
        if holder is told["about"]:
            continue
        whole = holder[key]
        holder[key] = whole + "x" if isinstance(whole, str) else not whole
        (copied / MANIFEST).write_text(json.dumps(told))
        holder[key] = whole
        assert not verify(copied).ok, key
    (copied / MANIFEST).write_text(json.dumps(told))
    assert verify(copied).ok


def values(told: Any) -> Iterator[tuple[Any, Any]]:
    """Yields (container, key) for each text, number, boolean and null in a JSON value."""
    for key in list(told) if isinstance(told, dict) else range(len(told)):
        if isinstance(told[key], dict | list):
            yield from values(told[key])
        else:
            yield told, key
