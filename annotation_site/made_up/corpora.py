"""Makes corpora of any size from words of our own.

The texts mean little; their lengths are like those of real texts.
"""

import random
from collections.abc import Iterator

from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.models import Max, Min

from accounts.models import User
from accounts.people.registration import create_person
from annotation_site.made_up.rows import unchecked
from collection.models import Corpus, Genre, Pair, Premise
from collection.premise_ids import digest_of
from validation.models import Label, LabelWording, Question
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


BASE = 2000  # pairs

COPY = """
WITH RECURSIVE copies(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM copies WHERE k < %s)
INSERT INTO {table} ({columns}) SELECT {values} FROM {table} CROSS JOIN copies WHERE {table}.id BETWEEN %s AND %s
"""


def make_open_corpus(slug: str, pairs: int) -> Question:
    """Makes `pairs` pairs with four open seats each, in the platform's order.

    The number must be below 2,000, or a multiple of it.
    """
    question = make_corpus(slug, min(pairs, BASE))
    open_all(question)
    if pairs > BASE:
        _multiply(question, pairs // BASE - 1)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return question


def _multiply(question: Question, copies: int) -> None:
    """Copies all premises, pairs and labels of the question's corpus so many times; each copy has texts of its own."""
    premises = _ids(Premise.objects.filter(corpus=question.corpus))
    pairs = _ids(Pair.objects.filter(corpus=question.corpus))
    labels = _ids(Label.objects.filter(question=question))
    last = Label.objects.filter(question=question).aggregate(last=Max("turn"))["last"]
    own_premise = f"premise_id + k * {_number(premises)}"
    with unchecked(), connection.cursor() as cursor:
        with transaction.atomic():
            names = {name: f"{name} || '-' || k" for name in ("text", "public_id", '"group"')}
            _copy(Premise, copies, premises, {**names, "digest": "k || '-' || substr(digest, 8)"})
            own = {"premise_id": own_premise, "public_id": "public_id || '-' || k"}
            _copy(Pair, copies, pairs, {**own, "hypothesis": "hypothesis || '-' || k"})
            own = {"premise_id": own_premise, "pair_id": f"pair_id + k * {_number(pairs)}"}
            _copy(
                Label,
                copies,
                labels,
                {**own, "token": "k || '-' || substr(token, 8)", "turn": f"turn + k * {last}"},
            )
        for statement in connection.ops.sequence_reset_sql(no_style(), [Premise, Pair, Label]):
            cursor.execute(statement)


def _copy(model: type[models.Model], copies: int, ids: tuple[int, int], own: dict[str, str]) -> None:
    """Copies the rows with ids in this range. `own`: column -> its value in the k-th copy."""
    own = {"id": f"id + k * {_number(ids)}", **own}
    columns = [connection.ops.quote_name(str(field.column)) for field in model._meta.local_concrete_fields]
    values = [own.get(column, own.get(column.strip('"'), column)) for column in columns]
    statement = COPY.format(table=model._meta.db_table, columns=", ".join(columns), values=", ".join(values))
    with connection.cursor() as cursor:
        cursor.execute(statement, [copies, *ids])


def _ids(rows: "models.QuerySet[models.Model]") -> tuple[int, int]:
    found = rows.aggregate(first=Min("pk"), last=Max("pk"))
    return found["first"], found["last"]


def _number(ids: tuple[int, int]) -> int:
    return ids[1] - ids[0] + 1
