"""How far each genre is, and pairs for the paper: the numbers beside a count of its own; none, one and many."""

from collections import Counter
from datetime import UTC, datetime
from statistics import median

import pytest

from collection.models import Corpus, Genre, Pair, Premise, WritingSeat
from tests.cast import people
from tests.commands import run
from tests.corpora import LABELS, make_corpus, make_pair, make_premise, make_premises, new_label
from tests.made_once import made_once
from validation.models import Label, Question
from validation.statistics import cached

pytestmark = pytest.mark.django_db

FINISHED, PAPER = "/c/small/finished/", "/c/small/paper/"
WHEN = datetime(2026, 11, 1, tzinfo=UTC)
CROWD = [f"who{n}" for n in range(5)]


@made_once
def begun() -> Corpus:
    """Makes two genres: of fiction 40 of 48 pairs are labelled in full, of letters 10 of 60; texts are still asked for."""
    corpus = make_corpus()
    question, crowd = corpus.questions.get(), people(CROWD)
    Genre.objects.create(corpus=corpus, slug="letters", name="Letters", prompt=corpus.prompts.get())
    labels = []
    for genre, pairs, full, unwritten in (("fiction", 48, 40, 4), ("letters", 60, 10, 10)):
        of = corpus.genres.get(slug=genre)
        premises = make_premises(
            corpus, [f"{genre} {n}." for n in range(pairs // 3 + unwritten + 1)], genre=genre
        )
        Premise.objects.filter(pk=premises[-1].pk).update(status="dropped", dropped_because="torn")
        for n, premise in enumerate(premises):
            sent = (
                {"submitted_at": WHEN, "leased_until": WHEN, "annotator": crowd[CROWD[n % 5]]}
                if n < pairs // 3
                else {}
            )
            WritingSeat.objects.create(premise=premise, position=1, genre=of, turn=n, **sent)
        for n in range(pairs):
            truth = LABELS[n % 3]
            words = " ".join(["word"] * (n % 7 + 1))
            pair = make_pair(
                corpus, premises[n // 3], f"{words} {n}.", author_label=truth, author=crowd[CROWD[n % 5]],
                public_id=f"{genre}{n}",
            )  # fmt: skip
            for position in range(1, 6):
                odd = n % 2 and position > 5 - n % 4
                given = (LABELS[(n + position) % 3] if odd else truth) if n < full or position < 3 else None
                if n < pairs - 6:  # the last six are not open
                    labels.append(
                        new_label(
                            question,
                            pair,
                            given,
                            position=position,
                            turn=n,
                            origin="imported" if given else "cast",
                        )
                    )
    Label.objects.bulk_create(labels)
    return corpus


def test_the_genre_that_lags_comes_first_and_its_numbers_lead_to_their_lists(begun, browser_of, rosa):
    browser = browser_of(rosa)
    page = browser.get(FINISHED)
    letters, fiction = page.context["each"].table.rows
    assert (letters["group"], fiction["group"]) == ("Letters", "Fiction")
    numbers = ("premises", "asked", "texts", "pairs", "opened", "labelled", "expected")
    assert [letters[name] for name in numbers] == [30, 30, 20, 60, 54, 10, 90]
    assert [fiction[name] for name in numbers] == [20, 20, 16, 48, 42, 40, 60]
    question = Question.objects.get()
    for row, genre in ((letters, "letters"), (fiction, "fiction")):
        votes: dict[int, Counter[str]] = {}
        for pair, label in Label.objects.filter(
            question=question, pair__premise__genre__slug=genre, label__isnull=False
        ).values_list("pair", "label"):
            votes.setdefault(pair, Counter())[label] += 1
        gold = sum(each.total() == 5 and max(each.values()) >= 3 for each in votes.values())
        assert (row["gold"], row["finished"]) == (gold, row["labelled"] / row["expected"])
        assert row["share_gold"] == gold / row["labelled"]
        assert browser.get(row["hrefs"]["labelled"]).context["numbers"].total == (row["labelled"], False)
        assert (
            f'<td class="number"><a href="/c/small/premises/?genre={genre}">{row["premises"]}</a>'
            in page.text
        )
    assert "is highest for Fiction (66.7%) and lowest for Letters (11.1%)" in page.context["each"].table.title


def test_genres_of_a_prompt_are_one_row(begun, browser_of, rosa):
    answer = browser_of(rosa).get("/api/v1/corpora/small/figures/finished?by=prompt").json()
    assert [(row["group"], row["pairs"], row["labelled"]) for row in answer["rows"]] == [("Fiction", 108, 50)]


def test_typical_pairs_are_alike_and_disputed_ones_split_the_votes(begun, browser_of, rosa):
    rows = browser_of(rosa).get(PAPER).context["each"].table.rows
    assert {row["kind"] for row in rows} == {"typical", "disputed"}
    lengths: dict[str, list[int]] = {}
    for pair in Pair.objects.all():
        votes = set(Label.objects.filter(pair=pair).values_list("label", flat=True))
        if votes == {pair.author_label} and Label.objects.filter(pair=pair).count() == 5:
            lengths.setdefault(pair.author_label, []).append(len(pair.hypothesis))
    for kind in ("typical", "disputed"):
        for label, word in zip(
            LABELS, ("Definitely correct", "Maybe correct", "Definitely incorrect"), strict=True
        ):
            of = [row for row in rows if (row["kind"], row["label"]) == (kind, word)]
            assert 0 < len(of) <= 5, "there are five authors"
            pairs = [Pair.objects.get(public_id=row["id"]) for row in of]
            assert {pair.author_label for pair in pairs} == {label}
            assert (
                len({pair.author_id for pair in pairs}) == len({pair.premise_id for pair in pairs}) == len(of)
            )
            entropies = [row["entropy"] for row in of]
            assert entropies == sorted(entropies, reverse=True)
            if kind == "typical":
                middle = median(lengths[label])
                assert all(abs(len(pair.hypothesis) - middle) <= middle / 10 for pair in pairs)
                assert {(row["entropy"], row["votes"]) for row in of} == {(0, f"{word} 5")}
            else:
                assert all(row["entropy"] > 0 for row in of)


def test_a_seed_draws_the_same_pairs_and_another_one_others(begun, browser_of, rosa):
    browser = browser_of(rosa)
    drawn = [browser.get(PAPER, {"seed": seed}).context["each"].table.rows for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0][0]["id"] in run("figure", "paper-pairs", "small", "seed=1", format="csv").out


@pytest.mark.parametrize(("page", "what"), [(FINISHED, "finished"), (PAPER, "examples")])
def test_a_worker_counts_a_large_corpus(begun, browser_of, rosa, sent, monkeypatch, page, what):
    monkeypatch.setattr(cached, "MOST_SEATS_ON_DASHBOARD", 1)
    monkeypatch.setattr(cached, "MOST_SEATS_IN_REQUEST", 1)
    browser = browser_of(rosa)
    assert "not counted yet" in browser.get(page).text
    assert browser.post(page, {"what": what}).status_code == 302
    assert "waiting for a worker" in browser.get(f"{page}?part={what}").text
    cached.carry_out(statistics_id=sent.pop())
    assert browser.get(page).context["each"].table.rows


def test_none_and_one(browser_of, rosa):
    browser, corpus = browser_of(rosa), make_corpus()
    (row,) = browser.get(FINISHED).context["each"].table.rows
    assert (row["pairs"], row["finished"], row["share_written"]) == (0, None, None)
    assert "No pair has all its labels yet." in browser.get(PAPER).text
    pair = make_pair(corpus, make_premise(corpus, "One."), "So.")
    question = corpus.questions.get()
    Label.objects.bulk_create(
        new_label(question, pair, "neutral", position=n, origin="imported") for n in range(1, 6)
    )
    assert [row["id"] for row in browser.get(PAPER).context["each"].table.rows] == [pair.public_id]
    assert "is 100.0% for Fiction, over 1 pair." in browser.get(FINISHED).text


@pytest.mark.parametrize(
    "page", [f"{FINISHED}?by=mood", f"{FINISHED}?genre=fiction", f"{PAPER}?seed=x", f"{PAPER}?by=genre"]
)
def test_a_filter_is_applied_or_refused(browser_of, rosa, page):
    make_corpus()
    refused = browser_of(rosa).get(page)
    assert refused.status_code == 404
    assert "no filter" in refused.text or "The address:" in refused.text
