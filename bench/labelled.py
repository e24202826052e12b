"""Makes a corpus in which every pair has five labels, in the database alone.

Half a million pairs in a minute or two.
"""

from typing import Any

from django.db import connection
from django.utils import timezone

from accounts.models import User
from bench.corpora import LABELS
from bench.rows import unchecked
from collection.models import Corpus, Genre, Pair, Premise
from validation.models import Assignment, BatchItem, Label, LabelWording, Question

VALIDATORS, AUTHORS, GENRES, PAIRS_A_PREMISE = 300, 60, 10, 3
SHARE_OF_AUTHORS_LABEL = 0.85  # of the validators' labels; the others are drawn among all three

PREMISES = """
INSERT INTO {premise} (corpus_id, genre_id, source_id, text, digest, public_id, "group", document, line, sentence_count,
  status, dropped_because, place, created_at)
SELECT %(corpus)s, %(genre)s + n %% {genres}, NULL, 'Premise number ' || n || '.', lpad(n::text, 64, '0'), 'p' || n,
  'p' || n, '', NULL, 1, 'open', '', n, now()
FROM generate_series(0, %(premises)s - 1) AS n ORDER BY n
"""
PAIRS = """
INSERT INTO {pair} (corpus_id, premise_id, hypothesis, public_id, scheme, author_id, author_label, published_partition,
  withdrawn_because, construction, created_at)
SELECT %(corpus)s, %(premise)s + n / {each}, 'Hypothesis number ' || n || '.', 'h' || n, 'nli3',
  %(author)s + n / 50 %% {authors}, ({labels})[1 + n %% 3],
  (ARRAY['train', 'train', 'dev', 'test'])[1 + n / {each} %% 4], '', '', now()
FROM generate_series(0, %(pairs)s - 1) AS n ORDER BY n
"""
# The seats of one pair go to people far apart; the same people meet on pairs in a row, so that kappas have enough.
GIVEN = """
INSERT INTO {label} (question_id, pair_id, premise_id, sentence, position, scheme, origin, token, author_id, annotator_id,
  label, cast_at, withdrawn_because, model, reason)
SELECT %(question)s, %(pair)s + n, %(premise)s + n / {each}, 0, position, 'nli3',
  CASE position WHEN 1 THEN 'author' ELSE 'cast' END, %(question)s || '-' || n || '-' || position,
  %(author)s + n / 50 %% {authors},
  CASE position WHEN 1 THEN %(author)s + n / 50 %% {authors}
    ELSE %(validator)s + (n / 20 + position * 61) %% {validators} END,
  ({labels})[1 + CASE WHEN position = 1 OR random() < {share} THEN n %% 3 ELSE floor(random() * 3)::int END],
  now() - n %% 70 * interval '1 day', '', '', ''
FROM generate_series(0, %(pairs)s - 1) AS n CROSS JOIN generate_series(1, 5) AS position ORDER BY n, position
"""
ITEMS = """
INSERT INTO {item} (assignment_id, seat_id, "order", answer, active_ms, lost)
SELECT batch.id, seat.id, row_number() OVER (PARTITION BY batch.id ORDER BY seat.id) %% 30000,
  seat.label, 3000 + floor(random() * 9000)::int, false
FROM {label} AS seat JOIN {assignment} AS batch
  ON batch.annotator_id = seat.annotator_id AND batch.question_id = seat.question_id
WHERE seat.question_id = %(question)s AND seat.origin = 'cast'
"""


def make_labelled_corpus(slug: str, pairs: int) -> Question:
    """Makes `pairs` elicited pairs in ten genres, three for each premise, with five timed labels over ten weeks.

    On PostgreSQL only, in a database that nobody else writes to: the ids of one statement are assumed to be
    consecutive.
    """
    corpus = Corpus.objects.create(slug=slug, name=slug)
    genres = Genre.objects.bulk_create(
        Genre(corpus=corpus, slug=f"g{number}", name=f"Genre {number}") for number in range(GENRES)
    )
    question = Question.objects.create(
        corpus=corpus, scheme="nli3", wording="How do they relate?", pay_cents=5
    )
    LabelWording.objects.bulk_create(
        LabelWording(question=question, order=order, label=label, wording=label)
        for order, label in enumerate(LABELS)
    )
    people = User.objects.bulk_create(
        User(username=f"{slug}-{number}", code=f"{slug}-{number}") for number in range(VALIDATORS + AUTHORS)
    )
    now = timezone.now()
    values = {
        "corpus": corpus.pk,
        "question": question.pk,
        "genre": genres[0].pk,
        "validator": people[0].pk,
        "author": people[VALIDATORS].pk,
        "pairs": pairs,
        "premises": -(-pairs // PAIRS_A_PREMISE),
    }
    with unchecked(Label, BatchItem), connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0.5)")
        _run(cursor, PREMISES, values)
        values["premise"] = Premise.objects.filter(corpus=corpus).earliest("pk").pk
        _run(cursor, PAIRS, values)
        values["pair"] = Pair.objects.filter(corpus=corpus).earliest("pk").pk
        Assignment.objects.bulk_create(
            Assignment(question=question, annotator=person, leased_until=now, closed_at=now)
            for person in people[:VALIDATORS]
        )
        _run(cursor, GIVEN, values)
        _run(cursor, ITEMS, values)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return question


def _run(cursor: Any, statement: str, values: dict[str, int]) -> None:
    filled = statement.format(
        premise=Premise._meta.db_table,
        pair=Pair._meta.db_table,
        label=Label._meta.db_table,
        assignment=Assignment._meta.db_table,
        item=BatchItem._meta.db_table,
        labels="ARRAY['" + "','".join(LABELS) + "']",
        share=SHARE_OF_AUTHORS_LABEL,
        validators=VALIDATORS,
        authors=AUTHORS,
        genres=GENRES,
        each=PAIRS_A_PREMISE,
    )
    cursor.execute(filled, values)
