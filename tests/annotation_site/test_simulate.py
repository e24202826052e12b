"""The simulated crowd labels all questions that are open, each person writes texts of their own, and failures are told."""

import random
import subprocess
from contextlib import nullcontext

import pytest
from django.core.management import CommandError

from accounts.models import User
from annotation_site.intake.jobs import work
from annotation_site.operation import server
from annotation_site.simulated_crowd import Annotator, Tally, telling
from collection.models import Pair, PairImportJob
from collection.premises.writing_seats import make_seats
from jobs import claims
from snapshots.statistics.hypothesis_bias import Labelled, measure_bias
from tests.cast import rosa
from tests.commands import run
from tests.corpora import ask, make_arm, make_corpus, make_pair, make_premise
from validation.models import Label
from validation.pairs.opening import open_for_validation


@pytest.mark.django_db(transaction=True)
def test_a_question_beside_the_main_one_is_labelled_too(live_server):
    corpus = make_corpus()
    make_pair(corpus, make_premise(corpus, "Two dogs run.\nThey play.", sentence_count=2), "Dogs move.")
    single = ask(corpus, "each", wording="And of each?", seats=2, by_sentence=True)
    grammar = ask(corpus, "grammar", scheme="grammar3", wording="Is it right?", seats=2)
    ask(corpus, "closed", seats=2)
    for question in (single, grammar):
        open_for_validation(question=question, pairs=Pair.objects.all())
    told = run("simulate", "small", f"--url={live_server.url}", "--annotators=4", "--at-once=2", "--json")
    assert told.failure == ""
    given = (
        Label.objects.cast().values_list("question__slug", "sentence").order_by("question__slug", "sentence")
    )
    assert list(given) == [("each", 1)] * 2 + [("each", 2)] * 2 + [("grammar", 0)] * 2
    assert told.json["labels"] == 6


@pytest.mark.django_db(transaction=True)
def test_no_two_simulated_people_write_the_same(live_server):
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, f"Line {number} of a story.") for number in range(6)])
    told = run(
        "simulate", "small", f"--url={live_server.url}", "--annotators=3", "--at-once=3", "--write", "--json"
    )
    assert told.failure == ""
    texts = list(Pair.objects.values_list("hypothesis", flat=True))
    assert len(texts) == 3 * told.json["premises_written"] > 6
    assert len(set(texts)) == len(texts)


def test_two_people_of_one_seed_have_dice_of_their_own(monkeypatch):
    texts: list[str] = []
    for name in ("simulated-small-1", "simulated-small-2"):
        annotator = Annotator("http://127.0.0.1:9", name, "")
        pages = iter([_Form(texts), None])
        monkeypatch.setattr(annotator, "open", lambda path: path)
        monkeypatch.setattr(annotator, "send", lambda form, **more: None)
        monkeypatch.setattr(
            "annotation_site.simulated_crowd.writing_form", lambda page, pages=pages: next(pages)
        )
        monkeypatch.setattr("annotation_site.simulated_crowd.version_on", lambda page: 1)
        annotator.write("small", Tally(), 0)
    assert len(set(texts)) == 2


def test_a_planted_share_is_what_a_model_of_hypotheses_alone_can_tell():
    labels, dice = ("entailment", "neutral", "contradiction"), random.Random(1)
    say = telling({1: 0.6}, labels)
    for version, share in ((1, 0.6), (2, 1 / 3)):
        pairs = [
            Labelled(say(version, label, dice), label, f"{number}", "", "")
            for number in range(1000)
            for label in labels
        ]
        assert measure_bias(pairs, labels=labels)["groups"][0]["within"]["share"] == pytest.approx(
            share, abs=0.03
        )


@pytest.mark.parametrize(
    ("arms", "told"),
    [
        ("base:50", "cannot be read"),
        ("other=50", 'there is no arm "other"; the prompts are: edit, fiction.'),
        ("edit=20", "name a share from 34, which is chance, to 100"),
    ],
)
def test_arms_that_cannot_be_planted_are_named(db, arms, told):
    make_arm(make_corpus(), "edit")
    failure = run("simulate", "small", "--write", f"--arms={arms}").failure
    assert "--arms" in failure
    assert told in failure


class _Form:
    """Stands in for a form with one field."""

    def __init__(self, texts: list[str]) -> None:
        class Fields(dict):
            def __setitem__(self, name: str, text: str) -> None:
                texts.append(text)

        self.fields = Fields({"text-entailment": ""})


def test_a_site_that_neither_starts_nor_ends_is_told_of(monkeypatch, db):
    class Stuck:
        waits = 0

        def __init__(self, *args: object, **more: object) -> None: ...

        def terminate(self) -> None: ...

        kill = terminate

        def wait(self, timeout: float | None = None) -> None:
            Stuck.waits += 1
            if timeout:
                raise subprocess.TimeoutExpired("gunicorn", timeout)

    monkeypatch.setattr(server.subprocess, "Popen", Stuck)
    monkeypatch.setattr(server, "wait_for", lambda url, has_ended: False)
    with pytest.raises(CommandError, match="The site did not start"), server.site():
        pass
    assert Stuck.waits == 2


def test_an_address_where_no_site_is_gives_a_sentence(db):
    make_corpus()
    told = run("simulate", "small", "--url=http://127.0.0.1:9", "--annotators=1")
    assert "The crowd could not go on" in told.failure


@pytest.mark.django_db(transaction=True)
def test_a_page_starts_the_crowd_which_is_stopped_and_goes_on(live_server, browser_of, sent, monkeypatch):
    monkeypatch.setattr("annotation_site.intake.crowd.site", lambda: nullcontext(live_server.url))
    corpus = make_corpus()
    for number in range(8):
        make_pair(corpus, make_premise(corpus, f"Line {number}."), "It is so.")
    question = corpus.questions.get()
    open_for_validation(question=question, pairs=Pair.objects.all())
    seats = Label.objects.open().count()
    browser = browser_of(rosa())
    assert f"{seats} labels are open in this corpus." in browser.get("/c/small/settings/crowd/").text
    form = {"annotators": "5", "at_once": "2", "seed": "3", "do": "import"}
    browser.post("/c/small/settings/crowd/", form)
    job, asked = PairImportJob.objects.get(), claims.Claim.stop_asked

    def stop_asked(claim):
        if Label.objects.cast().filter(annotator__kind="simulated").exists():
            browser.post(f"/imports/{job.pk}/", {"do": "stop"})
        return asked(claim)

    with monkeypatch.context() as patch:
        patch.setattr(claims.Claim, "stop_asked", stop_asked)
        patch.setattr("annotation_site.simulated_crowd.LOOKS_EVERY", 0.01)
        work(job.pk)
    job.refresh_from_db()
    assert job.error == "Stopped. What was written stays; started again, it goes on."
    left = Label.objects.open().count()
    assert 0 < left < seats
    browser.post(f"/imports/{job.pk}/", {"do": "import"})
    again = PairImportJob.objects.latest("pk")
    work(again.pk)
    again.refresh_from_db()
    assert (again.status, again.report["labels"], Label.objects.open().count()) == ("done", left, 0)
    page = browser.get(f"/imports/{again.pk}/").text
    assert f"5 simulated annotators cast {left} labels" in page
    people = User.objects.filter(labels__isnull=False).distinct()
    assert {person.kind for person in people} == {"simulated"}


@pytest.mark.django_db
def test_a_crowd_that_is_not_possible_says_why(browser_of):
    make_corpus()
    browser = browser_of(rosa())
    for form, said in (
        ({"annotators": "0"}, "“Simulated annotators”: it must be a whole number from 1 to 10,000."),
        ({"format": "odd"}, "Choose one of: add-one, "),
        ({"file": "gone.jsonl"}, "gone.jsonl is not among the files"),
    ):
        answer = browser.post("/c/small/settings/crowd/", form)
        assert (answer.status_code, said in answer.text) == (422, True)
    assert not PairImportJob.objects.exists()
