"""Skipped and reported tasks are over; a text that is sent after consent ended is an error, and stays on the page."""

import pytest
from rest_framework.test import APIClient

from accounts.people.consents import ConsentMissing, give_consent, withdraw_consent
from collection.errors import TaskOver
from collection.formats.records import ImportedPair
from collection.imports.pair_plans import Rules, plan_pair
from collection.models import Corpus, DraftText, Pair, PromptVersion, WritingAssignment
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import save_draft, skip_writing, submit_writing
from tests import cast
from tests.concurrency.threads import at_once
from tests.corpora import make_corpus, make_premise
from tests.made_once import made_once

PAGE, SUBMIT = "/work/writing/small/", "/api/v1/work/writing/submit/"
TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}


@made_once
def corpus() -> Corpus:
    corpus = make_corpus(with_consent=True)
    make_seats(premises=[make_premise(corpus, f"Premise number {number}.") for number in range(3)])
    PromptVersion.objects.update(skip_pay_cents=20, paid_skips_per_day=5)
    give_consent(user=cast.ana(), form=corpus.consent_form)
    return corpus


@pytest.fixture
def task(corpus) -> WritingAssignment:
    return claim_writing(corpus=corpus, annotator=cast.ana())


def rest(task: WritingAssignment, **texts: str):
    client = APIClient()
    client.force_authenticate(cast.ana())
    sent = {"assignment": task.token, "texts": TEXTS | texts, "idempotency_key": "k"}
    return client.post(SUBMIT, sent, format="json")


@pytest.mark.parametrize("how", [{"reason": "upsetting"}, {"problem": "No sentence."}])
def test_a_skipped_task_takes_no_texts_and_is_paid_once(task, ana, browser_of, how):
    paid = skip_writing(annotator=ana, token=task.token, **how)
    closed = WritingAssignment.objects.values().get()
    with pytest.raises(TaskOver):
        submit_writing(annotator=ana, token=task.token, texts=TEXTS, key="k")
    typed = {f"text-{label}": text for label, text in TEXTS.items()}
    page = browser_of(ana).post(PAGE, {**typed, "token": task.token, "key": task.token})
    assert page.status_code == 409
    assert page.context["texts"] == list(TEXTS.values())
    assert "You skipped this text" in page.content.decode()
    assert (rest(task).status_code, rest(task).json()["title"]) == (409, "This task is over")
    assert save_draft(annotator=ana, token=task.token, texts=TEXTS) is None
    assert WritingAssignment.objects.values().get() == closed
    assert (ana.ledger.total_cents(), Pair.objects.count()) == (paid, 0)


def test_a_sent_task_cannot_be_skipped_after(task, ana):
    submit_writing(annotator=ana, token=task.token, texts=TEXTS, key="k")
    assert skip_writing(annotator=ana, token=task.token, reason="upsetting") == 0
    assert WritingAssignment.objects.get().outcome == "submitted"
    assert ana.ledger.total_cents() == 30


@pytest.mark.django_db(transaction=True)
def test_skipped_and_sent_at_one_moment_one_of_the_two_is_paid():
    corpus = make_corpus(slug="race")
    make_seats(premises=[make_premise(corpus, f"Premise number {number}.") for number in range(6)])
    PromptVersion.objects.update(skip_pay_cents=20, paid_skips_per_day=50)
    ana, earned = cast.ana(), 0
    for _ in range(6):
        token = claim_writing(corpus=corpus, annotator=ana).token
        at_once(
            [
                lambda token=token: skip_writing(annotator=ana, token=token, reason="upsetting"),
                lambda token=token: submit_writing(annotator=ana, token=token, texts=TEXTS, key=token),
            ]
        )
        more = ana.ledger.total_cents() - earned
        assert more in (20, 30)
        earned += more


def test_texts_are_refused_after_consent_was_withdrawn_and_taken_when_it_is_back(
    corpus, task, ana, browser_of
):
    withdraw_consent(user=ana, form=corpus.consent_form)
    refused = rest(task)
    assert refused.status_code == 403
    assert f"/consent/{corpus.consent_form_id}/" in refused.json()["detail"]
    typed = {f"text-{label}": text for label, text in TEXTS.items()}
    for address in (PAGE, f"{PAGE}draft/"):
        page = browser_of(ana).post(address, {**typed, "token": task.token, "key": task.token})
        assert page.status_code == 403
        assert page.context["texts"] == list(TEXTS.values())
        assert f'href="/consent/{corpus.consent_form_id}/?next=' in page.content.decode()
    with pytest.raises(ConsentMissing):
        claim_writing(corpus=corpus, annotator=ana)
    assert (Pair.objects.count(), DraftText.objects.count(), ana.ledger.count()) == (0, 0, 0)
    give_consent(user=ana, form=corpus.consent_form)
    assert rest(task).status_code == 200


ODD, CLEAN = (
    "\u202eIt\r\nis\t \x1b[31mred\x07.\u2066 \u200fX\x9b1m\u2028Y\x85Z",
    "It is  [31mred. \u200fX1m Y Z",
)


def test_a_hypothesis_is_one_line_without_hidden_characters_by_rest_page_and_import(task, ana, browser_of):
    planned = plan_pair(
        ImportedPair(1, ("A premise.",), ODD, labels=("neutral",)), Rules("nli3", ("neutral",), True)
    )
    assert planned.item.hypothesis == CLEAN
    assert rest(task, neutral=ODD).status_code == 200
    other = claim_writing(corpus=task.corpus, annotator=ana)
    typed = {f"text-{label}": text for label, text in (TEXTS | {"neutral": ODD}).items()}
    browser_of(ana).post(PAGE, {**typed, "token": other.token, "key": other.token})
    assert (
        list(Pair.objects.filter(author_label="neutral").values_list("hypothesis", flat=True)) == [CLEAN] * 2
    )
