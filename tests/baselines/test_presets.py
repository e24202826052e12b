"""Presets: the settings as published, and the defaults, declared in one place."""

import json
from pathlib import Path

import pytest

from modeling.baselines.catalogue import (
    BASELINES,
    make_settings,
    preset_of,
    read_stored_settings,
    stored_settings,
    with_preset,
)
from modeling.baselines.config import read_run_config
from tests.baselines.small import run_train, small_run, small_settings

PUBLISHED = sorted(name for name, kind in BASELINES.items() if kind.PAPER is not None)


@pytest.mark.parametrize("baseline", PUBLISHED)
def test_run_json_takes_the_preset_and_named_settings_count_before_it(tmp_path: Path, baseline: str):
    run = small_run(tmp_path, baseline, preset="paper", settings={})
    assert read_run_config(run).settings == make_settings(baseline, BASELINES[baseline].PAPER or {})
    if "batch_size" in BASELINES[baseline].model_fields:
        named = read_run_config({**run, "settings": {"batch_size": 7}}).settings
        assert named.model_dump() == {**read_run_config(run).settings.model_dump(), "batch_size": 7}


@pytest.mark.parametrize("baseline", PUBLISHED)
def test_the_preset_of_settings_is_known_again(baseline: str):
    paper = with_preset(baseline, "paper", {})
    same = make_settings(baseline, paper) == make_settings(baseline, {})
    assert preset_of(baseline, {}) == "default"
    assert preset_of(baseline, paper) == ("default" if same else "paper")
    if "epochs" in BASELINES[baseline].model_fields:
        assert preset_of(baseline, {"epochs": 3, "learning_rate": 0.5}) is None


def test_the_paper_sums_word_vectors_and_the_default_scales_the_sums():
    assert with_preset("cbow", "paper", {"epochs": 2}) == {"batch_size": 32, "scale": 1.0, "epochs": 2}
    assert make_settings("cbow", {}).model_dump()["scale"] == 0.25


def test_a_run_from_before_sums_were_scaled_has_them_as_they_are():
    settings = make_settings("cbow", {"scale": 1.0})
    assert "scale" not in stored_settings(settings)
    assert read_stored_settings("cbow", stored_settings(settings)) == settings


@pytest.mark.parametrize("baseline", sorted(set(BASELINES) - set(PUBLISHED)))
def test_what_is_in_no_paper_has_no_such_preset(tmp_path: Path, baseline: str):
    code, events = run_train(small_run(tmp_path, baseline, preset="paper", settings={}), tmp_path)
    assert code == 1
    assert f"{baseline} is in no paper" in events[-1]["message"]
    with pytest.raises(ValueError, match="no preset paper"):
        with_preset(baseline, "paper", {})


def test_an_unknown_preset_is_refused_with_those_there_are(tmp_path: Path):
    code, events = run_train(small_run(tmp_path, preset="fast"), tmp_path)
    assert code == 1
    assert "default, paper" in events[-1]["message"]
    with pytest.raises(ValueError, match="default, paper"):
        with_preset("cbow", "fast", {})


def test_the_preset_trains_as_its_settings_do(tmp_path: Path):
    small = small_settings("lstm", epochs=2)
    of_preset = small_run(tmp_path / "a", "lstm", preset="paper", settings=small)
    spelt = small_run(tmp_path / "b", "lstm", settings=with_preset("lstm", "paper", small))
    for name, run in (("a", of_preset), ("b", spelt)):
        assert run_train(run, tmp_path / name)[0] == 0
    config = [json.loads((tmp_path / name / "run/config.json").read_text()) for name in ("a", "b")]
    assert config[0]["settings"] == config[1]["settings"]
    weights = [(tmp_path / name / "run/weights.safetensors").read_bytes() for name in ("a", "b")]
    assert weights[0] == weights[1]
