"""Corpora with labels for the tests of snapshots."""

import hashlib
import json
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from django.utils import timezone

from accounts.models import User
from collection.models import Corpus, Genre, Pair, Premise
from snapshots.freezing.job import freeze_snapshot, request_freeze
from snapshots.models import Snapshot
from tests.cast import ana, people
from tests.corpora import make_corpus, make_pair, make_premises
from validation.models import Label, Question

LETTERS = {"e": "entailment", "n": "neutral", "c": "contradiction"}


def corpus_of(
    premises: int = 12, *, slug: str = "small", dev: int = 3, test: int = 3, **fields: Any
) -> Corpus:
    """Makes `premises` premises with three pairs each, all with five labels; the gold label is the author's."""
    corpus = make_corpus(slug=slug, dev_pairs_per_genre=dev, test_pairs_per_genre=test, **fields)
    add_premises(corpus, [f"Line {number} of a story." for number in range(premises)])
    return corpus


def add_genre(corpus: Corpus, slug: str, *, in_training: bool = True) -> Genre:
    return Genre.objects.create(corpus=corpus, slug=slug, name=slug.title(), in_training=in_training)


def add_premise(
    corpus: Corpus, text: str, *, genre: str = "fiction", group: str = "", validated: bool = True
) -> Premise:
    """Adds a premise with a pair for each label."""
    return add_premises(corpus, [text], genre=genre, group=group, validated=validated)[0]


def add_premises(
    corpus: Corpus, texts: Sequence[str], *, genre: str = "fiction", group: str = "", validated: bool = True
) -> list[Premise]:
    """Adds premises with a pair for each label, in a few queries for any number."""
    if not texts:
        return []
    extra = {"group": group} if group else {}
    premises = make_premises(corpus, texts, genre=genre, **extra)
    author = ana()
    pairs = Pair.objects.bulk_create(
        Pair(
            corpus=corpus,
            scheme=corpus.scheme,
            **pair_fields(premise, letter, f"{label} of: {premise.text}", author),
        )
        for premise in premises
        for letter, label in LETTERS.items()
    )
    if validated:
        label_pairs([(pair, letter * 5) for pair, letter in zip(pairs, cycle(LETTERS), strict=False)])
    return premises


def add_pair(premise: Premise, letter: str, hypothesis: str, **fields: Any) -> Pair:
    """Adds a pair that Ana wrote for a label; its public id follows from its texts."""
    return make_pair(premise.corpus, **{**pair_fields(premise, letter, hypothesis, ana()), **fields})


def pair_fields(premise: Premise, letter: str, hypothesis: str, author: User) -> dict[str, Any]:
    return {
        "premise": premise,
        "hypothesis": hypothesis,
        "author": author,
        "author_label": LETTERS[letter],
        "public_id": f"{premise.public_id}-{hashlib.sha256(hypothesis.encode()).hexdigest()[:6]}",
    }


def published_pair(
    corpus: Corpus, premise: Premise, label: str, partition: str | None, name: str, **fields: Any
) -> Pair:
    """Adds a pair of a published file, with a gold label and without votes."""
    return make_pair(
        corpus,
        premise,
        fields.pop("hypothesis", f"Hypothesis {name}."),
        published_label=label,
        published_partition=partition,
        public_id=name,
        **fields,
    )


def label_pair(pair: Pair, letters: str) -> None:
    """Adds labels 1..N to a pair: the first is the author's, v2, v3, ... cast the others."""
    label_pairs([(pair, letters)])


def label_pairs(labelled: Sequence[tuple[Pair, str]]) -> None:
    question = Question.objects.get(corpus=labelled[0][0].corpus_id, is_main=True)
    validators = people(f"v{position}" for position in range(2, 6))
    Label.objects.bulk_create(
        Label(
            question=question,
            pair=pair,
            premise_id=pair.premise_id,
            scheme=pair.scheme,
            position=position,
            origin=Label.Origin.AUTHOR if position == 1 else Label.Origin.CAST,
            author=pair.author,
            annotator=pair.author if position == 1 else validators[f"v{position}"],
            leased_until=None if position == 1 else timezone.now(),
            label=LETTERS[letter],
            cast_at=timezone.now(),
        )
        for pair, letters in labelled
        for position, letter in enumerate(letters, start=1)
    )


def freeze(corpus: Corpus, **options: Any) -> Snapshot:
    corpus.refresh_from_db()
    return freeze_snapshot(snapshot_id=request_freeze(corpus=corpus, **options).pk)


def folder(snapshot: Snapshot) -> Path:
    return Snapshot.objects.select_related("corpus").get(pk=snapshot.pk).folder


def lines(snapshot: Snapshot, partition: str) -> list[dict[str, Any]]:
    path = folder(snapshot) / f"{partition}.jsonl"
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def manifest(snapshot: Snapshot) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((folder(snapshot) / "manifest.json").read_bytes())
    return told


def where(snapshot: Snapshot) -> dict[str, str]:
    """Returns pairID -> partition."""
    return {line["pairID"]: part for part in ("train", "dev", "test") for line in lines(snapshot, part)}
