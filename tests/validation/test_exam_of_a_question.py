"""A question's own exam: its items, pass mark and wording; it opens the pool of this question alone."""

import pytest

from accounts.models import Grant, Qualification
from collection.models import Corpus, Exam, Pair
from tests.cast import stan
from tests.conftest import REPOSITORY
from tests.corpora import make_pair, make_premise
from validation.annotators.exclusion import exclude
from validation.errors import NotInPool
from validation.labelling.claiming import claim_batch
from validation.models import Question
from validation.pairs.opening import open_for_validation
from validation.start_page.offers import offers_for

pytestmark = pytest.mark.django_db

# The example without its consent, which would come first, and without its second question.
TEXT = (REPOSITORY / "examples" / "scenes" / "corpus.toml").read_text().partition("\n[[questions]]")[0]
PLAIN = TEXT.partition("\n[consent]")[0] + "\n[question]" + TEXT.partition("\n[question]")[2]
ITEMS = [
    ("A man sleeps.\nIt is night.", "Somebody rests.", "entailment"),
    ("A dog runs.", "It is a cat.", "contradiction"),
]
EXAM = "\n[question.exam]\npass_mark = 100\ntries = 2\ninstructions = 'Take your time.'\n" + "".join(
    f'[[question.exam.items]]\npremise = """{premise}"""\nhypothesis = "{hypothesis}"\nlabel = "{label}"\n'
    for premise, hypothesis, label in ITEMS
)
ADDRESS = "/work/validation/scenes/exam/"
RIGHT = {f"answer-{order}": label for order, (_, _, label) in enumerate(ITEMS)}


def needing(text: str) -> str:
    return text.replace("\n[question]\n", "\n[question]\npool_needs_exam = true\n", 1)


@pytest.fixture
def question(load) -> Question:
    load(needing(PLAIN) + EXAM)
    corpus = Corpus.objects.get()
    genre = corpus.genres.first()
    assert genre is not None
    make_pair(corpus, make_premise(corpus, "A dog barks.", genre=genre.slug), "It is loud.")
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.all())
    corpus.questions.get().check_questions.all().delete()  # the exam is what is looked at here
    return corpus.questions.get()


def test_it_is_loaded_with_a_qualification_of_its_own(load):
    told = load(needing(PLAIN) + EXAM)
    assert "+ question: exam, 2 items" in told
    exam = Exam.objects.get()
    assert (exam.slug, exam.pass_mark, exam.qualification.slug) == ("label-main", 100, "label-scenes")
    assert Question.objects.get().qualification == exam.qualification
    assert Corpus.objects.get().writing_qualification is None
    assert "nothing to change" in load(needing(PLAIN) + EXAM)


def test_it_leaves_the_file_and_everybody_may_label_while_its_results_stay(load, question, browser_of, vera):
    browser_of(vera).post(ADDRESS, RIGHT)
    told = load(PLAIN)
    assert "~ question: exam: is_open: true -> false" in told
    assert not Exam.objects.get().is_open
    question.refresh_from_db()
    assert question.qualification is None
    assert [offer.questions for offer in offers_for(stan())] == [(question,)]


def test_exam_and_need_go_together_and_every_item_has_a_sentence(load):
    assert "[question] [exam]: goes together with pool_needs_exam" in load(PLAIN + EXAM)
    written = EXAM.replace('hypothesis = "It is a cat."\n', "")
    assert "[question] [exam] [[items]] 2: has no hypothesis" in load(needing(PLAIN) + written)
    assert "[question] [exam] [[items]]: there is none" in load(needing(PLAIN) + "\n[question.exam]\n")


def test_the_page_asks_in_the_questions_words_and_lets_in(question, browser_of, vera):
    browser = browser_of(vera)
    start = browser.get("/start/").content.decode()
    assert f'href="{ADDRESS}"' in start
    assert "Judge sentences" not in start
    page = browser.get(ADDRESS).content.decode()
    for words in ("Can this scene be described by the sentence?", "Unknown", "A man sleeps.<br>It is night."):
        assert words in page
    assert "If the text is true" not in page
    done = browser.post(ADDRESS, RIGHT, follow=True).content.decode()
    assert "You passed. You may judge sentences from now on." in done
    assert 'href="/work/validation/scenes/"' in done
    assert Grant.objects.get().qualification.slug == "label-scenes"
    assert [offer.questions for offer in offers_for(vera)] == [(question,)]
    assert "Start judging" in browser.get("/work/validation/scenes/instructions/").content.decode()
    assert claim_batch(question=question, annotator=vera).items


def test_under_the_mark_nobody_comes_in_and_tries_end(question, browser_of, stan):
    browser = browser_of(stan)
    wrong = {**RIGHT, "answer-0": "neutral"}
    for _ in range(2):
        assert [len(offer.label_exams) for offer in offers_for(stan)] == [1]
        assert f'href="{ADDRESS}"' in browser.get("/work/validation/scenes/", follow=True).text
        browser.post(ADDRESS, wrong)
    assert "You have used all your tries" in browser.get(ADDRESS).content.decode()
    page = browser.get("/work/validation/scenes/", follow=True)
    assert page.status_code == 403
    assert "You have used all your tries" in page.text
    assert f'href="{ADDRESS}"' not in page.text
    assert offers_for(stan) == []
    with pytest.raises(NotInPool, match="Before you can judge here, you must pass"):
        claim_batch(question=question, annotator=stan)
    Exam.objects.update(is_open=False)
    with pytest.raises(NotInPool, match=r"To judge here you need a qualification: .*Label for"):
        claim_batch(question=Question.objects.get(pk=question.pk), annotator=stan)


def test_who_may_not_label_yet_is_led_to_the_exam_from_the_labelling_page(question, browser_of, vera):
    browser = browser_of(vera)
    page = browser.get("/work/validation/scenes/instructions/").content.decode()
    assert "Before you can judge here, you must pass the exam." in page
    assert f'href="{ADDRESS}"' in page
    assert "Start judging" not in page
    browser.post("/work/validation/scenes/instructions/", {"agree": "yes"})
    refused = browser.get("/work/validation/scenes/", follow=True)
    assert f'href="{ADDRESS}"' in refused.content.decode()


def test_an_excluded_person_is_offered_no_exam_and_takes_none(question, browser_of, rosa):
    exclude(corpus=question.corpus, annotator=stan(), by=rosa, reason="Guessed.")
    assert offers_for(stan()) == []
    assert browser_of(stan()).post(ADDRESS, RIGHT).status_code == 403
    assert not Grant.objects.filter(user=stan(), revoked_at=None).exists()


def test_an_excluded_person_need_not_read_the_instructions_to_learn_it(question, browser_of, rosa):
    exclude(corpus=question.corpus, annotator=stan(), by=rosa, reason="Guessed.")
    page = browser_of(stan()).get("/work/validation/scenes/", follow=True)
    assert page.status_code == 403
    assert "You cannot judge sentences for this study at present." in page.content.decode()


def test_the_exam_of_writers_goes_on_opening_the_pool_where_there_is_no_other(load):
    text = (REPOSITORY / "examples" / "multinli-like" / "corpus.toml").read_text()
    load(needing(text))
    assert Question.objects.get().qualification == Qualification.objects.get(slug="write-multinli-like")
    assert Exam.objects.get().slug == "writing"
