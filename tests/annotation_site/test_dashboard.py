"""The first page of the workspace: what waits for a researcher, and how many queries that takes."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import Qualification
from annotation_site.workspace.waiting import WaitingJobs
from collection.joining.exams import send_exam
from collection.models import DroppedLine, Exam, ExamItem, Premise, Source
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import skip_writing
from tests.corpora import make_corpus, make_premise
from tests.made_once import made_once
from tests.query_counts import query_count
from validation.models import CachedStatistics
from validation.statistics.cached import request_statistics

pytestmark = pytest.mark.django_db


@made_once
def corpus():
    return make_corpus(writing_qualification=None)


@pytest.fixture
def page_of(browser_of, rosa):
    return lambda address=None: browser_of(rosa).get(address or reverse("admin:index")).content.decode()


def report(corpus, annotator, words):
    make_seats(premises=[make_premise(corpus, f"A line about {words}.")])
    token = claim_writing(corpus=corpus, annotator=annotator).token
    skip_writing(annotator=annotator, token=token, problem=words)


def test_unanswered_reports_lead_to_the_queue_of_their_corpus(corpus, page_of, ana):
    assert "problem report" not in page_of()
    report(corpus, ana, "a missing word")
    report(corpus, ana, "half a sentence")
    page = page_of()
    assert "2 problem reports without an answer in The small corpus" in page
    assert reverse("report-queue", args=["small"]) in page


def test_exams_with_texts_wait_to_be_judged(corpus, page_of, ana):
    corpus.writing_qualification = Qualification.objects.create(slug="write-small", name="Writers")
    corpus.save()
    exam = Exam.objects.create(corpus=corpus, qualification=corpus.writing_qualification)
    ExamItem.objects.create(exam=exam, order=0, premise="A dog runs.", label="entailment")
    assert "to review" not in page_of()
    send_exam(exam=exam, annotator=ana, answers={0: "An animal moves."})
    page = page_of()
    assert "1 exam to review" in page
    assert "passed__isnull=True" in page


def test_the_overview_says_how_many_jobs_wait_and_since_when(corpus, browser_of, rosa):
    client = browser_of(rosa)
    page = client.get(f"/c/{corpus.slug}/")
    assert page.context["jobs"] == []
    first = request_statistics(question=corpus.questions.get(), kind="models")
    request_statistics(question=corpus.questions.get(), kind="pairwise")
    long_ago = timezone.now() - timedelta(minutes=90)
    CachedStatistics.objects.filter(pk=first.pk).update(queued_at=long_ago)
    page = client.get(f"/c/{corpus.slug}/")
    assert page.context["jobs"] == [WaitingJobs("general", 2, "cached statistics", long_ago)]
    text = " ".join(page.content.decode().split())
    assert "2 jobs</a> wait in the queue general, the oldest (cached statistics) since" in text


def test_the_number_of_queries_does_not_grow_with_what_is_listed(corpus, browser_of, rosa, ana):
    report(corpus, ana, "a missing word")
    source = Source.objects.create(corpus=corpus, name="lines.txt", sha256="0" * 64)
    genre = corpus.genres.get()
    DroppedLine.objects.bulk_create(
        DroppedLine(source=source, genre=genre, line=line, text=f"Heading {line}", filter="list_or_heading")
        for line in range(1, 31)
    )
    for number in range(30):
        make_premise(corpus, f"Line number {number}.")
    assert Premise.objects.count() > 30
    client = browser_of(rosa)
    for name, address in (
        ("all corpora", reverse("admin:index")),
        ("overview", reverse("corpus-overview", args=["small"])),
        ("premises", reverse("premises", args=["small"])),
        ("attention", reverse("attention")),
        ("dashboard, dropped lines", reverse("admin:collection_droppedline_changelist")),
        ("dashboard, premises", reverse("admin:collection_premise_changelist")),
        ("dashboard, pairs", reverse("admin:collection_pair_changelist")),
        ("dashboard, invitations", reverse("admin:accounts_grant_changelist")),
    ):
        with query_count(name):
            assert client.get(address).status_code == 200
