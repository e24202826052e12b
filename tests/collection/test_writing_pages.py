"""The pages of writers: what comes before a task, what is saved, and that no text is lost."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.people.consents import give_consent
from collection.models import (
    Corpus,
    FaqEntry,
    Pair,
    Premise,
    ProblemReport,
    Prompt,
    PromptVersion,
    WritingAssignment,
    WritingSeat,
)
from collection.premises.writing_seats import make_seats
from tests.cast import ana, rosa, signed_in, stan, vera
from tests.corpora import make_corpus, make_premise
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

PAGE = "/work/writing/small/"
GOOD = {
    "text-entailment": "A dog barks.",
    "text-neutral": "It is late.",
    "text-contradiction": "All is silent.",
}


@made_once
def corpus() -> Corpus:
    corpus = make_corpus(with_consent=True, max_hypothesis_chars=60)
    premises = [
        make_premise(corpus, text) for text in ("A dog barks at <i>night</i>.", "Rain falls on the roof.")
    ]
    make_seats(premises=premises)
    return corpus


def ready(user, corpus: Corpus) -> Client:
    """Returns a browser of a person who has consented and read the prompt."""
    client = signed_in(user)
    give_consent(user=user, form=corpus.consent_form)
    client.post(f"{PAGE}prompt/{PromptVersion.objects.get().pk}/", {"agree": "yes"})
    return client


def task(client: Client) -> dict[str, str]:
    form = client.get(PAGE).context["form"]
    return {"token": form["token"].value(), "key": form["key"].value()}


def text_of(page) -> str:
    return page.content.decode()


def test_consent_and_prompt_come_before_the_first_premise(corpus):
    client = signed_in(ana())
    assert client.get(PAGE).url == f"/consent/{corpus.consent_form_id}/?next=%2Fwork%2Fwriting%2Fsmall%2F"
    give_consent(user=ana(), form=corpus.consent_form)
    prompt = client.get(PAGE)
    assert prompt.url == f"{PAGE}prompt/{PromptVersion.objects.get().pk}/"
    assert "Read the line and write." in text_of(client.get(prompt.url))
    assert client.post(prompt.url, {"agree": "yes"}).url == PAGE
    assert client.get(PAGE).status_code == 200


def test_a_prompt_is_shown_once_on_all_devices(corpus):
    client = ready(ana(), corpus)
    client.post(PAGE, {**task(client), **GOOD})
    assert signed_in(ana()).get(PAGE).status_code == 200


def test_a_new_version_of_a_prompt_is_shown_again(corpus):
    client = ready(ana(), corpus)
    client.post(PAGE, {**task(client), **GOOD})
    version = PromptVersion.objects.create(
        prompt=Prompt.objects.get(), number=2, instructions="Otherwise.", digest="2"
    )
    assert client.get(PAGE).url == f"{PAGE}prompt/{version.pk}/"


def test_the_page_shows_premise_fields_and_faq(corpus):
    page = text_of(ready(ana(), corpus).get(PAGE))
    assert "How long?" in page
    places = [page.index(words) for words in ("Definitely correct", "Maybe correct", "Definitely incorrect")]
    assert places == sorted(places)  # the question's order, whatever that of the fields


def test_markup_in_a_premise_stays_text(corpus):
    Premise.objects.exclude(text__contains="<i>").update(status="paused")
    page = text_of(ready(ana(), corpus).get(PAGE))
    assert "<i>night" not in page
    assert "&lt;i&gt;night" in page


def test_three_sentences_are_saved_and_paid(corpus):
    client = ready(ana(), corpus)
    sent = task(client)
    page = client.post(PAGE, {**sent, **GOOD}, follow=True)
    assert "Saved. You earned $0.30." in text_of(page)
    assert f'data-confirmed-token="{sent["token"]}"' in text_of(page)
    assert dict(Pair.objects.values_list("author_label", "hypothesis")) == {
        label.removeprefix("text-"): text for label, text in GOOD.items()
    }
    assert set(Pair.objects.values_list("author", flat=True)) == {ana().pk}
    assert ana().ledger.total_cents() == 30


def test_a_page_whose_response_was_lost_confirms_the_saved_text_again(corpus):
    client = ready(ana(), corpus)
    sent = task(client)
    page = client.post(PAGE, {**sent, **GOOD})["Location"]
    client.get(page)  # never arrives: the browser asks again
    assert f'data-confirmed-token="{sent["token"]}"' in text_of(client.get(page))
    assert 'data-confirmed-token=""' in text_of(client.get(PAGE))


def test_a_script_is_told_where_to_go_on(corpus):
    client = ready(ana(), corpus)
    sent = task(client)
    answer = client.post(PAGE, {**sent, **GOOD}, headers={"Accept": "application/json"})
    assert answer.json() == {"next": f"{PAGE}?confirmed={sent['token']}"}


def test_sending_twice_is_saving_once(corpus):
    client = ready(ana(), corpus)
    sent = {**task(client), **GOOD}
    client.post(PAGE, sent)
    page = client.post(PAGE, sent, follow=True)
    assert "This was saved before" in text_of(page)
    assert (Pair.objects.count(), ana().ledger.total_cents()) == (3, 30)


def test_other_texts_for_a_finished_task_change_nothing_and_say_so(corpus):
    client = ready(ana(), corpus)
    sent = task(client)
    client.post(PAGE, {**sent, **GOOD})
    page = client.post(PAGE, {**sent, **GOOD, "text-neutral": "Second thoughts."})
    assert page.status_code == 409
    assert "You sent your sentences for this text before. Those are saved, and they count." in text_of(page)
    assert "Second thoughts.</textarea>" in text_of(page)
    assert f'href="{PAGE}"' in text_of(page)
    assert not Pair.objects.filter(hypothesis="Second thoughts.").exists()


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("text-neutral", "  ", "Please write a sentence here."),
        ("text-neutral", "x" * 61, "1 character too long. Please shorten it."),
        ("text-contradiction", "nul\x00", "Null characters are not allowed"),
    ],
)
def test_a_text_that_will_not_do_keeps_all_texts_on_the_page(corpus, field, text, message):
    client = ready(ana(), corpus)
    sent = {**task(client), **GOOD, field: text, "problem": "a stain"}
    page = client.post(PAGE, sent)
    assert page.status_code == 422
    form = page.context["form"]
    assert {name: form[name].value() for name in sent} == sent
    assert message in "".join(form.errors[field])
    assert 'aria-invalid="true"' in str(form[field])
    assert "autofocus" in str(form[field])
    assert "Nothing is lost" in text_of(page)
    assert not Pair.objects.exists()


def test_a_corrected_text_goes_under_the_same_key(corpus):
    client = ready(ana(), corpus)
    sent = task(client)
    client.post(PAGE, {**sent, **GOOD, "text-neutral": ""})
    assert "Saved. You earned" in text_of(client.post(PAGE, {**sent, **GOOD}, follow=True))


def test_a_wrapped_sentence_is_stored_as_one_line(corpus):
    client = ready(ana(), corpus)
    client.post(PAGE, {**task(client), **GOOD, "text-neutral": "It is\r\nlate. "})
    assert Pair.objects.get(author_label="neutral").hypothesis == "It is late."


def test_somebody_elses_task_is_not_found(corpus):
    sent = {**task(ready(ana(), corpus)), **GOOD}
    stranger = ready(stan(), corpus)
    for address in (PAGE, f"{PAGE}skip/"):
        page = stranger.post(address, {**sent, "problem": "</textarea><b>"})
        assert page.status_code == 404
        assert page.context["texts"] == [*GOOD.values(), "</textarea><b>"]
        assert "</textarea><b>" not in text_of(page)
    assert not Pair.objects.exists()
    assert WritingAssignment.objects.get(annotator=ana()).outcome == ""


def test_a_made_up_task_is_not_found(corpus):
    client = ready(ana(), corpus)
    assert client.post(PAGE, {**GOOD, "token": "made-up", "key": "x"}).status_code == 404
    assert client.post(PAGE, {**GOOD, "token": "nul\x00", "key": "x"}).status_code == 404
    assert client.post(PAGE, {**GOOD, "token": "nul\x00"}).status_code == 404
    assert client.post(PAGE, GOOD).status_code == 404
    assert "Nothing was saved" in text_of(client.post(PAGE))


def test_a_task_of_another_corpus_is_not_found_here(corpus):
    sent = {**task(ready(ana(), corpus)), **GOOD}
    make_corpus(slug="other")
    assert signed_in(ana()).post("/work/writing/other/", sent).status_code == 404


def test_text_sent_after_the_lease_is_saved_while_the_seat_is_free(corpus):
    client = ready(ana(), corpus)
    sent = {**task(client), **GOOD}
    WritingSeat.objects.filter(annotator=ana()).update(leased_until=timezone.now() - timedelta(hours=1))
    assert "Saved. You earned" in text_of(client.post(PAGE, sent, follow=True))


def test_text_that_came_second_is_kept_and_paid(corpus):
    client = ready(ana(), corpus)
    sent = {**task(client), **GOOD}
    later = timezone.now() + timedelta(hours=1)
    WritingSeat.objects.filter(annotator=ana()).update(annotator=vera(), leased_until=later)
    page = client.post(PAGE, sent, follow=True)
    assert "You are paid, although this text was no longer open for you." in text_of(page)
    assert Pair.objects.filter(withdrawn_at__isnull=False).count() == 3
    assert ana().ledger.total_cents() == 30


def test_skipping_gives_another_premise(corpus):
    client = ready(ana(), corpus)
    sent = task(client)
    page = client.post(f"{PAGE}skip/", sent, follow=True)
    assert "Skipped. The text that you skipped is not paid." in text_of(page)
    assert page.context["assignment"].token != sent["token"]
    assert not Pair.objects.exists()


def test_skipping_keeps_what_was_typed(corpus):
    client = ready(ana(), corpus)
    typed = {**task(client), **GOOD, "reason": "unclear"}
    page = client.post(f"{PAGE}skip/", typed, follow=True)
    assert "The sentences that you wrote for it are kept at the end of the writing page." in text_of(page)
    (kept,) = page.context["skipped"]
    assert {f"text-{draft.label}": draft.text for draft in kept.drafts} == GOOD
    assert WritingAssignment.objects.first().outcome == "skipped"


def test_after_skipping_the_last_text_no_other_one_is_promised(corpus):
    client = ready(ana(), corpus)
    client.post(f"{PAGE}skip/", task(client))
    page = client.post(f"{PAGE}skip/", task(client), follow=True)
    assert "Skipped." in text_of(page)
    assert "Nothing to write now" in text_of(page)
    assert "another text" not in text_of(page)


def test_a_report_alone_can_be_sent_and_gives_the_text_back(corpus):
    client = ready(ana(), corpus)
    sent = task(client)
    page = client.post(PAGE, {**sent, "text-neutral": " ", "problem": "Not a sentence."}, follow=True)
    assert "a researcher will read" in text_of(page)
    assert page.context["assignment"].token != sent["token"]
    assert (ProblemReport.objects.get().text, WritingAssignment.objects.first().outcome) == (
        "Not a sentence.",
        "reported",
    )
    assert "Nothing is lost" in text_of(client.post(PAGE, task(client)))  # without a report it is a mistake


def test_a_reported_problem_reaches_the_researchers(corpus):
    client = ready(ana(), corpus)
    page = client.post(f"{PAGE}skip/", {**task(client), "problem": "Not a sentence."}, follow=True)
    assert "a researcher will read" in text_of(page)
    assert ProblemReport.objects.get().text == "Not a sentence."


def test_a_problem_too_long_to_store_is_not_lost(corpus):
    client = ready(ana(), corpus)
    page = client.post(f"{PAGE}skip/", {**task(client), **GOOD, "problem": "x" * 2001})
    assert page.status_code == 422
    assert page.context["form"]["problem"].value() == "x" * 2001
    assert page.context["form"]["text-neutral"].value() == GOOD["text-neutral"]


def test_a_problem_may_come_with_the_texts(corpus):
    client = ready(ana(), corpus)
    client.post(PAGE, {**task(client), **GOOD, "problem": "A typing slip."})
    assert (Pair.objects.count(), ProblemReport.objects.get().text) == (3, "A typing slip.")


def test_when_nothing_is_left_the_page_says_why_and_when(corpus):
    client = ready(ana(), corpus)
    for _ in range(2):
        client.post(PAGE, {**task(client), **GOOD})
    page = text_of(client.get(PAGE))
    assert "All texts are done" in page
    assert "in an hour or more" in page


def test_visitors_and_researchers_do_not_write(corpus):
    assert Client().get(PAGE).url.startswith("/sign-in/")
    assert signed_in(rosa()).get(PAGE).status_code == 403
    assert not WritingAssignment.objects.exists()


@pytest.mark.parametrize("address", [PAGE, f"{PAGE}skip/"])
def test_whose_session_ended_gets_the_texts_back(corpus, address):
    page = Client().post(address, {**GOOD, "token": "x", "key": "x"})
    assert page.status_code == 403
    assert page.context["texts"] == list(GOOD.values())
    assert 'href="/sign-in/?next=%2Fwork%2Fwriting%2Fsmall%2F"' in text_of(page)


def test_stan_who_agreed_to_nothing_gets_no_premise(corpus):
    client = signed_in(stan())
    assert client.get(PAGE).url.startswith("/consent/")
    page = client.post(PAGE, {**GOOD, "token": "x", "key": "x"})
    assert page.status_code == 404
    assert page.context["texts"] == list(GOOD.values())
    assert not WritingAssignment.objects.exists()


def test_an_unknown_corpus_is_not_found(corpus):
    assert signed_in(ana()).get("/work/writing/nowhere/").status_code == 404


def test_prompt_and_faq_are_for_the_signed_in(corpus):
    version = PromptVersion.objects.get()
    FaqEntry.objects.update(answer="A **short** one.")
    for address in (f"{PAGE}prompt/{version.pk}/", f"/work/faq/{version.pk}/"):
        assert Client().get(address).url.startswith("/sign-in/")
        assert "A <strong>short</strong> one." in text_of(signed_in(rosa()).get(address))
    assert signed_in(ana()).get("/work/faq/999999/").status_code == 404
    assert signed_in(ana()).get(f"/work/writing/other/prompt/{version.pk}/").status_code == 404


@pytest.mark.parametrize(("language", "direction"), [("ar", "rtl"), ("ur-PK", "rtl"), ("de", "ltr")])
def test_texts_run_in_the_direction_of_their_language(corpus, language, direction):
    Corpus.objects.update(language=language)
    page = ready(ana(), corpus).get(PAGE)
    assert f'lang="{language}" dir="{direction}" role="region"' in text_of(page)
    assert f'dir="{direction}"' in str(page.context["form"]["text-neutral"])


def test_several_premises_are_numbered(corpus):
    Premise.objects.update(text="One dog.\nTwo dogs.", sentence_count=2)
    page = text_of(ready(ana(), corpus).get(PAGE))
    assert "<li>One dog.</li>" in page
