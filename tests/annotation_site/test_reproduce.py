"""`reproduce`: a paper's tables by one command, over the corpora whose files are there."""

from argparse import ArgumentParser

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class

from annotation_site.management.commands import reproduce
from annotation_site.management.commands.reproduce import RECIPES, recipe
from modeling.management.commands.report import NAMES
from modeling.models import TrainingRun
from modeling.reports.definitions import TABLES
from modeling.running import runner
from modeling.running.actions import record_result
from schemas.published import published
from snapshots.models import Snapshot
from tests.modeling.material import metrics

CORPORA = [*RECIPES["corpora"], *RECIPES["recast"]["names"]]
# Tables of pairs that people mark or label here, or whose rows a key of one's own names.
WITHOUT = {"mpe-5", "mpe-7", "mpe-8", "hyponly-3", "hyponly-4"}
LABELS = ("entailment", "neutral", "contradiction")


@pytest.mark.parametrize("scale", ["published", "sample"])
@pytest.mark.parametrize("corpus", CORPORA)
def test_every_command_of_a_corpus_is_one_of_the_platform(corpus, scale, tmp_path):
    for name, *words in recipe(corpus, scale, tmp_path).commands:
        parser: ArgumentParser = load_command_class(get_commands()[name], name).create_parser(
            "manage.py", name
        )
        assert parser.parse_args(words)
        assert words[0] == corpus


def test_every_table_is_one_of_the_platform_and_of_corpora_that_are_there():
    listed = [each for paper in RECIPES["papers"].values() for each in paper["tables"]]
    assert {each["name"] for each in listed} <= set(NAMES)
    assert {name for each in listed for name in each["of"]} <= set(CORPORA)
    assert {name for name in TABLES if any(published(name))} - {each["name"] for each in listed} == WITHOUT


def test_joci_is_the_subset_that_the_paper_has(tmp_path):
    """Hypothesis Only paper, footnote 4: hypotheses by a model or from world knowledge, AGCI; 15% of the file are others."""
    imported, _ = recipe("joci", "published", tmp_path).commands
    assert imported[imported.index("--only-genre") + 1] == "AGCI"


@pytest.mark.django_db
def test_what_is_missing_is_named_with_where_it_is_had(tmp_path, capsys):
    with pytest.raises(CommandError, match="Nothing can be made"):
        call_command("reproduce", "snli", "--data", tmp_path, "--scale", "published", "--plan")
    told = capsys.readouterr().err
    assert "snli_1.0/snli_1.0_train.jsonl" in told
    assert "https://nlp.stanford.edu/projects/snli/" in told
    assert "put glove.840B.300d.txt into" in told
    assert "Table snli-4 is left out: snli, sick" in told


def test_a_table_keeps_the_order_of_its_corpora():
    here = dict.fromkeys(CORPORA, True)
    some = {
        name: [table.corpora for table in reproduce.tables(paper, here | lack)]
        for name, paper, lack in (
            ("second", "multinli", {"snli": False}),
            ("first", "multinli", {"multinli": False}),
            ("any", "hyponly", {"snli": False}),
            ("base", "dnc", {"multinli": False, "ner": False}),
        )
    }
    assert some["second"] == [["multinli"]] * 4
    assert some["first"] == [[]] * 4
    assert all(len(corpora) == 9 and corpora[0] == "dpr" for corpora in some["any"])
    assert [len(corpora) for corpora in some["base"]] == [5, 5, 0]


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    for part, dogs in (("train", range(6)), ("test", range(6, 9))):
        rows = [f"Dog {n} runs.\tDog {n} {label}.\t{label}" for n in dogs for label in LABELS]
        (tmp_path / f"{part}.tsv").write_text("premise\thypothesis\tlabel\n" + "\n".join(rows) + "\n")
    imports = [
        f"import_pairs tiny {{data}}/{part}.tsv --format tsv --scheme nli3 --partition {part}"
        for part in ("train", "test")
    ]
    made = {"published": {"from": "here", "commands": [*imports, "freeze_snapshot tiny --dev-from train=2"]}}
    monkeypatch.setitem(RECIPES["corpora"], "tiny", made)
    tables = [{"name": "snli-6", "of": ["tiny"]}]
    monkeypatch.setitem(RECIPES["papers"], "mpe", {"tables": tables})
    return tmp_path


@pytest.mark.django_db
@pytest.mark.usefixtures("sent")
def test_it_imports_freezes_trains_and_prints_once_and_goes_on_where_it_was(tiny, monkeypatch, capsys):
    trained = []

    def carry_out(run, **_):
        trained.append((run.baseline, run.seed))
        if len(trained) == 1:  # Ctrl-C
            TrainingRun.objects.filter(pk=run.pk).update(status=TrainingRun.Status.STOPPED, claimed_by="")
        else:
            record_result(run=run, metrics=metrics(0.5))
        return TrainingRun.objects.get(pk=run.pk)

    monkeypatch.setattr(runner, "carry_out", carry_out)
    asked = ("reproduce", "mpe", "--data", tiny, "--seeds", "2")
    with pytest.raises(CommandError, match="The same command goes on"):
        call_command(*asked)
    call_command(*asked, "--plan")
    assert "lacks" in capsys.readouterr().err
    for _ in range(2):
        call_command(*asked)
    runs = [(name, seed) for name in ("lstm", "rnn", "sum_of_words") for seed in (1, 2)]
    assert sorted(trained[1:]) == runs
    assert trained[0] in runs
    assert Snapshot.objects.count() == 1
    assert set(TrainingRun.objects.filter(parent__isnull=False).values_list("status", flat=True)) == {"done"}
    assert capsys.readouterr().out.count("50.0% ± 0.0 [77.6%]") == 2


@pytest.mark.django_db
@pytest.mark.usefixtures("sent")
@pytest.mark.parametrize("scale", ["sample", "published"])
def test_l2_is_tuned_again_for_the_transfer_once(tiny, monkeypatch, capsys, scale):
    (tiny / "glove.840B.300d.txt").write_text("dog 0.1 0.2\n")
    first = RECIPES["corpora"]["tiny"]["published"]["commands"]
    commands = [line.replace("tiny", "second") for line in first]
    monkeypatch.setitem(RECIPES["corpora"], "second", {"published": {"from": "here", "commands": commands}})
    (step,) = (dict(each) for each in RECIPES["papers"]["snli"]["tables"] if each["name"] == "snli-7")
    step |= {"of": ["tiny", "second"], "then": step["then"].replace("sick@1", "second@1")}
    monkeypatch.setitem(RECIPES["papers"], "mpe", {"tables": [step]})

    def carry_out(run, **_):
        record_result(run=run, metrics=metrics(0.7 if run.config.get("l2") == 0.001 else 0.5))
        return TrainingRun.objects.get(pk=run.pk)

    monkeypatch.setattr(runner, "carry_out", carry_out)
    monkeypatch.setattr("modeling.reports.unscored.score_all", lambda lacking: [])
    for _ in range(2):
        call_command("reproduce", "mpe", "--data", tiny, "--seeds", "1", "--scale", scale)
    transfers = TrainingRun.objects.filter(snapshot__corpus__slug="second", regime__has_key="start")
    tuned = transfers.filter(parent__isnull=False)
    assert sorted(run.config["l2"] for run in tuned) == [0, 1e-6, 1e-5, 1e-4, 1e-3]
    assert {run.regime["start"]["run"] for run in transfers} == {
        TrainingRun.objects.get(snapshot__corpus__slug="tiny").pk
    }
    assert all(("epochs" in run.config) == (scale == "published") for run in tuned), "the preset paper"
    assert "70.0%" in capsys.readouterr().out


@pytest.mark.django_db
@pytest.mark.usefixtures("sent")
def test_the_published_scale_has_the_settings_and_vectors_of_the_papers(tiny, capsys):
    (tiny / "glove.840B.300d.txt").write_text("dog 0.1 0.2\n")
    call_command("reproduce", "mpe", "--data", tiny, "--scale", "published", "--seeds", "1", "--queue")
    runs = TrainingRun.objects.all()
    assert {(run.baseline, run.vectors) for run in runs} == {
        (name, str(tiny / "glove.840B.300d.txt")) for name in ("lstm", "rnn", "sum_of_words")
    }
    assert all(run.config for run in runs), "the preset paper"
    assert "6 runs" not in capsys.readouterr().err
    assert {run.status for run in runs} == {"queued"}
