"""The named rules that turn judgements into a gold label."""

import pytest

from collection.models import Pair
from nli.gold import ADJUDICATED, Rule
from tests.cast import rosa
from tests.corpora import make_corpus, make_pair, make_premise
from tests.validation.votes import gold_of, vote, waits
from validation.errors import AlreadyDecided, ReasonMissing, WrongLabel
from validation.models import Label, Question
from validation.pairs.adjudication import adjudicate, pair_to_decide
from validation.pairs.listing import Wanted, pairs_to_read
from validation.pairs.opening import open_for_validation, open_more_labels
from validation.quality_control.model_labels import keep_model_labels

pytestmark = pytest.mark.django_db


def pair_under(rule: str, letters: str, **fields: object) -> tuple[Pair, Question]:
    corpus = make_corpus(**fields)
    question = corpus.questions.get()
    question.gold_rule = rule
    question.save()
    pair = make_pair(corpus, make_premise(corpus, "A dog runs."), "An animal moves.")
    vote(pair, question, letters)
    return pair, question


@pytest.mark.parametrize(
    ("letters", "gold", "queued"),
    [
        ("eeeec", "entailment", False),
        ("eeenc", "entailment", False),
        ("eeecc", None, True),
        ("cccee", None, True),
        ("eennc", None, True),
        ("nnnee", "neutral", False),
        ("eeenn", "entailment", False),
    ],
)
def test_mpe_leaves_split_scenes_to_a_researcher(letters, gold, queued):
    pair, question = pair_under("adjudicated", letters)
    assert gold_of(pair, question)[0] == gold
    assert waits(pair, question) is queued


def test_mpe_waits_where_a_split_is_still_possible():
    pair, question = pair_under("adjudicated", "eee..")
    assert gold_of(pair, question) == (None, "none")
    assert not waits(pair, question)
    Label.objects.filter(pair=pair, position=4).update(label="neutral", origin="imported")
    assert gold_of(pair, question) == ("entailment", "voted")


@pytest.mark.parametrize(
    ("letters", "gold", "queued"),
    [
        ("eee", "entailment", False),
        ("eeec", "entailment", False),
        ("eecc", None, True),
        ("ee", None, True),
        ("nnn", "neutral", False),
    ],
)
def test_a_pair_whose_other_seats_nobody_will_fill_has_a_gold_label_or_waits(letters, gold, queued):
    pair, question = pair_under("adjudicated", letters)
    assert gold_of(pair, question) == (gold, "voted" if gold else "none")
    assert waits(pair, question) is queued
    assert (pair_to_decide(question)[0] == pair) is queued
    if queued:
        adjudicate(question=question, pair=pair, label="neutral", reason="One leg is up.", by=rosa())
        assert gold_of(pair, question) == ("neutral", "adjudicated")


def test_a_snapshot_that_left_such_a_pair_undecided_still_verifies():
    rule = Rule("nli3", 5, 3, ADJUDICATED)
    three = ("entailment",) * 3
    assert rule.explains("entailment", "voted", three, "entailment")
    assert rule.explains(None, "none", three, "entailment", is_early=True)
    assert not rule.explains(None, "none", ("entailment",) * 4, "entailment", is_early=True)
    assert not rule.explains(None, "none", ("neutral",) * 3, "neutral", is_early=True)
    assert not rule.explains(None, "none", three, "entailment")


def test_a_researcher_decides_with_a_reason_and_once():
    pair, question = pair_under("adjudicated", "eeecc")
    with pytest.raises(ReasonMissing):
        adjudicate(question=question, pair=pair, label="entailment", reason=" ", by=rosa())
    with pytest.raises(WrongLabel):
        adjudicate(question=question, pair=pair, label="yes", reason="It moves.", by=rosa())
    adjudicate(question=question, pair=pair, label="contradiction", reason="It stands still.", by=rosa())
    assert gold_of(pair, question) == ("contradiction", "adjudicated")
    assert not waits(pair, question)
    with pytest.raises(AlreadyDecided):
        adjudicate(question=question, pair=pair, label="neutral", reason="I disagree.", by=rosa())


def test_what_the_votes_decide_is_not_adjudicated():
    pair, question = pair_under("adjudicated", "eeeen")
    with pytest.raises(AlreadyDecided):
        adjudicate(question=question, pair=pair, label="neutral", reason="I know better.", by=rosa())


def test_a_published_label_beside_its_votes_is_not_adjudicated():
    pair, question = pair_under("adjudicated", "eeecc")
    Pair.objects.filter(pk=pair.pk).update(published_label="contradiction")
    assert gold_of(pair, question) == ("contradiction", "published")
    assert not waits(pair, question)


@pytest.mark.parametrize(
    ("letters", "gold"),
    [("555", "entailed"), ("333", "not-entailed"), ("5545", None), ("34444", None), ("55", None)],
)
def test_relation_extraction_keeps_unanimous_pairs_alone(letters, gold):
    corpus = make_corpus(scheme="entailed2")
    question = corpus.questions.get()
    Question.objects.filter(pk=question.pk).update(scheme="ordinal5", gold_rule="unanimous")
    question.refresh_from_db()
    pair = make_pair(corpus, make_premise(corpus, "Chinese outnumber Tibetans in Lhasa."), "They live there.")
    vote(pair, question, letters)
    assert gold_of(pair, question)[0] == gold


def test_a_unanimous_label_waits_for_the_seats_that_are_still_open():
    corpus = make_corpus()
    question = corpus.questions.get()
    question.gold_rule = "unanimous"
    question.save()
    pair = make_pair(corpus, make_premise(corpus, "A dog runs."), "An animal moves.")
    vote(pair, question, "eee.")
    assert gold_of(pair, question)[0] is None
    Label.objects.filter(pair=pair, position=4).update(label="entailment", origin="imported")
    assert gold_of(pair, question) == ("entailment", "voted")


def test_an_authors_label_on_another_scale_takes_no_seat():
    corpus = make_corpus(scheme="entailed2")
    question = corpus.questions.get()
    Question.objects.filter(pk=question.pk).update(scheme="ordinal5", gold_rule="unanimous")
    question.refresh_from_db()
    premise = make_premise(corpus, "Chinese outnumber Tibetans in Lhasa.")
    pair = make_pair(corpus, premise, "They live there.", author_label="entailed")
    open_for_validation(question=question, pairs=Pair.objects.all())
    assert set(pair.labels.values_list("label", flat=True)) == {None}
    assert pair.labels.count() == 5


def test_a_models_label_never_counts():
    pair, question = pair_under("majority", "eennc")
    for model in ("a large one", "another one"):
        assert keep_model_labels(question=question, model=model, labels={pair: ("entailment", "So.")}) == 1
    assert gold_of(pair, question) == (None, "none")
    assert Label.objects.counted().filter(pair=pair).count() == 5


def test_more_labels_never_change_the_gold_of_the_first_five():
    pair, question = pair_under("majority", "eeenn")
    assert open_more_labels(question=question, labels=9) == 1
    assert gold_of(pair, question) == ("entailment", "voted")
    Label.objects.filter(pair=pair, position__gt=5).update(label="neutral", origin="imported")
    assert gold_of(pair, question) == ("entailment", "voted")
    assert open_more_labels(question=question, labels=9) == 0


def test_more_labels_go_to_split_pairs_alone_and_up_to_the_limit():
    from validation.errors import TooManyLabels

    pair, question = pair_under("majority", "eeeen")
    assert open_more_labels(question=question, labels=9) == 0
    assert open_more_labels(question=question, labels=9, most_votes=4) == 1
    with pytest.raises(TooManyLabels, match="up to 100"):
        open_more_labels(question=question, labels=101)
    assert pair.labels.count() == 9


def test_a_pair_without_majority_stays_without_while_more_are_asked():
    pair, question = pair_under("majority", "eennc")
    Pair.objects.filter(pk=pair.pk).update(author_label="neutral")
    open_more_labels(question=question, labels=6)
    assert gold_of(pair, question) == (None, "none")


@pytest.mark.parametrize(
    ("rule", "letters", "is_disputed"),
    [
        *(("majority", "eeenc", False), ("majority", "eennc", True), ("majority", "eenn.", False)),
        *(("adjudicated", "eeenc", False), ("adjudicated", "eeecc", True), ("adjudicated", "eennc", True)),
        *(("unanimous", "eeeee", False), ("unanimous", "eeeen", True), ("unanimous", "eeee.", False)),
    ],
)
def test_a_pair_is_disputed_where_all_its_votes_give_no_gold_label(rule, letters, is_disputed):
    pair, question = pair_under(rule, letters)
    found, _ = pairs_to_read(question, Wanted(votes="disputed"))
    assert found == [pair] * is_disputed
