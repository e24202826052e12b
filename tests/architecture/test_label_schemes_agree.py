"""The label schemes stand twice, once on each side of the process boundary."""

from collection.labels import SCHEMES
from modeling.baselines.labels import SCHEMES as BASELINE_SCHEMES


def test_both_sides_of_the_process_boundary_have_the_same_labels_in_the_same_order() -> None:
    assert list(BASELINE_SCHEMES.items()) == list(SCHEMES.items())
