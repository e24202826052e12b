"""A text that a researcher returns: it comes back once with the remark, is mended or declined, and is paid once."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import Qualification
from accounts.people.consents import ConsentMissing, withdraw_consent
from collection.errors import InvalidWriting
from collection.models import Corpus, Exclusion, Pair, ReturnedText
from collection.models.withdrawal import RETURNED
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import submit_writing
from tests.cast import ana, rosa, signed_in, stan, vera, with_token
from tests.concurrency.threads import at_once, crossing
from tests.corpora import agreed, make_corpus, make_premise
from validation.annotators.exclusion import exclude, undo_exclusion
from validation.errors import AlreadyDecided, ReasonMissing
from validation.models import Label
from validation.pairs import returning
from validation.pairs.opening import open_for_validation
from validation.pairs.returning import decline_text, mend_text, return_text, take_back_return
from validation.start_page.my_work import days_of

pytestmark = pytest.mark.django_db
MENDED = "The harbour lies under a grey and rainy sky."


@pytest.fixture
def pair() -> Pair:
    """Makes a sentence that Ana wrote here."""
    corpus = make_corpus(with_consent=True)
    agreed(ana(), corpus)
    make_seats(premises=[make_premise(corpus, "Rain falls on the harbour.")])
    token = claim_writing(corpus=corpus, annotator=ana()).token
    texts = {
        "entailment": "It rains on the harbour.",
        "neutral": "The boats stay in the harbour.",
        "contradiction": "The sun shines over the dry harbour.",
    }
    submit_writing(annotator=ana(), token=token, texts=texts, key="k")
    return Pair.objects.get(author_label="neutral")


@pytest.fixture
def returned(pair) -> ReturnedText:
    return return_text(pair=pair, remark="Please mend this: too long.", by=rosa())


def test_the_mended_text_takes_the_place_of_the_old_one(pair, returned):
    pair.refresh_from_db()
    assert pair.withdrawn_because == RETURNED
    before, today = ana().ledger.total_cents(), timezone.localdate()
    written = days_of(ana(), until=today, days=1)[0].written
    new = mend_text(returned=returned, writer=ana(), text=MENDED)
    returned.refresh_from_db()
    assert (returned.outcome, returned.mended) == ("mended", new)
    same = ("premise", "author", "author_label", "assignment", "prompt_version", "scheme", "corpus")
    assert all(getattr(new, name) == getattr(pair, name) for name in same)
    assert set(Pair.objects.standing().values_list("author_label", flat=True)) == {
        *("entailment", "neutral", "contradiction")
    }
    assert Pair.objects.standing().count() == 3
    assert ana().ledger.total_cents() == before
    assert days_of(ana(), until=today, days=1)[0].written == written == 3


def test_my_sentences_says_which_version_is_used(pair, returned):
    mend_text(returned=returned, writer=ana(), text=MENDED)
    page = " ".join(signed_in(ana()).get("/work/mine/writing/").text.split())
    old, new = (f'{text}</span> <span class="soft small">(your ' for text in (pair.hypothesis, MENDED))
    assert f"{old}first version: no longer used)" in page
    assert f"{new}new version: used instead)" in page
    assert "Done: you have changed this sentence." in page


def test_it_comes_back_once(pair, returned):
    new = mend_text(returned=returned, writer=ana(), text=MENDED)
    for again in (pair, new):
        with pytest.raises(AlreadyDecided):
            return_text(pair=again, remark="Again.", by=rosa())
    with pytest.raises(AlreadyDecided):
        mend_text(returned=returned, writer=ana(), text="Something else is in the harbour.")
    with pytest.raises(IntegrityError), transaction.atomic():
        ReturnedText.objects.create(pair=pair, remark="Again.", by=rosa())


def test_the_same_text_sent_twice_is_one_pair(pair, returned):
    """A double click, or a request that is repeated because its response was lost, is told the same again."""
    new = mend_text(returned=returned, writer=ana(), text=MENDED)
    assert mend_text(returned=returned, writer=ana(), text=MENDED) == new
    with pytest.raises(AlreadyDecided):
        mend_text(returned=returned, writer=vera(), text=MENDED)
    decline = {"returned": returned, "writer": ana()}
    with pytest.raises(AlreadyDecided):
        decline_text(**decline)


def test_declining_twice_is_declining(returned):
    for _ in range(2):
        decline_text(returned=returned, writer=ana())
    with pytest.raises(AlreadyDecided):
        decline_text(returned=returned, writer=vera())
    with pytest.raises(AlreadyDecided):
        mend_text(returned=returned, writer=ana(), text=MENDED)


def test_who_declines_leaves_it_withdrawn_and_a_researcher_can_let_it_count(pair, returned):
    decline_text(returned=returned, writer=ana())
    with pytest.raises(AlreadyDecided):
        mend_text(returned=returned, writer=ana(), text=MENDED)
    take_back_return(pair=pair)
    pair.refresh_from_db()
    assert pair.withdrawn_at is None
    with pytest.raises(AlreadyDecided):
        take_back_return(pair=pair)


def test_after_seven_days_it_does_not_wait_any_more(pair, returned):
    assert timedelta(days=6) < returned.until - timezone.now() < timedelta(days=8)
    ReturnedText.objects.update(until=timezone.now())
    with pytest.raises(AlreadyDecided):
        mend_text(returned=returned, writer=ana(), text=MENDED)
    pair.refresh_from_db()
    assert pair.withdrawn_because == RETURNED


def test_what_is_open_for_labelling_or_has_no_remark_is_not_returned(pair):
    with pytest.raises(ReasonMissing):
        return_text(pair=pair, remark=" ", by=rosa())
    open_for_validation(question=pair.corpus.questions.get(), pairs=Pair.objects.filter(pk=pair.pk))
    with pytest.raises(AlreadyDecided, match="open for labelling"):
        return_text(pair=pair, remark="Mend it.", by=rosa())
    assert not ReturnedText.objects.exists()


@pytest.mark.parametrize("text", ["", "The boats stay in the harbour."])
def test_no_text_and_the_same_text_are_refused(returned, text):
    with pytest.raises(InvalidWriting):
        mend_text(returned=returned, writer=ana(), text=text)
    assert not ReturnedText.objects.exclude(outcome="").exists()


def test_nobody_else_and_nobody_without_consent_or_excluded_mends_it(pair, returned):
    with pytest.raises(AlreadyDecided):
        mend_text(returned=returned, writer=vera(), text=MENDED)
    withdraw_consent(user=ana(), form=pair.corpus.consent_form)
    with pytest.raises(ConsentMissing):
        mend_text(returned=returned, writer=ana(), text=MENDED)
    agreed(ana(), pair.corpus)
    exclude(corpus=pair.corpus, annotator=ana(), by=rosa(), reason="Copies.")
    with pytest.raises(AlreadyDecided):
        mend_text(returned=returned, writer=ana(), text=MENDED)


def test_taking_back_leaves_to_an_exclusion_what_it_takes(pair, returned):
    """The exclusion retracts what they wrote: a pair that a return had withdrawn stood again."""
    exclude(corpus=pair.corpus, annotator=ana(), by=rosa(), reason="Copies.", retract_pairs=True)
    take_back_return(pair=pair)
    assert not Pair.objects.standing().exists()
    exclusion = Exclusion.objects.get()
    assert exclusion.pairs.count() == 3
    undo_exclusion(exclusion=exclusion, by=rosa())
    assert Pair.objects.standing().count() == 3


def test_taking_back_restores_the_pair_if_the_exclusion_leaves_the_pairs(pair, returned):
    exclude(corpus=pair.corpus, annotator=ana(), by=rosa(), reason="Copies.")
    take_back_return(pair=pair)
    assert Pair.objects.standing().count() == 3


def test_from_the_pairs_page_to_the_writers_page(pair):
    researcher, writer = signed_in(rosa()), signed_in(ana())
    page = f"/corpora/small/pairs/{pair.public_id}/"
    assert "Return to its writer" in researcher.get(page).content.decode()
    sent = {"pair": pair.public_id, "remark": "Please mend this."}
    assert researcher.post("/corpora/small/return/", sent)["Location"] == page
    address = f"/work/mine/returned/{ReturnedText.objects.get().pk}/"
    for start in ("/start/", "/work/mine/writing/"):
        assert address in writer.get(start).content.decode()
    assert writer.get("/work/writing/small/")["Location"] == address
    assert "Please mend this." in writer.get(address).content.decode()
    assert writer.post(address, {"text": ""}).status_code == 422
    assert writer.post(address, {"text": MENDED}).status_code == 302
    assert address not in writer.get("/start/").content.decode()
    assert "Mended as" in researcher.get(page).content.decode()
    assert writer.post(address, {"text": MENDED}).status_code == 302  # a double click
    assert writer.post(address, {"text": "Something else is in the harbour."}).status_code == 422
    assert signed_in(vera()).get(address).status_code == 404


RETURNED_TEXTS, MEND, DECLINE = (f"/api/v1/work/writing/{name}/" for name in ("returned", "mend", "decline"))


def test_a_script_finds_and_mends_what_came_back(pair, returned):
    client = with_token(ana())
    row = {
        "returned": returned.pk,
        "corpus": "small",
        "label": "neutral",
        "premise": ["Rain falls on the harbour."],
        "hypothesis": "The boats stay in the harbour.",
        "remark": "Please mend this: too long.",
    }
    (shown,) = client.get(RETURNED_TEXTS).json()["results"]
    assert {key: shown[key] for key in row} == row
    assert datetime.fromisoformat(shown["until"]) == returned.until
    sent = {"returned": returned.pk, "text": " "}
    refused = client.post(MEND, sent)
    assert refused.status_code == 422
    assert refused.json()["errors"] == {"text": ["Please write a sentence here."]}
    sent["text"] = MENDED
    first, again = client.post(MEND, sent), client.post(MEND, sent)
    new = Pair.objects.get(mends=returned)
    assert [first.json(), again.json()] == [{"pair": new.public_id}] * 2
    assert client.get(RETURNED_TEXTS).json()["results"] == []
    assert client.post(DECLINE, {"returned": returned.pk}).status_code == 409
    assert client.post(MEND, sent | {"text": "Something else."}).status_code == 409


def test_a_script_declines_and_others_find_nothing(pair, returned):
    for other in (with_token(vera()), with_token(stan())):
        assert other.get(RETURNED_TEXTS).json()["results"] == []
        assert other.post(MEND, {"returned": returned.pk, "text": MENDED}).status_code == 404
        assert other.post(DECLINE, {"returned": returned.pk}).status_code == 404
    assert with_token(rosa()).get(RETURNED_TEXTS).status_code == 403
    assert with_token(ana(), "read").post(DECLINE, {"returned": returned.pk}).status_code == 403
    client = with_token(ana())
    assert client.post(DECLINE, {"returned": 2**70}).status_code == 422
    assert client.post(DECLINE, {"returned": returned.pk}).status_code == 204
    returned.refresh_from_db()
    assert returned.outcome == "declined"
    assert client.post(MEND, {"returned": returned.pk, "text": MENDED}).status_code == 409


def test_a_script_mends_nothing_without_consent(pair, returned):
    withdraw_consent(user=ana(), form=pair.corpus.consent_form)
    assert with_token(ana()).post(MEND, {"returned": returned.pk, "text": MENDED}).status_code == 403


def writing_ends_by_exclusion(pair: Pair) -> None:
    exclude(corpus=pair.corpus, annotator=ana(), by=rosa(), reason="Copies.")


def writing_ends_by_qualification(pair: Pair) -> None:
    needed = Qualification.objects.create(slug="write", name="Write")
    Corpus.objects.filter(pk=pair.corpus_id).update(writing_qualification=needed)


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (lambda returned: mend_text(returned=returned, writer=ana(), text=MENDED), "already sent a new"),
        (lambda returned: decline_text(returned=returned, writer=ana()), "You chose not to change"),
        (lambda returned: take_back_return(pair=returned.pair), "no longer ask for a change"),
        (lambda returned: ReturnedText.objects.update(until=timezone.now()), "The time to change"),
        (lambda returned: writing_ends_by_exclusion(returned.pair), "You cannot write for this study"),
    ],
)
def test_who_comes_too_late_reads_the_one_reason_and_the_sentence(returned, end, reason):
    end(returned)
    writer, address = signed_in(ana()), f"/work/mine/returned/{returned.pk}/"
    shown = MENDED if "new" in reason else returned.pair.hypothesis
    for answer in (writer.get(address), writer.post(address, {"text": "Too late for this."})):
        page = answer.content.decode()
        assert page.count(reason) == 1
        assert shown in page
    assert "Nothing was changed." in page
    with pytest.raises(AlreadyDecided, match=rf"{reason}.+Nothing was changed\."):
        mend_text(returned=returned, writer=ana(), text="Too late for this.")


def test_what_a_researcher_remarked_is_listed_with_the_feedback(returned):
    writer = signed_in(ana())
    feedback = writer.get("/work/mine/writing/").content.decode().partition(">Feedback<")[2]
    assert returned.remark in feedback
    assert "Nothing yet." not in feedback
    take_back_return(pair=returned.pair)
    assert returned.remark not in writer.get("/work/mine/writing/").content.decode()


@pytest.mark.parametrize("end", ["signed out", "consent withdrawn"])
def test_a_text_that_could_not_be_sent_is_shown(pair, returned, browser_of, end):
    browser = browser_of(ana())
    if end == "signed out":
        browser.logout()
    else:
        withdraw_consent(user=ana(), form=pair.corpus.consent_form)
    answer = browser.post(f"/work/mine/returned/{returned.pk}/", {"text": MENDED})
    assert answer.status_code == 403
    assert f"readonly>{MENDED}</textarea>" in answer.content.decode()


@pytest.mark.parametrize("end", [writing_ends_by_exclusion, writing_ends_by_qualification])
def test_who_may_not_write_any_more_neither_meets_nor_mends_it(pair, returned, end):
    end(pair)
    writer, address = signed_in(ana()), f"/work/mine/returned/{returned.pk}/"
    for start in ("/start/", "/work/mine/writing/"):
        assert address not in writer.get(start).content.decode()
    assert writer.get("/work/writing/small/").headers.get("Location") != address
    assert 'name="text"' not in writer.get(address).content.decode()
    for do in (
        lambda: mend_text(returned=returned, writer=ana(), text=MENDED),
        lambda: decline_text(returned=returned, writer=ana()),
    ):
        with pytest.raises(AlreadyDecided):
            do()


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_without_the_lock_two_tabs_mend_one_text_twice(returned, monkeypatch):
    """If this race disappears, the test below proves nothing."""
    monkeypatch.setattr(
        returning, "_waiting", lambda row, _: (ReturnedText.objects.get(pk=row.pk), timezone.now())
    )
    crossing(
        lambda: mend_text(returned=returned, writer=ana(), text=MENDED),
        lambda: mend_text(returned=returned, writer=ana(), text="A boat comes into the harbour."),
    )
    assert Pair.objects.standing().filter(author_label="neutral").count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_mending_declining_and_taking_back_at_once_one_happens(pair, returned):
    texts = [MENDED, "A boat comes into the harbour."]
    jobs: list[Callable[[], object]] = [
        lambda text=text: mend_text(returned=returned, writer=ana(), text=text) for text in texts
    ]
    jobs += [lambda: decline_text(returned=returned, writer=ana())]
    came = at_once(jobs)
    assert sorted(isinstance(each, AlreadyDecided) for each in came) == [False, True, True]
    assert Pair.objects.standing().filter(author_label="neutral").count() <= 1


@pytest.mark.django_db(transaction=True)
def test_an_exclusion_takes_a_text_that_is_being_mended(pair, returned):
    waited, _ = crossing(
        lambda: mend_text(returned=returned, writer=ana(), text=MENDED),
        lambda: exclude(corpus=pair.corpus, annotator=ana(), by=rosa(), reason="Copies.", retract_pairs=True),
    )
    assert waited
    assert not Pair.objects.standing().exists()


@pytest.mark.django_db(transaction=True)
def test_opening_and_returning_at_once_leave_no_seat_to_claim(pair):
    question = pair.corpus.questions.get()
    opening = lambda: open_for_validation(question=question, pairs=Pair.objects.filter(pk=pair.pk))  # noqa: E731
    waited, came = crossing(opening, lambda: return_text(pair=pair, remark="Mend it.", by=rosa()))
    assert waited
    assert isinstance(came, AlreadyDecided)
    assert Label.objects.open().exists()


@pytest.mark.django_db(transaction=True)
def test_a_pair_that_is_being_returned_is_not_handed_out(pair):
    question = pair.corpus.questions.get()
    waited, _ = crossing(
        lambda: return_text(pair=pair, remark="Mend it.", by=rosa()),
        lambda: open_for_validation(question=question, pairs=Pair.objects.filter(pk=pair.pk)),
    )
    assert waited
    assert not Label.objects.open().exists()


@pytest.mark.django_db(transaction=True)
def test_an_exclusion_takes_a_pair_whose_return_is_being_taken_back(pair, returned):
    waited, _ = crossing(
        lambda: take_back_return(pair=pair),
        lambda: exclude(corpus=pair.corpus, annotator=ana(), by=rosa(), reason="Copies.", retract_pairs=True),
    )
    assert waited
    assert not Pair.objects.standing().exists()
