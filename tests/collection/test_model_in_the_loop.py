"""A frozen run answers while somebody writes: what is asked, shown, counted and kept."""

from collections.abc import Sequence

import pytest
from django.db import IntegrityError, transaction

from collection import answering
from collection.answering import Answer, Answers, CannotAnswer, FrozenRun
from collection.models import Guidance, Pair, PromptVersion
from collection.writing import guidance
from collection.writing.claiming import claim_writing
from collection.writing.submitting import look_at, save_draft, submit_writing
from tests.cast import ana, signed_in, with_token
from tests.collection.test_ways_of_writing import CHANGED, PAGE, corpus_with, draft_of

pytestmark = pytest.mark.django_db

RUN = {"run": 12, "twin": 13, "run_sha256": "a" * 64, "twin_sha256": "b" * 64, "run_name": "cbow on small@1"}
ANSWERED = {"entailment": "It is true", "neutral": "It may be true", "contradiction": "It is false"}


class Model:
    """Stands for the program: it answers with the label that the sentence names, else neutral; its twin contradiction."""

    def __init__(self) -> None:
        self.asked: list[tuple[FrozenRun, tuple[str, ...], tuple[str, ...]]] = []
        self.away = False

    def __call__(self, run: FrozenRun, premise: Sequence[str], texts: Sequence[str]) -> list[Answers]:
        if self.away:
            raise CannotAnswer("The program does not run.")
        self.asked.append((run, tuple(premise), tuple(texts)))
        found = [next((label for label in ANSWERED if label in text), "neutral") for text in texts]
        return [Answers(Answer(label, 0.6), Answer("contradiction", 0.8)) for label in found]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    found = Model()
    monkeypatch.setattr(answering, "ASK", [found])
    return found


def in_the_loop(**more: object):
    return corpus_with(mode="model", **RUN, **more)


def a_client():
    client = signed_in(ana())
    client.post(f"{PAGE}prompt/{PromptVersion.objects.get().pk}/", {"agree": "yes"})
    return client


def kept() -> dict[str, tuple[int, int | None, str, str]]:
    columns = ("label", "model_tries", "fooled_at", "model_answer", "twin_answer")
    return {label: tuple(rest) for label, *rest in Guidance.objects.values_list(*columns)}


def test_the_run_answers_each_new_wording_once_and_the_page_shows_it(model):
    corpus = in_the_loop()
    client = a_client()
    token = claim_writing(corpus=corpus, annotator=ana()).token
    said = draft_of(client, token, neutral="A neutral dog.").json()["answers"]
    words = corpus.answer_words
    assert list(said) == ["neutral"]
    assert f"The model chose “{words['neutral']}”. It is right." in said["neutral"]
    assert f"Without the text it would choose “{words['contradiction']}”." in said["neutral"]
    draft_of(client, token, neutral=" A neutral dog. ")  # the same wording
    assert kept() == {"neutral": (1, None, "neutral", "contradiction")}
    said = draft_of(client, token, neutral="A dog of entailment.", entailment="It barks.").json()["answers"]
    assert "You misled it" in said["neutral"]
    assert kept() == {
        "neutral": (2, 2, "entailment", "contradiction"),
        "entailment": (1, 1, "neutral", "contradiction"),
    }
    draft_of(client, token, neutral="A neutral dog again.", entailment="It barks.")
    assert kept()["neutral"] == (3, 2, "neutral", "contradiction")
    run, premise, _ = model.asked[-1]
    assert (run.run, run.twin, premise) == (12, 13, ("A small dog barks at night.",))
    page = client.get(PAGE)
    assert page.context["is_model_away"] is False
    assert f"The model chose “{words['neutral']}”" in page.content.decode()


def test_what_is_sent_is_answered_on_the_server_and_the_pair_keeps_it(model):
    corpus = in_the_loop()
    client = a_client()
    token = claim_writing(corpus=corpus, annotator=ana()).token
    draft_of(client, token, neutral="A contradiction dog.")
    sent = {**CHANGED, "neutral": "A contradiction dog."}
    submit_writing(annotator=ana(), token=token, texts=sent, key=token)
    pair = Pair.objects.get(author_label="neutral")
    assert (pair.guidance.model_tries, pair.guidance.fooled_at) == (1, 1)  # it was sent as it was drafted
    assert pair.guidance.model_answer == "contradiction"
    other = Pair.objects.get(author_label="entailment").guidance
    assert (other.model_tries, other.model_answer, other.fooled_at) == (1, "neutral", 1)
    assert Guidance.objects.filter(pair=None).count() == 0


def test_a_program_by_rest_has_one_try_a_sentence(model):
    corpus = in_the_loop()
    client = with_token(ana())
    task = client.post("/api/v1/work/writing/next", {"corpus": corpus.slug}).json()
    assert task["mode"] == "model"
    sent = {"assignment": task["assignment"], "texts": CHANGED, "idempotency_key": "1"}
    assert client.post("/api/v1/work/writing/submit", sent).status_code == 200
    assert set(Guidance.objects.values_list("model_tries", flat=True)) == {1}


def test_without_the_model_the_page_works_as_write_and_says_so(model):
    corpus = in_the_loop()
    client = a_client()
    token = claim_writing(corpus=corpus, annotator=ana()).token
    draft_of(client, token, neutral="A neutral dog.", entailment="It barks.")
    model.away = True
    page = client.get(PAGE)
    assert page.context["is_model_away"] is True
    said = draft_of(client, token, neutral="Another dog.", entailment="It barks.").json()
    assert said["saved_at"]
    assert said["answers"]["neutral"] == "The model cannot answer just now. Go on and send as usual."
    assert "The model chose" in said["answers"]["entailment"]  # its wording is the one that was answered
    sent = {**CHANGED, "neutral": "Another dog.", "entailment": "It barks."}
    submit_writing(annotator=ana(), token=token, texts=sent, key=token)
    found = dict(Pair.objects.values_list("author_label", "guidance__model_answer"))
    assert found == {"neutral": "", "entailment": "neutral", "contradiction": None}
    assert Pair.objects.get(author_label="neutral").guidance.model_tries == 1


def test_without_scripts_the_answer_stands_beside_the_field_after_a_draft(model):
    corpus = in_the_loop()
    client = a_client()
    token = claim_writing(corpus=corpus, annotator=ana()).token
    sent = {"token": token, "key": token, "text-neutral": "A dog of entailment."}
    page = client.post(f"{PAGE}draft/", sent, follow=True).content.decode()
    assert "You misled it" in page


def test_a_coach_says_that_the_answer_is_found_without_the_text(model):
    corpus = corpus_with(coach=True, **RUN)
    client = a_client()
    task = claim_writing(corpus=corpus, annotator=ana())
    answer = draft_of(client, task.token, neutral="It runs.", contradiction="It never runs.").json()
    assert set(answer["advice"]) == {"contradiction"}
    assert "A program that read only this sentence" in answer["advice"]["contradiction"]
    assert not answer["answers"]  # a coach is no model in the loop
    draft_of(client, task.token, contradiction="")
    submit_writing(annotator=ana(), token=task.token, texts=CHANGED, key=task.token)
    seen = dict(Pair.objects.values_list("author_label", "guidance__advice_seen"))
    assert seen == {"contradiction": True, "neutral": None, "entailment": None}
    assert Pair.objects.get(author_label="contradiction").guidance.model_tries == 0


def test_a_twin_that_is_not_sure_gives_no_advice(model, monkeypatch):
    corpus = corpus_with(coach=True, **RUN)
    monkeypatch.setattr(guidance, "SURE", 0.9)
    task = claim_writing(corpus=corpus, annotator=ana())
    assert look_at(task, {"contradiction": "It never runs."}).advice == {}


def test_other_ways_of_writing_ask_nobody_and_keep_nothing(model):
    corpus = corpus_with()
    task = claim_writing(corpus=corpus, annotator=ana())
    saved = save_draft(annotator=ana(), token=task.token, texts=CHANGED)
    look_at(task, CHANGED, saved.new)
    submit_writing(annotator=ana(), token=task.token, texts=CHANGED, key=task.token)
    assert not model.asked
    assert not Guidance.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"mode": "model", "run": 0},
        {"run": 3, "twin": 0},
        {"run": 3, "twin": 4, "run_sha256": ""},
        {"bonus_cents": 5},
    ],
)
def test_the_database_holds_no_run_without_its_twin_and_hashes(wrong):
    corpus_with()
    with pytest.raises(IntegrityError), transaction.atomic():
        PromptVersion.objects.update(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"model_tries": 0, "advice_seen": False},
        {"model_answer": "neutral", "model_tries": 0, "advice_seen": True},
        {"fooled_at": 3},
        {"fooled_at": 0},
        {"assignment": None},
    ],
)
def test_the_database_holds_no_impossible_guidance(wrong):
    corpus = corpus_with()
    task = claim_writing(corpus=corpus, annotator=ana())
    Guidance.objects.create(assignment=task, label="neutral", model_tries=2)
    with pytest.raises(IntegrityError), transaction.atomic():
        Guidance.objects.update(**wrong)
