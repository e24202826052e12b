"""Agreement over pairs with five labels, SNLI's and some of our own: as is known, and by a slow oracle."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.oracles import agreement_by_hand, fleiss_by_definition, fleiss_of_one_category

pytestmark = pytest.mark.django_db

LABELS = ("entailment", "neutral", "contradiction")


@pytest.fixture
def figures(files: list[Path]) -> dict:
    call_command(
        "import_pairs", "snli", *map(str, files), format="snli", stdout=StringIO(), stderr=StringIO()
    )
    out = StringIO()
    call_command("agreement", "snli", json=True, stdout=out)
    return json.loads(out.getvalue())


def five_labels(files: list[Path]) -> list[list[str]]:
    rows = [json.loads(line)["annotator_labels"] for file in files for line in file.read_text().splitlines()]
    return [row for row in rows if len(row) == 5]


def test_the_figures_are_those_of_the_published_pairs_and_those_counted_by_hand(figures, five_labels):
    known = (five_labels.pairs, five_labels.with_five)
    assert (figures["pairs"], figures["pairs_with_all_labels"]) == known
    for name, value in five_labels.figures.items():
        assert figures[name] == pytest.approx(value, abs=0.0005), name
    for name, value in five_labels.kappa.items():
        assert figures["fleiss_kappa"][name] == pytest.approx(value, abs=0.0005), name


@pytest.mark.thorough
def test_a_slow_oracle_finds_the_same(figures, files):
    rows = five_labels(files)
    for name, value in agreement_by_hand(rows).items():
        assert figures[name] == pytest.approx(value, abs=1e-9), name
    assert figures["fleiss_kappa"]["overall"] == pytest.approx(fleiss_by_definition(rows, LABELS), abs=1e-9)
    for label in LABELS:
        assert figures["fleiss_kappa"][label] == pytest.approx(fleiss_of_one_category(rows, label), abs=1e-9)
    validators = fleiss_by_definition([row[1:] for row in rows], LABELS)
    assert figures["fleiss_kappa_validators"]["overall"] == pytest.approx(validators, abs=1e-9)


@pytest.mark.thorough
def test_the_genres_of_one_genre_say_the_same_as_the_whole(figures):
    out = StringIO()
    call_command("agreement", "snli", by="genre", json=True, stdout=out)
    genres = json.loads(out.getvalue())["by_genre"]
    assert [row["unanimous"] for row in genres.values()] == [figures["unanimous"]]


def test_the_papers_kappas_stand_beside_ones_own(five_labels, figures):
    """SNLI, Table 3: .70, entailment .72, neutral .60, contradiction .77."""
    out = StringIO()
    call_command("figure", "agreement-kappas", "snli", format="csv", stdout=out)
    rows = {row["of"]: row for row in csv.DictReader(StringIO(out.getvalue()))}
    for label, published in (
        ("overall", "0.7"),
        ("entailment", "0.72"),
        ("neutral", "0.6"),
        ("contradiction", "0.77"),
    ):
        assert rows[label]["SNLI"] == published
        assert float(rows[label]["kappa"]) == pytest.approx(five_labels.kappa[label], abs=0.0005)
    out = StringIO()
    call_command("agreement", "snli", stdout=out)
    (overall,) = (line.split() for line in out.getvalue().splitlines() if line.startswith("overall "))
    assert (overall[1], overall[-1]) == (f"{five_labels.kappa['overall']:.3f}", "0.700")
