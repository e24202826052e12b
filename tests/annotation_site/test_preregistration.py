"""What researchers say before the first task: hashed, never changed, in each snapshot's manifest."""

import hashlib
import json

import pytest
from django.db import IntegrityError, transaction

from annotation_site.intake.corpus_deletion import delete_corpus
from annotation_site.workspace.preregistration import preregister
from collection.errors import NotPossible
from collection.models import Corpus, OfferedText, Premise, Preregistration, WritingSeat
from collection.premises.writing_seats import make_seats
from collection.writing.claiming import claim_writing
from snapshots.verify import verify
from tests.cast import ana, rosa, signed_in
from tests.corpora import make_arm, make_corpus, make_premise
from tests.snapshots.material import corpus_of, folder, freeze, manifest

pytestmark = pytest.mark.django_db

PAGE = "/c/small/preregistration/"
TEXT = "We compare two arms.\n\nWe stop after 200 texts."


def test_the_page_begins_with_the_arms_and_registers_once():
    corpus = make_corpus()
    make_arm(corpus, "edit", share=2)
    client = signed_in(rosa())
    page = client.get(PAGE)
    assert "- edit: write, share 2" in page.context["form"]["text"].value()
    assert client.post(PAGE, {"text": " "}).status_code == 422
    untouched = client.post(PAGE, {"text": page.context["form"]["text"].value()})
    assert (
        "answer in place of each question: Question, Measures" in untouched.context["form"].errors["text"][0]
    )
    said = client.post(PAGE, {"text": TEXT.replace("\n", "\r\n")}, follow=True).content.decode()
    kept = Preregistration.objects.get()
    assert (kept.text, kept.registered_by) == (TEXT, rosa())
    assert kept.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()
    assert kept.sha256 in said
    again = client.post(PAGE, {"text": "Something else."})
    assert "is not changed" in again.context["form"].errors["text"][0]
    assert Preregistration.objects.get().text == TEXT


def test_it_is_too_late_once_somebody_began():
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, "A line.")])
    claim_writing(corpus=corpus, annotator=ana())
    with pytest.raises(NotPossible, match="too late"):
        preregister(corpus=corpus, text=TEXT)
    assert "too late" in signed_in(rosa()).get(PAGE).content.decode()


def test_a_pilot_comes_before_the_first_task():
    corpus = make_corpus()
    make_seats(premises=[make_premise(corpus, "A line.")])
    claim_writing(corpus=corpus, annotator=ana())
    WritingSeat.objects.update(is_pilot=True)
    assert preregister(corpus=corpus, text=TEXT).text == TEXT


def test_a_snapshot_publishes_the_text_and_the_checker_knows_another():
    corpus = corpus_of(3)
    Preregistration.objects.create(corpus=corpus, text=TEXT, sha256=hashlib.sha256(TEXT.encode()).hexdigest())
    snapshot = freeze(corpus)
    said = manifest(snapshot)["preregistration"]
    assert said["text"] == TEXT
    assert not verify(folder(snapshot)).findings
    path = folder(snapshot) / "manifest.json"
    altered = json.loads(path.read_text())
    altered["preregistration"]["text"] += " Or later."
    path.chmod(0o644)
    path.write_text(json.dumps(altered))
    assert "preregistration that does not match" in str(verify(folder(snapshot)).findings)


def test_one_a_corpus_and_it_goes_with_a_corpus_without_work():
    corpus = make_corpus()
    make_arm(corpus, "edit")
    OfferedText.objects.create(premise=make_premise(corpus, "A line."), text="A draft.", origin="m")
    preregister(corpus=corpus, text=TEXT)
    with pytest.raises(IntegrityError), transaction.atomic():
        Preregistration.objects.create(corpus=corpus, text="Another.", sha256="0")
    delete_corpus(corpus=corpus)
    assert not Corpus.objects.exists()
    assert not Premise.objects.exists()
