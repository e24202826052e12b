"""Settings are listed and checked without torch; the programs run without Django."""

import json
import subprocess
import sys

import pytest

from modeling.baselines.catalogue import BASELINES, check_settings, describe, main
from modeling.baselines.train import main as train_main
from tests.baselines.small import ROOT


def test_settings_given_as_text_get_the_type_of_their_key():
    given = {"epochs": "3", "dropout": "0.2", "train_vectors": "False", "oov": "shared", "batch_size": 8}
    assert check_settings("cbow", given) == {
        "epochs": 3,
        "dropout": 0.2,
        "train_vectors": False,
        "oov": "shared",
        "batch_size": 8,
    }


@pytest.mark.parametrize(
    ("baseline", "given", "words"),
    [
        ("cbov", {}, "no baseline 'cbov'.*majority, hypothesis_only, infersent"),
        ("cbow", {"epoch": "3"}, 'cbow: epoch: unknown key; did you mean "epochs".*batch_size'),
        ("cbow", {"epochs": "three"}, 'epochs: must be a whole number, not a text ."three"'),
        ("cbow", {"epochs": "1.5"}, 'epochs: must be a whole number, not a text ."1.5"'),
        ("cbow", {"train_vectors": "perhaps"}, "true or false"),
        ("cbow", {"dropout": "1"}, "dropout: is 1.0; it must be at least 0 and below 1"),
        ("majority", {"epochs": "3"}, "keys here are: none"),
    ],
)
def test_a_wrong_setting_is_named_with_what_there_is(baseline: str, given: dict[str, object], words: str):
    with pytest.raises(ValueError, match=words):
        check_settings(baseline, given)


def test_all_faults_of_settings_are_told_at_once():
    with pytest.raises(ValueError, match=r"epochs: is 0.*dropout: is 2.*epoch: unknown"):
        check_settings("cbow", {"epochs": "0", "dropout": "2", "epoch": "1"})


def test_every_setting_is_described_with_a_default_that_passes_its_own_check():
    for name, baseline in describe().items():
        assert baseline["doc"]
        for key, one in baseline["settings"].items():
            assert one["doc"], key
            assert type(one["default"]).__name__ == one["type"]
        BASELINES[name]()


def test_the_how_to_tells_of_every_baseline():
    told = (ROOT / "docs/how-to/train-baselines.md").read_text(encoding="utf-8")
    assert [name for name in BASELINES if f"`{name}`" not in told] == []


def test_describe_prints_the_catalogue(capsys: pytest.CaptureFixture[str]):
    assert train_main(["--describe"]) == 0
    assert json.loads(capsys.readouterr().out) == describe()
    assert main([]) == 0
    assert json.loads(capsys.readouterr().out) == describe()


def test_the_catalogue_checks_settings_from_the_command_line(capsys: pytest.CaptureFixture[str]):
    assert main(["cbow", "epochs=3"]) == 0
    assert json.loads(capsys.readouterr().out) == {"settings": {"epochs": 3}}
    assert main(["cbow", "epochs"]) == 1
    assert "key=value" in json.loads(capsys.readouterr().out)["message"]


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("catalogue, modeling.baselines.config", ("torch", "numpy", "nltk", "django")),
        ("train", ("torch", "numpy", "nltk", "django")),
        # In `make quick`, the import contract says this without loading torch.
        pytest.param(
            *(
                "training, modeling.baselines.evaluation",
                ("django", "celery", "modeling.models", "snapshots"),
            ),
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_the_programs_load_only_what_they_need(module: str, absent: tuple[str, ...]):
    code = (
        f"import sys; import modeling.baselines.{module}; print([m for m in {absent!r} if m in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"
