"""Drafts of answers: another device shows them, and they are no answers until they are sent."""

import pytest

from annotation_site.personal_data.records import erase, everything_about
from collection.models import LedgerEntry
from tests.cast import stan, vera
from tests.made_once import made_once
from tests.open_pairs import open_pairs
from validation.errors import UnknownAssignment, WrongLabel
from validation.labelling.drafts import keep_draft
from validation.labelling.submitting import submit_batch
from validation.models import Assignment, BatchItem, CalibrationItem, DraftAnswer, Question

pytestmark = pytest.mark.django_db

PAGE, DRAFT = "/work/validation/small/", "/work/labelling-draft/"


@made_once
def question() -> Question:
    return open_pairs(6).questions.get()


@pytest.fixture
def phone(question, browser_of, vera):
    browser = browser_of(vera)
    browser.post(f"{PAGE}instructions/", {"agree": "yes"})
    return browser


def in_hand(browser) -> tuple[str, list[str]]:
    batch = browser.get(PAGE).context["batch"]
    return batch.assignment.token, [item.seat.token for item in batch.items]


def left(token: str, slots: list[str]) -> dict[str, str]:
    """Returns the form as the page sends it when it is left: an answer with reason and time, a skip, others empty."""
    return {
        "assignment": token,
        f"label-{slots[0]}": "contradiction",
        f"reason-{slots[0]}": "It cannot be.",
        f"ms-{slots[0]}": "4200",
        f"skip-{slots[1]}": "unclear",
        **{f"label-{slot}": "" for slot in slots[2:]},
    }


def test_another_device_shows_what_was_chosen_on_the_first(phone, browser_of, vera):
    token, slots = in_hand(phone)
    assert phone.post(DRAFT, left(token, slots)).status_code == 204
    page = browser_of(vera).get(PAGE).content.decode()
    assert page.count(" checked") == 1
    assert f'name="label-{slots[0]}" checked value="contradiction"' in page
    assert ">It cannot be.</textarea>" in page
    assert f'name="ms-{slots[0]}" value="4200"' in page
    assert page.count('<option value="unclear" selected>') == 1


def test_a_draft_is_no_answer(phone, vera):
    token, slots = in_hand(phone)
    phone.post(DRAFT, left(token, slots))
    assert not BatchItem.objects.exclude(answer=None, skip_reason=None).exists()
    assert not LedgerEntry.objects.exists()


def test_what_is_kept_takes_the_place_of_what_was_and_what_was_answered_is_left(phone, vera):
    token, slots = in_hand(phone)
    phone.post(DRAFT, left(token, slots))
    submit_batch(annotator=vera, token=token, labels={slots[0]: "neutral"}, key="one")
    phone.post(
        DRAFT, {"assignment": token, f"label-{slots[0]}": "entailment", f"label-{slots[2]}": "neutral"}
    )
    assert list(DraftAnswer.objects.values_list("slot", "label")) == [(slots[2], "neutral")]


def test_a_draft_that_comes_after_the_batch_was_sent_is_not_kept(phone, vera):
    token, slots = in_hand(phone)
    submit_batch(annotator=vera, token=token, labels=dict.fromkeys(slots, "neutral"), key="one")
    assert phone.post(DRAFT, left(token, slots)).status_code == 204
    assert not DraftAnswer.objects.exists()


def test_the_next_batch_ends_the_draft_of_the_last(phone, vera):
    token, slots = in_hand(phone)
    phone.post(DRAFT, left(token, slots))
    submit_batch(annotator=vera, token=token, labels=dict.fromkeys(slots, "neutral"), key="one")
    token, slots = in_hand(phone)
    phone.post(DRAFT, {"assignment": token, f"label-{slots[0]}": "neutral"})
    assert DraftAnswer.objects.get().assignment == Assignment.objects.get(token=token)


def test_a_text_from_outside_the_corpus_goes_along_too(question, phone):
    Question.objects.update(calibration_percent=100)
    CalibrationItem.objects.create(
        question=question, digest="1", premise="A.", hypothesis="B.", scheme="nli3", label="neutral"
    )
    token, slots = in_hand(phone)
    phone.post(DRAFT, {"assignment": token, **{f"label-{slot}": "neutral" for slot in slots}})
    assert phone.get(PAGE).content.decode().count(" checked") == len(slots) == 5


def test_nobody_keeps_a_draft_for_somebody_else_or_with_labels_that_are_none(phone, browser_of):
    token, slots = in_hand(phone)
    assert browser_of(stan()).post(DRAFT, left(token, slots)).status_code == 404
    assert phone.post(DRAFT, {"assignment": token, f"label-{slots[0]}": "maybe"}).status_code == 422
    assert phone.get(DRAFT).status_code == 405
    with pytest.raises(UnknownAssignment):
        keep_draft(annotator=vera(), token="x", labels={}, skips={}, reasons={}, active_ms={})
    with pytest.raises(WrongLabel):
        keep_draft(annotator=vera(), token=token, labels={}, skips={slots[0]: "x"}, reasons={}, active_ms={})
    assert not DraftAnswer.objects.exists()


def test_it_is_among_what_somebody_takes_along_and_goes_when_they_are_erased(phone, vera):
    phone.post(DRAFT, left(*in_hand(phone)))
    told = [row for row in everything_about(vera) if row["record"] == "draft answer"]
    assert [row["reason"] for row in told] == ["It cannot be.", ""]
    erase(vera)
    assert not DraftAnswer.objects.exists()


def test_a_wrong_batch_comes_back_with_its_skips_as_well(phone):
    token, slots = in_hand(phone)
    sent = {**left(token, slots), f"label-{slots[2]}": "maybe", "key": "one"}
    answer = phone.post(PAGE, sent)
    assert answer.status_code == 422
    assert answer.content.decode().count('<option value="unclear" selected>') == 1
