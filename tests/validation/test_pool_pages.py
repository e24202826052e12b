"""Researchers' pages: the pool, exclusion, adjudication, control items."""

from functools import partial

import pytest
from django.utils import timezone
from lxml import html

from collection.models import Exclusion, Pair
from collection.models.withdrawal import ANNOTATOR_EXCLUDED, VETTED
from nli.labels import SCHEMES
from tests.cast import person, stan, vera
from tests.charted import charts_in
from tests.commands import run, write_jsonl
from tests.corpora import ask, make_corpus, make_pair, make_premise
from tests.made_once import made_once
from tests.open_pairs import label_all, open_pairs, send_all
from tests.validation.votes import gold_of, vote, waits
from validation.annotators.exclusion import exclude
from validation.annotators.pool import control_answers, pool_of
from validation.errors import AlreadyDecided, NotInPool
from validation.labelling.claiming import claim_batch
from validation.models import Adjudication, Label, LabelWording, Membership, Question
from validation.pairs.adjudication import take_back
from validation.pairs.opening import open_for_validation
from validation.start_page.offers import offers_for
from validation.statistics import cached
from validation.statistics.agreement import agreement
from validation.statistics.annotator_quality import annotators

pytestmark = pytest.mark.django_db

POOL, DECIDE, CONTROLS = (f"/corpora/small/{page}/" for page in ("pool", "adjudication", "controls"))


corpus = made_once(partial(open_pairs, 5))


@pytest.mark.parametrize("page", [POOL, DECIDE, CONTROLS, f"{POOL}nobody/"])
def test_the_pages_are_for_researchers_alone(corpus, browser_of, vera, page):
    assert browser_of(vera).get(page).status_code == 403


def test_somebody_is_invited_by_code_and_by_no_name(corpus, browser_of, rosa):
    browser = browser_of(rosa)
    assert browser.post(POOL, {"name": vera().code}).status_code == 302
    # Finding a name would reveal to a researcher whose code it is.
    assert browser.post(POOL, {"name": stan().username}).status_code == 422
    assert {member.annotator for member in Membership.objects.all()} == {vera()}
    wrong = browser.post(POOL, {"name": "rosa"})
    assert wrong.status_code == 422
    assert "rosa" in wrong.content.decode()


def test_the_pool_shows_labels_and_control_items(corpus, browser_of, rosa):
    browser = browser_of(rosa)
    for _ in range(2):
        page = browser.get(f"{CONTROLS}?percent=40")
        sent = {"pair": page.context["pair"].public_id, "label": "neutral", "percent": "40", "seed": "0"}
        assert browser.post(CONTROLS, sent).status_code == 302
    assert "All 2 pairs have an expert" in browser.get(f"{CONTROLS}?percent=40").content.decode()
    label_all(corpus, vera(), "neutral")
    label_all(corpus, stan(), "contradiction")
    page = browser.get(POOL).content.decode()
    assert "2 of 2" in page
    assert "0 of 2" in page
    # Withdrawn labels leave the count of control items on all pages at once.
    exclude(corpus=corpus, annotator=stan(), by=rosa, reason="Guessed.")
    question = corpus.questions.get()
    met = {each.code: each.controls for each in annotators(question)}
    assert met == {vera().code: 2}
    assert {each.annotator.code: each.controls for each in pool_of(question) if each.controls} == met
    assert [len(control_answers(who, question, 9)) for who in (vera(), stan())] == [2, 0]


def test_a_control_item_needs_a_label_of_the_scheme(corpus, browser_of, rosa):
    browser = browser_of(rosa)
    pair = Pair.objects.first()
    answer = browser.post(CONTROLS, {"pair": pair.public_id, "label": "maybe"})
    assert answer.status_code == 422
    assert not Label.objects.filter(origin="expert").exists()


def test_excluding_shows_first_what_it_would_do(corpus, browser_of, rosa):
    for who in (vera(), stan(), person("otto")):
        label_all(corpus, who, "entailment")
    browser, page = browser_of(rosa), f"{POOL}{vera().code}/"
    assert "would change" not in browser.get(page).content.decode().replace("Show what would change", "")
    seen = browser.post(page, {"do": "preview", "reason": "Perhaps."}).content.decode()
    assert "5 labels withdrawn" in seen
    assert "5 gold labels would change" in seen
    assert "Perhaps.</textarea>" in seen
    assert not Exclusion.objects.exists()
    confirmed = {"do": "exclude", "code": vera().code}
    without = browser.post(page, {**confirmed, "reason": ""})
    assert without.status_code == 422
    assert "give a reason" in without.content.decode()
    for code in ("", stan().code):
        unconfirmed = browser.post(page, {"do": "exclude", "reason": "Guessed.", "code": code})
        assert unconfirmed.status_code == 422
        assert f"type the code {vera().code}" in unconfirmed.content.decode()
        assert "Guessed.</textarea>" in unconfirmed.content.decode()
    assert not Exclusion.objects.exists()
    assert browser.post(page, {**confirmed, "reason": "Guessed.", "retract": "no"}).status_code == 302
    assert Exclusion.objects.get().reason == "Guessed."
    again = browser.get(page).content.decode()
    assert "5 labels return to open seats" in again
    assert browser.post(page, {"do": "undo"}).status_code == 302
    assert Label.objects.seats().filter(annotator=vera()).count() == 5
    assert "Undone" in browser.get(page).content.decode()


def test_pages_say_which_labels_decide(corpus, browser_of, rosa):
    """A label beyond the seats, a surplus or withdrawn one, and one on a withdrawn pair decide nothing."""
    question, browser = corpus.questions.get(), browser_of(rosa)
    label_all(corpus, vera(), "contradiction")
    in_seat, beyond, surplus, withdrawn, of_withdrawn = Label.objects.cast_by(vera()).order_by("pk")
    changes = {
        beyond: {"position": question.seats + 1},
        surplus: {"position": None},
        withdrawn: {"withdrawn_at": timezone.now(), "withdrawn_because": ANNOTATOR_EXCLUDED},
    }
    for label, columns in changes.items():
        Label.objects.filter(pk=label.pk).update(**columns)
    Pair.objects.filter(pk=of_withdrawn.pair_id).update(withdrawn_at=timezone.now(), withdrawn_because=VETTED)
    table = html.fromstring(browser.get(f"{POOL}{vera().code}/").content).xpath("//table")[-1]
    said = {row.findtext(".//a"): row.xpath("string(td[last()])") for row in table.xpath("tbody/tr")}
    assert said == {
        in_seat.pair.public_id: "yes",
        beyond.pair.public_id: "extra label",
        surplus.pair.public_id: "surplus",
        withdrawn.pair.public_id: "withdrawn",
        of_withdrawn.pair.public_id: "its pair is withdrawn",
    }
    pair_page = browser.get(f"/corpora/small/pairs/{beyond.pair.public_id}/").content
    assert "6, extra label" in html.fromstring(pair_page).text_content()
    Question.objects.filter(pk=question.pk).update(gold_rule="adjudicated")
    vote(beyond.pair, question, "nce", first=7)
    for seat, label in zip(Label.objects.open().filter(pair=beyond.pair), SCHEMES["nli3"], strict=True):
        Label.objects.filter(pk=seat.pk).update(origin="imported", label=label)
    page = browser.get(DECIDE)
    assert page.context["pair"] == beyond.pair
    seats = html.fromstring(page.content).xpath("//table[caption='Labels of this pair']/tbody/tr/th/text()")
    assert len(seats) == 8
    assert set(seats[:4]) < set("12345")
    assert seats[4:] == ["does not count"] * 4


def test_somebody_is_paused_and_goes_on_while_their_labels_count(corpus, browser_of, rosa):
    question, browser, page = corpus.questions.get(), browser_of(rosa), f"{POOL}{vera().code}/"
    batch = claim_batch(question=question, annotator=vera())
    said = browser.post(page, {"do": "pause"}, follow=True).content.decode()
    assert "is paused" in said
    with pytest.raises(NotInPool):
        claim_batch(question=question, annotator=vera())
    assert not offers_for(vera())
    sent = send_all(batch, vera(), key="one")
    assert (sent.saved, sent.surplus) == (5, 0)
    browser.post(page, {"do": "pause"})
    assert "Paused" in browser.get(page).content.decode()
    browser.post(page, {"do": "resume"})
    assert Membership.objects.get().status == "active"
    exclude(corpus=corpus, annotator=vera(), by=rosa, reason="Guessed.")
    browser.post(page, {"do": "resume"})
    browser.post(page, {"do": "pause"})
    assert Membership.objects.get().status == "excluded"


def test_a_split_pair_is_decided_with_a_reason(browser_of, rosa):
    corpus = make_corpus()
    question = corpus.questions.get()
    Question.objects.filter(pk=question.pk).update(gold_rule="adjudicated")
    split = make_pair(corpus, make_premise(corpus, "A dog runs."), "An animal moves.")
    other = make_pair(corpus, make_premise(corpus, "A cat runs."), "An animal sleeps.")
    vote(split, question, "eeecc")
    vote(other, question, "eennc")
    browser = browser_of(rosa)
    page = browser.get(DECIDE)
    assert page.context["pair"] == split
    assert [row.label[0] for row in page.context["judgements"]] == list("eeecc")
    assert browser.get(f"{DECIDE}?after={split.pk}").context["pair"] == other
    wrong = browser.post(DECIDE, {"pair": split.public_id, "label": "entailment", "reason": ""})
    assert wrong.status_code == 422
    assert wrong.context["pair"] == split
    sent = {"pair": split.public_id, "label": "entailment", "reason": "It runs, so it moves."}
    assert browser.post(DECIDE, sent).status_code == 302
    assert Adjudication.objects.get().reason == "It runs, so it moves."
    page = browser.get(DECIDE)
    assert (page.context["pair"], page.context["waiting"]) == (other, 1)
    assert browser.post(DECIDE, sent).status_code == 302
    assert Adjudication.objects.count() == 1


def test_a_decision_is_taken_back_with_a_reason_and_the_pair_waits_again(browser_of, rosa):
    corpus = make_corpus()
    Question.objects.update(gold_rule="adjudicated")
    question = corpus.questions.get()
    pair = make_pair(corpus, make_premise(corpus, "A dog runs."), "An animal moves.", public_id="one")
    vote(pair, question, "eeecc")
    browser = browser_of(rosa)
    browser.post(DECIDE, {"pair": "one", "label": "contradiction", "reason": "It runs."})
    assert gold_of(pair, question) == ("contradiction", "adjudicated")
    without = browser.post(DECIDE, {"take_back": "one", "because": " "}, follow=True)
    assert "give a reason" in without.content.decode()
    assert gold_of(pair, question) == ("contradiction", "adjudicated")
    browser.post(DECIDE, {"take_back": "one", "because": "The wrong button."})
    assert (gold_of(pair, question), waits(pair, question)) == ((None, "none"), True)
    assert agreement(Pair.objects.all(), question)["no_gold"] == 1
    assert browser.post(DECIDE, {"take_back": "one", "because": "Again."}).status_code == 404
    with pytest.raises(AlreadyDecided):
        take_back(adjudication=Adjudication.objects.get(), reason="Again.", by=rosa)
    browser.post(DECIDE, {"pair": "one", "label": "entailment", "reason": "It runs, so it moves."})
    assert gold_of(pair, question) == ("entailment", "adjudicated")
    assert agreement(Pair.objects.all(), question)["no_gold"] == 0
    history = browser.get("/corpora/small/pairs/one/").content.decode()
    assert "The wrong button." in history
    assert "It runs, so it moves." in history


def test_a_corpus_with_a_plain_majority_says_that_nothing_is_decided_by_hand(corpus, browser_of, rosa):
    assert "gold rule" in browser_of(rosa).get(DECIDE).content.decode()


def test_more_labels_are_asked_for_where_the_first_ones_split(corpus, browser_of, rosa):
    page = "/corpora/small/more-labels/"
    first, second = Pair.objects.order_by("pk")[:2]
    for pair, cast in ((first, ["neutral"] * 4), (second, ["neutral", "neutral", *["entailment"] * 2])):
        seats = Label.objects.open().filter(pair=pair).order_by("position")
        for number, (seat, label) in enumerate(zip(seats, cast, strict=True)):
            Label.objects.filter(pk=seat.pk).update(
                annotator=person(f"p{number}"), label=label, cast_at=pair.created_at
            )
    browser = browser_of(rosa)
    assert "1 pair has all labels that decide" in browser.get(page).content.decode()
    seen = browser.post(page, {"labels": 10, "votes": 5, "do": "preview"}).content.decode()
    assert "2 pairs have all labels that decide" in seen
    assert not Label.objects.filter(position__gt=5).exists()
    assert browser.post(page, {"labels": 5, "votes": 3, "do": "open"}).status_code == 422
    done = browser.post(page, {"labels": 10, "votes": 3, "do": "open"}, follow=True)
    assert "Pairs that now get 10 labels in all: 1." in done.content.decode()
    assert set(Label.objects.filter(position__gt=5).values_list("pair", flat=True)) == {second.pk}
    assert browser_of(vera()).get(page).status_code == 403


def test_the_page_of_more_labels_comes_before_the_number_of_a_large_corpus(
    corpus, browser_of, rosa, monkeypatch
):
    monkeypatch.setattr(cached, "MOST_SEATS_IN_REQUEST", 1)
    browser = browser_of(rosa)
    page = browser.get("/corpora/small/more-labels/").content.decode()
    assert "all labels that decide" not in page
    address = html.fromstring(page).xpath("//a[.='Show their number']/@href")[0]
    assert address == html.fromstring(page).xpath("//*[@hx-trigger='load']/@hx-get")[0]
    counted = html.fromstring(browser.get(address).content).xpath("//*[@id='number']")[0]
    assert "0 pairs have all labels that decide" in counted.text_content()


@pytest.fixture
def grammar(corpus) -> Question:
    """Makes another question with a closed pool: is the sentence good English?"""
    question = ask(corpus, "grammar", scheme="grammar3", seats=3, hides_premise=True, pool_is_open=False)
    open_for_validation(question=question, pairs=Pair.objects.all())
    return question


def test_a_question_beside_the_main_one_has_its_own_pool_and_controls(corpus, grammar, browser_of, rosa):
    browser, asked = browser_of(rosa), "?question=grammar"
    assert f'href="{POOL}{asked}"' in browser.get(POOL).content.decode()
    assert browser.post(f"{POOL}{asked}", {"name": vera().code}).url == f"{POOL}{asked}"
    assert [each.question for each in Membership.objects.all()] == [grammar]
    page = browser.get(f"{CONTROLS}{asked}&percent=20").content.decode().split("<main")[1]
    assert "Hypothesis" in page
    assert "Premise" not in page
    pair = browser.get(f"{CONTROLS}{asked}&percent=20").context["pair"]
    sent = {"pair": pair.public_id, "label": "minor", "percent": "20"}
    assert browser.post(f"{CONTROLS}{asked}", sent).url == f"{CONTROLS}{asked}&percent=20&seed=0"
    assert Label.objects.get(origin="expert").question == grammar
    assert f'href="{CONTROLS}{asked}"' in browser.get(f"{POOL}{asked}").content.decode()


def test_single_sentences_have_no_control_items(corpus, grammar, browser_of, rosa):
    Question.objects.filter(pk=grammar.pk).update(by_sentence=True, hides_premise=False)
    address = f"{CONTROLS}?question=grammar"
    assert "calibration items</a>" in browser_of(rosa).get(address).content.decode()
    sent = {"pair": Pair.objects.first().public_id, "label": "minor"}
    assert browser_of(rosa).post(address, sent).status_code == 422


def test_imported_annotators_are_told_of_in_the_pool_and_on_their_page(browser_of, rosa, tmp_path):
    records = [
        {"id": str(n), "premise": f"Dog {n} runs.", "hypothesis": "A dog moves.",
         "labels": ["neutral"] * 5, "annotators": ["a", "b", "c", "d", "e"]}
        for n in range(3)
    ]  # fmt: skip
    assert not run(
        "import_pairs", "elsewhere", write_jsonl(tmp_path / "pairs.jsonl", records), format="jsonl"
    ).failure
    browser = browser_of(rosa)
    page = browser.get("/corpora/elsewhere/pool/").content.decode()
    assert "4 people gave the imported labels" in page  # the fifth is the author
    assert "Nobody labels here yet" not in page
    page = browser.get("/corpora/elsewhere/pool/elsewhere:b/").content.decode()
    assert "3 imported labels</a>, and no labels on this site." in page
    assert "has no labels for this corpus" not in page


def test_the_page_of_an_imported_annotator_whose_labels_have_no_day(browser_of, rosa, tmp_path):
    """As in LingNLI: five labels, the first of them the author's."""
    votes = ["neutral", "neutral", "neutral", "neutral", "entailment"]
    records = [
        {"pairID": f"{n}n", "promptID": str(n), "premise": f"Dog {n} runs.", "hypothesis": "A dog moves.",
         "label": "neutral", "annotator_labels": votes, "annotator_ids": [101, 102, 103, 104, 105]}
        for n in range(3)
    ]  # fmt: skip
    path = write_jsonl(tmp_path / "val_base.jsonl", records)
    assert not run("import_pairs", "elsewhere", path, format="lingnli", partition="dev").failure
    browser = browser_of(rosa)
    assert "4 people gave the imported labels" in browser.get("/corpora/elsewhere/pool/").content.decode()
    listed = browser.get("/corpora/elsewhere/annotators/").context["list"].rows
    assert len(listed) == 4, "the pool counts the people that the list of annotators has"
    page = browser.get("/corpora/elsewhere/pool/elsewhere:102/")
    assert page.status_code == 200
    charts = charts_in(page.content)
    assert "weeks" not in charts
    assert charts["mix"]["rows"][0]["labels"] == 3


def test_excluding_is_a_quiet_button_below_the_evidence(corpus, browser_of, rosa):
    label_all(corpus, vera(), "neutral")
    page = browser_of(rosa).get(f"{POOL}{vera().code}/").content.decode()
    assert 'class="button-danger" name="do" value="exclude"' in page
    assert page.index("Newest labels") < page.index('value="exclude"')


def test_adjudication_uses_the_words_of_the_corpus_throughout(browser_of, rosa):
    corpus = make_corpus()
    question = corpus.questions.get()
    Question.objects.update(gold_rule="adjudicated")
    LabelWording.objects.filter(question=question).delete()
    words = {"entailment": "Yes", "neutral": "Unknown", "contradiction": "No"}
    LabelWording.objects.bulk_create(
        LabelWording(question=question, order=order, label=label, wording=wording)
        for order, (label, wording) in enumerate(words.items())
    )
    pair = make_pair(corpus, make_premise(corpus, "A dog runs."), "An animal moves.")
    vote(pair, question, "eeecc")
    browser = browser_of(rosa)
    for answer in (
        browser.get(DECIDE),
        browser.post(
            DECIDE, {"pair": pair.public_id, "label": "entailment", "reason": "It moves."}, follow=True
        ),
    ):
        shown = html.fromstring(answer.content.decode()).xpath("//*[contains(@class, 'label ')]")
        marks = {mark.xpath("string(bdi)") for mark in shown}
        assert marks
        assert marks <= set(words.values())
