"""The writer's own page, and the signals of how tasks were typed."""

import pytest
from django.utils import timezone

from accounts.models import Qualification
from collection.models import Corpus, Exam, ExamAttempt, ProblemReport, PromptVersion, WritingSignals
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.problem_reports import answer_report
from collection.writing.submitting import Signals, skip_writing, submit_writing
from tests.corpora import make_corpus, make_premise
from tests.made_once import made_once
from tests.query_counts import query_count

pytestmark = pytest.mark.django_db

PAGE = "/work/mine/writing/"
TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}


@made_once
def corpus() -> Corpus:
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, f"Premise number {number}.") for number in range(6)])
    PromptVersion.objects.update(skip_pay_cents=7)
    return corpus


def write(corpus: Corpus, annotator, **more) -> None:
    token = claim_writing(corpus=corpus, annotator=annotator).token
    submit_writing(annotator=annotator, token=token, texts=TEXTS, key=token, **more)


def test_what_i_did_earned_and_was_told(corpus, ana, rosa, vera, browser_of):
    write(corpus, ana, problem="A slip of the pen.")
    write(corpus, ana)
    skip_writing(annotator=ana, token=claim_writing(corpus=corpus, annotator=ana).token, reason="upsetting")
    answer_report(report=ProblemReport.objects.get(), answer="Well seen.", by=rosa, premise="paused")
    client = browser_of(ana)
    with query_count("my writing"):
        page = client.get(PAGE)
    (day,) = page.context["days"]
    assert (day.sent, day.skipped, day.reported, day.cents) == (2, 1, 0, 67)
    text = page.content.decode()
    for words in ("$0.67", "Well seen.", "The text is paused.", "Continue writing", "3 × Sent before"):
        assert words in text
    assert "Exams are not paid." not in text
    stranger = browser_of(vera).get(PAGE)
    assert "You have written nothing yet" in stranger.content.decode()
    assert browser_of(rosa).get(PAGE).status_code == 403


def test_the_parts_of_what_i_earned_add_up_to_the_sum(corpus, ana, browser_of):
    PromptVersion.objects.update(reading_pay_cents=45)
    version = PromptVersion.objects.get()
    client = browser_of(ana)
    client.post(f"/work/writing/small/prompt/{version.pk}/", {"agree": "yes"})
    write(corpus, ana)
    skip_writing(annotator=ana, token=claim_writing(corpus=corpus, annotator=ana).token, reason="upsetting")
    exam = Exam.objects.create(corpus=corpus, qualification=Qualification.objects.create(slug="w", name="W"))
    ExamAttempt.objects.create(exam=exam, annotator=ana, passed=True, judged_at=timezone.now())
    page = client.get(PAGE)
    assert page.context["earned"] == {"writing": (1, 30), "reading": (1, 45), "skip": (1, 7)}
    assert page.context["earned_in_all"] == 82
    text = page.content.decode()
    for words in (
        "Texts that you wrote about: 1",
        "$0.30",
        "Instructions read and their questions answered: 1",
        "$0.45",
    ):
        assert words in text
    assert "Upsetting texts that you skipped: 1" in text
    assert "Exams are not paid." in text
    (day,) = page.context["days"]
    assert (day.sent, day.read, day.skipped, day.cents) == (1, 1, 1, 82)
    assert "Instructions read: 1" in text


def test_it_says_why_there_is_nothing_more_and_when_to_look_again(corpus, ana, browser_of):
    corpus.max_tasks_per_day = 1
    corpus.save()
    write(corpus, ana)
    text = browser_of(ana).get(PAGE).content.decode()
    assert "limit of 1 text." in text
    assert "Please check again tomorrow." in text


def test_how_a_task_was_typed_is_kept_and_shown_to_researchers(corpus, ana, rosa, browser_of):
    write(corpus, ana, signals=Signals(active_ms=61_000, keystrokes=80, pastes=2, pasted_chars=400))
    signals = WritingSignals.objects.get()
    page = browser_of(rosa).get(f"/admin/collection/writingassignment/{signals.assignment_id}/change/")
    text = page.content.decode()
    for words in ("1 min 01 s", "80", "400"):
        assert words in text
    assert browser_of(rosa).get("/admin/collection/writingassignment/").status_code == 200


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({}, None),
        ({"signal-pastes": "x"}, None),
        ({"signal-pastes": "9" * 30}, None),
        ({"signal-pastes": "9" * 11}, 2_147_483_647),
    ],
)
def test_signals_that_make_no_sense_do_no_harm(corpus, ana, browser_of, sent, kept):
    client = browser_of(ana)
    client.post(f"/work/writing/small/prompt/{PromptVersion.objects.get().pk}/")
    token = client.get("/work/writing/small/").context["form"]["token"].value()
    texts = {f"text-{label}": text for label, text in TEXTS.items()}
    client.post("/work/writing/small/", {"token": token, "key": token, **texts, **sent})
    assert WritingSignals.objects.values_list("pastes", flat=True).first() == kept


def test_the_queue_of_reports_asks_as_many_queries_for_many(corpus, ana, rosa, browser_of):
    for _ in range(5):
        skip_writing(annotator=ana, token=claim_writing(corpus=corpus, annotator=ana).token, problem="Odd.")
    client = browser_of(rosa)
    with query_count("report queue"):
        assert len(client.get("/corpora/small/reports/").context["rows"]) == 5
