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
from typing import IO

from django.conf import settings
from django.db import connection
from django.utils import timezone

from accounts.models import User
from bench.corpora import LABELS, sentences
from collection.models import Corpus, Genre, Premise
from collection.premise_ids import digest_of
from validation.models import LabelWording, Question

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


def make_varied_corpus(slug: str, real: Sequence[Real], pairs: int, folder: Path) -> Question:
    """Makes `pairs` pairs with five labels each, three for each premise, by COPY. `folder`: for temporary files."""
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
    people = User.objects.bulk_create(User(username=f"{slug}-{number}") for number in range(PEOPLE))
    _Tables(corpus.pk, question.pk, genres, [person.pk for person in people], folder).fill(real, pairs)
    return question


class _Tables:
    """Writes premises, pairs and labels as text for COPY, and copies them in."""

    COLUMNS = {
        "collection_premise": 'id, corpus_id, genre_id, public_id, "group", text, sentence_count, digest, status,'
        " dropped_because, document, place, created_at",
        "collection_pair": "id, corpus_id, premise_id, public_id, hypothesis, scheme, author_id, author_label,"
        " withdrawn_because, construction, created_at",
        "validation_label": "pair_id, premise_id, question_id, author_id, annotator_id, position, label, origin,"
        " token, cast_at, scheme, sentence, withdrawn_because, model, reason",
    }

    def __init__(
        self, corpus: int, question: int, genres: dict[str, int], people: list[int], folder: Path
    ) -> None:
        self.corpus, self.question, self.genres, self.people = corpus, question, genres, people
        self.paths = {table: folder / f"{table}.tsv" for table in self.COLUMNS}
        self.now = timezone.now().isoformat()
        self.dice = random.Random(self.corpus)
        newest = Premise.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        self.first = newest + 1

    def fill(self, real: Sequence[Real], pairs: int) -> None:
        words: defaultdict[str, list[str]] = defaultdict(list)
        for each in real:
            words[each.genre] += each.hypothesis.split()
        files = {table: path.open("w", encoding="utf-8") for table, path in self.paths.items()}
        for number in range(-(-pairs // EACH)):
            each = real[number % len(real)]
            many = min(EACH, pairs - EACH * number)
            self._write(files, number, each, words[each.genre], many)
        for file in files.values():
            file.close()
        self._copy()

    def _write(
        self, files: Mapping[str, IO[str]], number: int, each: Real, words: list[str], many: int
    ) -> None:
        """Writes one premise with its pairs and their labels."""
        key, name = self.first + number, f"p{number}"
        captions = [self._varied(sentence, words, 2) for sentence in each.premise]
        captions[0] += f" {number}"  # so that no two premises are the same
        self._row(
            files["collection_premise"],
            (key, self.corpus, self.genres[each.genre], name, name, "\n".join(captions), len(captions)),
            (digest_of(captions), "open", "", "", 1, self.now),
        )
        for which in range(many):
            pair, author = EACH * key + which, self.people[number // 20 % PEOPLE]
            label = LABELS[(LABELS.index(each.label) + which) % 3]
            self._row(
                files["collection_pair"],
                (pair, self.corpus, key, f"{name}{label[0]}", self._varied(each.hypothesis, words, 1)),
                ("nli3", author, label, "", "", self.now),
            )
            for position, given in enumerate(self._votes(label), start=1):
                who = self.people[(number // 20 + 61 * (position - 1)) % PEOPLE]
                self._row(
                    files["validation_label"],
                    (pair, key, self.question, author, who, position, given),
                    (
                        "author" if position == 1 else "cast",
                        f"{pair}-{position}",
                        self.now,
                        "nli3",
                        0,
                        "",
                        "",
                        "",
                    ),
                )

    @staticmethod
    def _row(file: IO[str], *cells: tuple[object, ...]) -> None:
        text = "\t".join(
            str(cell).replace("\\", "\\\\").replace("\t", " ").replace("\n", "\\n")
            for part in cells
            for cell in part
        )
        file.write(text + "\n")

    def _varied(self, sentence: str, words: list[str], exchanged: int) -> str:
        parts = sentence.split()
        for _ in range(min(exchanged, len(parts))):
            parts[self.dice.randrange(len(parts))] = self.dice.choice(words)
        return " ".join(parts)

    def _votes(self, label: str) -> list[str]:
        """Returns the author's label and four more."""
        agree, differ = self.dice.choices(SPLITS, WEIGHTS)[0]
        at = LABELS.index(label)
        votes = (
            [label] * agree + [LABELS[(at + 1) % 3]] * differ + [LABELS[(at + 2) % 3]] * (4 - agree - differ)
        )
        self.dice.shuffle(votes)
        return [label, *votes]

    def _copy(self) -> None:
        """Copies without checking foreign keys, which are all valid: the checks would take most of the time."""
        with connection.cursor() as cursor:
            cursor.execute("SET session_replication_role = replica")
            for table, columns in self.COLUMNS.items():
                with self.paths[table].open(encoding="utf-8") as file:
                    cursor.copy_expert(f"COPY {table} ({columns}) FROM STDIN", file)
                self.paths[table].unlink()
            cursor.execute("SET session_replication_role = DEFAULT")
            for table in ("collection_premise", "collection_pair"):
                cursor.execute(
                    f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
                )
            cursor.execute("ANALYZE")
