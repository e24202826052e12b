"""The proofs are commands that the platform has, over the tables whose figures are published."""

from argparse import ArgumentParser
from pathlib import Path

import pytest
from django.core.management import load_command_class

from bench import proofs
from modeling.management.commands.report import NAMES
from modeling.models import TrainingRun
from modeling.reports.definitions import TABLES
from modeling.running import runner
from modeling.running.actions import record_result
from schemas.published import published
from snapshots.models import Snapshot
from tests.modeling.material import metrics

APPS = {
    "import_pairs": "annotation_site",
    "freeze_snapshot": "snapshots",
    "train": "modeling",
}


@pytest.mark.parametrize("proof", proofs.PROOFS)
def test_every_command_of_a_proof_is_one_of_the_platform(proof):
    for name, *words in proofs.commands(proof, Path("/data"), 3):
        parser: ArgumentParser = load_command_class(APPS[name], name).create_parser("manage.py", name)
        parser.parse_args(words)
    corpora, _, tables = proofs.PROOFS[proof]
    for *snapshots, table in map(str.split, tables):
        assert table in NAMES
        assert {name.removesuffix("@1") for name in snapshots} <= set(corpora)


# Tables of pairs that people mark or label here, or whose data are not at hand.
WITHOUT = {"mpe-5", "mpe-7", "mpe-8", "hyponly-3", "hyponly-4"}


def test_every_result_table_with_published_figures_is_in_a_proof():
    proven = {table.split()[-1] for _, _, tables in proofs.PROOFS.values() for table in tables}
    assert {name for name in TABLES if any(published(name))} - proven == WITHOUT


def test_joci_is_the_subset_that_the_paper_has():
    """Hypothesis Only paper, footnote 4: hypotheses by a model or from world knowledge, AGCI; 15% of the file are others."""
    (command, _) = proofs.CORPORA["joci"]
    assert "--only-genre AGCI" in command


@pytest.mark.django_db
@pytest.mark.usefixtures("sent")
def test_a_proof_imports_freezes_trains_and_prints_once(tmp_path, monkeypatch, capsys):
    labels = ("entailment", "neutral", "contradiction")
    for part, dogs in (("train", range(6)), ("test", range(6, 9))):
        rows = [f"Dog {n} runs.\tDog {n} {label}.\t{label}" for n in dogs for label in labels]
        (tmp_path / f"{part}.tsv").write_text("premise\thypothesis\tlabel\n" + "\n".join(rows) + "\n")
    imports = [
        f"import_pairs tiny {{data}}/{part}.tsv --format tsv --scheme nli3 --partition {part}"
        for part in ("train", "test")
    ]
    corpora = {"tiny": (*imports, "freeze_snapshot tiny --dev-from train=2")}
    monkeypatch.setattr(proofs, "CORPORA", corpora)
    monkeypatch.setattr(proofs, "PROOFS", {"tiny": (("tiny",), (), ("tiny@1 snli-6",))})
    trained = []

    def carry_out(run, **_):
        trained.append((run.baseline, run.seed))
        record_result(run=run, metrics=metrics(0.5))

    monkeypatch.setattr(runner, "carry_out", carry_out)
    for _ in range(2):
        proofs.prove("tiny", tmp_path, 2)
    assert sorted(trained) == [(name, seed) for name in ("lstm", "rnn", "sum_of_words") for seed in (1, 2)]
    assert Snapshot.objects.count() == 1
    assert set(TrainingRun.objects.filter(parent__isnull=False).values_list("status", flat=True)) == {"done"}
    assert capsys.readouterr().out.count("50.0% ± 0.0 [77.6%]") == 2
