"""What researchers do with chosen pairs of a list: they see first what it does and leaves out; named sets."""

import csv
import io
from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction

from collection.models import Corpus, Pair, PairInSet, PairSet
from tests.corpora import make_corpus, make_pair, make_premise
from tests.listed import listed
from tests.made_once import made_once
from tests.modeling.material import done_run, small_snapshot, write_predictions
from tests.validation.votes import vote
from validation.errors import ValidationError
from validation.models import Label, Question
from validation.pairs.acting import ACTS
from validation.pairs.pair_sets import put_into_set, sets_of, take_out_of_set

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]
LIST = "/corpora/small/pairs/"
VOTES = {"one": "eeeee", "two": "eeenc", "three": "eenn.", "four": "eennc", "five": ""}


@made_once
def corpus() -> Corpus:
    """Pairs that are unanimous, split, not complete, disputed, and not opened."""
    corpus = make_corpus()
    for name, letters in VOTES.items():
        pair = make_pair(corpus, make_premise(corpus, f"About {name}."), f"It is {name}.", public_id=name)
        vote(pair, corpus.questions.get(), letters)
    return corpus


@pytest.fixture
def browser(browser_of, rosa):
    return browser_of(rosa)


def asked(browser, do: str, *pairs: str, address: str = LIST, **given):
    """Returns the page that says what the act would do."""
    which = {"which": "ticked", "pair": pairs} if pairs else {"which": "all"}
    return browser.post(address, {"do": do, **which, **given})


def done(browser, do: str, *pairs: str, address: str = LIST, **given) -> list[str]:
    """Confirms what the page says, and returns the messages of the page after it."""
    page = asked(browser, do, *pairs, address=address, **given)
    sent = {"confirm": "yes", "expected": len(page.context["effect"].keys)}
    after = browser.post(
        address,
        {"do": do, **({"which": "ticked", "pair": pairs} if pairs else {"which": "all"}), **given, **sent},
        follow=True,
    )
    return [str(message) for message in after.context["messages"]]


def test_nothing_happens_before_it_is_confirmed(corpus, browser):
    for do in ("open", "labels", "withdraw", "put", "take", "decide"):
        before = (Label.objects.count(), Pair.objects.standing().count(), PairInSet.objects.count())
        page = asked(browser, do, "one", "five", set="For the paper", reason="A test.")
        assert page.status_code == (422 if do == "decide" else 200), do
        assert (Label.objects.count(), Pair.objects.standing().count(), PairInSet.objects.count()) == before


def test_more_labels_have_a_price_and_say_which_pairs_get_none(corpus, browser):
    Question.objects.update(pay_cents=5)
    Corpus.objects.update(platform_fee_percent=20)
    Pair.objects.filter(public_id="four").update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_because="set aside by a researcher"
    )
    page = asked(browser, "labels", *VOTES, labels="8")
    effect = page.context["effect"]
    assert (len(effect.keys), effect.labels, effect.cents) == (2, 6, 30)
    assert effect.left_out == {
        "withdrawn": 1,
        "not open for labelling yet": 1,
        "labels are still missing": 1,
    }
    said = page.content.decode()
    assert "6 labels, for <strong>$0.30</strong> and about $0.06 for the platform" in said
    told = done(browser, "labels", *VOTES, labels="8")
    assert told[0] == "2 pairs are waiting for more labels."
    assert told[1].startswith("Left out: 1 withdrawn")
    assert Label.objects.filter(pair__public_id="one").count() == 8
    assert asked(browser, "labels", "one", labels="8").context["effect"].left_out == {
        "8 labels or more already": 1
    }
    refused = asked(browser, "labels", "one", labels="3")
    assert refused.status_code == 422
    assert "above 5" in refused.content.decode()


def test_all_that_pass_are_those_of_the_address(corpus, browser):
    address = f"{LIST}?votes=split&column=premise"
    page = asked(browser, "withdraw", address=address)
    assert len(page.context["effect"].keys) == 2
    assert page.context["names"] == [], "the address says which"
    told = done(browser, "withdraw", address=address, reason="Unclear.")
    assert told == ["2 pairs are withdrawn."]
    assert set(Pair.objects.standing().values_list("public_id", flat=True)) == {"one", "three", "five"}


def test_a_withdrawal_needs_a_reason_and_keeps_the_choice(corpus, browser):
    sent = {"do": "withdraw", "which": "ticked", "pair": ["one", "two"], "confirm": "yes", "expected": 2}
    page = browser.post(LIST, sent)
    assert page.status_code == 422
    assert "Please give a reason" in page.content.decode()
    assert page.content.decode().count('name="pair"') == 2
    assert len(page.context["effect"].keys) == 2


def test_what_changed_since_the_look_is_shown_again(corpus, browser):
    sent = {"do": "withdraw", "pair": ["one", "two"], "confirm": "yes", "expected": 2, "reason": "Odd."}
    Pair.objects.filter(public_id="two").update(
        withdrawn_at="2026-01-01T00:00Z", withdrawn_because="set aside by a researcher"
    )
    page = browser.post(LIST, sent)
    assert "The pairs have changed in the meantime" in page.content.decode()
    assert Pair.objects.standing().filter(public_id="one").exists()


def test_pairs_are_opened_by_choice(corpus, browser):
    page = asked(browser, "open", "one", "five")
    assert (len(page.context["effect"].keys), page.context["effect"].left_out) == (1, {"open already": 1})
    assert done(browser, "open", "one", "five")[0] == "1 pair is open for labelling."
    assert Label.objects.filter(pair__public_id="five").exists()


def test_disputes_show_the_pairs_that_were_sent_there(corpus, browser):
    assert "Nobody adjudicates" in asked(browser, "decide", "four").content.decode()
    Question.objects.update(gold_rule="adjudicated")
    page = asked(browser, "decide", "one", "four")
    assert page.context["effect"].left_out == {"decided, or labels are still missing": 1}
    sent = {"do": "decide", "which": "ticked", "pair": ["one", "four"], "confirm": "yes", "expected": 1}
    disputes = browser.post(LIST, sent, follow=True)
    assert disputes.redirect_chain == [("/corpora/small/adjudication/?set=To+decide", 302)]
    assert disputes.context["pair"].public_id == "four"
    assert "Only pairs of the set “To decide”" in disputes.content.decode()
    assert browser.get("/corpora/small/adjudication/?set=nothing").context["pair"] is None


def test_a_set_is_filled_listed_exported_and_emptied(corpus, browser):
    assert done(browser, "put", "one", "two", set=" For  the paper ") == ["2 pairs are in the set."]
    assert done(browser, "put", "two", "five", set="For the paper")[-1] == "Left out: 1 in the set already."
    assert sets_of(corpus) == {"For the paper": 3}
    address = f"{LIST}?set=For+the+paper"
    assert listed(browser.get(address)).names == ["one", "two", "five"]
    assert listed(browser.get(f"{address}&votes=split")).names == ["two"]
    file = browser.get(f"{address}&as=csv").getvalue().decode()
    assert [row["id"] for row in csv.DictReader(io.StringIO(file))] == ["one", "two", "five"]
    assert browser.get("/api/v1/corpora/small/sets/").json() == [{"name": "For the paper", "pairs": 3}]
    told = browser.get("/api/v1/corpora/small/pairs/?set=For+the+paper").json()
    assert [row["id"] for row in told["results"]] == ["one", "two", "five"]
    refused = browser.get("/api/v1/corpora/small/pairs/?set=none")
    assert (refused.status_code, refused.json()["errors"]) == (422, {"set": ["unknown"]})
    assert done(browser, "take", address=address, set="For the paper") == ["3 pairs are out of the set."]
    assert not PairSet.objects.exists(), "an empty set is deleted"


def test_a_set_has_a_name_once_and_pairs_of_its_corpus_alone(corpus, browser):
    other = make_corpus(slug="other")
    pair = make_pair(other, make_premise(other, "Elsewhere."), "It is elsewhere.")
    assert put_into_set(corpus=corpus, name="Mine", keys=[pair.pk]) == 0
    with pytest.raises(ValidationError, match="up to 100 characters"):
        put_into_set(corpus=corpus, name=" ", keys=[])
    with pytest.raises(IntegrityError), transaction.atomic():
        PairSet.objects.create(corpus=corpus, name="Mine")
    assert take_out_of_set(corpus=corpus, name="Nothing", keys=[pair.pk]) == 0
    page = browser.post(LIST, {"do": "put", "pair": "one", "set": " ", "confirm": "yes", "expected": 1})
    assert page.status_code == 422


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"do": "put"}, "No pair was chosen"),
        ({"do": "burn", "pair": "one"}, "Choose what to do"),
        ({"do": "put", "pair": "nobody\0"}, "None of these pairs can be taken"),
        ({"do": "put", "pair": "one", "confirm": "yes", "expected": "x", "set": "A"}, "look again"),
    ],
)
def test_odd_choices_are_answered_with_a_sentence(corpus, browser, sent, said):
    page = browser.post(LIST, sent, follow=True)
    assert said in page.content.decode()
    assert not PairInSet.objects.exists()


def test_too_many_pairs_are_refused(corpus, browser, monkeypatch):
    monkeypatch.setitem(ACTS, "put", replace(ACTS["put"], most=2))
    page = browser.post(LIST, {"do": "put", "which": "all"}, follow=True)
    assert "takes up to 2 pairs at a time" in page.content.decode()


def test_lists_of_a_snapshot_and_of_predictions_act_on_the_same_pairs(browser):
    snapshot = small_snapshot(3)
    run = done_run(snapshot)
    wrong = [row["pairID"] for row in write_predictions(run, "test", wrong=1)]
    predictions = f"/runs/{run.pk}/predictions/test/"
    assert done(browser, "put", address=f"{predictions}?outcome=wrong", set="Missed") == [
        "1 pair is in the set."
    ]
    (name,) = Pair.objects.filter(sets__pair_set__name="Missed").values_list("public_id", flat=True)
    assert name in wrong
    assert listed(browser.get(f"{predictions}?set=Missed")).names == [name]
    pairs = f"/snapshots/{snapshot.pk}/pairs/"
    assert listed(browser.get(f"{pairs}?set=Missed")).names == [name]
    number = listed(browser.get(f"{pairs}?partition=test")).total[0]
    told = done(browser, "put", address=f"{pairs}?partition=test", set="Missed")
    assert told == [f"{number - 1} pairs are in the set.", "Left out: 1 in the set already."]


def test_annotators_cannot_act(corpus, browser_of, ana):
    assert browser_of(ana).post(LIST, {"do": "put", "pair": "one", "set": "Mine"}).status_code == 403
