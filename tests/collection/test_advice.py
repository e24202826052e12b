"""Advice on a writer's texts: what triggers it, at which level, and how it is counted."""

import pytest

from collection.advice import LEVELS, Task, advise, differ_by_one_word, fold
from collection.errors import InvalidWriting
from collection.models import AdviceGiven, AdviceSetting, Corpus, Pair
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.submitting import submit_writing
from tests.corpora import make_corpus, make_premise
from tests.made_once import made_once

PREMISE = "A dog barks at the postman every single morning."
GOOD = {
    "entailment": "An animal makes noise.",
    "neutral": "Its owner is still asleep.",
    "contradiction": "The whole street is silent all day long.",
}


def kinds(texts: dict[str, str], **task: object) -> dict[str, str]:
    given = Task(**{"premise": [PREMISE], "shortest": 2, "longest": 60, **task})
    return {each.label: each.kind for each in advise({**GOOD, **texts}, given)}


def test_good_sentences_meet_no_advice():
    assert kinds({}) == {}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (" ", "empty"),
        ("x", "too_short"),
        ("x" * 61, "too_long"),
        ("a dog barks at the postman  every single morning", "same_as_premise"),
        ("An animal makes noise!", "same_as_another"),
        ("A dog barks at the milkman every single morning.", "one_word_changed"),
        ("A dog never barks at the postman every single morning.", "one_word_changed"),
        ("A dog barks at the postman every morning.", "one_word_changed"),
        ("An animal makes much noise.", "one_word_changed"),
    ],
)
def test_each_kind_is_noticed(text, kind):
    assert kinds({"neutral": text})["neutral"] == kind


def test_one_sentence_of_several_premises_is_the_premise():
    task = {"premise": ["One dog runs far away.", "Two dogs sit down here."]}
    assert kinds({"neutral": "Two dogs sit down here."}, **task) == {"neutral": "same_as_premise"}
    assert kinds({"neutral": "Two dogs lie down here."}, **task) == {"neutral": "one_word_changed"}


def test_what_refuses_is_said_before_what_warns():
    given = Task(premise=[PREMISE], shortest=1, longest=60, used_before={fold(PREMISE)})
    (advice,) = advise({"neutral": PREMISE}, given)
    assert (advice.kind, advice.level) == ("same_as_premise", "refuse")


def test_a_corpus_sets_levels_but_an_empty_text_is_never_taken():
    levels = dict.fromkeys(LEVELS, "off")
    assert kinds({"neutral": PREMISE}, levels=levels) == {}
    assert kinds({"neutral": ""}, levels=levels) == {"neutral": "empty"}


@pytest.mark.parametrize(
    ("one", "other", "answer"),
    [
        ("a b c d", "a b c e", True),
        ("a b c d", "x b c d", True),
        ("a b c d", "a b d", True),
        ("a b c", "a b c d", True),
        ("a b c d", "a b c d", False),
        ("a b c d", "b a c d", False),
        ("a b c d", "a b", False),
        ("a b c", "a b d", False),  # too short to say anything
    ],
)
def test_one_word_is_one_put_in_left_out_or_changed(one, other, answer):
    assert differ_by_one_word(one.split(), other.split()) is answer


# With the database


@made_once
def corpus() -> Corpus:
    corpus = make_corpus()
    make_seats(
        premises=[
            make_premise(corpus, text)
            for text in (PREMISE, "Rain falls on the old tin roof.", "Nobody came.")
        ]
    )
    return corpus


def send(corpus: Corpus, annotator, **texts: str):
    token = claim_writing(corpus=corpus, annotator=annotator).token
    return submit_writing(annotator=annotator, token=token, texts={**GOOD, **texts}, key=token)


def counted() -> list[tuple[str, str, bool]]:
    return list(AdviceGiven.objects.order_by("pk").values_list("label", "advice", "refused"))


def test_a_copy_of_the_premise_is_refused_and_counted(corpus, ana):
    premise = claim_writing(corpus=corpus, annotator=ana).seat.premise.text
    with pytest.raises(InvalidWriting) as refusal:
        send(corpus, ana, neutral=premise)
    assert list(refusal.value.errors) == ["neutral"]
    assert counted() == [("neutral", "same_as_premise", True)]
    assert not Pair.objects.exists()


def test_a_sentence_used_before_is_taken_and_counted(corpus, ana, vera):
    send(corpus, ana)
    send(corpus, ana, entailment="Water comes down.", contradiction="The sky is clear.")
    assert counted() == [("neutral", "used_before", False)]
    send(corpus, vera)
    assert len(counted()) == 1, "what somebody else wrote is not used before"


def test_what_was_sent_twice_by_accident_was_not_used_before(corpus, ana):
    AdviceSetting.objects.create(corpus=corpus, advice="used_before", level="refuse")
    token = claim_writing(corpus=corpus, annotator=ana).token
    for _ in range(2):
        result = submit_writing(annotator=ana, token=token, texts=GOOD, key=token)
    assert result.repeated
    with pytest.raises(InvalidWriting, match="sent this sentence before"):
        send(corpus, ana)


def test_another_language_is_a_warning(corpus, ana):
    send(corpus, ana, neutral="Ein alter Mann isst einen Apfel am Tisch und lacht.")
    assert counted() == [("neutral", "other_language", False)]


def test_a_level_of_the_corpus_holds(corpus, ana):
    AdviceSetting.objects.create(corpus=corpus, advice="same_as_another", level="warn")
    assert len(send(corpus, ana, neutral=GOOD["entailment"]).pairs) == 3
    assert counted() == [
        ("entailment", "same_as_another", False),
        ("neutral", "same_as_another", False),
    ]


def test_researchers_read_the_counts(corpus, ana, rosa, vera, browser_of):
    with pytest.raises(InvalidWriting):
        send(corpus, ana, neutral="")
    send(corpus, ana)
    page = browser_of(rosa).get("/corpora/small/advice/")
    versions, writers = page.context["versions"], page.context["writers"].rows
    assert [(row.name, row.tasks, row.counts[0]) for row in versions] == [("Fiction, version 1", 1, (0, 1))]
    assert [(row.name, row.counts[0]) for row in writers] == [(ana.code, (0, 1))]
    assert browser_of(vera).get("/corpora/small/advice/").status_code == 403
