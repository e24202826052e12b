"""`[[question.calibration]]`: loading, changing, removing; texts of the corpus are errors."""

import pytest

from collection.models import Corpus
from tests.cast import vera
from tests.conftest import REPOSITORY
from tests.corpora import make_pair, make_premise
from validation.models import Assignment, CalibrationAnswer, CalibrationItem

pytestmark = pytest.mark.django_db

TEXT = (REPOSITORY / "examples" / "captions" / "corpus.toml").read_text()


def item(hypothesis: str, label: str = "entailment", premise: str = "A boy eats.") -> str:
    texts = f'premise = """{premise}"""\nhypothesis = "{hypothesis}"\nlabel = "{label}"'
    return f"\n[[question.calibration]]\n{texts}\n"


def with_items(*items: str, percent: int = 10) -> str:
    text = TEXT.replace("\n[question]\n", f"\n[question]\ncalibration_percent = {percent}\n", 1)
    return text + "".join(items)


def test_items_are_loaded_told_and_changed(load):
    assert '+ question: calibration item "Food is eaten."' in load(with_items(item("Food is eaten.")))
    loaded = CalibrationItem.objects.get()
    assert (loaded.label, loaded.question.calibration_percent) == ("entailment", 10)
    changed = load(with_items(item("Food is eaten.", "neutral"), item("He is hungry.", "neutral"), percent=5))
    assert '~ question: calibration item "Food is eaten.": label: "entailment" -> "neutral"' in changed
    assert "calibration_percent: 10 -> 5" in changed
    assert "nothing to change" in load(
        with_items(item("Food is eaten.", "neutral"), item("He is hungry.", "neutral"), percent=5)
    )


def test_an_item_that_nobody_met_goes_and_one_that_somebody_met_is_closed(load):
    load(with_items(item("Met."), item("Unmet.")))
    met = CalibrationItem.objects.get(hypothesis="Met.")
    assignment = Assignment.objects.create(
        question=met.question, annotator=vera(), leased_until="2026-01-01T00:00:00Z"
    )
    CalibrationAnswer.objects.create(
        item=met,
        annotator=vera(),
        assignment=assignment,
        order=0,
        answer="neutral",
        answered_at="2026-01-01T00:00:00Z",
    )
    told = load(with_items(item("Met.", "contradiction"), item("Unmet.")))
    assert "Earlier answers are compared with it: 1." in told
    load(TEXT)
    assert [(each.hypothesis, each.is_open) for each in CalibrationItem.objects.all()] == [("Met.", False)]
    load(with_items(item("Met.", "contradiction")))
    assert CalibrationItem.objects.get().is_open


def test_several_sentences_stand_one_a_line(load):
    load(with_items(item("It is loud.", premise="A dog barks.\n\n  A cat looks on. ")))
    assert CalibrationItem.objects.get().premise == "A dog barks.\nA cat looks on."


def test_a_pair_of_the_corpus_is_refused(load):
    load(TEXT)
    corpus = Corpus.objects.get()
    genre = corpus.genres.first()
    pair = make_pair(corpus, make_premise(corpus, "A boy eats.", genre=genre.slug), "Food is eaten.")
    told = load(with_items(item("Food is eaten.")))
    assert f"is the pair {pair.public_id} of the corpus" in told
    assert not CalibrationItem.objects.exists()


def test_faults_are_told_with_their_place(load):
    assert "[question]: calibration_percent: there is no item" in load(with_items())
    twice = load(with_items(item("Food is eaten."), item("Food is eaten.")))
    assert '[question] [[calibration]]: "Food is eaten." is there 2 times' in twice
    wrong = load(with_items(item("Food is eaten.", "perhaps")))
    assert '[question] [[calibration]] 1: label: "perhaps" is none of' in wrong
    assert "it must be from 0 to 100" in load(with_items(item("Food is eaten."), percent=101))
