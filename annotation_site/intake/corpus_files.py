"""Loads a whole corpus file: the corpus with its genres and prompts, and its questions. Commands and pages call it."""

from django.db import transaction

from collection.corpora.differences import Changes
from collection.corpora.loading import LoadRefused, load_corpus
from collection.corpus_schema import CorpusFile
from collection.models import Corpus, Genre
from snapshots.models import Placement
from validation.questions.corpus_file import load_questions


def load(file: CorpusFile, *, dry_run: bool = False, expected: Changes | None = None) -> Changes:
    """Loads the whole file or nothing. Raises LoadRefused, also if more than the `expected` changes would be made."""
    changes = Changes()
    with transaction.atomic():
        in_training = _genres_in_training(file)
        corpus = load_corpus(file=file, changes=changes)
        load_questions(corpus=corpus, main=file.question, beside=file.questions, changes=changes)
        _refuse_leaving_training(corpus, in_training, changes)
        if changes.errors:
            raise LoadRefused(changes.errors)
        if expected is not None and changes.lines != expected.lines:
            raise LoadRefused(
                ["Somebody else has just changed the corpus. Try again to see the remaining changes."]
            )
        if dry_run:
            transaction.set_rollback(True)
    return changes


def _genres_in_training(file: CorpusFile) -> list[int]:
    genres = Genre.objects.filter(corpus__slug=file.corpus.slug, in_training=True)
    return list(genres.values_list("pk", flat=True))


def _refuse_leaving_training(corpus: Corpus, in_training: list[int], changes: Changes) -> None:
    """Rejects a genre that leaves training after a snapshot placed its premises in train, as premises never move."""
    for genre in Genre.objects.filter(corpus=corpus, pk__in=in_training, in_training=False):
        if placed := Placement.objects.filter(premise__genre=genre, partition="train").count():
            changes.refuse(
                f'[[genres]] "{genre.slug}" in_training: {placed:,} premises of it stand in the train part of'
                " a snapshot, so it cannot leave training. Put in_training = true back into the file."
            )
