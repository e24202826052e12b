"""Drafts on the server: stored for other devices, deleted with the end of the task, offered when its lease has ended."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import ConsentForm
from collection.models import Corpus, DraftText, Pair, PromptVersion, WritingSeat
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import save_draft, skip_writing, submit_writing
from tests.corpora import make_corpus, make_premise
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

PAGE = "/work/writing/small/"
TEXTS = {"entailment": "It is so.", "neutral": "It may be so.", "contradiction": "It is not so."}


@made_once
def corpus() -> Corpus:
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, "Rain falls."), make_premise(corpus, "A dog barks at night.")])
    return corpus


@pytest.fixture
def client(corpus, ana, browser_of) -> Client:
    client = browser_of(ana)
    client.post(f"{PAGE}prompt/{PromptVersion.objects.get().pk}/")
    return client


def keep(client: Client, token: str, base: str | None = None, **texts: str):
    sent = {"token": token, **{f"text-{label}": text for label, text in texts.items()}}
    if base is not None:
        sent["base"] = base
    return client.post(f"{PAGE}draft/", sent, headers={"Accept": "application/json"})


def test_a_draft_comes_back_on_another_device(corpus, ana, client, browser_of):
    token = claim_writing(corpus=corpus, annotator=ana).token
    keep(client, token, neutral="It may", entailment="It is")
    answer = keep(client, token, neutral="It may be")
    form = browser_of(ana).get(PAGE).context["form"]
    assert (form["text-neutral"].value(), form["text-entailment"].value()) == ("It may be", None)
    assert form.draft_saved_at == answer.json()["saved_at"]


def test_the_answer_brings_advice_but_none_about_what_is_not_written_yet(corpus, ana, client):
    assignment = claim_writing(corpus=corpus, annotator=ana)
    said = keep(client, assignment.token, neutral=assignment.seat.premise.text, entailment="").json()[
        "advice"
    ]
    assert list(said) == ["neutral"]
    assert "the text itself" in said["neutral"]


def test_without_scripts_a_button_keeps_the_draft(corpus, ana, client):
    token = claim_writing(corpus=corpus, annotator=ana).token
    page = client.post(f"{PAGE}draft/", {"token": token, "text-neutral": "It may"}, follow=True)
    assert "Your draft is saved." in page.content.decode()
    assert page.context["form"]["text-neutral"].value() == "It may"


def test_a_draft_goes_with_the_task_and_does_not_come_back(corpus, ana):
    for end in (
        lambda token: submit_writing(annotator=ana, token=token, texts=TEXTS, key=token),
        lambda token: skip_writing(annotator=ana, token=token, texts={"neutral": " "}),
    ):
        token = claim_writing(corpus=corpus, annotator=ana).token
        assert save_draft(annotator=ana, token=token, texts=TEXTS)
        assert DraftText.objects.count() == 3
        end(token)
        assert save_draft(annotator=ana, token=token, texts=TEXTS) is None
        assert not DraftText.objects.exists()


def test_what_was_typed_for_a_skipped_text_can_be_read_and_thrown_away_but_not_sent(corpus, ana, client):
    token = claim_writing(corpus=corpus, annotator=ana).token
    save_draft(annotator=ana, token=token, texts={**TEXTS, "problem": "Odd."})
    skip_writing(annotator=ana, token=token, problem="Odd.")
    page = client.get(PAGE)
    ((kept,), unsent) = page.context["skipped"], page.context["unsent"]
    assert ({draft.text for draft in kept.drafts}, unsent) == (set(TEXTS.values()), [])
    assert "It cannot be sent any more." in page.text
    sent = {"token": token, "key": token, **{f"text-{label}": text for label, text in TEXTS.items()}}
    assert "so it cannot be sent any more" in client.post(PAGE, sent).text
    client.post(f"{PAGE}draft/discard/", {"token": token})
    assert not DraftText.objects.exists()


def test_nothing_is_kept_of_what_was_typed_without_consent(corpus, ana):
    token = claim_writing(corpus=corpus, annotator=ana).token
    save_draft(annotator=ana, token=token, texts=TEXTS)
    Corpus.objects.update(
        consent_form=ConsentForm.objects.create(title="Consent", text="We collect sentences.")
    )
    skip_writing(annotator=ana, token=token, texts=TEXTS)
    assert not DraftText.objects.exists()


def test_fields_that_there_are_not_and_endless_texts_are_no_drafts(corpus, ana):
    token = claim_writing(corpus=corpus, annotator=ana).token
    save_draft(annotator=ana, token=token, texts={"other": "x", "neutral": "y\0" * 20_000})
    draft = DraftText.objects.get()
    assert (draft.label, draft.text) == ("neutral", "y" * 10_000)


def lose_the_seat(corpus: Corpus, ana, vera) -> str:
    """Lets Ana begin, her lease end, and Vera claim the premise. Returns Ana's token."""
    token = claim_writing(corpus=corpus, annotator=ana).token
    save_draft(annotator=ana, token=token, texts=TEXTS)
    later = timezone.now() + timedelta(hours=1)
    WritingSeat.objects.filter(annotator=ana).update(annotator=vera, leased_until=later)
    return token


def test_a_draft_whose_time_ran_out_is_offered_and_paid_without_scripts_too(
    corpus, ana, vera, client, browser_of
):
    token = lose_the_seat(corpus, ana, vera)
    client.get(PAGE)
    (offered,) = browser_of(ana).get(PAGE).context["unsent"]
    assert {draft.text for draft in offered.drafts} == set(TEXTS.values())
    sent = {"token": token, "key": token, **{f"text-{label}": text for label, text in TEXTS.items()}}
    assert "You are paid, although this text" in client.post(PAGE, sent, follow=True).content.decode()
    assert client.get(PAGE).context["unsent"] == []
    assert not Pair.objects.standing().exists()


def test_a_draft_can_be_thrown_away(corpus, ana, vera, client):
    token = lose_the_seat(corpus, ana, vera)
    client.get(PAGE)
    assert (
        "The draft is deleted."
        in client.post(f"{PAGE}draft/discard/", {"token": token}, follow=True).content.decode()
    )
    assert not DraftText.objects.exists()


def test_nobody_reads_or_writes_somebody_elses_draft(corpus, ana, vera, client, browser_of):
    token = claim_writing(corpus=corpus, annotator=ana).token
    keep(client, token, neutral="Mine.")
    assert keep(browser_of(vera), token, neutral="Hers.").status_code == 404
    assert Client().post(f"{PAGE}draft/", {"token": token}).status_code == 403
    assert browser_of(vera).post(f"{PAGE}draft/discard/", {"token": token}).status_code == 404
    assert DraftText.objects.get().text == "Mine."


def test_a_page_that_started_from_an_older_draft_gets_the_newer_one_and_overwrites_nothing(
    corpus, ana, client
):
    token = claim_writing(corpus=corpus, annotator=ana).token
    first = keep(client, token, base="", neutral="It may").json()["version"]
    phone = keep(client, token, base=first, neutral="It may be, I think.").json()["version"]
    answer = keep(client, token, base=first, neutral="It may be so.")
    assert answer.status_code == 409
    assert answer.json()["texts"] == {"neutral": "It may be, I think."}
    assert answer.json()["version"] == phone != first
    assert "another device" in answer.json()["error"]
    assert DraftText.objects.get().text == "It may be, I think."
    kept = keep(client, token, base=phone, neutral="It may be so.")
    assert (kept.status_code, DraftText.objects.get().text) == (200, "It may be so.")


def test_the_same_texts_are_no_conflict_and_an_emptied_draft_is_one(corpus, ana, client):
    token = claim_writing(corpus=corpus, annotator=ana).token
    first = keep(client, token, base="", neutral="It may").json()["version"]
    assert keep(client, token, base="", neutral="It may").status_code == 200  # its answer had been lost
    second = keep(client, token, base="", neutral="It may").json()["version"]
    emptied = keep(client, token, base=second)
    assert (emptied.status_code, emptied.json()["version"]) == (200, "")
    late = keep(client, token, base=first, neutral="It may be")
    assert (late.status_code, late.json()["texts"], late.json()["version"]) == (409, {}, "")


def test_without_scripts_both_drafts_are_shown_and_one_is_chosen(corpus, ana, client):
    token = claim_writing(corpus=corpus, annotator=ana).token
    page = client.get(PAGE)
    keep(client, token, base="", neutral="From the phone.")
    mine = {"token": token, "base": page.context["form"]["base"].value(), "text-neutral": "From the desk."}
    both = client.post(f"{PAGE}draft/", mine)
    assert both.status_code == 409
    assert "From the phone." in both.content.decode()
    form = both.context["form"]
    assert form["text-neutral"].value() == "From the desk."
    assert DraftText.objects.get().text == "From the phone."
    client.post(f"{PAGE}draft/", {**mine, "base": form["base"].value()})
    assert DraftText.objects.get().text == "From the desk."
