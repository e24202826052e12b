"""Pilots of prompts: chosen writers, seats of their own, separate texts, and the end when the prompt opens."""

import pytest
from django.utils import timezone

from accounts.models import ConsentForm
from accounts.people.consents import give_consent, withdraw_consent
from collection.errors import NotPossible, NoWork
from collection.models import (
    Corpus,
    Exclusion,
    Genre,
    Pair,
    PilotWriter,
    Premise,
    Prompt,
    PromptReading,
    PromptVersion,
    WritingSeat,
)
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.prompts import (
    EXCLUDED,
    IN_DEV_OR_TEST,
    NO_CONSENT,
    NOT_TOLD,
    NOT_TRAINED_ON,
    count_pilots_to_release,
    make_pilot_seats,
    release_pilots,
)
from collection.writing.submitting import submit_writing
from snapshots.freezing.plan import HoldOutRefused, plan_freeze
from snapshots.models import Placement, Snapshot
from tests.cast import person
from tests.corpora import make_corpus, make_premise

pytestmark = pytest.mark.django_db

PAGE = "/corpora/small/pilots/fiction/"
TEXTS = {"entailment": "Something is there.", "neutral": "It is red.", "contradiction": "Nothing is there."}


@pytest.fixture
def corpus(ana) -> Corpus:
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, f"Premise number {number}.") for number in range(6)])
    prompt = Prompt.objects.get()
    Prompt.objects.update(status="pilot")
    PilotWriter.objects.create(prompt=prompt, annotator=ana)
    return corpus


def write(corpus: Corpus, annotator, problem: str = ""):
    assignment = claim_writing(corpus=corpus, annotator=annotator)
    return submit_writing(
        annotator=annotator, token=assignment.token, texts=TEXTS, key=assignment.token, problem=problem
    )


def test_pilots_write_at_their_own_seats_and_nothing_counts_them(corpus, ana, vera):
    assert make_pilot_seats(prompt=Prompt.objects.get(), premises_per_genre=2) == 2
    result = write(corpus, ana)
    assert (result.surplus, result.cents) == (False, 30)
    assert not Pair.objects.standing().exists()
    assert set(Pair.objects.values_list("withdrawn_because", flat=True)) == {"pilot of the prompt"}
    with pytest.raises(NoWork, match="testing the instructions"):
        claim_writing(corpus=corpus, annotator=vera)
    write(corpus, ana)
    with pytest.raises(NoWork, match="All texts are done"):
        claim_writing(corpus=corpus, annotator=ana)
    assert WritingSeat.objects.real().unwritten().count() == 6


def test_pilot_seats_are_made_at_the_premises_that_come_last_and_once(corpus):
    prompt = Prompt.objects.get()
    last = list(WritingSeat.objects.real().order_by("-turn").values_list("premise", flat=True)[:4])
    assert make_pilot_seats(prompt=prompt, premises_per_genre=2, writers=3) == 6
    made = WritingSeat.objects.filter(is_pilot=True)
    assert set(made.values_list("premise", flat=True)) == set(last[:2])
    make_pilot_seats(prompt=prompt, premises_per_genre=2)
    assert set(made.values_list("premise", flat=True)) == set(last)


def test_opening_the_prompt_ends_the_pilot(corpus, ana, vera):
    make_pilot_seats(prompt=Prompt.objects.get(), premises_per_genre=2)
    begun = claim_writing(corpus=corpus, annotator=ana)
    Prompt.objects.update(status="open")
    for _ in range(6):
        write(corpus, vera)
    assert Pair.objects.standing().count() == 18
    with pytest.raises(NoWork):
        claim_writing(corpus=corpus, annotator=vera)
    submit_writing(annotator=ana, token=begun.token, texts=TEXTS, key="begun")
    assert Pair.objects.standing().count() == 18, "what a pilot began stays apart"


def test_researchers_run_the_pilot_from_its_page(corpus, ana, rosa, vera, browser_of):
    client = browser_of(rosa)
    client.post(PAGE, {"add": vera.code})
    client.post(PAGE, {"remove": ana.code})
    client.post(PAGE, {"premises": 2, "writers": 1})
    write(corpus, vera, problem="What is a premise?")
    page = client.get(PAGE)
    (row,) = page.context["rows"]
    assert (row.code, row.tasks, row.reports) == (vera.code, 1, 1)
    assert row.median is not None
    assert page.context["seats"] == {"made": 2, "written": 1}
    text = page.content.decode()
    assert "What is a premise?" in text
    assert "Something is there." in text
    assert "</svg><bdi>Definitely correct</bdi></span>" in text
    assert "</svg>entailment</span>" not in text
    client.post(PAGE, {"status": "open"})
    assert Prompt.objects.get().status == "open"
    assert "Fiction" in client.get("/corpora/small/pilots/").content.decode()


def test_a_code_that_nobody_has_is_said(corpus, rosa, browser_of):
    for code in ("nobody", rosa.code):
        page = browser_of(rosa).post(PAGE, {"add": code})
        assert page.status_code == 422
        assert "No annotator has the code" in page.content.decode()
    assert PilotWriter.objects.count() == 1


def test_annotators_do_not_see_the_pilot_page(corpus, ana, browser_of):
    assert browser_of(ana).get(PAGE).status_code == 403
    assert browser_of(ana).post(PAGE, {"status": "open"}).status_code == 403
    assert person("ana").pk == ana.pk


@pytest.fixture
def told(corpus, ana) -> Prompt:
    """A pilot of one premise whose writer read that the texts may enter train."""
    prompt = Prompt.objects.get()
    make_pilot_seats(prompt=prompt, premises_per_genre=1, may_enter_train=True)
    write(corpus, ana)
    return prompt


def test_released_texts_of_a_pilot_are_in_train_marked_and_never_held_out(told, corpus, ana, vera):
    Prompt.objects.update(status="open")
    for _ in range(6):
        write(corpus, vera)
    Corpus.objects.update(dev_pairs_per_genre=0, test_pairs_per_genre=0)
    assert count_pilots_to_release(told) == {"": 3}
    assert release_pilots(prompt=told) == 3
    released = Pair.objects.standing().filter(author=ana)
    assert set(released.values_list("published_partition", "metadata__pilot")) == {("train", "fiction")}
    assert plan_freeze(Corpus.objects.get()).plan.pairs["train"] == {"fiction": 21}
    with pytest.raises(HoldOutRefused, match="no published train"):
        plan_freeze(Corpus.objects.get(), dev_from_train=1)
    assert release_pilots(prompt=told) == 0, "a second time changes nothing"


def test_what_keeps_the_texts_of_a_pilot_out_of_train(told, corpus, ana, rosa):
    form = ConsentForm.objects.create(title="Study", text="Agree.", digest="1")
    give_consent(user=ana, form=form)
    Corpus.objects.update(consent_form=form)
    told.refresh_from_db()

    def kept() -> dict[str, int]:
        return count_pilots_to_release(Prompt.objects.get())

    assert kept() == {"": 3}
    premise = Pair.objects.first().premise
    snapshot = Snapshot.objects.create(corpus=corpus, version=1, status="failed", error="no")
    neighbour = Premise.objects.exclude(pk=premise.pk).first()
    Premise.objects.filter(pk__in=[premise.pk, neighbour.pk]).update(group="picture")
    pair = Pair.objects.create(corpus=corpus, premise=neighbour, hypothesis="It is.", scheme=corpus.scheme)
    placed = Placement.objects.create(premise=neighbour, partition="dev", first_snapshot=snapshot)
    assert kept() == {IN_DEV_OR_TEST: 3}
    placed.delete()
    pair.delete()
    Genre.objects.update(in_training=False)
    assert kept() == {NOT_TRAINED_ON: 3}
    Exclusion.objects.create(corpus=corpus, annotator=ana, reason="x", by=rosa, created_at=timezone.now())
    assert kept() == {EXCLUDED: 3}
    withdraw_consent(user=ana, form=form)
    assert kept() == {NO_CONSENT: 3}
    WritingSeat.objects.update(may_enter_train=False)
    assert kept() == {NOT_TOLD: 3}
    assert release_pilots(prompt=told) == 0
    Snapshot.objects.update(status="requested", error="")
    with pytest.raises(NotPossible, match="snapshot of this corpus is being made"):
        release_pilots(prompt=told)


def test_pilots_read_whether_their_texts_may_enter_train_and_researchers_release_them(
    corpus, ana, rosa, browser_of
):
    client = browser_of(rosa)
    client.post(PAGE, {"premises": 1, "writers": 1, "may_enter_train": "on"})
    PromptReading.objects.create(
        annotator=ana, version=PromptVersion.objects.get(), tries=1, passed_at=timezone.now()
    )
    assert "as training data" in browser_of(ana).get("/work/writing/small/").content.decode()
    write(corpus, ana)
    assert "3 texts can be released." in client.get(PAGE).content.decode()
    done = client.post(PAGE, {"release": "on"}, follow=True).content.decode()
    assert "3 texts released into train." in done
    assert "can be released" not in done
    assert Pair.objects.standing().count() == 3
    client.post(PAGE, {"premises": 1, "writers": 1})
    assert "do not publish them" in browser_of(ana).get("/work/writing/small/").content.decode()
