"""Statistics of annotators compared with loops, and flags compared with known guessers."""

import csv
import io
import random
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.tokens import create_api_token
from collection.models import Pair
from tests.cast import person, rosa
from tests.commands import run
from tests.corpora import LABELS, add_label, make_corpus, make_pair, make_premise
from tests.made_once import made_once
from tests.oracles import mace_by_hand
from tests.validation.votes import vote
from validation.models import Assignment, BatchItem, CachedStatistics, Label, Question
from validation.statistics import cached, reliability_models
from validation.statistics.annotator_quality import MEANINGS, RULES, annotators, is_by_chance
from validation.statistics.cached import current
from validation.statistics.reliability_models import fit_models

pytestmark = pytest.mark.django_db

GOOD = [f"good{n}" for n in range(6)]
GUESSERS = ["random", "always", "hasty"]
PAIRS = 120


@pytest.fixture(autouse=True)
def mace_starts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reliability_models, "STARTS", 1)  # which is quick


@made_once
def question() -> Question:
    """Makes a judged corpus: one of each pair's five labels is a guesser's, in turn; seventy pairs are control items."""
    corpus = make_corpus(protocol="judged")
    question = Question.objects.get(corpus=corpus)
    dice, now = random.Random(4), timezone.now()
    people = {name: person(name) for name in (*GOOD, *GUESSERS)}
    batches = {
        name: Assignment.objects.create(
            question=question, annotator=user, leased_until=now, closed_at=now + timedelta(minutes=1)
        )
        for name, user in people.items()
    }
    for n in range(PAIRS):
        premise = make_premise(corpus, f"Premise {n}.")
        pair = make_pair(corpus, premise, "A sentence.")
        truth = LABELS[n // 3 % 3]
        seated = [*dice.sample(GOOD, 4), GUESSERS[n % 3]]
        for position, name in enumerate(seated, start=1):
            given = {"random": dice.choice(LABELS), "always": "neutral"}.get(name)
            if given is None:
                given = truth if dice.random() < 0.9 else dice.choice(LABELS)
            seat = add_label(question, pair, given, position=position, annotator=people[name], cast_at=now)
            time = 900 if name == "hasty" else dice.randint(5000, 9000)
            BatchItem.objects.create(
                assignment=batches[name], seat=seat, order=n, answer=given, active_ms=time
            )
        if n < 70:
            add_label(question, pair, truth, origin="expert", annotator=rosa())
    return question


def by_name(question: Question) -> dict:
    codes = dict(User.objects.values_list("code", "username"))
    return {codes[each.code]: each for each in annotators(question)}


def test_leave_one_out_equals_the_count_by_hand(question):
    found = by_name(question)
    for name in ("good0", "random"):
        agreed = compared = 0
        for pair in Pair.objects.all():
            given = {
                label.annotator.username: label.label
                for label in Label.objects.filter(pair=pair, position__gt=0).select_related("annotator")
            }
            others = [label for other, label in given.items() if other != name]
            decided = [label for label in LABELS if others.count(label) > len(others) / 2]
            if name in given and decided:
                compared += 1
                agreed += given[name] == decided[0]
        assert (found[name].others, found[name].equals_others) == (compared, agreed / compared)


@pytest.mark.parametrize(
    ("rule", "scheme", "letters", "threshold", "expected"),
    [
        # On a scale, 1 and 2 stand for the same gold label. All of the others must agree.
        ("unanimous", "entailed2", ["1222", "5552"], 3, {"v1": (1, 1), "v4": (1, 0)}),
        # Where the others are divided between entailment and contradiction, a researcher would decide: not compared.
        ("adjudicated", "nli3", ["eeeccc", "neeeec"], 4, {"v1": (1, 0), "v2": (1, 1)}),
    ],
)
def test_leave_one_out_follows_the_rule_of_the_question(rule, scheme, letters, threshold, expected):
    """Compares (pairs compared, pairs that agree); the rule is that of the human ceiling (nli.gold)."""
    judged = "ordinal5" if scheme == "entailed2" else scheme
    corpus = make_corpus(protocol="judged", scheme=scheme)
    Question.objects.filter(corpus=corpus).update(
        scheme=judged, gold_rule=rule, seats=len(letters[0]), threshold=threshold
    )
    question = Question.objects.select_related("corpus").get(corpus=corpus)
    premise = make_premise(corpus, "A man waits.")
    people = {f"v{place}": person(f"v{place}") for place in range(1, 7)}
    for number, row in enumerate(letters):
        pair = make_pair(corpus, premise, f"Sentence {number}.")
        vote(pair, question, row)
        for place in range(1, len(row) + 1):
            Label.objects.filter(pair=pair, position=place).update(annotator=people[f"v{place}"])
    found = by_name(question)
    for name, (compared, agreed) in expected.items():
        assert found[name].others == compared
        assert (found[name].equals_others or 0) * compared == agreed


def test_an_authors_own_label_is_no_work_of_a_validator(question):
    first = Label.objects.filter(position=1).first()
    before = by_name(question)[first.annotator.username].labels
    Label.objects.filter(pk=first.pk).update(origin="author")
    assert by_name(question)[first.annotator.username].labels == before - 1


def test_the_flags_find_the_guessers_and_nobody_else(question):
    flags = {name: set(each.flags) for name, each in by_name(question).items() if each.flags}
    assert flags == {
        "random": {"controls by chance", "others by chance"},
        "always": {"one label", "controls by chance", "others by chance"},
        "hasty": {"too fast"},
    }


def test_flags_wait_until_there_is_enough_to_judge_by(question):
    Label.objects.exclude(origin="expert").filter(pair__in=Pair.objects.order_by("pk")[50:]).update(
        withdrawn_at=timezone.now(), withdrawn_because="its annotator was excluded"
    )
    BatchItem.objects.filter(order__gte=50).delete()
    assert {name for name, each in by_name(question).items() if each.flags} == set()


def test_controls_speed_and_shares_are_counted(question):
    always = by_name(question)["always"]
    controls = [label.pair_id for label in Label.objects.filter(origin="expert")]
    met = Label.objects.filter(annotator__username="always", pair__in=controls)
    truths = dict(Label.objects.filter(origin="expert").values_list("pair_id", "label"))
    assert (always.controls, always.controls_right) == (
        met.count(),
        sum(truths[label.pair_id] == "neutral" for label in met),
    )
    assert always.shares == {"entailment": 0, "neutral": 1, "contradiction": 0}
    assert by_name(question)["hasty"].median_seconds == 0.9
    assert 5 < by_name(question)["good1"].median_seconds < 9


def test_chance_has_an_edge():
    assert is_by_chance(10, 30, 1 / 3)
    assert not is_by_chance(20, 30, 1 / 3)


def test_models_rank_guessers_last_and_their_result_is_kept_with_its_date(question):
    assert current(question, "models")[0] is None
    run("quality", "small", models=True)
    kept, row = current(question, "models")
    codes = dict(User.objects.values_list("username", "code"))
    for model in ("dawid_skene", "mace"):
        worth = {name: kept["annotators"][codes[name]][model] for name in (*GOOD, *GUESSERS)}
        assert max(worth["random"], worth["always"]) < min(worth[name] for name in (*GOOD, "hasty")), model
        assert 0 <= min(worth.values()) <= max(worth.values()) <= 1
        assert kept["differs"][model] < PAIRS / 10
    assert kept["labels"] == PAIRS * 5
    assert row.made_at.year == timezone.now().year


def test_the_models_do_not_ask_what_annotators_are_called(question):
    """crowd-kit's MACE mixes annotators up if the order of their codes is not that of their appearance."""
    before = fit_models(question)
    names = {each.code: f"{100 - n}" for n, each in enumerate(User.objects.order_by("pk"))}
    for code, name in names.items():
        User.objects.filter(code=code).update(code=name)
    after = fit_models(question)
    assert after["differs"] == before["differs"]
    for code, found in before["annotators"].items():
        assert after["annotators"][names[code]] == pytest.approx(found)


@pytest.mark.thorough
def test_mace_finds_what_a_slow_writing_of_its_paper_finds(question):
    """Both start from the same numbers, because another start would give other last digits."""
    found = fit_models(question)["annotators"]
    rows = Label.objects.counted().filter(annotator__isnull=False).order_by("pair_id", "position")
    told = list(rows.values_list("pair_id", "annotator__code", "label"))
    for code, competence in mace_by_hand(told, seed=0, steps=reliability_models.STEPS).items():
        assert found[code]["mace"] == pytest.approx(competence, abs=1e-6)


def test_each_start_of_mace_is_another_one(question, monkeypatch):
    from crowdkit.aggregation.classification.mace import MACE

    starts = []
    honest = MACE._initialize

    def watched(self, *sizes):
        honest(self, *sizes)
        starts.append(self.spamming_[0, 0])

    monkeypatch.setattr(MACE, "_initialize", watched)
    monkeypatch.setattr(reliability_models, "STARTS", 3)
    monkeypatch.setattr(reliability_models, "STEPS", 2)
    fit_models(question)
    assert len(set(starts)) == len(starts) == 3


def test_the_command_prints_flags_with_their_rules(question):
    told = run("quality", "small").out
    assert "one label: 80% or more of at least 20 labels" in told
    printed = run("quality", "small", json=True).json
    assert len(printed["annotators"]) == 9
    assert printed["models"] is None


def test_a_model_without_labels_says_what_it_needs():
    make_corpus()
    assert "at least two annotators" in run("quality", "small", models=True).failure


def test_the_page_shows_a_row_an_annotator_and_is_for_researchers(question, rosa, vera, browser_of):
    page = browser_of(rosa).get("/corpora/small/annotators/")
    assert page.status_code == 200
    text = page.content.decode()
    for each in annotators(question):
        assert each.code in text
    assert "The rules of the flags" in text
    assert browser_of(vera).get("/corpora/small/annotators/").status_code == 403


def test_a_corpus_that_nobody_labels_has_a_page_that_says_so(rosa, browser_of):
    make_corpus()
    assert (
        "No validator's label counts yet"
        in browser_of(rosa).get("/corpora/small/annotators/").content.decode()
    )


def test_rest_the_command_and_the_file_tell_the_same_with_the_same_definitions(question, rosa, browser_of):
    told = run("quality", "small", "--models", "--json").json
    answer = browser_of(rosa).get("/api/v1/corpora/small/annotators/").json()
    assert answer == told
    assert (answer["rules"], answer["meanings"]) == (RULES, MEANINGS)
    expected = {each.code: each for each in annotators(question)}
    assert [each["labels"] for each in answer["annotators"]] == [each.labels for each in expected.values()]
    csv_answer = browser_of(rosa).get("/api/v1/corpora/small/annotators/?as=csv")
    assert csv_answer["Content-Disposition"] == 'attachment; filename="small-annotators.csv"'
    text = csv_answer.content.decode()
    assert text == run("quality", "small", "--csv").out
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["code"] for row in rows} == set(expected)
    for row, each in zip(rows, answer["annotators"], strict=True):
        one = expected[row["code"]]
        assert (int(row["controls"]), float(row["median_seconds"])) == (one.controls, one.median_seconds)
        assert float(row["share: neutral"]) == one.shares["neutral"]
        assert row["flags"].split("; ") == [*one.flags] or not (row["flags"] or one.flags)
        assert float(row["mace"]) == each["mace"]


def test_the_figures_over_rest_are_for_researchers_with_a_token_that_may_read(question, rosa, vera):
    address = "/api/v1/corpora/small/annotators/"
    for person_, scope, status in ((vera, "all", 403), (rosa, "work", 403), (rosa, "read", 200)):
        token = create_api_token(user=person_, name="script", scope=scope)
        asked = Client().get(address, headers={"Authorization": f"Token {token}"})
        assert (person_.username, scope, asked.status_code) == (person_.username, scope, status)


def test_a_large_corpus_is_counted_by_a_worker_for_rest_too(question, rosa, browser_of, monkeypatch):
    monkeypatch.setattr(cached, "MOST_SEATS_IN_REQUEST", 1)
    monkeypatch.setattr("validation.statistics.api.enqueue", lambda figures: None)
    browser = browser_of(rosa)
    answer = browser.post("/api/v1/corpora/small/annotators/")
    assert (answer.status_code, answer["Retry-After"]) == (202, "10")
    figures = CachedStatistics.objects.get(kind="annotators")
    assert figures.is_under_way
    cached.carry_out(statistics_id=figures.pk)
    there = browser.get("/api/v1/corpora/small/annotators/").json()
    assert len(there["annotators"]) == len(annotators(question))
    assert there["made_at"]
