"""Drawn ids, texts and seeds go in by import, page, REST and command. Whatever is stored afterwards, all pages open."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from django.db import transaction
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from collection.models import Pair, WritingAssignment
from collection.premises.writing_seats import make_seats
from collection.texts import flaw_in, one_line, visible
from collection.writing.claiming import claim_writing
from collection.writing.prompts import read_prompt
from tests.cast import ana, rosa, signed_in, vera, with_token
from tests.commands import run, write_jsonl
from tests.corpora import make_corpus, make_pair, make_premise
from validation.labelling.claiming import claim_batch
from validation.models import Label, Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db
ODD = "\n\r\t\x00\x07\x1b\x7f\x85\x9b\u2028\u202e\u2066\u200f\u200d/\\.#?%&<>\"'~=+ aé漢👍\U000e0041"
texts = st.text(st.sampled_from(ODD) | st.characters(codec="utf-8"), max_size=12)
names = texts | st.sampled_from(["..", ".", "a/../b", "a//b", "%0a", "a" * 201, "-1", "nul\x00"])
lines = st.fixed_dictionaries(
    {"premise": texts.map("A dog. {}".format), "hypothesis": texts, "label": st.just("neutral"), "id": names},
    optional=dict.fromkeys(("premise_id", "group", "document", "genre", "author"), names),
)
seeds = st.integers(-(2**70), 2**70) | st.sampled_from([-1, 0, 2**31 - 1, 2**31, 2**63])
few = settings(deadline=None, max_examples=8, suppress_health_check=list(HealthCheck))


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def all_pages_open(slug: str) -> None:
    browser = signed_in(rosa())
    addresses = [
        f"/corpora/{slug}/pairs/",
        f"/c/{slug}/premises/",
        f"/c/{slug}/texts/",
        "/search/?q=dog",
        "/admin/collection/source/",
        *(reverse("pair", args=[slug, name]) for name in Pair.objects.values_list("public_id", flat=True)),
    ]
    for address in addresses:
        assert browser.get(address).status_code == 200, address


@few
@given(st.lists(lines, min_size=1, max_size=3), names)
def test_what_an_import_takes_opens_and_what_it_does_not_is_counted(records, document):
    with undone(), TemporaryDirectory() as folder:
        path = write_jsonl(Path(folder) / "a\u202eb.jsonl", [json.dumps(each) for each in records])
        told = run("import_pairs", "new", path, format="jsonl", json=True)
        found = list(Pair.objects.all())
        for pair in found:
            assert pair.hypothesis == one_line(pair.hypothesis)
            for name in (pair.public_id, pair.premise.public_id, pair.premise.group, pair.premise.document):
                assert flaw_in(name) == ""
        if found:
            counted = told.json
            assert counted["pairs"] + counted["refused_count"] + counted["skipped"] == len(records)
            all_pages_open("new")
        else:
            assert told.failure


@few
@given(texts, texts, st.booleans())
def test_what_people_write_opens(typed, reason, by_page):
    with undone():
        corpus = make_corpus()
        make_seats(premises=[make_premise(corpus, "A dog sleeps.")])
        question = Question.objects.get(corpus=corpus)
        pair = make_pair(corpus, make_premise(corpus, "A cat sleeps."), "It sleeps.", author_label="neutral")
        open_for_validation(question=question, pairs=Pair.objects.filter(pk=pair.pk))
        version = corpus.genres.get().prompt.versions.get()
        read_prompt(annotator=ana(), version=version, answers={})
        task = claim_writing(corpus=corpus, annotator=ana())
        sent = {
            "entailment": f"An animal {typed}",
            "neutral": "It is old today.",
            "contradiction": "Nothing sleeps.",
        }
        if by_page:
            fields = {f"text-{label}": text for label, text in sent.items()}
            answer: Any = signed_in(ana()).post(
                "/work/writing/small/", {**fields, "token": task.token, "key": task.token}
            )
        else:
            answer = with_token(ana()).post(
                "/api/v1/work/writing/submit/",
                {"assignment": task.token, "texts": sent, "idempotency_key": "k"},
            )
        assert answer.status_code < 500
        batch = claim_batch(annotator=vera(), question=question)
        slot = batch.items[0].seat.token
        body = {"assignment": batch.assignment.token, "labels": {slot: "neutral"}, "reasons": {slot: reason}}
        answer = with_token(vera()).post("/api/v1/work/validation/submit", {**body, "idempotency_key": "k"})
        assert answer.status_code == (400 if "\0" in reason else 200), answer.content
        for pair in Pair.objects.all():
            assert pair.hypothesis == one_line(pair.hypothesis)
        for label in Label.objects.exclude(reason=""):
            assert label.reason == visible(label.reason)
        assert WritingAssignment.objects.count() == 1
        all_pages_open("small")


@few
@given(seeds)
def test_a_seed_is_stored_or_refused_in_words(seed):
    with undone():
        corpus = make_corpus()
        make_pair(corpus, make_premise(corpus, "A cat sleeps."), "It sleeps.", author_label="neutral")
        told = run("freeze_snapshot", "small", f"--seed={seed}")
        answer = with_token(rosa()).post("/api/v1/snapshots/", {"corpus": "small", "seed": seed})
        fits = 0 <= seed < 2**31
        assert (told.failure == "", answer.status_code < 400) == (fits, fits), (told, answer.content)
        page = signed_in(rosa()).post(reverse("freeze", args=["small"]), {"seed": str(seed)})
        assert page.status_code < 500
