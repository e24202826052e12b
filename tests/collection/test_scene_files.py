"""Files of scenes with five captions each; an invalid line is reported with its reason."""

import gzip

import pytest

from collection.formats.lines import BadLine
from collection.pairing.scenes import Scene, read_scenes
from tests.collection.pairing_material import example_scenes
from tests.commands import write_jsonl

FIVE = ["A dog runs.", "A cat sits.", "A boy eats.", "A girl reads.", "A man works."]


def read(tmp_path, *records):
    return list(read_scenes(write_jsonl(tmp_path / "scenes.jsonl", records)))


def test_a_scene_is_an_id_and_five_captions(tmp_path):
    (scene,) = read(tmp_path, {"id": "s1", "captions": [" A  dog runs.", *FIVE[1:]]})
    assert scene == Scene(1, "s1", tuple(FIVE))
    assert scene.premise == tuple(FIVE[:4])


def test_our_example_scenes_can_all_be_read():
    assert len(example_scenes()) == 25


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"id": "s", "captions": FIVE[:4]}, "a scene has 5 captions, but this one has 4"),
        ({"id": "s", "captions": [*FIVE, "More.", "More."]}, "a scene has 5 captions, but this one has 7"),
        ({"id": "s", "captions": []}, "a scene has 5 captions, but this one has 0"),
        ({"id": "s", "captions": [*FIVE[:4], " "]}, '"captions" is empty'),
        ({"id": "s", "captions": [*FIVE[:4], 7]}, '"captions" must be a string, not a number'),
        ({"id": "s", "captions": "A dog."}, 'there is no list "captions"'),
        ({"captions": FIVE}, 'there is no "id"'),
        ({"id": "x" * 81, "captions": FIVE}, '"id" is 81 characters long; the limit is 80'),
        (
            {"id": "s", "captions": [*FIVE[:4], "y" * 1001]},
            "caption 5 is 1,001 characters long; the limit is 1,000",
        ),
        ({"id": "s", "captions": FIVE, "title": "?"}, "the key title is unknown; remove it"),
        ('{"id": "s", "captions": [', "not valid JSON: Expecting value, at character 26"),
        ("[1]", "a line must hold a JSON object, not a list"),
    ],
)
def test_a_bad_line_is_refused_by_number_while_others_are_read(tmp_path, record, reason):
    good = {"id": "good", "captions": FIVE}
    first, second = read(tmp_path, record, good)
    assert first == BadLine(1, reason)
    assert isinstance(second, Scene)


def test_an_id_stands_once_in_a_file(tmp_path):
    _, second = read(tmp_path, {"id": "s", "captions": FIVE}, {"id": "s", "captions": FIVE[::-1]})
    assert second == BadLine(2, 'the id "s" is in line 1 already')


def test_a_premise_stands_once_in_a_file(tmp_path):
    _, second = read(tmp_path, {"id": "s", "captions": FIVE}, {"id": "t", "captions": [*FIVE[:4], "A bird."]})
    assert second == BadLine(2, "its first captions are those of line 1")


def test_a_compressed_file_is_read_as_it_is(tmp_path):
    path = write_jsonl(tmp_path / "scenes.jsonl", [{"id": 7, "captions": FIVE}])
    packed = tmp_path / "scenes.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert [scene.id for scene in read_scenes(packed)] == ["7"]


def test_all_scenes_of_a_file_name_their_partition_or_none_does(tmp_path):
    named = {"id": "a", "captions": FIVE, "partition": "validation"}
    other = {"id": "b", "captions": FIVE[::-1]}
    first, second, third = read(tmp_path, named, other, {**other, "partition": "odd"})
    assert first.partition == "dev"
    assert second == BadLine(2, "it does not name its partition, and line 1 names one")
    assert third.reason.startswith('"partition" must be one of train, ')
    _, second = read(tmp_path, other, named)
    assert second == BadLine(2, "it names its partition, and line 1 names none")
