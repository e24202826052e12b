"""Looks at arms that were planned: each count by arm is written down, and told at the level that looks have left."""

import json
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from annotation_site.researchers import looks
from annotation_site.workspace.preregistration import preregister
from collection.corpora import states
from collection.errors import NotPossible
from collection.models import Corpus, Look, Pair, Preregistration
from snapshots.verify import verify
from tests.cast import person, rosa, signed_in
from tests.commands import run
from tests.corpora import make_arm, make_corpus, make_premises
from tests.snapshots.material import folder, freeze, manifest
from validation.models import Question
from validation.statistics.cached import carry_out, request_statistics

pytestmark = pytest.mark.django_db

PAGE = "/c/small/preregistration/"
LABELS = ("entailment", "neutral", "contradiction")
TOLD = dict(zip(LABELS, ("surely", "perhaps", "never"), strict=True))
WRITERS, EACH = 6, 18


def planned(spending: str = "pocock", planned_pairs: int = 4 * WRITERS * EACH) -> Corpus:
    corpus = make_corpus()
    make_arm(corpus, "edit")
    preregister(corpus=corpus, text="We compare.", spending=spending, planned_pairs=planned_pairs)
    return corpus


def write(corpus: Corpus, first: int, *, tells: bool = True) -> None:
    """Adds six writers to each arm; in the arm "edit" a word stands for each label."""
    rows = []
    for arm in ("fiction", "edit"):
        for writer in range(first, first + WRITERS):
            premises = make_premises(corpus, [f"{arm} {writer} {n}." for n in range(EACH // 3)])
            for n in range(EACH):
                label = LABELS[n % 3]
                word = TOLD[label] if arm == "edit" and tells else TOLD[LABELS[(n + n // 3) % 3]]
                rows.append(
                    Pair(
                        corpus=corpus,
                        premise=premises[n // 3],
                        hypothesis=f"It {word} rained.",
                        scheme="nli3",
                        author=person(f"{arm}{writer}"),
                        author_label=label,
                        arm=arm,
                        public_id=f"{arm}-{writer}-{n}",
                    )
                )
    Pair.objects.bulk_create(rows)


def count(by: str = "arm") -> list[dict[str, Any]]:
    question = Question.objects.get(is_main=True)
    row = request_statistics(question=question, kind="bias", by=by)
    carry_out(statistics_id=row.pk)
    row.refresh_from_db()
    return json.loads(row.content)[1]["compared"]


def test_the_plan_is_in_the_text_that_is_hashed(client):
    corpus = make_corpus()
    browser = signed_in(rosa())
    asked = {"text": "We compare.", "spending": "obrien-fleming", "planned_pairs": "1200"}
    assert "fewer than two open ones" in browser.post(PAGE, asked).context["form"].errors["spending"][0]
    make_arm(corpus, "edit")
    make_arm(corpus, "coach")
    without = browser.post(PAGE, {**asked, "planned_pairs": ""})
    assert "how many pairs" in without.context["form"].errors["spending"][0]
    page = browser.post(PAGE, asked, follow=True).text
    said = Preregistration.objects.get()
    assert (said.spending, said.planned_pairs, said.comparisons) == ("obrien-fleming", 1200, 3)
    assert "until each arm has 1,200 pairs" in said.text
    assert "Lan and DeMets (1983)" in said.text
    assert "None was made yet" in page


@pytest.mark.parametrize("field", ["planned_pairs", "comparisons"])
def test_half_a_plan_is_refused_by_the_database(field):
    planned()
    with pytest.raises(IntegrityError), transaction.atomic():
        Preregistration.objects.update(**{field: None})


def test_each_count_by_arm_is_a_look_and_the_same_pairs_are_the_same_look():
    corpus = planned()
    write(corpus, 0)
    first = count()[0]
    assert (first["look"], first["share"]) == (1, pytest.approx(0.25))
    assert first["level"] == pytest.approx(0.05 * 0.357, abs=0.001), "Pocock: 5% x ln(1 + 1.718 / 4)"
    assert first["told"] == 1, "p is smaller than that"
    again = count()[0]
    assert (again["look"], again["level"], again["told"]) == (1, first["level"], 1)
    write(corpus, 100, tells=False)
    second = count()[0]
    assert (second["look"], second["share"], second["told"]) == (2, pytest.approx(0.5), 1)
    assert [each.number for each in Look.objects.all()] == [1, 2]
    count("version")
    assert Look.objects.count() == 2, "another breakdown is no look"


def test_pages_say_which_look_it_is_and_that_a_count_is_one():
    corpus = planned()
    write(corpus, 0)
    browser = signed_in(rosa())
    assert "look that you planned" in browser.get("/corpora/small/bias/?by=arm").text
    assert not Look.objects.exists(), "a page is no look"
    count()
    figure = browser.get("/api/v1/corpora/small/figures/bias-alone-compared?by=arm").json()
    assert (figure["rows"][0]["look"], figure["rows"][0]["told"]) == (1, 1)
    page = browser.get("/corpora/small/bias/?by=arm")
    titles = [each.table.title for each in page.context["charts"] if "compared" in each.figure.name]
    assert titles[0].startswith("Look 1: fiction − edit")
    assert "at the level that looks have left" in titles[0]
    made = browser.get(PAGE).context["charts"][0].table.rows
    assert [(row["look"], row["pair"], row["told"]) for row in made] == [(1, "fiction − edit", 1)]
    assert "fiction − edit" in run("figure", "looks", "small", format="csv").out
    assert Look.objects.count() == 1


def test_the_level_of_early_obrien_fleming_looks_is_too_low_for_what_is_told_at_five_per_cent():
    corpus = planned("obrien-fleming", 20 * WRITERS * EACH)
    write(corpus, 0)
    row = count()[0]
    assert row["p"] < 0.05
    assert row["told"] is None
    charts = signed_in(rosa()).get("/corpora/small/bias/?by=arm").context["charts"]
    assert "not clearly apart from 0" in charts[1].table.title


def test_the_first_look_at_an_archived_corpus_spends_what_is_left_and_is_the_last():
    corpus = planned("obrien-fleming", 20 * WRITERS * EACH)
    write(corpus, 0)
    count()
    states.archive(corpus=corpus)
    write(corpus, 100)
    row = count()[0]
    assert (row["look"], row["told"]) == (2, 2)
    assert row["level"] == pytest.approx(0.05, abs=0.001)
    write(corpus, 200)
    assert count()[0]["look"] == 2
    assert Look.objects.count() == 2


def test_looks_are_published_with_the_text():
    corpus = planned()
    write(corpus, 0)
    count()
    snapshot = freeze(corpus)
    (made,) = manifest(snapshot)["preregistration"]["looks"]
    assert (made["number"], made["compared"][0]["told"]) == (1, 1)
    assert not verify(folder(snapshot)).findings


def test_without_a_plan_nothing_is_written_down():
    corpus = make_corpus()
    make_arm(corpus, "edit")
    preregister(corpus=corpus, text="We compare.")
    write(corpus, 0)
    assert "look" not in count()[0]
    assert not Look.objects.exists()
    with pytest.raises(NotPossible):
        preregister(corpus=corpus, text="We compare.", spending="pocock", planned_pairs=10)


def test_two_numbers_are_never_the_same():
    corpus = planned()
    plan = looks.planned_looks(corpus)
    Look.objects.create(preregistration=plan, number=1, is_last=False, compared=[])
    with pytest.raises(IntegrityError), transaction.atomic():
        Look.objects.create(preregistration=plan, number=1, is_last=False, compared=[])
