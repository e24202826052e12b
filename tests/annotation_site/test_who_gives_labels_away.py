"""What hypotheses give away, by prompt, prompt version, author and week of writing: on the page, over REST, and by words."""

from datetime import UTC, datetime
from typing import Any

import pytest

from collection.models import Corpus, Pair, PromptVersion
from tests.cast import ana, person
from tests.commands import run
from tests.corpora import make_corpus, make_premises
from tests.made_once import made_once
from validation.models import Question
from validation.pairs.door import shown
from validation.statistics.cached import carry_out, request_statistics

pytestmark = pytest.mark.django_db

EACH = 90  # pairs of a version
WEEKS = (datetime(2026, 3, 4, tzinfo=UTC), datetime(2026, 3, 12, tzinfo=UTC))
LABELS = ("entailment", "neutral", "contradiction")
FILLING = ("rained", "stopped", "went on", "began", "was late")


@made_once
def written() -> Corpus:
    """Makes pairs of two versions: under the second, by another author and a week later, a word stands for each label."""
    corpus = make_corpus()
    first = PromptVersion.objects.get()
    second = PromptVersion.objects.create(prompt=first.prompt, number=2, instructions="Read.", digest="2")
    premises = make_premises(corpus, [f"Premise {n}." for n in range(2 * EACH)])
    words = dict(zip(LABELS, ("surely", "perhaps", "never"), strict=True))
    rows = []
    for n, premise in enumerate(premises):
        is_second, label = n >= EACH, LABELS[n % 3]
        word = words[label] if is_second else words[LABELS[n // 3 % 3]]
        rows.append(
            Pair(
                corpus=corpus,
                premise=premise,
                hypothesis=f"It {word} {FILLING[n % 5]}.",
                scheme="nli3",
                author=person("vera") if is_second else ana(),
                published_label=label,
                prompt_version=second if is_second else first,
                public_id=f"p{n}",
            )
        )
    Pair.objects.bulk_create(rows)
    for which, when in enumerate(WEEKS):
        version = (first, second)[which]
        Pair.objects.filter(prompt_version=version).update(created_at=when)
    return corpus


def counted(browser: Any, by: str) -> dict[str, dict[str, Any]]:
    """Lets a worker count, and returns the figure's rows by their groups."""
    question = Question.objects.get()
    carry_out(statistics_id=request_statistics(question=question, kind="bias", by=by).pk)
    answer = browser.get(f"/api/v1/corpora/small/figures/bias-alone?by={by}")
    assert answer.status_code == 200, answer.content
    return {row["group"]: row for row in answer.json()["rows"]}


@pytest.mark.parametrize(
    ("by", "safe", "telling"),
    [
        ("version", "fiction version 1", "fiction version 2"),
        ("author", "ana", "vera"),
        ("written", "2 Mar 2026", "9 Mar 2026"),
    ],
)
def test_the_part_that_gives_labels_away_is_named_beside_its_chance_level(
    written, browser_of, rosa, by, safe, telling
):
    browser, codes = browser_of(rosa), {"ana": ana().code, "vera": person("vera").code}
    safe, telling = codes.get(safe, safe), codes.get(telling, telling)
    rows = counted(browser, by)
    assert list(rows) == ["all", *([safe, telling] if by == "written" else [*rows][1:])]
    assert (rows[telling]["alone"], rows[telling]["majority"]) == (1, pytest.approx(1 / 3))
    assert rows[telling]["low"] > rows[safe]["high"]
    assert {row["pairs"] for row in rows.values()} == {EACH, 2 * EACH}
    page = browser.get(f"/corpora/small/bias/?by={by}")
    verdicts = {row["name"]: row["gives_away"] for row in page.context["rows"]}
    assert (verdicts[safe], verdicts[telling]) == ("no", "yes")
    title = page.context["charts"][0].table.title
    assert f"the lead over the majority class is highest for {telling} (66.7 points)" in title
    behind = browser.get(rows[telling]["href"])
    assert behind.context["numbers"].total == (EACH, False)


def test_one_prompt_is_one_part(written, browser_of, rosa):
    rows = counted(browser_of(rosa), "prompt")
    assert [(name, row["pairs"]) for name, row in rows.items()] == [("all", 2 * EACH)]


def test_the_words_of_a_version_stand_beside_the_share_of_their_label(written, browser_of, rosa):
    browser = browser_of(rosa)
    counted(browser, "version")
    answer = browser.get("/api/v1/corpora/small/figures/bias-words?by=version").json()
    words = {(row["group"], row["word"]): row for row in answer["rows"]}
    assert {group for group, _ in words} == {"all", "fiction version 2"}, "a third of a version is not enough"
    word = words["fiction version 2", "never"]
    assert (word["label"], word["hypotheses"], word["share"]) == ("Definitely incorrect", 30, 1)
    assert word["usual"] == pytest.approx(1 / 3)
    assert word["z"] == pytest.approx((30 - 10) / (30 * 1 / 3 * 2 / 3) ** 0.5), (
        "Gardner et al. 2021: against 1 / labels"
    )
    assert word["p"] < 0.001
    assert browser.get(word["hrefs"]["word"]).context["numbers"].total == (30, False)
    assert "never" in run("figure", "bias-words", "small", "by=version", format="csv").out


def test_pairs_that_came_in_a_file_have_no_week_of_writing(written, browser_of, rosa):
    source = written.sources.create(name="pairs.jsonl", sha256="0" * 64)
    Pair.objects.filter(prompt_version__number=2).update(source=source, author=None, prompt_version=None)
    for by in ("written", "author", "version"):
        assert "not said" in counted(browser_of(rosa), by)


def test_parts_without_a_premise_of_their_own_get_no_verdict(written, browser_of, rosa):
    """One premise is in one part: nothing can be learnt from elsewhere, and no verdict is given."""
    first = Pair.objects.earliest("pk")
    Pair.objects.update(premise=first.premise)
    assert counted(browser_of(rosa), "version") == {}
    page = browser_of(rosa).get("/corpora/small/bias/?by=version")
    verdicts = {row["name"]: row["gives_away"] for row in page.context["rows"]}
    assert verdicts["fiction version 1"] == "not tried: all share a premise or group, or a label"
    assert page.context["found"]["tried_on"] == "nothing: all pairs share one premise or group"


def test_an_unknown_part_is_refused_with_the_known_ones(written, browser_of, rosa):
    question = Question.objects.get()
    carry_out(statistics_id=request_statistics(question=question, kind="bias", by="mood").pk)
    page = browser_of(rosa).get("/corpora/small/bias/?by=mood").text
    assert "Group pairs by one of: genre, partition, prompt, version, arm, author, written, source." in page


@pytest.mark.parametrize(
    ("pairs", "tried", "said"),
    [
        (29, 0, "too few pairs"),
        (40, 12, "tried on too few pairs"),
        (40, 0, "not tried: all share a premise or group, or a label"),
    ],
)
def test_without_a_verdict_the_page_says_why(pairs, tried, said):
    group = {"group": "a", "pairs": pairs, "tried": tried, "gives_away": None, "hypothesis_only": None}
    found = {"by": "mood", "groups": [{**group, "labels": {}, "commonest": 1.0}], "giveaways": {}}
    rows = shown({**found, "giveaway_pairs": {}}, Question(), {})["rows"]
    assert [row["gives_away"] for row in rows] == [said]
