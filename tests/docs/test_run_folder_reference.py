"""The reference of run folders names the files that the training program writes."""

from modeling.baselines import checkpoint
from modeling.baselines.config import WEIGHTS
from modeling.baselines.results import TOP_FEATURES
from tests.docs.pages import REFERENCE, rows, ticked

FILES = {
    WEIGHTS,
    checkpoint.ACCUMULATORS,
    checkpoint.CONFIG,
    checkpoint.VOCABULARY,
    checkpoint.LABELS,
    checkpoint.METRICS,
    checkpoint.ENVIRONMENT,
    checkpoint.PROGRESS,
    checkpoint.TRAINING_TEXTS,
    f"{checkpoint.CHECKPOINT}/{checkpoint.STATE}",
    TOP_FEATURES,
    "predictions-dev.jsonl",
    "predictions-test.jsonl",
}


def test_the_reference_lists_the_files_of_a_run_folder() -> None:
    text = (REFERENCE / "run-folder.md").read_text()
    assert {word for cells in rows(text) for word in ticked(cells[0])} >= FILES
