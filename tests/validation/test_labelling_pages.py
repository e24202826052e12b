"""The labelling pages: what annotators see, and what they never see."""

import re

import pytest
from django.db import connection
from django.test import Client

from collection.models import Corpus, Pair, Premise
from tests.cast import ana, rosa, signed_in, stan, vera
from tests.corpora import ask, make_corpus, make_pair, make_premise
from tests.made_once import made_once
from validation.annotators.exclusion import exclude
from validation.models import Assignment, BatchItem, Label, Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db

PAGE = "/work/validation/small/"


@made_once
def corpus() -> Corpus:
    """Makes seven pairs of seven premises, written by Ana, open for labelling."""
    corpus = make_corpus(with_consent=True)
    # Ids that cannot stand in a page by chance.
    with connection.cursor() as cursor:
        for table in (Pair, Premise, Label, BatchItem, Assignment):
            cursor.execute(f"ALTER SEQUENCE {table._meta.db_table}_id_seq RESTART WITH 9100500001")
    for number in range(7):
        premise = make_premise(corpus, f"Premise <b>{number}</b>.", public_id=f"premise-{number}")
        make_pair(
            corpus,
            premise,
            f"Hypothesis {number}.",
            author=ana(),
            author_label="neutral",
            public_id=f"pair-{number}n",
        )
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.all())
    return corpus


def ready(user, corpus: Corpus) -> Client:
    """Returns a browser of an annotator who has consented and read the instructions."""
    client = signed_in(user)
    client.post(f"/consent/{corpus.consent_form_id}/")
    client.post(f"{PAGE}instructions/", {"agree": "yes"})
    return client


def slots(page) -> list[str]:
    return re.findall(r'data-slot="([^"]+)"', page.content.decode())


def answers(client: Client, label: str = "entailment") -> dict[str, str]:
    page = client.get(PAGE)
    batch = page.context["batch"]
    fields = {f"label-{slot}": label for slot in slots(page)}
    return {"assignment": batch.assignment.token, "key": page.context["key"], **fields}


def test_consent_and_instructions_come_before_the_first_batch(corpus):
    client = signed_in(vera())
    assert client.get(PAGE).url.startswith(f"/consent/{corpus.consent_form_id}/")
    client.post(f"/consent/{corpus.consent_form_id}/")
    gate = client.get(PAGE)
    assert gate.url.startswith(f"{PAGE}instructions/")
    assert b"Definitely correct" in client.get(gate.url).content
    assert client.post(gate.url, {"agree": "yes"}).url == PAGE
    assert client.get(PAGE).status_code == 200


def test_five_pairs_are_shown_and_saved_and_paid(corpus):
    client = ready(vera(), corpus)
    sent = answers(client)
    assert len([name for name in sent if name.startswith("label-")]) == 5
    page = client.post(PAGE, sent, follow=True)
    assert "Your answers are saved. You earned $0.25." in page.content.decode()
    assert Label.objects.filter(annotator=vera(), label="entailment").count() == 5
    assert vera().ledger.total_cents() == 25


def test_the_end_of_a_batch_says_how_long_answers_can_be_changed(corpus):
    client = ready(vera(), corpus)
    assert "You can still change an answer for 30 minutes after you send it" in client.get(PAGE).text
    Question.objects.update(correct_minutes=0)
    assert "You can still change" not in client.get(PAGE).text


def test_the_page_tells_nothing_about_author_label_or_ids(corpus):
    page = ready(vera(), corpus).get(PAGE).content.decode()
    html = re.sub(r'(?s)<div class="choices".*?</div>', "", page)
    assert "pair-" not in html
    assert "premise-" not in html
    assert ana().code not in html
    for rows in (Pair, Premise, Label, BatchItem, Assignment):
        for key in rows.objects.values_list("pk", flat=True):
            assert str(key) not in page
    assert " checked" not in page


def test_markup_in_texts_stays_text(corpus):
    page = ready(vera(), corpus).get(PAGE).content.decode()
    assert "Premise <b>" not in page
    assert "Premise &lt;b&gt;" in page


def test_sending_twice_is_saving_once(corpus):
    client = ready(vera(), corpus)
    sent = answers(client)
    client.post(PAGE, sent)
    page = client.post(PAGE, sent, follow=True)
    assert "Nothing was saved or paid twice" in page.content.decode()
    assert vera().ledger.total_cents() == 25


def test_the_script_of_an_open_page_gets_the_next_batch_in_one_request(corpus):
    client = ready(vera(), corpus)
    sent = answers(client)
    then = client.post(PAGE, sent, headers={"HX-Request": "true"})
    assert then.status_code == 200
    html = then.content.decode()
    assert "<html" not in html
    assert "Your answers are saved. You earned $0.25." in html
    assert f'data-confirmed="{sent["assignment"]}"' in html
    assert len(slots(then)) == 2
    assert not {f"label-{slot}" for slot in slots(then)} & set(sent)
    assert slots(client.get(PAGE)) == slots(then)
    last = {f"label-{slot}": "neutral" for slot in slots(then)}
    batch = then.context["batch"].assignment.token
    done = client.post(
        PAGE, {"assignment": batch, "key": then.context["key"], **last}, headers={"HX-Request": "true"}
    )
    assert done["HX-Redirect"] == f"{PAGE}?confirmed={batch}"
    assert "Your answers are saved. You earned $0.10." in client.get(done["HX-Redirect"]).content.decode()
    assert Label.objects.filter(annotator=vera(), label__isnull=False).count() == 7


def test_the_script_gets_a_wrong_batch_back_with_its_answers(corpus):
    client = ready(vera(), corpus)
    sent = answers(client)
    wrong = next(name for name in sent if name.startswith("label-"))
    reason = wrong.replace("label-", "reason-")
    again = client.post(
        PAGE, {**sent, wrong: "maybe", reason: "<Who> knows?"}, headers={"HX-Request": "true"}
    )
    html = again.content.decode()
    assert again.status_code == 422
    assert "<html" not in html
    assert "is not an answer to this question" in html
    assert html.count(" checked") == 4
    assert html.count("&lt;Who&gt; knows?") == html.count('class="reason" open') == 1


def test_a_part_of_the_batch_may_be_sent_and_the_rest_stays(corpus):
    client = ready(vera(), corpus)
    sent = answers(client)
    labels = [name for name in sent if name.startswith("label-")]
    for name in labels[2:]:
        del sent[name]
    page = client.post(PAGE, sent, follow=True)
    assert "3 sentences still need an answer" in page.content.decode()
    assert sorted(slots(page)) == sorted(name.removeprefix("label-") for name in labels[2:])


def test_a_skipped_pair_goes_back_to_the_pool_and_not_to_the_same_person(corpus):
    client = ready(vera(), corpus)
    sent = answers(client)
    label = next(name for name in sent if name.startswith("label-"))
    slot = label.removeprefix("label-")
    del sent[label]
    client.post(PAGE, {**sent, f"skip-{slot}": "unclear"})
    seat = Label.objects.get(token=slot)
    assert (seat.annotator, seat.label) == (None, None)
    pairs = Label.objects.filter(token__in=slots(client.get(PAGE))).values_list("pair", flat=True)
    assert seat.pair_id not in pairs


def test_a_wrong_label_changes_nothing_and_keeps_the_other_answers(corpus):
    client = ready(vera(), corpus)
    sent = answers(client)
    wrong = next(name for name in sent if name.startswith("label-"))
    page = client.post(PAGE, {**sent, wrong: "maybe"})
    assert page.status_code == 422
    assert "“maybe” is not an answer to this question" in page.content.decode()
    assert page.content.decode().count(" checked") == 4
    assert not Label.objects.filter(annotator=vera(), label__isnull=False).exists()


def test_somebody_elses_batch_is_not_found(corpus):
    sent = answers(ready(vera(), corpus))
    assert ready(stan(), corpus).post(PAGE, sent).status_code == 404
    assert not Label.objects.filter(label="entailment", origin="cast").exists()


def test_a_slot_of_another_batch_is_not_found(corpus):
    client = ready(vera(), corpus)
    sent = answers(client)
    foreign = Label.objects.open().filter(annotator=None).first()
    assert client.post(PAGE, {**sent, f"label-{foreign.token}": "neutral"}).status_code == 404
    assert not Label.objects.filter(label="entailment", origin="cast").exists()


def test_visitors_and_researchers_do_not_label(corpus):
    assert Client().get(PAGE).url.startswith("/sign-in/")
    assert signed_in(rosa()).get(PAGE).status_code == 403


def test_a_closed_pool_says_whom_to_ask(corpus):
    Question.objects.update(pool_is_open=False)
    page = ready(vera(), corpus).get(PAGE)
    assert page.status_code == 403
    assert "for invited people" in page.content.decode()


def test_who_is_out_of_the_pool_gets_no_batch(corpus):
    browser = ready(vera(), corpus)
    exclude(corpus=corpus, annotator=vera(), by=rosa(), reason="Guessed.")
    assert browser.get(PAGE).status_code == 403
    assert not Assignment.objects.exists()


def test_when_nothing_is_left_the_page_says_why_and_when(corpus):
    page = ready(ana(), corpus).get(PAGE)
    assert "There are sentences left, but you have seen them all" in page.content.decode()
    assert "an hour or more" in page.content.decode()


def test_the_start_page_offers_what_there_is(corpus):
    page = signed_in(vera()).get("/start/").content.decode()
    assert "Judge sentences" in page
    assert "<bdi>$0.05</bdi> for each sentence" in page
    assert "No work right now" in signed_in(ana()).get("/start/").content.decode()


def test_a_right_to_left_corpus_is_shown_so(corpus):
    Corpus.objects.update(language="ar")
    assert 'dir="rtl"' in ready(vera(), corpus).get(PAGE).content.decode()


def test_a_reason_is_taken_and_kept_with_the_label(browser_of, vera):
    corpus = make_corpus()
    make_pair(corpus, make_premise(corpus, "A dog runs."), "An animal moves.", author_label="neutral")
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.all())
    browser = browser_of(vera)
    browser.post("/work/validation/small/instructions/")
    page = browser.get("/work/validation/small/")
    slot = page.context["batch"].items[0].seat.token
    sent = {"assignment": page.context["batch"].assignment.token, "key": page.context["key"]}
    browser.post(
        "/work/validation/small/", sent | {f"label-{slot}": "neutral", f"reason-{slot}": "Who knows?"}
    )
    assert Label.objects.get(token=slot).reason == "Who knows?"


def test_grammar_is_judged_on_the_hypothesis_alone_under_its_own_question(browser_of, vera):
    corpus = make_corpus()
    make_pair(corpus, make_premise(corpus, "A dog runs."), "An animal move.", author_label="neutral")
    grammar = ask(
        corpus, "grammar", scheme="grammar3", wording="How is its grammar?", seats=1, hides_premise=True
    )
    open_for_validation(question=grammar, pairs=Pair.objects.all())
    browser = browser_of(vera)
    browser.post("/work/validation/small/grammar/instructions/")
    page = browser.get("/work/validation/small/grammar/")
    text = page.content.decode()
    assert "An animal move." in text
    assert "A dog runs." not in text
    slot = page.context["batch"].items[0].seat.token
    sent = {"assignment": page.context["batch"].assignment.token, "key": page.context["key"]}
    answer = browser.post("/work/validation/small/grammar/", sent | {f"label-{slot}": "minor"})
    assert answer["Location"].startswith("/work/validation/small/grammar/?confirmed=")
    assert Label.objects.get(token=slot).label == "minor"


def test_one_sentence_of_a_scene_is_shown_by_itself(browser_of, vera):
    corpus = make_corpus()
    scene = make_premise(corpus, "A man sits.\nA dog lies by him.", sentence_count=2)
    make_pair(corpus, scene, "Somebody is outside.")
    single = ask(corpus, "single", seats=3, by_sentence=True)
    open_for_validation(question=single, pairs=Pair.objects.all())
    browser = browser_of(vera)
    browser.post("/work/validation/small/single/instructions/")
    text = browser.get("/work/validation/small/single/").content.decode()
    assert ("A man sits." in text) is not ("A dog lies by him." in text)
