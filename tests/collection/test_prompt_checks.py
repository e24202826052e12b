"""The check after the instructions explains errors, can be repeated, and is passed once for all devices."""

import pytest

from accounts.models import ConsentForm
from annotation_site.simulated_crowd import Annotator, form_or_none
from collection.models import CheckQuestion, Corpus, Prompt, PromptReading, PromptVersion, WritingAssignment
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.prompts import read_prompt
from collection.writing.submitting import skip_writing
from tests.cast import ana, rosa, signed_in, vera
from tests.corpora import agreed, make_corpus, make_premise
from tests.made_once import made_once
from validation.annotators.exclusion import exclude

pytestmark = pytest.mark.django_db

PAGE = "/work/writing/small/"
RIGHT = {"agree": "yes", "check-0": "entailment", "check-1": "neutral"}


@made_once
def corpus() -> Corpus:
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, "Rain falls.")])
    version = PromptVersion.objects.get()
    for order, label in enumerate(("entailment", "neutral")):
        CheckQuestion.objects.create(
            version=version,
            order=order,
            premise="A cat sleeps on the <b>sofa</b>.",
            hypothesis=f"Sentence {order}.",
            label=label,
            explanation=f"Because of reason {order}.",
        )
    return corpus


def test_the_check_asks_in_the_words_of_the_corpus(corpus):
    assert '<p dir="auto">How do they relate?</p>' in signed_in(ana()).get(prompt_page()).text


def prompt_page() -> str:
    return f"{PAGE}prompt/{PromptVersion.objects.get().pk}/"


def test_nobody_writes_before_the_check_is_passed(corpus):
    client = signed_in(ana())
    assert client.get(PAGE).url == prompt_page()
    wrong = client.post(prompt_page(), {**RIGHT, "check-1": "contradiction"})
    text = wrong.content.decode()
    assert wrong.status_code == 422
    assert "Because of reason 1." in text
    assert "Because of reason 0." not in text
    assert client.get(PAGE).url == prompt_page()
    assert client.post(prompt_page(), RIGHT).url == PAGE
    assert client.get(PAGE).status_code == 200
    reading = PromptReading.objects.get()
    assert (reading.tries, reading.passed_at is not None) == (2, True)


def test_right_answers_stay_chosen_after_a_wrong_one(corpus):
    page = signed_in(ana()).post(prompt_page(), {**RIGHT, "check-1": "contradiction"})
    assert page.context["form"]["check-0"].value() == "entailment"
    assert "&lt;b&gt;sofa" in page.content.decode()


def test_an_answer_left_out_is_asked_for_and_is_no_try(corpus):
    page = signed_in(ana()).post(prompt_page(), {"check-0": "entailment", "check-1": "perhaps"})
    assert page.status_code == 422
    assert page.content.decode().count("Please choose one.") == 1
    assert not PromptReading.objects.exists()


def test_a_passed_check_counts_on_another_device(corpus):
    signed_in(ana()).post(prompt_page(), RIGHT)
    other = signed_in(ana())
    assert other.get(PAGE).status_code == 200
    assert "Continue writing" in other.get(prompt_page()).content.decode()


def test_a_new_version_is_read_and_checked_anew(corpus):
    signed_in(ana()).post(prompt_page(), RIGHT)
    old = PromptVersion.objects.get()
    version = PromptVersion.objects.create(prompt=old.prompt, number=2, instructions="Otherwise.", digest="2")
    assert signed_in(ana()).get(PAGE).url == f"{PAGE}prompt/{version.pk}/"


def test_rest_sends_people_to_the_check(corpus, api_of):
    answer = api_of(ana()).post("/api/v1/work/writing/next", {"corpus": "small"})
    assert answer.status_code == 403
    assert prompt_page() in answer.json()["detail"]
    signed_in(ana()).post(prompt_page(), RIGHT)
    assert api_of(ana()).post("/api/v1/work/writing/next", {"corpus": "small"}).json()["assignment"]


def test_researchers_see_the_check_with_its_answers_and_do_not_take_it(corpus):
    client = signed_in(rosa())
    assert "Because of reason 1." in client.get(prompt_page()).content.decode()
    client.post(prompt_page(), RIGHT)
    assert not PromptReading.objects.exists()


def test_a_simulated_writer_finds_its_way_through_the_check(live_server):
    corpus.make()
    ana()
    annotator = Annotator(live_server.url, "ana", "correct horse battery staple")
    annotator.sign_in()
    assert form_or_none(annotator.open(PAGE), "token") is not None
    assert WritingAssignment.objects.get().annotator == ana()


def test_a_script_learns_which_answers_are_wrong_and_nothing_is_recorded(corpus):
    client = signed_in(ana())
    asked = client.post(
        prompt_page(), {"check-0": "neutral", "check-1": "neutral"}, headers={"accept": "application/json"}
    )
    assert asked.json() == {"wrong": {"check-0": "Because of reason 0."}}
    assert not PromptReading.objects.exists()


def test_reading_is_paid_once_for_a_prompt_whatever_its_versions(corpus):
    PromptVersion.objects.update(reading_pay_cents=45)
    client = signed_in(ana())
    assert "you get <bdi>$0.45</bdi>, one time" in client.get(prompt_page()).content.decode()
    client.post(prompt_page(), {**RIGHT, "check-1": "contradiction"})
    assert ana().ledger.total_cents() == 0
    client.post(prompt_page(), RIGHT)
    assert list(ana().ledger.values_list("kind", "cents")) == [("reading", 45)]
    old = PromptVersion.objects.get()
    newer = PromptVersion.objects.create(prompt=old.prompt, number=2, digest="2", reading_pay_cents=45)
    read_prompt(annotator=ana(), version=newer, answers={})
    assert ana().ledger.for_writing().total_cents() == 45


def closed(corpus: Corpus) -> None:
    Prompt.objects.update(status=Prompt.Status.CLOSED)


def excluded(corpus: Corpus) -> None:
    exclude(corpus=corpus, annotator=ana(), by=rosa(), reason="x")


def superseded(corpus: Corpus) -> None:
    PromptVersion.objects.create(prompt=corpus.prompts.get(), number=2, digest="2", reading_pay_cents=45)


def without_consent(corpus: Corpus) -> None:
    corpus.consent_form = ConsentForm.objects.create(title="Before you begin", text="Read.", digest="1")
    corpus.save()


@pytest.mark.parametrize("change", [closed, excluded, superseded, without_consent])
def test_reading_pays_nobody_who_could_not_write_under_the_version(corpus, change):
    PromptVersion.objects.update(reading_pay_cents=45)
    address = prompt_page()
    change(corpus)
    client = signed_in(ana())
    assert "$0.45" not in client.get(address).content.decode()
    client.post(address, RIGHT)
    assert PromptReading.objects.get().passed_at is not None
    assert ana().ledger.total_cents() == 0


@pytest.mark.parametrize("change", [closed, without_consent])
def test_who_passed_the_check_before_they_could_write_is_paid_with_the_first_task(corpus, change):
    PromptVersion.objects.update(reading_pay_cents=45)
    change(corpus)
    signed_in(ana()).post(prompt_page(), RIGHT)
    assert ana().ledger.total_cents() == 0
    agreed(ana(), corpus)
    make_seats(premises=[make_premise(corpus, f"Line {number}.") for number in range(2)])
    Prompt.objects.update(status=Prompt.Status.OPEN)
    task = claim_writing(corpus=corpus, annotator=ana())
    assert list(ana().ledger.values_list("kind", "cents", "key")) == [
        ("reading", 45, f"reading:{task.prompt_version.prompt_id}")
    ]
    skip_writing(annotator=ana(), token=task.token)
    claim_writing(corpus=corpus, annotator=ana())
    vera_task = claim_writing(corpus=corpus, annotator=agreed(vera(), corpus))
    assert vera_task.prompt_version == task.prompt_version
    assert not vera().ledger.exists(), "she has not read it"
    assert ana().ledger.for_writing().filter(kind="reading").total_cents() == 45


@pytest.mark.parametrize("change", [closed, superseded])
def test_reading_pays_who_was_given_a_task_before_the_change(corpus, change):
    PromptVersion.objects.update(reading_pay_cents=45)
    address = prompt_page()
    claim_writing(corpus=corpus, annotator=ana())
    change(corpus)
    signed_in(ana()).post(address, RIGHT)
    assert ana().ledger.total_cents() == 45


def test_who_knows_a_prompt_reads_what_is_different_in_the_next(corpus):
    first = PromptVersion.objects.get()
    prompt = Prompt.objects.create(corpus=corpus, slug="letters", name="Letters")
    second = PromptVersion.objects.create(
        prompt=prompt, number=1, instructions="All of it.", differs="It is **a letter**.", digest="l"
    )
    address = f"{PAGE}prompt/{second.pk}/"
    assert "What is different here" not in signed_in(ana()).get(address).content.decode()
    read_prompt(annotator=ana(), version=first, answers={0: "entailment", 1: "neutral"})
    page = signed_in(ana()).get(address).content.decode()
    assert page.index("<strong>a letter</strong>") < page.index("All instructions and examples")
    assert page.index("All instructions and examples") < page.index("All of it.")
