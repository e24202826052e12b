"""Makes a corpus of any size by varying real pairs: of SNLI and MultiNLI, or scenes of MPE, with five labels each.

The published files are beside the repository and not ours to copy into it; without them our own sentences are varied. A
premise is a real one with two words exchanged for others of its genre; its three hypotheses are the real ones with one
word exchanged each. Labels are distributed as in SNLI: in six of ten pairs all five agree.
"""

import csv
import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from annotation_site.made_up.corpora import LABELS, sentences
from annotation_site.made_up.rows import Rows, unchecked
from collection.models import Corpus, Genre, Pair, Premise
from collection.premise_ids import digest_of
from validation.models import Assignment, BatchItem, Label, LabelWording, Question

PEOPLE = 300
EACH = 3  # hypotheses a premise
HELD_PER_GENRE = 2000  # pairs of dev, and of test, as in MultiNLI
SPLITS = (
    (4, 0),
    (3, 1),
    (2, 2),
    (2, 1),
    (1, 3),
)  # of the other four: how many agree, how many give the next label
WEIGHTS = (58, 18, 9, 9, 6)


@dataclass(frozen=True)
class Real:
    """A published pair."""

    genre: str
    premise: tuple[str, ...]
    hypothesis: str
    label: str


def real_pairs() -> list[Real]:
    """Returns about 43,000 pairs with one sentence each.

    SNLI's dev and test, and a sample of MultiNLI's train in five genres.
    """
    folder = published()
    if folder is None:
        return list(islice(_made_up(1), 10_000))
    found = []
    for name in ("dev", "test"):
        with gzip.open(folder / "snli_gold" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            for line in map(json.loads, file):
                found.append(Real("captions", (line["premise"],), line["hypothesis"], line["label"]))
    for name in ("train", "val"):
        path = folder / "multinli_train_genre_sample" / f"mnli_{name}.tsv.gz"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                found.append(Real(row["genre"], (row["sentence1"],), row["sentence2"], row["label"]))
    random.Random(0).shuffle(found)  # so that a part of them has all genres
    return found


def real_scenes() -> list[Real]:
    """Returns the 8,000 training pairs of MPE, with four captions for each premise."""
    folder = published()
    if folder is None:
        return list(islice(_made_up(4), 8000))
    found = []
    with gzip.open(folder / "mpe" / "mpe_train.txt.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            captions = tuple(row[f"premise{number}"].split("/", 1)[1] for number in range(1, 5))
            found.append(Real("scenes", captions, row["hypothesis"], row["gold_label"]))
    return found


def published() -> Path | None:
    """Returns the folder of published corpora beside the repository; None if there is none."""
    folder = Path(settings.BASE_DIR).parent / "shared" / "data"
    return folder if folder.is_dir() else None


def _made_up(count: int) -> Iterator[Real]:
    text, number = sentences(count), 0
    while True:
        number += 1
        premise = tuple(islice(text, count))
        yield Real("own", premise, next(text), LABELS[number % 3])


def make_varied_corpus(slug: str, real: Sequence[Real], pairs: int) -> Question:
    """Makes `pairs` pairs with five labels each, three for each premise."""
    corpus = Corpus.objects.create(
        slug=slug, name=slug, dev_pairs_per_genre=HELD_PER_GENRE, test_pairs_per_genre=HELD_PER_GENRE
    )
    genres = {
        name: Genre.objects.create(corpus=corpus, slug=name, name=name.capitalize()).pk
        for name in sorted({each.genre for each in real})
    }
    question = Question.objects.create(corpus=corpus, scheme="nli3", wording="How do they relate?")
    LabelWording.objects.bulk_create(
        LabelWording(question=question, order=order, label=label, wording=label)
        for order, label in enumerate(LABELS)
    )
    people = User.objects.bulk_create(
        User(username=f"{slug}-{number}", code=f"{slug}-{number}") for number in range(PEOPLE)
    )
    words: defaultdict[str, list[str]] = defaultdict(list)
    for each in real:
        words[each.genre] += each.hypothesis.split()
    made = _Varied(question, genres, [person.pk for person in people], words)
    with unchecked():
        for number in range(-(-pairs // EACH)):
            made.add(number, real[number % len(real)], min(EACH, pairs - EACH * number))
        made.rows.write()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return question


def varied(dice: random.Random, sentence: str, words: Sequence[str], exchanged: int) -> str:
    """Returns the sentence with so many of its words exchanged."""
    parts = sentence.split()
    for _ in range(min(exchanged, len(parts))):
        parts[dice.randrange(len(parts))] = dice.choice(words)
    return " ".join(parts)


class _Varied:
    """Makes premises, pairs and labels of real ones."""

    def __init__(
        self, question: Question, genres: dict[str, int], people: list[int], words: Mapping[str, list[str]]
    ) -> None:
        self.corpus, self.question = question.corpus_id, question.pk
        self.genres, self.people, self.words = genres, people, words
        self.now = timezone.now().isoformat()
        self.dice = random.Random(self.corpus)
        self.rows = Rows()

    def add(self, number: int, each: Real, pairs: int) -> None:
        """Adds one premise with its pairs and their labels."""
        name, words = f"p{number}", self.words[each.genre]
        captions = [varied(self.dice, sentence, words, 2) for sentence in each.premise]
        captions[0] += f" {number}"  # so that no two premises are the same
        premise = self.rows.add(
            Premise, corpus_id=self.corpus, genre_id=self.genres[each.genre], public_id=name, group=name,
            text="\n".join(captions), sentence_count=len(captions), digest=digest_of(captions), place=1,
        )  # fmt: skip
        shared = {"premise_id": premise, "author_id": self.people[number // 20 % PEOPLE], "scheme": "nli3"}
        for which in range(pairs):
            label = LABELS[(LABELS.index(each.label) + which) % 3]
            pair = self.rows.add(
                Pair, corpus_id=self.corpus, public_id=f"{name}{label[0]}", author_label=label,
                hypothesis=varied(self.dice, each.hypothesis, words, 1), **shared,
            )  # fmt: skip
            for position, given in enumerate(self._votes(label), start=1):
                self.rows.add(
                    Label, question_id=self.question, pair_id=pair, position=position, label=given,
                    annotator_id=self.people[(number // 20 + 61 * (position - 1)) % PEOPLE],
                    origin="author" if position == 1 else "cast", token=f"{pair}-{position}", cast_at=self.now, **shared,
                )  # fmt: skip

    def _votes(self, label: str) -> list[str]:
        """Returns the author's label and four more."""
        agree, differ = self.dice.choices(SPLITS, WEIGHTS)[0]
        at = LABELS.index(label)
        votes = (
            [label] * agree + [LABELS[(at + 1) % 3]] * differ + [LABELS[(at + 2) % 3]] * (4 - agree - differ)
        )
        self.dice.shuffle(votes)
        return [label, *votes]


REASON = "The second sentence says more than the first one does."
# A reason for label 2; labels 6 and 7, asked for later; the answer to a question about grammar; a model's label; a skip.
REASONS = "UPDATE {label} SET reason = %(reason)s WHERE question_id = %(question)s AND position = 2"
GIVEN = """
INSERT INTO {label} (pair_id, premise_id, question_id, author_id, annotator_id, position, label, origin, token, cast_at,
  scheme, sentence, withdrawn_because, model, reason)
SELECT pair_id, premise_id, more.question_id, author_id, CASE more.origin WHEN 'model' THEN NULL ELSE annotator_id END,
  more.position, COALESCE(more.label, l.label), more.origin, l.token || more.suffix, cast_at, more.scheme, 0, '',
  more.model, ''
FROM {label} l JOIN (VALUES
  (2, %(question)s, 6, 'imported', NULL, 'nli3', '', 'x'),
  (3, %(question)s, 7, 'imported', NULL, 'nli3', '', 'y'),
  (4, %(other)s, 1, 'cast', 'minor', 'grammar3', '', 'g'),
  (1, %(question)s, NULL, 'model', NULL, 'nli3', 'bench-model', 'm')
) AS more(like_label, question_id, position, origin, label, scheme, model, suffix) ON more.like_label = l.position
WHERE l.question_id = %(question)s
"""
DATES = """
UPDATE {label} SET cast_at = now() - pair_id %% 70 * interval '1 day' WHERE question_id = %(question)s AND origin = 'cast'
"""
ITEMS = """
INSERT INTO {item} (assignment_id, seat_id, "order", answer, active_ms, lost)
SELECT batch.id, seat.id, row_number() OVER (PARTITION BY batch.id ORDER BY seat.id) %% 30000, seat.label,
  3000 + floor(random() * 9000)::int, false
FROM {label} AS seat JOIN {batch} AS batch
  ON batch.annotator_id = seat.annotator_id AND batch.question_id = seat.question_id
WHERE seat.question_id = %(question)s AND seat.origin = 'cast'
"""
SKIPS = """
INSERT INTO {item} (assignment_id, seat_id, "order", skip_reason, lost)
SELECT batch.id, seat.id, row_number() OVER (PARTITION BY batch.id ORDER BY seat.id), 'unclear', false
FROM {label} seat JOIN {label} other ON other.pair_id = seat.pair_id AND other.question_id = seat.question_id
  AND other.position = 4
JOIN {batch} batch ON batch.annotator_id = other.annotator_id AND batch.question_id = seat.question_id
WHERE seat.question_id = %(question)s AND seat.position = 5
"""


def add_batches(question: Question) -> None:
    """Gives the labels of validators timed batches and dates in ten weeks, by a few statements."""
    people = Label.objects.filter(question=question, origin="cast").values_list("annotator", flat=True)
    _add(question, people, (DATES, ITEMS))


def add_answers(question: Question) -> None:
    """Adds five answers to every pair, by a few statements."""
    other = Question.objects.create(
        corpus=question.corpus,
        slug="grammar",
        is_main=False,
        scheme="grammar3",
        wording="Is it good English?",
        seats=1,
        threshold=1,
    )
    people = Label.objects.filter(question=question, position=4).values_list("annotator", flat=True)
    _add(question, people, (REASONS, GIVEN, SKIPS), other=other.pk, reason=REASON)


def _add(
    question: Question, people: "QuerySet[Label, Any]", statements: Sequence[str], **values: Any
) -> None:
    """Makes a closed batch for each of these people, and executes the statements."""
    now = timezone.now()
    Assignment.objects.bulk_create(
        Assignment(question=question, annotator_id=person, leased_until=now, closed_at=now)
        for person in people.distinct()
    )
    tables = {
        "label": Label._meta.db_table,
        "item": BatchItem._meta.db_table,
        "batch": Assignment._meta.db_table,
    }
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement.format(**tables), {"question": question.pk, **values})
        cursor.execute("ANALYZE")
