"""Imported pairs are opened after a look at what their hypotheses give away, or in so many words without it."""

import pytest

from collection.models import Corpus, Source
from tests.commands import run
from tests.corpora import make_corpus, make_pair, make_premise
from tests.made_once import made_once
from validation.models import Label
from validation.pairs.door import WORDS
from validation.statistics.cached import carry_out

pytestmark = pytest.mark.django_db

PAGE = "/corpora/small/open/"


def opened() -> int:
    return Label.objects.values("pair").distinct().count()


@made_once
def imported() -> Corpus:
    """Makes thirty imported pairs whose hypotheses give their label away, not open."""
    corpus = make_corpus(scheme="entailed2", protocol="recast")
    source = Source.objects.create(corpus=corpus, name="pairs.jsonl", sha256="0" * 64)
    for n in range(30):
        true = n % 2 == 0
        make_pair(
            corpus,
            make_premise(corpus, f"Premise {n}."),
            f"It {'surely' if true else 'never'} rained {n}.",
            published_label="entailed" if true else "not-entailed",
            source=source,
        )
    return corpus


def test_imported_pairs_are_opened_after_a_look_at_what_they_give_away(imported, browser_of, sent, rosa):
    browser = browser_of(rosa)
    page = browser.get(PAGE).text
    assert "Nobody has looked yet at what the hypotheses of the imported pairs give away." in page
    preview = browser.post(PAGE, {"number": 5, "do": "preview"})
    assert (preview.status_code, "5 pairs would open" in preview.text) == (200, True)
    refused = browser.post(PAGE, {"number": 5})
    assert (refused.status_code, opened()) == (422, 0)
    assert f"Please count what the hypotheses give away first, or write: {WORDS}" in refused.text
    assert browser.post(PAGE, {"what": "bias"}).status_code == 302
    assert "waiting for a worker" in browser.get(PAGE).text
    carry_out(statistics_id=sent.pop())
    page = browser.get(PAGE).text
    assert "What the hypotheses give away, as of" in page
    assert 'text=surely">surely</a> (15, 1.00)' in page
    assert WORDS not in page
    browser.post(PAGE, {"number": 5})
    assert opened() == 5


def test_later_imported_pairs_need_another_look(imported, browser_of, rosa):
    run("bias", "small")
    source = Source.objects.get()
    make_pair(imported, make_premise(imported, "New."), "So.", published_label="entailed", source=source)
    assert "Pairs were imported after the last look" in browser_of(rosa).get(PAGE).text
    assert browser_of(rosa).post(PAGE, {"number": 1}).status_code == 422


def test_imported_pairs_are_opened_without_a_look_by_words(imported, browser_of, rosa):
    browser_of(rosa).post(PAGE, {"number": 5, "unseen": f"  {WORDS.capitalize()} "})
    assert opened() == 5


def test_the_command_opens_imported_pairs_after_a_look(imported):
    assert (
        "Run bias small first, or pass --without-look." in run("open_pairs", "small", "--number", "5").failure
    )
    assert "5 pairs opened" in run("open_pairs", "small", "--number", "5", "--without-look").out
    run("bias", "small")
    assert "25 pairs opened" in run("open_pairs", "small").out


def test_an_import_that_shall_open_its_pairs_waits_for_a_look(tmp_path):
    """One rule for all commands: what is imported stays, nothing is opened, and the error says what to do."""
    file = tmp_path / "pairs.tsv"
    file.write_text("premise\thypothesis\tlabel\nIt rained.\tIt was wet.\tentailment\n")
    asked = ("import_pairs", "rain", file, "--format", "tsv", "--protocol", "judged", "--open")
    refused = run(*asked)
    assert "The pairs are imported, and not open: nobody has looked at what" in refused.failure
    assert "Run bias rain, then this command again, or pass --without-look." in refused.failure
    assert (Corpus.objects.get().pairs.count(), opened()) == (1, 0)
    run("bias", "rain")
    again = run(*asked)
    assert ("1 pairs were opened" in again.out, opened()) == (True, 1)


def test_recast_pairs_are_opened_without_a_look_by_an_option(tmp_path):
    reviews = tmp_path / "yelp_labelled.txt"
    reviews.write_text("The soup was good.\t1\n")
    asked = ("recast", "soups", "sentiment", reviews, "--open")
    told = run(*asked, json=True)
    assert (told.json["opened"], told.json["unseen"], opened()) == (0, True, 0)
    assert "Run bias soups, then this command again" in told.failure
    assert (run(*asked, "--without-look").failure, opened()) == ("", 2)


def test_other_pairs_of_the_corpus_do_not_wait_for_the_look(imported, tmp_path):
    for pair in imported.pairs.order_by("pk")[:2]:
        imported.pairs.filter(pk=pair.pk).update(published_label=None)
    (tmp_path / "ids").write_text(
        "\n".join(imported.pairs.order_by("pk").values_list("public_id", flat=True)[:2])
    )
    assert "2 pairs opened" in run("open_pairs", "small", "--pairs", tmp_path / "ids").out


def test_pairs_without_a_label_are_opened_without_a_look(imported, browser_of, rosa):
    imported.pairs.update(published_label=None)
    assert "Nobody has looked yet" not in browser_of(rosa).get(PAGE).text
    browser_of(rosa).post(PAGE, {"number": 5})
    assert opened() == 5


def test_the_count_by_genre_is_the_usual_one(imported, browser_of, rosa):
    """The page offers genre among others, and its chart comes as CSV."""
    run("bias", "small")
    browser = browser_of(rosa)
    usual, by_genre = (browser.get(f"/corpora/small/bias/{query}").context for query in ("", "?by=genre"))
    assert by_genre["found"] == usual["found"]
    assert usual["found"]["by"] == "genre"
    assert browser.get("/api/v1/corpora/small/figures/bias-alone?by=genre&as=csv").status_code == 200
