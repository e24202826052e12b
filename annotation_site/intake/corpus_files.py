"""Loads a whole corpus file: the corpus with its genres and prompts, and its questions. Commands and pages call it.

The text of each file that was loaded is kept.
"""

from django.db import transaction

from accounts.models import User
from collection.corpora.differences import Changes
from collection.corpora.loading import LoadRefused, load_corpus
from collection.corpus_schema import CorpusFile
from collection.corpus_schema.corpus import NONE_WITHHELD
from collection.members.actions import MemberRefused, found, refuse_strangers
from collection.models import Corpus, CorpusText, Genre
from snapshots.errors import SnapshotError
from snapshots.models import Placement
from snapshots.withholding.actions import withhold
from validation.questions.corpus_file import load_questions


def load(
    file: CorpusFile, *, by: User | None = None, dry_run: bool = False, expected: Changes | None = None
) -> Changes:
    """Loads the whole file or nothing, and keeps its text. `by`: who loads it; None for a command.

    Raises LoadRefused, also if more than the `expected` changes would be made.
    """
    changes = Changes()
    with transaction.atomic():
        try:
            is_new = refuse_strangers(file.corpus.slug, by)
        except MemberRefused as refusal:
            raise LoadRefused([str(refusal)]) from None
        in_training = _genres_in_training(file)
        corpus = load_corpus(file=file, changes=changes)
        load_questions(corpus=corpus, main=file.question, beside=file.questions, changes=changes)
        _refuse_leaving_training(corpus, in_training, changes)
        _withhold(corpus, file.corpus.withheld, by, changes)
        if changes.errors:
            raise LoadRefused(changes.errors)
        if expected is not None and changes.lines != expected.lines:
            raise LoadRefused(
                ["Somebody else has just changed the corpus. Try again to see the remaining changes."]
            )
        if is_new_text(corpus, file.text) or changes.lines:
            CorpusText.objects.create(corpus=corpus, text=file.text, changes=changes.lines, loaded_by=by)
        if dry_run:
            transaction.set_rollback(True)
        elif is_new:
            found(corpus=corpus, by=by)
    return changes


def is_new_text(corpus: Corpus | None, text: str) -> bool:
    """Returns whether the text, which may change nothing but its comments, is another than the one that is kept."""
    newest = corpus.texts.newest_first().first() if corpus else None
    return newest is None or newest.text != text


def _withhold(corpus: Corpus, partition: str, by: User | None, changes: Changes) -> None:
    """Withholds the labels of a partition once. What the file no longer names stays withheld until it is lifted."""
    if partition == NONE_WITHHELD or corpus.withholdings.filter(partition=partition).exists():
        return
    try:
        withhold(corpus=corpus, partition=partition, by=by)
        changes.new(f"withheld: the labels of {partition}")
    except SnapshotError as error:
        changes.refuse(f"[corpus] withheld: {error}")


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
