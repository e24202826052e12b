"""People who make an account by themselves: where a corpus allows it, for that corpus, behind its exam."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Qualification, User
from accounts.sign_in.throttle import FAILURES_BY_ADDRESS
from collection.corpora.corpus_file import BadCorpusFile, corpus_file_in
from collection.errors import NotByThisLink, NotQualified
from collection.joining.entry_links import is_open_to
from collection.models import Corpus, Exam, ExamItem, Pair, SignUp
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from tests.cast import PASSWORD, ana, rosa
from tests.collection.test_corpus_file import GOOD
from tests.corpora import make_corpus, make_pair, make_premise
from tests.made_once import made_once
from validation.errors import NotInPool
from validation.labelling.claiming import claim_batch
from validation.models import Question
from validation.pairs.opening import open_for_validation
from validation.start_page.offers import offers_for

pytestmark = pytest.mark.django_db


@made_once
def corpus() -> Corpus:
    """A corpus with an exam and work, beside one that is open to everybody who was made an account."""
    writers = Qualification.objects.create(slug="write-small", name="Writers")
    corpus = make_corpus(writing_qualification=writers, sign_up=True)
    exam = Exam.objects.create(corpus=corpus, qualification=writers, pass_mark=50)
    ExamItem.objects.create(
        exam=exam, order=0, premise="A cat sleeps.", hypothesis="An animal rests.", label="entailment"
    )
    for each in (corpus, make_corpus(slug="other")):
        make_seats(premises=[make_premise(each, f"A dog runs in {each.slug}.")])
        make_pair(each, make_premise(each, "Rain falls."), "It is wet.", public_id=each.slug)
        question = Question.objects.get(corpus=each)
        open_for_validation(question=question, pairs=Pair.objects.filter(corpus=each))
    Question.objects.filter(corpus=corpus).update(pool_is_open=False)
    return corpus


def sign_up(client: Client, corpus: Corpus, name: str = "nia", **fields: str):
    form = {"username": name, "new": PASSWORD, "again": PASSWORD, **fields}
    return client.post(reverse("sign-up", args=[corpus.slug]), form)


def test_a_new_account_begins_with_the_exam_and_works_once_it_is_passed(client, corpus):
    assert "Make the account" in client.get(reverse("sign-up", args=[corpus.slug])).content.decode()
    assert not User.objects.filter(username="nia").exists()
    assert sign_up(client, corpus).url == reverse("exam", args=[corpus.slug])
    nia = User.objects.get(username="nia")
    assert (nia.role, nia.email) == ("annotator", "")
    with pytest.raises(NotQualified):
        claim_writing(corpus=corpus, annotator=nia)
    with pytest.raises(NotInPool):
        claim_batch(question=Question.objects.get(corpus=corpus), annotator=nia)
    client.post(reverse("exam", args=[corpus.slug]), {"answer-0": "entailment"})
    assert claim_writing(corpus=corpus, annotator=nia)
    assert Client().login(username="nia", password=PASSWORD)


def test_other_corpora_are_not_open_to_who_signed_up_for_one(client, corpus):
    sign_up(client, corpus)
    nia, other = User.objects.get(username="nia"), Corpus.objects.get(slug="other")
    with pytest.raises(NotByThisLink):
        claim_writing(corpus=other, annotator=nia)
    with pytest.raises(NotInPool):
        claim_batch(question=Question.objects.get(corpus=other), annotator=nia)
    assert not [offer for offer in offers_for(nia) if offer.corpus == other]
    other.sign_up = True
    other.save()
    assert client.post(reverse("sign-up", args=["other"])).status_code == 302
    assert is_open_to(nia, other.pk)
    assert SignUp.objects.filter(user=nia).count() == 2


def test_somebody_with_an_account_joins_with_it_and_loses_nothing(client, corpus):
    client.force_login(ana())
    assert client.post(reverse("sign-up", args=[corpus.slug])).url == reverse("exam", args=[corpus.slug])
    assert not SignUp.objects.exists()
    assert is_open_to(ana(), Corpus.objects.get(slug="other").pk)


def test_researchers_only_look_and_a_corpus_that_does_not_allow_it_has_no_such_page(client, corpus):
    assert client.get(reverse("sign-up", args=["other"])).status_code == 404
    assert sign_up(client, Corpus.objects.get(slug="other")).status_code == 404
    client.force_login(rosa())
    assert "as a researcher" in sign_up(client, corpus).content.decode()
    assert not SignUp.objects.exists()


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"username": "ana"}, "is taken"),
        ({"username": "nia:x"}, "Use only letters, digits"),
        ({"new": "1234", "again": "1234"}, "too short"),
        ({"new": "nianianianianiania", "again": "nianianianianiania", "username": "nianianiania"}, "similar"),
        ({"again": "another"}, "differ"),
    ],
)
def test_a_mistake_is_named_and_makes_nothing(client, corpus, fields, says):
    ana()
    page = sign_up(client, corpus, **fields)
    assert page.status_code == 422
    assert says in page.content.decode()
    assert not SignUp.objects.exists()


def test_accounts_are_limited_by_address(client, corpus, monkeypatch):
    monkeypatch.setattr("accounts.sign_in.throttle.FAILURES_BY_ADDRESS", 3)
    assert FAILURES_BY_ADDRESS > 3
    answers = [sign_up(Client(), corpus, f"nia{number}").status_code for number in range(4)]
    assert answers == [302, 302, 302, 429]
    assert SignUp.objects.count() == 3


@pytest.mark.parametrize(
    ("writing", "question", "says"),
    [
        ("", "pool_is_open = false", 'wants writing = "exam"'),
        ('writing = "invitation"', "", "wants pool_needs_exam"),
        ('writing = "invitation"', "pool_is_open = false", ""),
    ],
)
def test_a_corpus_file_allows_it_only_behind_an_exam_or_an_invitation(writing, question, says):
    text = GOOD.replace('name = "Small"', f'name = "Small"\nsign_up = true\n{writing}', 1)
    text = text.replace("[question]", f"[question]\n{question}", 1)
    if not says:
        assert corpus_file_in(text, "corpus.toml").corpus.sign_up
        return
    with pytest.raises(BadCorpusFile, match=says):
        corpus_file_in(text, "corpus.toml")


def test_who_signs_up_reads_how_the_money_comes_or_whom_to_ask(client, corpus, settings):
    settings.CONTACT = "study@example.org"
    ask = "The researchers have not written here when and how the money comes."
    page = client.get(reverse("sign-up", args=[corpus.slug])).content.decode()
    assert ask in page
    assert "study@example.org" in page
    sign_up(client, corpus)
    assert ask in client.get(reverse("mine")).content.decode()
    Corpus.objects.filter(pk=corpus.pk).update(payment="By bank, each Friday.")
    page = Client().get(reverse("sign-up", args=[corpus.slug])).content.decode()
    assert ask not in page
    assert "By bank, each Friday." in page


def test_a_file_that_lets_people_sign_up_and_names_no_way_of_pay_brings_a_warning():
    keys = 'name = "Small"\nsign_up = true\nwriting = "invitation"'
    text = GOOD.replace('name = "Small"', keys, 1).replace(
        "[question]", "[question]\npool_is_open = false", 1
    )
    (warning,) = corpus_file_in(text, "corpus.toml").warnings
    assert warning.startswith("[corpus] payment: is empty.")
    assert corpus_file_in(text.replace(keys, f'{keys}\npayment = "By bank."'), "corpus.toml").warnings == ()


def test_before_the_exam_people_read_what_it_and_the_work_pay(client, corpus):
    for_each = "<bdi>$0.30</bdi> for each text."
    page = client.get(reverse("sign-up", args=[corpus.slug])).text
    assert "This exam is not paid." in page
    assert for_each in page
    sign_up(client, corpus)
    page = client.get(reverse("start")).text
    assert "This exam is not paid." in page
    assert for_each in page
