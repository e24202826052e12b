"""`[[questions]]` and `qualification` of a corpus file: loading, changing, errors, removal."""

import pytest

from accounts.models import Qualification
from accounts.people.qualifications import grant
from collection.models import Corpus, Exam, Pair
from tests.cast import ana, vera
from tests.conftest import REPOSITORY
from tests.corpora import add_label, agreed, make_pair, make_premise
from tests.validation.votes import gold_of
from validation.errors import NotInPool
from validation.labelling.claiming import claim_batch
from validation.models import Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db

WHOLE = (REPOSITORY / "examples" / "scenes" / "corpus.toml").read_text()
TEXT = WHOLE.partition("\n[[questions]]")[0]
GRAMMAR = """
[[questions]]
slug = "grammar"
scheme = "grammar3"
wording = "Are there mistakes in the sentence?"
hides_premise = true
seats = 3
threshold = 2
pay_cents = 2
[[questions.labels]]
label = "none"
wording = "No mistake"
[[questions.labels]]
label = "minor"
wording = "A small mistake"
[[questions.labels]]
label = "major"
wording = "A bad mistake"
[[questions.check]]
premise = "-"
hypothesis = "A dog run."
label = "minor"
explanation = "It should say runs."
"""
SINGLE = """
[[questions]]
slug = "single"
wording = "Does this caption describe the sentence?"
by_sentence = true
seats = 3
threshold = 2
""" + "".join(
    f'[[questions.labels]]\nlabel = "{label}"\nwording = "{label}"\n'
    for label in ("entailment", "neutral", "contradiction")
)


def open_one_pair(slug: str) -> Question:
    corpus = Corpus.objects.get()
    premise = make_premise(
        corpus, "A dog barks.\nA cat sleeps.", genre=corpus.genres.first().slug, sentence_count=2
    )
    make_pair(corpus, premise, "It is loud.", author=ana())
    question = corpus.questions.get(slug=slug)
    open_for_validation(question=question, pairs=Pair.objects.all())
    return question


def test_they_are_loaded_with_all_that_they_are(load):
    told = load(TEXT + GRAMMAR + SINGLE)
    assert "+ question grammar" in told
    grammar, single = Question.objects.get(slug="grammar"), Question.objects.get(slug="single")
    assert (grammar.scheme, grammar.seats, grammar.threshold, grammar.pay_cents) == ("grammar3", 3, 2, 2)
    assert (grammar.hides_premise, grammar.by_sentence, grammar.is_main) == (True, False, False)
    assert (single.scheme, single.by_sentence) == ("nli3", True)
    assert grammar.label_wordings.all()[0].wording == "No mistake"
    assert grammar.check_questions.get().label == "minor"
    assert "nothing to change" in load(TEXT + GRAMMAR + SINGLE)


def test_people_work_under_them(load):
    load(TEXT + SINGLE)
    question = open_one_pair("single")
    batch = claim_batch(question=question, annotator=agreed(vera(), question.corpus))
    assert batch.items[0].seat.pair.premise.text in ("A dog barks.", "A cat sleeps.")


def test_changes_are_told_under_their_names(load):
    load(TEXT + GRAMMAR)
    changed = GRAMMAR.replace("pay_cents = 2", "pay_cents = 3").replace(
        "A small mistake", "One small mistake"
    )
    told = load(TEXT + changed)
    assert "~ question grammar: pay_cents: 2 -> 3" in told
    assert '~ question grammar: label 2: wording: "A small mistake" -> "One small mistake"' in told


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("seats = 3", "seats = 2", "seats"),
        ("hides_premise = true", "hides_premise = false", "hides_premise"),
    ],
)
def test_what_was_asked_does_not_change_once_there_are_seats(load, old, new, key):
    load(TEXT + GRAMMAR)
    open_one_pair("grammar")
    told = load(TEXT + GRAMMAR.replace(old, new))
    assert f'[[questions]] "grammar" {key}: ' in told
    assert "Nothing was loaded." in told


def test_one_that_leaves_the_file_goes_unless_somebody_was_asked_it(load):
    load(TEXT + GRAMMAR + SINGLE)
    open_one_pair("single")
    told = load(TEXT)
    assert "- question grammar" in told
    assert "Question single is not in the file. It stays" in told
    assert list(Question.objects.order_by("pk").values_list("slug", flat=True)) == ["main", "single"]


def test_a_question_beside_has_an_exam_of_its_own(load):
    item = '[[questions.exam.items]]\npremise = "-"\nhypothesis = "A dog run."\nlabel = "minor"\n'
    text = TEXT + GRAMMAR.replace("hides_premise", "pool_needs_exam = true\nhides_premise")
    load(f"{text}\n[questions.exam]\n{item}")
    exam = Exam.objects.get()
    assert (exam.slug, exam.scheme) == ("label-grammar", "grammar3")
    assert exam.qualification.slug == "label-scenes-grammar"
    load(TEXT)
    assert not Exam.objects.exists()


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ('slug = "grammar"', 'slug = "exam"', 'slug: "exam" is the name of a page; choose another'),
        ('slug = "grammar"', "", "slug: is missing"),
        ("hides_premise = true", "hides_premise = true\nby_sentence = true", "does not go together with by_sentence"),
        ('scheme = "grammar3"', 'scheme = "grammar4"', 'scheme: "grammar4" is none of'),
        ('label = "major"\nwording', 'label = "awful"\nwording', 'label: "awful" is none of none, minor, major'),
        ("threshold = 2", "threshold = 2\ngold_rule = \"adjudicated\"", '"adjudicated" is for the scheme nli3 alone'),
        ("threshold = 2", "threshold = 1", "must be more than half of the 3 seats"),
        ("threshold = 2", "threshold = 2\npool_needs_exam = true", "pool_needs_exam: wants an [exam]"),
        ("threshold = 2", "threshold = 2\nfast = 1", "fast: unknown key"),
    ],
)  # fmt: skip
def test_faults_name_their_table(load, old, new, error):
    told = load(TEXT + GRAMMAR.replace(old, new, 1))
    assert "[[questions]]" in told
    assert error in told
    assert not Corpus.objects.exists()


def test_a_name_is_there_once(load):
    assert '[[questions]]: slug "grammar" is there 2 times' in load(TEXT + GRAMMAR + GRAMMAR)


def test_a_qualification_opens_the_pool_to_its_holders(load):
    text = TEXT.replace("\n[question]\n", '\n[question]\nqualification = "trained"\n', 1)
    load(text)
    question = open_one_pair("main")
    question.check_questions.all().delete()
    with pytest.raises(NotInPool, match="trained"):
        claim_batch(question=question, annotator=agreed(vera(), question.corpus))
    grant(user=vera(), qualification=Qualification.objects.get(slug="trained"), how="invitation")
    assert claim_batch(question=question, annotator=agreed(vera(), question.corpus)).items
    assert "~ question: qualification: trained -> none" in load(TEXT)


def test_a_qualification_and_an_exam_exclude_each_other(load):
    text = TEXT.replace(
        "\n[question]\n", '\n[question]\nqualification = "trained"\npool_needs_exam = true\n', 1
    )
    assert "does not go together with pool_needs_exam" in load(text)


def test_the_example_of_scenes_asks_about_single_captions_as_mpe_did(load):
    load(WHOLE)
    single = Question.objects.get(slug="single")
    assert (single.by_sentence, single.seats, single.threshold, single.scheme) == (True, 3, 2, "nli3")
    assert [each.wording for each in single.label_wordings.all()] == ["Yes", "Unknown", "No"]
    main = Question.objects.get(is_main=True)
    assert (main.seats, main.gold_rule) == (5, "adjudicated")


RELATIONS = """
[corpus]
slug = "relations"
name = "Relations"
scheme = "entailed2"
protocol = "recast"

[question]
wording = "How likely is it that the sentence is true, given the text?"
scheme = "ordinal5"
gold_rule = "unanimous"
""" + "".join(
    f'[[question.labels]]\nlabel = "{number}"\nwording = "{words}"\n'
    for number, words in enumerate(("Impossible", "Unlikely", "Possible", "Likely", "Very likely"), start=1)
) + '\n[[genres]]\nslug = "news"\nname = "News"\n'  # fmt: skip


def test_relations_are_judged_on_a_scale_and_gold_is_entailed_or_not(load):
    load(RELATIONS)
    corpus, question = Corpus.objects.get(), Question.objects.get()
    assert (corpus.scheme, question.scheme, question.gold_rule) == ("entailed2", "ordinal5", "unanimous")
    pairs = [make_pair(corpus, make_premise(corpus, f"P {n}.", genre="news"), "H.") for n in range(3)]
    for pair, votes in zip(pairs, ("55555", "44444", "55554"), strict=True):
        for position, label in enumerate(votes, start=1):
            add_label(question, pair, label, position=position, origin="imported")
    assert [gold_of(pair, question)[0] for pair in pairs] == ["entailed", "not-entailed", None]
    assert "nothing to change" in load(RELATIONS)


@pytest.mark.parametrize(
    ("old", "new"),
    [('scheme = "entailed2"', 'scheme = "nli3"'), ('gold_rule = "unanimous"', 'gold_rule = "majority"')],
)
def test_labels_of_the_main_question_must_be_able_to_be_gold(load, old, new):
    assert "[question]: scheme: must be that of [corpus]" in load(RELATIONS.replace(old, new))
