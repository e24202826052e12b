"""Skipping with a reason, pay for upsetting texts, and premises that are paused because of reports."""

from datetime import timedelta

import pytest
from django.utils import timezone

from collection.models import Corpus, Premise, ProblemReport, Prompt, PromptVersion, WritingAssignment
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.problem_reports import answer_report
from collection.writing.submitting import skip_writing, submit_writing
from tests.cast import person
from tests.corpora import make_arm, make_corpus, make_premise
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

PAGE = "/work/writing/small/"
TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}


@made_once
def corpus() -> Corpus:
    corpus = make_corpus(writers_per_premise=5)
    make_seats(premises=[make_premise(corpus, f"Premise number {number}.") for number in range(8)])
    PromptVersion.objects.update(skip_pay_cents=12, paid_skips_per_day=2, care="Some texts are **sad**.")
    return corpus


def skip(corpus: Corpus, annotator, **words: str) -> int:
    token = claim_writing(corpus=corpus, annotator=annotator).token
    return skip_writing(annotator=annotator, token=token, **words)


def test_an_upsetting_text_is_paid_so_many_times_a_day(corpus, ana):
    assert [skip(corpus, ana, reason="upsetting") for _ in range(3)] == [12, 12, 0]
    assert ana.ledger.total_cents() == 24
    WritingAssignment.objects.update(closed_at=timezone.now() - timedelta(days=1))
    assert skip(corpus, ana, reason="upsetting") == 12


def test_the_limit_of_a_day_is_one_for_all_arms(corpus, ana):
    make_arm(corpus, "edit")
    Prompt.objects.filter(slug="fiction").update(drawn_by="premise")
    PromptVersion.objects.update(skip_pay_cents=12, paid_skips_per_day=2)
    assert [skip(corpus, ana, reason="upsetting") for _ in range(6)] == [12, 12, 0, 0, 0, 0]
    under = WritingAssignment.objects.values_list("prompt_version__prompt__slug", flat=True)
    assert set(under) == {"fiction", "edit"}


def test_other_reasons_are_kept_and_not_paid(corpus, ana):
    assert [skip(corpus, ana, reason=reason) for reason in ("unclear", "hard", "other", "")] == [0] * 4
    assert list(WritingAssignment.objects.order_by("pk").values_list("skip_reason", "outcome")) == [
        (reason, "skipped") for reason in ("unclear", "hard", "other", "")
    ]


def test_a_skip_sent_twice_is_paid_once(corpus, ana):
    token = claim_writing(corpus=corpus, annotator=ana).token
    assert skip_writing(annotator=ana, token=token, reason="upsetting") == 12
    assert skip_writing(annotator=ana, token=token, reason="upsetting") == 0
    assert ana.ledger.total_cents() == 12


def test_the_page_shows_care_and_pays_the_skip(corpus, ana, browser_of):
    client = browser_of(ana)
    client.post(f"{PAGE}prompt/{PromptVersion.objects.get().pk}/")
    page = client.get(PAGE)
    text = page.content.decode()
    assert text.index("<strong>sad</strong>") < text.index("Premise number")
    assert "You are still paid <bdi>$0.12</bdi>, up to 2 times a day" in text
    sent = {"token": page.context["form"]["token"].value(), "reason": "upsetting"}
    after = client.post(f"{PAGE}skip/", sent, follow=True).content.decode()
    assert "Take a break whenever you like. You earned $0.12." in after


def test_a_reason_that_there_is_not_is_refused_without_losing_the_texts(corpus, ana, browser_of):
    client = browser_of(ana)
    client.post(f"{PAGE}prompt/{PromptVersion.objects.get().pk}/")
    sent = {"token": client.get(PAGE).context["form"]["token"].value(), "text-neutral": "Mine."}
    page = client.post(f"{PAGE}skip/", {**sent, "reason": "boring"})
    assert page.status_code == 422
    assert page.context["form"]["text-neutral"].value() == "Mine."


def report(corpus: Corpus, name: str) -> Premise:
    """Reports the next premise of the person, in the given way."""
    annotator = person(name)
    assignment = claim_writing(corpus=corpus, annotator=annotator)
    if name.endswith("0"):
        submit_writing(
            annotator=annotator, token=assignment.token, texts=TEXTS, key="k", problem="A word is missing."
        )
    else:
        skip_writing(annotator=annotator, token=assignment.token, problem="Half a sentence.")
    return assignment.seat.premise


def test_a_premise_with_several_reports_is_paused(corpus):
    Premise.objects.exclude(pk=Premise.objects.first().pk).update(status="paused")
    for number in range(3):
        premise = report(corpus, f"w{number}")
        premise.refresh_from_db()
        assert premise.status == ("paused" if number == 2 else "open")


def test_answered_reports_and_several_by_one_person_pause_nothing(corpus, ana, rosa):
    Premise.objects.exclude(pk=Premise.objects.first().pk).update(status="paused")
    report(corpus, "w1")
    report(corpus, "w2")
    answer_report(report=ProblemReport.objects.first(), answer="It is fine.", by=rosa)
    premise = report(corpus, "w3")
    premise.refresh_from_db()
    assert premise.status == "open"
    assignment = WritingAssignment.objects.last()
    for _ in range(3):
        ProblemReport.objects.create(assignment=assignment, text="And again.")
    corpus.pause_after_reports = 0
    corpus.save()
    report(corpus, "w4")
    premise.refresh_from_db()
    assert premise.status == "open"


@pytest.fixture
def queue(corpus, rosa, browser_of):
    """Returns Rosa's browser; makes two reports about one premise and one about another."""
    first = Premise.objects.first()
    Premise.objects.exclude(pk=first.pk).update(status="paused")
    report(corpus, "w1")
    report(corpus, "w2")
    Premise.objects.update(status="open")
    return browser_of(rosa)


def test_the_queue_shows_open_reports_with_premise_and_text(queue):
    page = queue.get("/corpora/small/reports/")
    shown = [report for report, _ in page.context["rows"]]
    assert shown == list(ProblemReport.objects.order_by("pk"))
    assert [report.people for report in shown] == [2, 2]
    text = page.content.decode()
    assert "Half a sentence." in text
    assert shown[0].assignment.seat.premise.text in text


@pytest.mark.parametrize("status", ["open", "paused", "dropped"])
def test_an_answer_and_what_becomes_of_the_premise_are_one_action(queue, rosa, status):
    found = ProblemReport.objects.first()
    sent = {"report": found.pk, "answer": "Thank you.", "premise": status}
    assert queue.post("/corpora/small/reports/", sent).status_code == 302
    found.refresh_from_db()
    assert (found.answer, found.answered_by) == ("Thank you.", rosa)
    premise = found.assignment.seat.premise
    assert (premise.status, bool(premise.dropped_because)) == (status, status == "dropped")
    assert [report for report, _ in queue.get("/corpora/small/reports/").context["rows"]] != [found]
    answered = queue.get("/corpora/small/reports/?show=answered").context["rows"]
    assert [report for report, _ in answered] == [found]


def test_a_dropped_premise_is_not_opened_from_the_queue(queue):
    found = ProblemReport.objects.first()
    Premise.objects.update(status="dropped", dropped_because="no text")
    page = queue.post("/corpora/small/reports/", {"report": found.pk, "answer": "Yes.", "premise": "open"})
    assert page.status_code == 422
    assert "This premise was dropped." in page.content.decode()
    assert "Yes." in page.content.decode()


def test_the_queue_is_for_researchers_and_for_its_own_corpus(queue, ana, browser_of):
    assert browser_of(ana).get("/corpora/small/reports/").status_code == 403
    make_corpus(slug="other")
    sent = {"report": ProblemReport.objects.first().pk, "answer": "Yes."}
    assert queue.post("/corpora/other/reports/", sent).status_code == 422
    assert not ProblemReport.objects.answered().exists()
