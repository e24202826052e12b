"""`pool_needs_exam`: people who passed the corpus's exam may label; others are sent to the exam."""

from pathlib import Path

import pytest

from collection.joining.exams import send_exam
from collection.models import Corpus, Exam, Pair
from tests.cast import stan, vera
from tests.commands import run
from tests.conftest import REPOSITORY
from tests.corpora import agreed, make_pair, make_premise
from validation.errors import NotInPool
from validation.labelling.claiming import claim_batch
from validation.models import Question
from validation.pairs.opening import open_for_validation
from validation.start_page.offers import offers_for

pytestmark = pytest.mark.django_db

TEXT = (REPOSITORY / "examples" / "multinli-like" / "corpus.toml").read_text()
NEEDED = TEXT.replace("\n[question]\n", "\n[question]\npool_needs_exam = true\n", 1)


def load(folder: Path, text: str) -> str:
    path = folder / "corpus.toml"
    path.write_text(text)
    done = run("load_corpus", path)
    return done.failure or done.out


@pytest.fixture
def question(tmp_path) -> Question:
    load(tmp_path, NEEDED)
    corpus = Corpus.objects.get()
    genre = corpus.genres.first()
    assert genre is not None
    make_pair(corpus, make_premise(corpus, "A dog barks.", genre=genre.slug), "It is loud.")
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.all())
    return corpus.questions.get()


def take_exam(who, *, right: bool) -> None:
    exam = Exam.objects.get()
    exam.items.filter(hypothesis="").delete()  # texts would wait for a researcher
    wrong = {"entailment": "neutral", "neutral": "contradiction", "contradiction": "entailment"}
    answers = {item.order: item.label if right else wrong[item.label] for item in exam.items.all()}
    send_exam(exam=exam, annotator=agreed(who, exam.corpus), answers=answers)


def test_who_passed_may_label_and_who_did_not_is_shown_to_the_exam(question):
    for person in (vera(), stan()):
        with pytest.raises(NotInPool, match="Before you can judge here"):
            claim_batch(question=question, annotator=agreed(person, question.corpus))
        assert [(offer.exam, offer.questions) for offer in offers_for(person)] == [(True, ())]
    take_exam(vera(), right=True)
    take_exam(stan(), right=False)
    assert claim_batch(question=question, annotator=agreed(vera(), question.corpus)).items
    with pytest.raises(NotInPool):
        claim_batch(question=question, annotator=agreed(stan(), question.corpus))


def test_the_key_leaves_the_file_and_everybody_may_label(question, tmp_path):
    assert "qualification" in load(tmp_path, TEXT)
    question.refresh_from_db()
    assert question.qualification is None
    assert claim_batch(question=question, annotator=agreed(stan(), question.corpus)).items


def test_an_exam_must_be_there(tmp_path):
    text = (REPOSITORY / "examples" / "captions" / "corpus.toml").read_text()
    text = text.replace("\n[question]\n", "\n[question]\npool_needs_exam = true\n", 1)
    assert "pool_needs_exam: wants an [exam]" in load(tmp_path, text)
