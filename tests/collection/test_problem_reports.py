"""Problem reports: researchers answer them in the admin, and the annotator reads the answer."""

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import User
from collection.models import ProblemReport
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import skip_writing
from tests.corpora import make_corpus, make_premise
from tests.query_counts import query_count

PAGE = "/work/reports/"


@pytest.fixture
def report(ana: User) -> ProblemReport:
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, f"Premise <{number}>.") for number in range(30)])
    skip_writing(
        annotator=ana, token=claim_writing(corpus=corpus, annotator=ana).token, problem="Half a <b>line</b>."
    )
    return ProblemReport.objects.get()


def answer(client: Client, report: ProblemReport, text: str) -> ProblemReport:
    client.post(f"/admin/collection/problemreport/{report.pk}/change/", {"answer": text})
    report.refresh_from_db()
    return report


def test_an_answer_reaches_who_reported(report, ana, rosa, browser_of: Callable[[User], Client]):
    assert "Not answered yet" in browser_of(ana).get(PAGE).content.decode()
    answered = answer(browser_of(rosa), report, "Thank you, it is paused.")
    assert (answered.answer, answered.text) == ("Thank you, it is paused.", "Half a <b>line</b>.")
    page = browser_of(ana).get(PAGE).content.decode()
    assert "Thank you, it is paused." in page
    assert "Half a &lt;b&gt;line" in page
    assert "Premise &lt;" in page


def test_an_empty_answer_takes_it_back(report, rosa, browser_of):
    answer(browser_of(rosa), report, "A mistake.")
    assert answer(browser_of(rosa), report, "  ").answered_at is None


def test_saving_without_a_change_is_no_answer(report, rosa, browser_of):
    first = answer(browser_of(rosa), report, "Yes.").answered_at
    assert answer(browser_of(rosa), report, "Yes.").answered_at == first


def test_a_report_itself_is_never_edited(report, rosa, browser_of):
    browser_of(rosa).post(
        f"/admin/collection/problemreport/{report.pk}/change/", {"answer": "", "text": "Other words."}
    )
    report.refresh_from_db()
    assert report.text == "Half a <b>line</b>."


def test_annotators_answer_nothing_and_see_only_their_own(report, vera, rosa, browser_of):
    assert answer(browser_of(vera), report, "I say so.").answer == ""
    assert "You have not reported anything" in browser_of(vera).get(PAGE).content.decode()
    assert browser_of(rosa).get(PAGE).status_code == 403
    assert Client().get(PAGE).url == "/sign-in/?next=/work/reports/"


def test_reports_page_by_page(report, ana, browser_of):
    corpus = report.assignment.corpus
    for number in range(24):
        token = claim_writing(corpus=corpus, annotator=ana).token
        skip_writing(annotator=ana, token=token, problem=f"Problem {number}.")
    client = browser_of(ana)
    with query_count("my reports"):
        page = client.get(PAGE)
    assert len(page.context["reports"]) == 20
    rest = client.get(f"{PAGE}?before={page.context['older']}")
    assert [row.text for row in rest.context["reports"]][-1] == "Half a <b>line</b>."
    assert len(rest.context["reports"]) == 5
    assert client.get(f"{PAGE}?before=soon").status_code == 200
    assert "No earlier reports" in client.get(f"{PAGE}?before=1").content.decode()


def test_researchers_read_reports_in_both_orders(report, ana, rosa, browser_of):
    token = claim_writing(corpus=report.assignment.corpus, annotator=ana).token
    skip_writing(annotator=ana, token=token, problem="A second problem.")
    browser, address = browser_of(rosa), f"/corpora/{report.assignment.corpus.slug}/reports/"
    orders = [
        [found.pk for found, _ in browser.get(f"{address}?order={order}").context["rows"]]
        for order in ("oldest", "newest", "none")
    ]
    assert orders[0] == orders[2] == orders[1][::-1]
    assert orders[0][0] == report.pk
    page = browser.get(address).content.decode()
    assert 'href="?order=newest"' in page
    assert "/admin/" not in page.partition("<main")[2]
