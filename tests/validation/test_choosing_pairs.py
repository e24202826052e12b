"""Choosing pairs to open: by seed, by a number or a share of each genre."""

import pytest

from collection.models import Corpus, Genre, Pair
from tests.cast import vera
from tests.corpora import ask, make_corpus, make_pair, make_premise
from tests.made_once import made_once
from validation.labelling.claiming import claim_batch
from validation.models import Label
from validation.pairs import opening
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db


@made_once
def corpus() -> Corpus:
    """Makes thirty pairs of fiction and ten of letters."""
    corpus = make_corpus()
    Genre.objects.create(corpus=corpus, slug="letters", name="Letters")
    for number in range(40):
        genre = "fiction" if number < 30 else "letters"
        premise = make_premise(corpus, f"Premise {number}.", genre=genre)
        make_pair(corpus, premise, f"Hypothesis {number}.", author_label="neutral")
    return corpus


def opened(corpus: Corpus) -> dict[str, int]:
    keys = Label.objects.values("pair")
    return {
        genre.slug: Pair.objects.filter(pk__in=keys, premise__genre=genre).count()
        for genre in corpus.genres.all()
    }


def test_a_number_of_each_genre(corpus):
    assert (
        open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.all(), number_a_genre=7) == 14
    )
    assert opened(corpus) == {"fiction": 7, "letters": 7}


def test_a_share_of_each_genre_counts_what_is_open_already(corpus):
    question = corpus.questions.get()
    assert open_for_validation(question=question, pairs=Pair.objects.all(), share_a_genre=0.1) == 4
    assert opened(corpus) == {"fiction": 3, "letters": 1}
    assert open_for_validation(question=question, pairs=Pair.objects.all(), share_a_genre=0.1) == 0
    assert open_for_validation(question=question, pairs=Pair.objects.all(), share_a_genre=0.2) == 4
    assert opened(corpus) == {"fiction": 6, "letters": 2}


def test_the_seed_decides(corpus):
    question = corpus.questions.get()
    open_for_validation(question=question, pairs=Pair.objects.all(), number=10, seed=1)
    first = set(Label.objects.values_list("pair", flat=True))
    Label.objects.all().delete()
    open_for_validation(question=question, pairs=Pair.objects.all(), number=10, seed=1)
    assert set(Label.objects.values_list("pair", flat=True)) == first
    Label.objects.all().delete()
    open_for_validation(question=question, pairs=Pair.objects.all(), number=10, seed=2)
    assert set(Label.objects.values_list("pair", flat=True)) != first


def test_each_sentence_of_a_scene_can_be_judged_by_itself():
    corpus = make_corpus()
    scene = "A man sits.\nA dog lies by him.\nHe reads.\nIt rains."
    premise = make_premise(corpus, scene, sentence_count=4)
    pair = make_pair(corpus, premise, "Somebody is outside.")
    single = ask(corpus, "single", seats=3, by_sentence=True)
    assert open_for_validation(question=single, pairs=Pair.objects.all()) == 1
    places = pair.labels.filter(question=single).values_list("sentence", "position")
    assert sorted(places) == [(s, p) for s in (1, 2, 3, 4) for p in (1, 2, 3)]
    batch = claim_batch(question=single, annotator=vera())
    assert len(batch.items) == 1  # one sentence of a scene is enough for one person
    assert batch.items[0].seat.sentence in (1, 2, 3, 4)


def test_the_turns_of_a_block_come_before_those_of_the_next(monkeypatch):
    monkeypatch.setattr(opening, "BLOCK", 2)
    corpus = make_corpus()
    for number in range(4):
        premise = make_premise(corpus, f"Scene {number}.\nIt rains.\nIt pours.", sentence_count=3)
        make_pair(corpus, premise, f"Hypothesis {number}.", author_label="neutral")
    ask(corpus, "single", seats=3, by_sentence=True)
    for question, seats in (
        (corpus.questions.get(slug="single"), 36),
        (corpus.questions.get(is_main=True), 16),
    ):
        open_for_validation(question=question, pairs=Pair.objects.all())
        order = question.judgements.seats().filter(label=None).order_by("turn").values_list("turn", "pair")
        assert [turn for turn, _ in order] == list(range(1, seats + 1))
        half = seats // 2
        assert not {pair for _, pair in order[:half]} & {pair for _, pair in order[half:]}
