"""Makes corpora of any size from words of our own.

The texts mean little; their lengths are like those of real texts.
"""

import random
from collections.abc import Iterator

from accounts.models import User
from accounts.people.registration import create_person
from collection.models import Corpus, Genre, Pair, Premise
from collection.premise_ids import digest_of
from validation.models import LabelWording, Question
from validation.pairs.opening import open_for_validation

LABELS = ("entailment", "neutral", "contradiction")
WORDS = tuple(
    word
    for line in (
        "river lamp quiet runs market old teacher opens window green letters under bridge morning seven",
        "carries bread before rain children answer slowly house near garden stone work small always",
        "brings paper north city train waits friend over table bright water",
    )
    for word in line.split()
)


def sentences(seed: int) -> Iterator[str]:
    """Yields different sentences of 5 to 25 words, without end."""
    dice = random.Random(seed)
    number = 0
    while True:
        number += 1
        yield " ".join(dice.choices(WORDS, k=dice.randint(5, 25))) + f" {number}."


def make_corpus(slug: str, pairs: int) -> Question:
    """Makes `pairs` elicited pairs, three for each premise, none of them open for labelling."""
    corpus = Corpus.objects.create(slug=slug, name=slug)
    genre = Genre.objects.create(corpus=corpus, slug="all", name="All")
    question = Question.objects.create(
        corpus=corpus, scheme="nli3", wording="How do they relate?", pay_cents=5
    )
    LabelWording.objects.bulk_create(
        LabelWording(question=question, order=order, label=label, wording=label)
        for order, label in enumerate(LABELS)
    )
    author = create_person(username=f"{slug}-author", password=None)
    text = sentences(len(slug))
    premises = Premise.objects.bulk_create(
        (_premise(corpus, genre, next(text), number) for number in range(-(-pairs // 3))), batch_size=5000
    )
    Pair.objects.bulk_create(
        (_pair(premises[number // 3], author, next(text), LABELS[number % 3]) for number in range(pairs)),
        batch_size=5000,
    )
    return question


def open_all(question: Question) -> None:
    open_for_validation(question=question, pairs=Pair.objects.filter(corpus=question.corpus))


def _premise(corpus: Corpus, genre: Genre, text: str, number: int) -> Premise:
    name = f"p{number}"
    return Premise(
        corpus=corpus, genre=genre, text=text, digest=digest_of([text]), public_id=name, group=name
    )


def _pair(premise: Premise, author: User, text: str, label: str) -> Pair:
    return Pair(
        corpus=premise.corpus,
        premise=premise,
        hypothesis=text,
        scheme="nli3",
        author=author,
        author_label=label,
    )
