"""All work of a corpus is paused and goes on; a corpus that is over is archived; one without work is deleted."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation_site.intake import corpus_deletion
from annotation_site.intake.corpus_deletion import HoldsWork, delete_corpus
from annotation_site.intake.corpus_files import load
from annotation_site.intake.corpus_text import BEGINNINGS, beginning
from collection.corpora import states
from collection.corpora.corpus_file import corpus_file_in
from collection.errors import Paused
from collection.models import (
    Corpus,
    LedgerEntry,
    Pair,
    Premise,
    Prompt,
    PromptReading,
    SignUp,
    Visit,
)
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing, why_no_work
from collection.writing.submitting import submit_writing
from tests.corpora import LABELS, make_corpus, make_link, make_pair, make_premise
from validation.annotators.membership import invite
from validation.errors import NoWork
from validation.labelling.claiming import claim_batch
from validation.models import Question
from validation.pairs.opening import open_for_validation
from validation.start_page.offers import offers_for

pytestmark = pytest.mark.django_db
PAGE = "/c/small/settings/state/"


@pytest.fixture
def corpus() -> Corpus:
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, text) for text in ("A dog runs.", "A cat sleeps.")])
    return corpus


@pytest.fixture
def client(browser_of, rosa):
    return browser_of(rosa)


def fresh(corpus: Corpus) -> Corpus:
    return Corpus.objects.get(pk=corpus.pk)


def test_a_pause_gives_nobody_a_new_text_and_takes_what_is_begun(corpus, ana, vera):
    token = claim_writing(corpus=corpus, annotator=ana).token
    assert states.pause(corpus=corpus)
    assert not states.pause(corpus=corpus)
    assert claim_writing(corpus=fresh(corpus), annotator=ana).token == token
    assert [offer.writes for offer in offers_for(ana)] == [True]
    with pytest.raises(Paused):
        claim_writing(corpus=fresh(corpus), annotator=vera)
    assert isinstance(why_no_work(corpus=fresh(corpus), annotator=vera), Paused)
    assert offers_for(vera) == []
    texts = {label: f"It is {label} that a dog is there." for label in LABELS}
    submit_writing(annotator=ana, token=token, texts=texts, key="1")
    assert LedgerEntry.objects.get(user=ana).cents == 30
    assert Pair.objects.standing().count() == 3
    assert offers_for(ana) == []
    assert states.resume(corpus=corpus)
    assert claim_writing(corpus=fresh(corpus), annotator=vera).token


def test_a_pause_gives_nobody_a_new_batch(corpus, vera):
    question = Question.objects.get(corpus=corpus)
    premise = Premise.objects.all()[0]
    make_pair(corpus, premise, "It rests.", author_label="neutral")
    open_for_validation(question=question, pairs=Pair.objects.all())
    invite(question=question, annotator=vera)
    states.pause(corpus=corpus)
    with pytest.raises(NoWork, match="paused this work"):
        claim_batch(question=Question.objects.get(), annotator=vera)
    assert offers_for(vera) == []
    states.resume(corpus=corpus)
    assert claim_batch(question=Question.objects.get(), annotator=vera).items


def test_a_writer_reads_why_there_is_nothing(corpus, ana, browser_of):
    states.pause(corpus=corpus)
    assert "paused this work" in browser_of(ana).get("/work/writing/small/").content.decode()


def test_the_database_keeps_an_archived_corpus_paused(corpus):
    with pytest.raises(IntegrityError), transaction.atomic():
        Corpus.objects.update(archived_at=timezone.now())
    states.archive(corpus=corpus)
    assert fresh(corpus).paused_at
    assert not states.resume(corpus=corpus)
    assert states.restore(corpus=corpus)
    assert not states.restore(corpus=corpus)
    assert fresh(corpus).paused_at


def test_an_archived_corpus_leaves_the_lists_and_can_be_read(corpus, client):
    make_corpus(slug="other")
    done = client.post(PAGE, {"do": "archive"}, follow=True).content.decode()
    assert "The corpus is archived." in done
    home = client.get("/admin/").content.decode()
    assert "The small corpus" not in home
    assert "Archived corpora (1)" in home
    assert "The small corpus" in client.get("/admin/?archived=1").content.decode()
    assert "This corpus is archived" in client.get("/c/small/").content.decode()
    assert "The small corpus" not in client.get("/c/other/").content.decode()
    client.post(PAGE, {"do": "restore"})
    assert "The small corpus" in client.get("/admin/").content.decode()
    Corpus.objects.update(sign_up=True)
    assert client.get("/join/small/").status_code == 200
    client.post(PAGE, {"do": "archive"})
    assert client.get("/join/small/").status_code == 404


def test_the_page_says_what_a_pause_does(corpus, client, ana):
    claim_writing(corpus=corpus, annotator=ana)
    assert "now 1 text and 0 batches" in client.get(PAGE).content.decode()
    assert "Resume the work" in client.post(PAGE, {"do": "pause"}, follow=True).content.decode()
    assert "All work is paused" in client.get("/c/small/").content.decode()
    client.post(PAGE, {"do": "resume"})
    assert fresh(corpus).paused_at is None
    assert client.post(PAGE, {"do": "nonsense"}).status_code == 200


@pytest.mark.parametrize("name", BEGINNINGS)
def test_a_corpus_without_work_is_deleted_with_all_that_describes_it(name):
    keep = make_corpus(slug="keep")
    make_premise(keep, "It stays.")
    load(corpus_file_in(beginning(name), "file"))
    corpus = Corpus.objects.exclude(pk=keep.pk).get()
    if corpus.prompts.exists():
        genre = corpus.genres.first()
        make_seats(premises=[make_premise(corpus, "It goes.", genre=genre.slug)])
    make_link(corpus, name="a")
    delete_corpus(corpus=corpus)
    assert list(Corpus.objects.all()) == [keep]
    assert Premise.objects.get().text == "It stays."
    assert Prompt.objects.count() == 1


def test_the_page_deletes_after_the_short_name_was_typed(corpus, client):
    wrong = client.post(PAGE, {"do": "delete", "slug": "smal"})
    assert (wrong.status_code, Corpus.objects.count()) == (422, 1)
    assert "Type the short name" in wrong.content.decode()
    assert (
        "is deleted" in client.post(PAGE, {"do": "delete", "slug": " small "}, follow=True).content.decode()
    )
    assert not Corpus.objects.exists()


def begun(corpus, ana):
    claim_writing(corpus=corpus, annotator=ana)


def signed_up(corpus, ana):
    SignUp.objects.create(user=ana, corpus=corpus)


def read(corpus, ana):
    PromptReading.objects.create(annotator=ana, version=corpus.prompts.get().versions.get())


def visited(corpus, ana):
    link = make_link(corpus, name="a")
    Visit.objects.create(link=link, user=ana, session="s")


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (begun, "This corpus holds 1 text begun, so it is not deleted."),
        (signed_up, "1 person who signed up"),
        (read, "1 reading of instructions"),
        (visited, "1 visit by a link"),
    ],
)
def test_a_corpus_with_work_stays_and_says_which(corpus, client, ana, work, said):
    work(corpus, ana)
    assert said in client.get(PAGE).content.decode()
    answer = client.post(PAGE, {"do": "delete", "slug": "small"})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert Premise.objects.count() == 2


def test_what_this_module_does_not_know_keeps_a_corpus_too(corpus, ana, monkeypatch):
    begun(corpus, ana)
    monkeypatch.setattr(corpus_deletion, "WORK", ())
    with pytest.raises(HoldsWork), transaction.atomic():
        delete_corpus(corpus=corpus)
    assert Corpus.objects.exists()


def test_every_model_that_refers_to_a_corpus_is_work_or_description():
    work, description = (
        {model for model, *_ in rows} for rows in (corpus_deletion.WORK, corpus_deletion.DESCRIPTION)
    )
    assert not work & description
    refers = {
        each.related_model for each in Corpus._meta.related_objects if each.on_delete.__name__ == "PROTECT"
    }
    assert refers <= work | description
