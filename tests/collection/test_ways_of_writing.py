"""Ways of writing that a prompt names: changing a sentence, contrasting one's own, avoiding words."""

import json

import pytest
from django.core.cache import cache
from django.utils import timezone

from collection.errors import InvalidWriting
from collection.models import (
    Corpus,
    DraftText,
    OfferedText,
    Pair,
    PairEdit,
    Premise,
    PromptField,
    PromptVersion,
    WritingAssignment,
)
from collection.models.withdrawal import AUTHOR_EXCLUDED
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from collection.writing.starts import starts_of
from collection.writing.submitting import advice_on, in_words, submit_writing
from nli.tokens import edit_distance
from tests.cast import ana, rosa, signed_in, with_token
from tests.corpora import make_corpus, make_pair, make_premise, make_premises
from tests.snapshots.material import freeze, lines
from validation.models import Label, Question
from validation.pairs.opening import open_for_validation
from validation.pairs.returning import mend_text, return_text

pytestmark = pytest.mark.django_db

PAGE = "/work/writing/small/"
PREMISE = "A small dog barks at night."


def corpus_with(**version: object) -> Corpus:
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, PREMISE)])
    PromptVersion.objects.update(**version)
    return corpus


def send(corpus: Corpus, **texts: str):
    task = claim_writing(corpus=corpus, annotator=ana())
    return submit_writing(annotator=ana(), token=task.token, texts=texts, key=task.token)


def draft_of(client, token: str, **texts: str):
    fields = {f"text-{label}": text for label, text in texts.items()}
    sent = {"token": token, "key": token, **fields}
    return client.post(f"{PAGE}draft/", sent, HTTP_ACCEPT="application/json")


def refused(corpus: Corpus, **texts: str) -> dict[str, str]:
    with pytest.raises(InvalidWriting) as found:
        send(corpus, **texts)
    return found.value.errors


CHANGED = {
    "entailment": "A dog barks at night.",
    "neutral": "A small dog barks at night and day.",
    "contradiction": "A small cat barks at night.",
}


def test_the_text_stands_in_each_field_to_be_changed():
    corpus = corpus_with(mode="edit")
    client = signed_in(ana())
    client.post(f"{PAGE}prompt/{PromptVersion.objects.get().pk}/", {"agree": "yes"})
    form = client.get(PAGE).context["form"]
    assert [field.value() for field in form.text_fields] == [PREMISE] * 3
    assert not form.drafts
    send(corpus, **CHANGED)
    edits = PairEdit.objects.values_list("pair__author_label", "edited_from", "distance")
    assert sorted(edits) == [
        ("contradiction", PREMISE, 1),
        ("entailment", PREMISE, 1),
        ("neutral", PREMISE, 2),
    ]
    assert set(Pair.objects.values_list("family", "arm")) == {("", "")}


def test_what_is_not_changed_is_refused_and_what_is_near_is_not():
    corpus = corpus_with(mode="edit")
    said = refused(corpus, **{**CHANGED, "neutral": f" {PREMISE.upper()} "})
    assert said == {"neutral": "Nothing is changed yet. Please change this sentence."}
    send(corpus, **CHANGED)  # one word changed: no advice
    assert not Pair.objects.filter(assignment__advice__advice="one_word_changed").exists()


def test_drafts_of_a_model_stand_in_the_fields_of_their_labels():
    corpus = corpus_with(mode="edit")
    premise = Premise.objects.get()
    OfferedText.objects.create(premise=premise, label="neutral", text="The dog is old.", origin="model 1")
    OfferedText.objects.create(premise=premise, text="There is a dog.", origin="model 1")
    given = with_token(ana()).post("/api/v1/work/writing/next", {"corpus": "small"}).json()
    assert given["mode"] == "edit"
    assert given["starts"] == {
        "neutral": "The dog is old.",
        "entailment": "There is a dog.",
        "contradiction": "There is a dog.",
    }
    send(corpus, **{**CHANGED, "neutral": "The dog is very old."})
    neutral = PairEdit.objects.get(pair__author_label="neutral")
    assert (neutral.edited_from, neutral.distance) == ("The dog is old.", 1)


def test_an_arm_with_drafts_of_its_own_shows_those_and_other_arms_the_text():
    corpus = corpus_with(mode="edit")
    premise = Premise.objects.get()
    OfferedText.objects.create(premise=premise, arm="other", text="A cat sleeps.", origin="another caption")
    task = claim_writing(corpus=corpus, annotator=ana())
    assert set(starts_of(task, {}).values()) == {PREMISE}
    OfferedText.objects.create(premise=premise, label="neutral", text="For all.", origin="m")
    OfferedText.objects.create(premise=premise, arm="fiction", text="A fox sleeps.", origin="m")
    OfferedText.objects.update(created_at=task.created_at)
    assert set(starts_of(task, {}).values()) == {"A fox sleeps."}, (
        "those of the arm, in place of those for all"
    )


def test_a_contrast_family_is_named_after_the_first_sentence():
    corpus = corpus_with(mode="contrast")
    send(corpus, **CHANGED)
    first = Pair.objects.get(author_label="entailment")
    assert set(Pair.objects.values_list("family", flat=True)) == {first.public_id}
    edits = PairEdit.objects.values_list("pair__author_label", "edited_from", "distance")
    assert sorted(edits) == [
        ("contradiction", CHANGED["entailment"], 2),
        ("neutral", CHANGED["entailment"], 3),
    ]


def test_a_contrast_that_is_the_first_sentence_again_is_refused():
    corpus = corpus_with(mode="contrast")
    said = refused(corpus, **{**CHANGED, "neutral": CHANGED["entailment"]})
    assert said["neutral"] == "Nothing is changed yet. Please change this sentence."


def test_a_copy_of_the_first_sentence_is_no_fault_of_the_first():
    corpus = corpus_with(mode="contrast")
    same = dict.fromkeys(CHANGED, "A dog barks.")
    assert set(refused(corpus, **same)) == {"neutral", "contradiction"}
    others = {**CHANGED, "neutral": CHANGED["contradiction"]}
    assert refused(corpus, **others)["neutral"].startswith("You wrote the same in another field")


def test_a_word_to_avoid_is_named_whatever_its_case_and_not_within_another():
    corpus = corpus_with(avoid="not, at all, Cat")
    said = refused(
        corpus,
        entailment="Nothing sleeps; a knot is tied.",
        neutral="The cat sleeps.",
        contradiction="It does Not at ALL bark.",
    )
    assert said == {
        "neutral": "Please write this without “Cat”: the task does not allow it.",
        "contradiction": "Please write this without “not”: the task does not allow it.",
    }


WHYS = {f"why-{label}": f"Because of the {label}." for label in CHANGED}


def test_a_writer_says_why_and_it_is_the_reason_of_their_label():
    corpus = corpus_with(mode="explain")
    said = refused(corpus, **CHANGED, **{**WHYS, "why-neutral": " "})
    assert said == {"why-neutral": "Please say why."}
    said = refused(corpus, **CHANGED, **{**WHYS, "why-neutral": "x" * 1001})
    assert said == {"why-neutral": "This is 1 character too long. Please shorten it."}
    assert not Pair.objects.exists()
    send(corpus, **CHANGED, **WHYS)
    reasons = dict(Pair.objects.values_list("author_label", "author_reason"))
    assert reasons == {label: WHYS[f"why-{label}"] for label in CHANGED}
    open_for_validation(question=Question.objects.get(), pairs=Pair.objects.all())
    assert dict(Label.objects.filter(position=1).values_list("label", "reason")) == reasons


def test_the_page_has_a_field_for_each_reason_and_keeps_its_draft():
    corpus = corpus_with(mode="explain")
    client = signed_in(ana())
    client.post(f"{PAGE}prompt/{PromptVersion.objects.get().pk}/", {"agree": "yes"})
    page = client.get(PAGE)
    names = [field.name for field in page.context["form"].text_fields]
    assert names[:2] == ["text-entailment", "text-why-entailment"]
    assert len(names) == 6
    assert "Write three sentences" in page.content.decode()
    token = page.context["assignment"].token
    sent = {"token": token, "key": token, "text-why-neutral": "Nobody says so."}
    client.post(f"{PAGE}draft/", sent)
    form = client.get(PAGE).context["form"]
    assert form["text-why-neutral"].value() == "Nobody says so."
    answer = client.post(PAGE, {**sent, **{f"text-{label}": text for label, text in CHANGED.items()}})
    assert answer.status_code == 422
    assert "Please say why." in answer.content.decode()
    whys = {f"text-{name}": text for name, text in WHYS.items()}
    texts = {f"text-{label}": text for label, text in CHANGED.items()}
    assert client.post(PAGE, {**sent, **texts, **whys}).status_code == 302
    assert Pair.objects.filter(author_reason="").count() == 0
    assert corpus.pairs.count() == 3


def test_a_prompt_that_asks_for_no_reason_refuses_one():
    said = refused(corpus_with(), **CHANGED, **WHYS)
    assert set(said) == set(WHYS)


def test_a_coach_names_a_word_that_gives_the_answer_away_and_refuses_nothing():
    corpus = corpus_with(coach=True)
    others = make_premises(corpus, [f"Other line {number}." for number in range(20)])
    for number, premise in enumerate(others):
        make_pair(corpus, premise, f"Nobody runs {number}.", author_label="contradiction")
        make_pair(corpus, premise, f"Somebody runs {number}.", author_label="entailment")
    cache.clear()
    task = claim_writing(corpus=corpus, annotator=ana())
    said = advice_on(
        task, {"contradiction": "Nobody barks.", "entailment": "Nobody runs.", "neutral": "It runs."}
    )
    assert [(each.label, each.kind, each.word, each.refuses) for each in said] == [
        ("contradiction", "gives_away", "nobody", False)
    ]
    assert "“nobody” stands in many sentences" in in_words(said[0])
    send(corpus, contradiction="Nobody barks.", entailment="A dog is.", neutral="It runs.")
    assert Pair.objects.filter(assignment__advice__advice="gives_away").exists()
    PromptVersion.objects.update(coach=False)
    task.prompt_version.refresh_from_db()
    assert advice_on(task, {"contradiction": "Nobody barks at all."}) == []


@pytest.mark.parametrize(
    ("avoid", "language", "text", "refused_for"),
    [
        ("?", "en", "Does a dog bark?", "?"),
        ("?", "en", "A dog barks.", ""),
        ("不", "zh", "他不去学校。", "不"),
        ("不", "zh", "他去学校。", ""),
        ("没有, 不", "zh", "他没有去。", "没有"),
        ("n't", "en", "Dogs don’t bark.", "n't"),
        ("n’t", "en", "Dogs don't bark.", "n’t"),
        ("n't", "en", "An ant barks, n'est-ce pas.", ""),
        ("don't", "en", "Dogs Don't bark.", "don't"),
        ("'s", "en", "The dog's bark.", "'s"),
        ("'s", "en", "The dogs bark.", ""),
    ],
)
def test_words_to_avoid_are_found_in_any_script(avoid, language, text, refused_for):
    corpus = corpus_with(avoid=avoid)
    Corpus.objects.update(language=language)
    task = claim_writing(corpus=corpus, annotator=ana())
    said = [each.word for each in advice_on(task, {"neutral": text}) if each.kind == "avoided_word"]
    assert said == ([refused_for] if refused_for else [])


def test_a_skipped_text_keeps_no_sentence_that_nobody_wrote():
    corpus = corpus_with(mode="edit")
    task = claim_writing(corpus=corpus, annotator=ana())
    fields = {f"text-{label}": PREMISE for label in CHANGED}
    changed = fields | {"text-neutral": CHANGED["neutral"]}
    signed_in(ana()).post(f"{PAGE}skip/", {"token": task.token, **fields})
    assert not DraftText.objects.exists()
    WritingAssignment.objects.update(closed_at=None, outcome="")
    signed_in(ana()).post(f"{PAGE}skip/", {"token": task.token, **changed})
    assert list(DraftText.objects.values_list("label", "text")) == [("neutral", CHANGED["neutral"])]


def test_rest_has_the_fields_of_a_contrast_in_the_order_in_which_they_are_compared():
    corpus = corpus_with(mode="contrast")
    for place, label in enumerate(("neutral", "contradiction", "entailment")):
        PromptField.objects.filter(label=label).update(order=place + 10)
    given = with_token(ana()).post("/api/v1/work/writing/next", {"corpus": "small"}).json()
    send(corpus, **CHANGED)
    first = given["fields"][0]["label"]
    assert set(PairEdit.objects.values_list("edited_from", flat=True)) == {CHANGED[first]}


def test_a_returned_contrast_is_compared_with_the_other_sentences_of_its_task():
    corpus = corpus_with(mode="contrast")
    send(corpus, **CHANGED)
    returned = return_text(pair=Pair.objects.get(author_label="neutral"), remark="Shorter.", by=rosa())
    for text, says in (
        (CHANGED["entailment"], "Nothing is changed yet"),
        (CHANGED["contradiction"], "You wrote the same in another field"),
    ):
        with pytest.raises(InvalidWriting, match=says):
            mend_text(returned=returned, writer=ana(), text=text)
    mended = mend_text(returned=returned, writer=ana(), text="A dog barks at night, too.")
    assert (mended.edit.edited_from, mended.edit.distance) == (CHANGED["entailment"], 1)
    first = return_text(pair=Pair.objects.get(author_label="entailment"), remark="Longer.", by=rosa())
    with pytest.raises(InvalidWriting, match="You wrote the same in another field"):
        mend_text(returned=first, writer=ana(), text=mended.hypothesis)


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("", "", 0),
        ("a b c", "a b c", 0),
        ("a b c", "a c", 1),
        ("a", "b c", 2),
        ("", "a b", 2),
        ("a b", "b a", 2),
    ],
)
def test_the_distance_is_levenshteins_over_words(one, other, distance):
    assert edit_distance(one.split(), other.split()) == distance
    assert edit_distance(other.split(), one.split()) == distance


def test_a_withdrawn_first_sentence_is_in_no_line_of_its_family():
    corpus = corpus_with(mode="contrast")
    send(corpus, **CHANGED)
    Pair.objects.filter(author_label="entailment").update(
        withdrawn_at=timezone.now(), withdrawn_because=AUTHOR_EXCLUDED
    )
    told = [line for name in ("train", "dev", "test") for line in lines(freeze(corpus), name)]
    assert sorted(line["edit_distance"] for line in told) == [2, 3]
    assert CHANGED["entailment"] not in json.dumps(told)
