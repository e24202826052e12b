"""A completion code requires work for the link's corpus; after consent has ended, labels are errors."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from lxml import html

from accounts.idempotency import KeyReused
from accounts.models import PlatformIdentity, Submission
from accounts.people.consents import ConsentMissing, give_consent, withdraw_consent
from annotation_site.researchers.funnel import STEPS, Funnel, funnels, visits_at
from collection.joining.entry_pages import IN_VISIT
from collection.joining.visits import earnings, progress_of, tasks_done
from collection.models import Corpus, EntryLink, Genre, Pair, Premise, Prompt, PromptVersion, Visit
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import skip_writing, submit_writing
from tests.cast import ana, rosa, stan, vera
from tests.corpora import make_corpus, make_link, make_pair, make_premise
from tests.made_once import made_once
from validation.labelling.claiming import claim_batch
from validation.labelling.drafts import keep_draft
from validation.labelling.submitting import submit_and_claim, submit_batch
from validation.models import Assignment, BatchItem, Label, Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db
PAGE, SUBMIT = "/work/validation/small/", "/api/v1/work/validation/submit/"
TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}


def fill(corpus: Corpus, premises: int = 12) -> Question:
    for number in range(premises):
        premise = make_premise(corpus, f"Premise {number} of {corpus}.")
        make_pair(corpus, premise, f"Hypothesis {number}.", author=ana(), author_label="neutral")
    question = corpus.questions.get()
    open_for_validation(question=question, pairs=Pair.objects.filter(corpus=corpus))
    return question


@made_once
def question() -> Question:
    return fill(make_corpus())


@pytest.fixture
def visit(question) -> Visit:
    link = make_link(question.corpus, name="first", tasks_wanted=2)
    return Visit.objects.create(link=link, user=vera(), session="x")


def test_the_way_back_from_the_last_page_of_a_visit_takes_no_seats(question, visit, browser_of):
    Visit.objects.update(finished_at=timezone.now())
    browser = browser_of(vera())
    session = browser.session
    session[IN_VISIT] = visit.pk
    session.save()
    assert browser.get(PAGE).url == reverse("visit")
    assert not Assignment.objects.exists()
    browser.post(reverse("visit-more"))
    assert browser.get(PAGE, follow=True).templates[0].name.startswith("validation/labelling/")


def test_no_first_batch_begins_with_a_text_that_may_upset(question, browser_of):
    upsets = Prompt.objects.create(corpus=question.corpus, slug="sad", name="Sad")
    PromptVersion.objects.create(prompt=upsets, number=1, instructions="Write.", care="Mind.", digest="sad")
    sad = Genre.objects.create(corpus=question.corpus, slug="sad", name="Sad", prompt=upsets)
    calm = Genre.objects.exclude(pk=sad.pk).get()
    first = Label.objects.filter(question=question, label=None).order_by("turn").values("premise")[:1]
    Premise.objects.exclude(pk__in=next(iter(first)).values()).update(genre=sad)
    assert Premise.objects.filter(genre=calm).count() == 1
    batch = claim_batch(question=question, annotator=vera())
    kinds = [Premise.objects.get(pk=item.seat.pair.premise_id).genre for item in batch.items]
    assert kinds == [calm, sad, sad, sad, sad]


def send(batch, slots, key, label="neutral", **more):
    labels = {item.seat.token: label for item in batch.items[slots]}
    token = batch.assignment.token
    return submit_batch(annotator=vera(), token=token, labels=labels, key=key, **more)


def test_ten_empty_submissions_are_no_work_and_leave_no_record(question, visit, browser_of, api_of):
    batch = claim_batch(question=question, annotator=vera())
    page = browser_of(vera())
    for number in range(5):
        answer = page.post(PAGE, {"assignment": batch.assignment.token, "key": f"k{number}"}, follow=True)
        sent = {"assignment": batch.assignment.token, "idempotency_key": f"r{number}", "labels": {}}
        api_of(vera()).post(SUBMIT, sent, format="json")
    assert "Nothing was saved, because you chose no answer." in answer.content.decode()
    assert (tasks_done(visit), Submission.objects.count()) == (0, 0)


def test_a_batch_sent_label_by_label_counts_once_and_when_it_is_finished(question, visit):
    batch = claim_batch(question=question, annotator=vera())
    counts = []
    for number in range(5):
        send(batch, slice(number, number + 1), f"k{number}")
        counts.append(tasks_done(visit))
    assert counts == [0, 0, 0, 0, 1]
    send(batch, slice(0, 5), "again")
    assert tasks_done(visit) == 1


def test_a_batch_that_was_only_skipped_is_no_work(question, visit):
    batch = claim_batch(question=question, annotator=vera())
    skips = {item.seat.token: "other" for item in batch.items}
    assert submit_batch(
        annotator=vera(), token=batch.assignment.token, labels={}, skips=skips, key="k"
    ).closed
    assert tasks_done(visit) == 0


def skip_but(batch, answered: int, key: str) -> None:
    """Answers the first items of a batch and skips the others."""
    skips = {item.seat.token: "unclear" for item in batch.items[answered:]}
    send(batch, slice(0, answered), key, skips=skips)


def test_a_batch_of_which_a_part_was_skipped_is_that_part_of_a_task(question, visit, browser_of):
    """Two batches with one answer each were two tasks, and so the code of the whole visit."""
    for number in range(2):
        skip_but(claim_batch(question=question, annotator=vera()), 1, f"k{number}")
    assert (tasks_done(visit), Visit.objects.get().finished_at) == (0, None)
    assert "C0DE" not in browser_of(vera()).get("/work/visit/").content.decode()
    row = visits_at(visit.link, "sent").get()
    assert (row.texts, row.answers, row.skipped) == (0, 2, 8)
    page = browser_of(rosa()).get(f"/c/small/links/{visit.link_id}/?step=sent").content.decode()
    assert re.findall(r'<td class="number">(\d+)</td>', page)[-3:] == ["0", "2", "8"]


@pytest.mark.parametrize("answers", [[5, 5], [4, 4, 2], [3, 3, 4], [1, 4, 5]])
def test_answers_of_several_batches_make_a_task(answers, visit):
    """Whoever skips the odd one makes up for it in the next batch: no answer is lost."""
    question = fill(make_corpus(slug="large"), 40)
    EntryLink.objects.update(corpus=question.corpus)
    visit = Visit.objects.select_related("link").get()
    for number, answered in enumerate(answers):
        assert Visit.objects.get().finished_at is None
        skip_but(claim_batch(question=question, annotator=vera()), answered, f"k{number}")
    assert (tasks_done(visit), Visit.objects.get().finished_at is not None) == (2, True)


def test_a_batch_is_a_task_with_as_many_answers_as_there_were_pairs(visit):
    question = fill(make_corpus(slug="tiny"), 2)
    EntryLink.objects.update(corpus=question.corpus)
    visit = Visit.objects.select_related("link").get()
    batch = claim_batch(question=question, annotator=vera())
    assert len(batch.items) == 2
    send(batch, slice(0, 2), "k")
    assert tasks_done(visit) == 1


def test_what_counts_is_of_the_links_corpus_and_not_skipped(question, visit):
    other = fill(make_corpus(slug="other"))
    send(claim_batch(question=other, annotator=vera()), slice(0, 5), "other")
    make_seats(premises=[make_premise(question.corpus, f"To write for: {number}.") for number in range(2)])
    skip_writing(annotator=vera(), token=claim_writing(corpus=question.corpus, annotator=vera()).token)
    assert tasks_done(visit) == 0
    token = claim_writing(corpus=question.corpus, annotator=vera()).token
    submit_writing(annotator=vera(), token=token, texts=TEXTS, key="w")
    assert tasks_done(visit) == 1
    assert Visit.objects.get().finished_at is None
    send(claim_batch(question=question, annotator=vera()), slice(0, 5), "labels")
    assert tasks_done(visit) == 2
    assert Visit.objects.get().finished_at is not None


def test_work_belongs_to_the_newest_visit_that_began_before_it(question, visit):
    """One piece of work finishes one visit, through however many links somebody came."""
    second = make_link(question.corpus, name="second")
    EntryLink.objects.update(tasks_wanted=1)
    PlatformIdentity.objects.create(user=vera(), platform="prolific", participant="p")
    later = Visit.objects.create(link=second, user=vera(), session="y")
    send(claim_batch(question=question, annotator=vera()), slice(0, 5), "labels")
    make_seats(premises=[make_premise(question.corpus, "To write for.")])
    token = claim_writing(corpus=question.corpus, annotator=vera()).token
    submit_writing(annotator=vera(), token=token, texts=TEXTS, key="w")
    links = [visit.link, second]
    pages = [(progress_of(each).done, progress_of(each).cents) for each in (visit, later)]
    assert pages == [(0, 0), (2, 55)]
    assert [[person.cents for person in earnings(link)] for link in links] == [[0], [55]]
    assert [each.finished_at is not None for each in Visit.objects.order_by("pk")] == [False, True]
    counted = funnels(links)
    assert [counted[link.pk].steps["sent"] for link in links] == [0, 1]


def test_a_batch_in_hand_is_of_the_visit_in_which_it_is_sent(question, visit):
    batch = claim_batch(question=question, annotator=vera())
    send(batch, slice(0, 1), "one")
    assert funnels([visit.link])[visit.link_id].steps["sent"] == 1
    later = Visit.objects.create(link=visit.link, user=vera(), session="y")
    send(batch, slice(1, 5), "rest")
    assert [tasks_done(each) for each in (visit, later)] == [0, 1]
    assert funnels([visit.link])[visit.link_id].steps["sent"] == 1


def test_the_last_piece_of_work_finishes_the_visit_whatever_it_is(question, visit):
    EntryLink.objects.update(tasks_wanted=1)
    make_seats(premises=[make_premise(question.corpus, "To write for.")])
    token = claim_writing(corpus=question.corpus, annotator=vera()).token
    submit_writing(annotator=vera(), token=token, texts=TEXTS, key="w")
    assert Visit.objects.get().finished_at is not None


def test_a_batch_that_the_next_claim_closes_finishes_the_visit(question, visit):
    EntryLink.objects.update(tasks_wanted=1)
    send(claim_batch(question=question, annotator=vera()), slice(0, 4), "most")
    seat = Label.objects.open().get(annotator=vera())
    Label.objects.filter(pk=seat.pk).update(
        annotator=stan(), leased_until=timezone.now() + timedelta(hours=1)
    )
    claim_batch(question=question, annotator=vera())
    assert Visit.objects.get().finished_at is not None


def test_a_key_keeps_its_meaning_where_nothing_waits(question):
    batch = claim_batch(question=question, annotator=vera())
    assert not send(batch, slice(0, 0), "k").answered
    assert send(batch, slice(0, 5), "k").saved == 5
    assert send(batch, slice(0, 5), "k").repeated
    with pytest.raises(KeyReused):
        send(batch, slice(0, 5), "k", label="entailment")


def test_what_was_skipped_is_not_labelled_after(question):
    batch = claim_batch(question=question, annotator=vera())
    slot = batch.items[0].seat.token
    submit_batch(annotator=vera(), token=batch.assignment.token, labels={}, skips={slot: "other"}, key="s")
    late = send(batch, slice(0, 1), "l")
    assert (late.saved, late.surplus, late.cents, late.answered) == (0, 0, 0, False)
    item = BatchItem.objects.get(seat__token=slot)
    assert (item.answer, item.skip_reason, item.seat.label) == (None, "other", None)


def test_a_closed_batch_sent_again_stays_as_it_was_and_the_one_in_hand_comes(question):
    first = claim_batch(question=question, annotator=vera())
    send(first, slice(0, 5), "one")
    closed_at = Assignment.objects.get(pk=first.assignment.pk).closed_at
    in_hand = claim_batch(question=question, annotator=vera())
    labels = {item.seat.token: "entailment" for item in first.items}
    result, then = submit_and_claim(
        annotator=vera(), token=first.assignment.token, labels=labels, key="another"
    )
    assert (result.saved, result.cents, then.assignment) == (0, 0, in_hand.assignment)
    assert Assignment.objects.get(pk=first.assignment.pk).closed_at == closed_at
    assert set(Label.objects.filter(annotator=vera(), label__isnull=False).values_list("label")) == {
        ("neutral",)
    }


def test_labels_are_refused_after_consent_was_withdrawn_and_taken_when_it_is_back(browser_of, api_of):
    corpus = make_corpus(with_consent=True)
    question = fill(corpus)
    give_consent(user=vera(), form=corpus.consent_form)
    batch = claim_batch(question=question, annotator=vera())
    labels = {item.seat.token: "neutral" for item in batch.items}
    withdraw_consent(user=vera(), form=corpus.consent_form)
    sent = {
        "assignment": batch.assignment.token,
        "labels": labels,
        "idempotency_key": "k",
        "next": True,
    }
    refused = api_of(vera()).post(SUBMIT, sent, format="json")
    assert (refused.status_code, refused.json()["title"]) == (403, "Your consent is missing")
    assert f"/consent/{corpus.consent_form_id}/" in refused.json()["detail"]
    assert api_of(vera()).post("/api/v1/work/validation/next/", {"corpus": "small"}).status_code == 403
    posted = {f"label-{slot}": label for slot, label in labels.items()}
    posted |= {"assignment": batch.assignment.token, "key": "k"}
    page = browser_of(vera())
    assert page.post(PAGE, posted).url.startswith(f"/consent/{corpus.consent_form_id}/?next=")
    swapped = page.post(PAGE, posted, headers={"HX-Request": "true"})
    assert swapped.headers["HX-Redirect"].startswith(f"/consent/{corpus.consent_form_id}/?next=")
    assert page.post("/work/labelling-draft/", posted).status_code == 403
    with pytest.raises(ConsentMissing):
        keep_draft(
            annotator=vera(),
            token=batch.assignment.token,
            labels=labels,
            skips={},
            reasons={},
            active_ms={},
        )
    assert not Label.objects.filter(annotator=vera(), label__isnull=False).exists()
    assert Label.objects.filter(annotator=vera(), leased_until__gt=timezone.now()).count() == 5
    give_consent(user=vera(), form=corpus.consent_form)
    assert api_of(vera()).post(SUBMIT, sent, format="json").json()["saved"] == 5


def test_the_funnel_is_a_picture_that_says_where_people_are_lost(question, visit, browser_of):
    browser = browser_of(rosa())
    address = f"/c/{question.corpus.slug}/links/{visit.link_id}/"
    assert Funnel({key: 0 for key, _, _ in STEPS}, {}).charts() == []
    Visit.objects.create(link=visit.link, user=stan(), session="y")
    send(claim_batch(question=question, annotator=vera()), slice(0, 1), "one")
    page = html.fromstring(browser.get(address).content)
    title = page.xpath("//figure[@data-chart='funnel']/figcaption/text()")
    assert title == ["0 of 2 who began finished."]
    figure = f"/api/v1/corpora/{question.corpus.slug}/figures/link-funnel"
    csv = browser.get(f"{figure}?link={visit.link_id}&as=csv").text.splitlines()
    assert csv[0] == "step,people"
    assert csv[2] == "Agreed and began,2"


def test_each_step_of_a_funnel_leads_to_its_people(question, visit, browser_of):
    send(claim_batch(question=question, annotator=vera()), slice(0, 1), "one")
    Visit.objects.create(link=visit.link, user=stan(), session="y")
    browser = browser_of(rosa())
    address = f"/c/{question.corpus.slug}/links/{visit.link_id}/"
    page = html.fromstring(browser.get(address).content)
    steps = {
        row.findtext("th"): row.xpath("td[1]/a/@href")
        for row in page.xpath("//figure[@data-chart='funnel']//tbody/tr")
    }
    assert steps["Opened the link"] == []
    assert steps["Agreed and began"] == ["?step=began#people"]
    assert steps["Sent a task"] == ["?step=sent#people"]
    for step, people in (("began", {vera().code, stan().code}), ("sent", {vera().code})):
        listed = html.fromstring(browser.get(f"{address}?step={step}").content)
        table = listed.xpath("//div[@aria-labelledby='people']")[0]
        assert set(table.xpath(".//tbody/tr/th/a/text()")) == people
        csv = listed.xpath("//a[text()='All of them as CSV']")[0].get("href")
        lines = b"".join(browser.get(f"{address}{csv}").streaming_content).decode().splitlines()
        assert {line.partition(",")[0] for line in lines[1:]} == people
    assert not html.fromstring(browser.get(f"{address}?step=opened").content).xpath("//*[@id='people']")
