"""Questions beside the main one have agreement, annotators and flags of their own, single sentences too."""

from typing import Any

import pytest
from lxml import html

from collection.models import Corpus
from tests.cast import person
from tests.commands import run
from tests.corpora import ask, make_corpus, make_pair, make_premise, new_label
from tests.made_once import made_once
from tests.oracles import fleiss_by_definition
from tests.validation.test_single_premises import ask_of_single_premises, judge
from tests.validation.votes import vote
from validation.gold.queries import with_gold_label
from validation.models import Label, Question
from validation.statistics.agreement import pairwise_kappa
from validation.statistics.annotator_quality import annotators
from validation.statistics.reliability_models import fit_models

pytestmark = pytest.mark.django_db

GRAMMAR = ["none", "minor", "major"]
FALLEN = [
    *(["none"] * 3, ["none", "none", "minor"], ["minor"] * 3),
    *(["major", "major", "none"], ["none", "minor", "major"]),
]


@made_once
def corpus() -> Corpus:
    """Makes five pairs with an author's label, each with three judgements of its grammar by three people."""
    corpus = make_corpus()
    grammar = ask(corpus, "grammar", scheme="grammar3", seats=3, hides_premise=True)
    for number, labels in enumerate(FALLEN):
        premise = make_premise(corpus, f"Premise {number}.")
        pair = make_pair(corpus, premise, f"Sentence {number}.", author_label="neutral")
        Label.objects.bulk_create(
            new_label(
                grammar,
                pair,
                label,
                position=position,
                annotator=person(f"g{position}"),
                cast_at=pair.created_at,
            )
            for position, label in enumerate(labels, start=1)
        )
    return corpus


def test_the_figures_of_grammar_are_those_of_its_own_labels(corpus):
    found = run("agreement", "small", question="grammar", json=True).json
    assert (found["pairs"], found["pairs_with_all_labels"]) == (5, 5)
    assert found["unanimous"] == pytest.approx(2 / 5)
    assert found["no_gold"] == pytest.approx(1 / 5)
    assert found["fleiss_kappa"]["overall"] == pytest.approx(fleiss_by_definition(FALLEN, GRAMMAR))
    assert (found["gold_equals_author"], found["single_premises"]) == (None, None)


def test_an_unknown_question_lists_the_known_ones(corpus):
    assert "grammar, main" in run("agreement", "small", question="spelling").failure
    assert "grammar, main" in run("quality", "small", question="spelling").failure


def test_the_authors_label_is_no_answer_to_another_question(corpus):
    grammar = Question.objects.get(slug="grammar")
    rows = with_gold_label(corpus.pairs.order_by("pk"), grammar)
    assert [row.gold_label for row in rows] == ["none", "none", "minor", "major", None]
    unasked = make_pair(corpus, make_premise(corpus, "Unasked."), "Unasked.", author_label="neutral")
    row = with_gold_label(corpus.pairs.filter(pk=unasked.pk), grammar).get()
    assert (row.gold_label, row.gold_source) == (None, "none")


def test_pages_rest_and_files_tell_them(corpus, browser_of, rosa):
    browser = browser_of(rosa)
    page = browser.get("/corpora/small/agreement/?question=grammar&by=genre").content.decode()
    assert "5 of 5 pairs have all 3 labels" in html.fromstring(page).text_content()
    assert 'href="?question=grammar&amp;by=week#by"' in page
    table = browser.get("/corpora/small/agreement/?question=grammar&as=csv").content.decode()
    assert ",,unanimous,0.4," in table
    people = browser.get("/corpora/small/annotators/?question=grammar").content.decode()
    assert f"/corpora/small/pool/{person('g1').code}/?question=grammar" in people
    told = browser.get("/api/v1/corpora/small/agreement/?question=grammar&pairwise=true").json()
    assert told["unanimous"] == pytest.approx(2 / 5)
    rows = browser.get("/api/v1/corpora/small/annotators/?question=grammar").json()["annotators"]
    assert {row["labels"] for row in rows} == {5}
    for address in ("agreement", "annotators"):
        assert browser.get(f"/api/v1/corpora/small/{address}/?question=odd").status_code == 404
        assert browser.get(f"/corpora/small/{address}/?question=odd").status_code == 404


def test_a_count_that_is_asked_for_stays_with_its_question(corpus, browser_of, rosa):
    address = "/corpora/small/annotators/"
    answer = browser_of(rosa).post(f"{address}?question=grammar", {"what": "models"})
    assert answer.url == f"{address}?question=grammar"
    assert Question.objects.get(slug="grammar").cached_statistics.get().kind == "models"


def test_single_sentences_are_compared_sentence_by_sentence():
    corpus = make_corpus(protocol="judged")
    single = ask_of_single_premises(corpus)
    fallen = {1: "een", 2: "ccc"}
    for number in range(4):
        premise = make_premise(corpus, f"One {number}.\nTwo.", sentence_count=2)
        pair = make_pair(corpus, premise, "A sentence.")
        for sentence, letters in fallen.items():
            judge(single, pair, sentence, letters)
    for position in (1, 2, 3):
        Label.objects.filter(position=position).update(annotator=person(f"s{position}"))
    found = run("agreement", "small", question=single.slug, by="validator", json=True).json
    assert (found["pairs"], found["pairs_with_all_labels"]) == (8, 8)
    assert (found["unanimous"], found["no_gold"]) == (0.5, 0)
    code = person("s3").code
    assert found["by_validator"][code]["pairs_with_all_labels"] == 8
    third = next(one for one in annotators(single) if one.code == code)
    assert (third.labels, third.others, third.equals_others) == (8, 8, 0.5)
    assert fit_models(single)["pairs"] == 8


def test_two_people_share_a_pair_once_though_one_of_them_labelled_it_twice(monkeypatch):
    """In published files, authors may have validated their own pairs. The first label counts."""
    monkeypatch.setattr("validation.statistics.agreement.PAIRWISE_FROM", 0)
    corpus = make_corpus()
    question = Question.objects.get()
    one, other = person("o1"), person("o2")
    for text, letters in (("A.", "ncn"), ("B.", "cec")):
        pair = make_pair(corpus, make_premise(corpus, text), text)
        vote(pair, question, letters)
        Label.objects.filter(pair=pair, position__in=(1, 2)).update(annotator=one)
        Label.objects.filter(pair=pair, position=3).update(annotator=other)
    (row,) = pairwise_kappa(question)
    assert (row["pairs"], row["kappa"]) == (2, 1)


def test_kappa_of_two_people_is_in_the_table_too(corpus, monkeypatch):
    monkeypatch.setattr("validation.statistics.agreement.PAIRWISE_FROM", 4)
    table = run("agreement", "small", question="grammar", pairwise=True, csv=True).out
    two = " and ".join(sorted((person("g1").code, person("g2").code)))
    assert f"two annotators,{two},shared_pairs,5," in table


def test_kappas_are_sorted_over_all_pairs_of_annotators(corpus, browser_of, rosa, monkeypatch):
    monkeypatch.setattr("validation.statistics.agreement.PAIRWISE_FROM", 0)
    monkeypatch.setattr("annotation_site.researchers.agreement_pages.PAIRWISE_SHOWN", 1)
    browser, address = browser_of(rosa), "/corpora/small/annotators/"
    found = pairwise_kappa(Question.objects.get(slug="grammar"))
    known = [row for row in found if row["kappa"] is not None]
    assert len({row["kappa"] for row in known}) > 1
    page = browser.get(address, {"question": "grammar"})
    assert page.context["pairwise_shown"] == found[:1]
    assert f"Cohen’s kappa of {len(found)} pairs of annotators" in page.content.decode()
    page = browser.get(address, {"question": "grammar", "sort": "kappa"})
    assert page.context["pairwise_shown"][0]["kappa"] == min(row["kappa"] for row in known)
    tree = html.fromstring(page.content)
    assert tree.xpath("//details[@id='pairwise']/@open")
    links: Any = tree.xpath("//details[@id='pairwise']//th[@aria-sort='ascending']/a/@href")
    turned = browser.get(address + links[0].partition("#")[0])
    assert turned.context["pairwise_shown"][0]["kappa"] == max(row["kappa"] for row in known)
    assert turned.context["list"].rows == page.context["list"].rows
