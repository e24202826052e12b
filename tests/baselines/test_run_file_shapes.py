"""RUN.json and EVAL.json have their keys and types from nli/, and the schemas that check them have no others."""

import pytest

from modeling.baselines.config import EvaluationConfig, Object, RunConfig, Start
from nli import run_files
from nli.gold import MAJORITY, Rule
from nli.shapes import object_errors
from nli.single_premises import as_named, rule_named

SNAPSHOT = {"name": "small@1", "sha256": "0" * 64}
FILE = {
    "path": "train.jsonl",
    "sha256": "1" * 64,
    "single_premises": {"scheme": "ordinal5", "seats": 3, "threshold": 2, "gold_scheme": "entailed2"},
}
FILES = {"train": FILE, "dev": FILE, "test": FILE}
RUN = {
    "baseline": "majority",
    "seed": 1,
    "snapshot": SNAPSHOT,
    "scheme": "nli3",
    "files": FILES,
    "folder": "runs/1",
    "cache": "cache",
    "vectors": "glove.txt",
    "genre": "fiction",
    "most": 5,
    "mixed": [{"snapshot": SNAPSHOT, "file": FILE, "share": 0.5, "most": 7}],
    "start": {"folder": "runs/0", "how": "update"},
}
EVALUATION = {"snapshot": SNAPSHOT, "files": FILES, "folder": "out", "cache": "cache", "vectors": "glove.txt"}


@pytest.mark.parametrize(
    ("schema", "shape", "given"),
    [
        (RunConfig, run_files.RunFile, RUN),
        (EvaluationConfig, run_files.EvaluationFile, EVALUATION),
    ],
)
def test_a_file_with_every_key_has_the_types_of_the_shape(schema, shape, given):
    assert not [*object_errors(given, shape, 1)]
    made = schema.model_validate(given)
    assert set(made.model_dump()) == set(schema.model_fields) >= given.keys()
    assert not [*object_errors(made.model_dump(mode="json"), shape, 1)]
    broken = {**given, "seed": "1", "folder": 7, "files": {"train": {**FILE, "sha256": 1}}}
    told = {text for _, text in object_errors(broken, shape, 1)}
    assert {"'folder' is not a text", "'files.train.sha256' is not a text"} <= told


def test_a_schema_with_other_keys_than_its_shape_cannot_be_written():
    with pytest.raises(TypeError, match="Stranger has other keys than Start"):

        class Stranger(Object):
            shape = run_files.Start
            folder: str

    with pytest.raises(TypeError, match="Lenient has other keys than Start, or needs others"):

        class Lenient(Start):
            shape = run_files.Start
            how: str = "update"


@pytest.mark.parametrize("gold_scheme", ["", "entailed2"])
def test_the_rule_for_single_premises_comes_back_from_a_run_file(gold_scheme):
    rule = Rule("ordinal5", 3, 2, MAJORITY, gold_scheme)
    assert rule_named(as_named(rule)) == rule
    assert ("gold_scheme" in as_named(rule)) == bool(gold_scheme)
