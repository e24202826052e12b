"""Answer the datasheet of a corpus, publish a snapshot, retract it."""

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from collection.models import Corpus
from snapshots.errors import SnapshotError
from snapshots.files.datasheet import QUESTIONS, blanks
from snapshots.models import DatasheetAnswer, Snapshot


class DatasheetHasBlanks(SnapshotError):
    """The datasheet has open questions. `blanks` maps their keys to their texts."""

    def __init__(self, snapshot: Snapshot, left: dict[str, str]) -> None:
        self.blanks = left
        super().__init__(
            f"{snapshot} cannot be published yet: {len(left)} of {len(QUESTIONS)} questions of the datasheet are "
            f"not answered. {' '.join(left.values())}"
        )


class UnknownQuestion(SnapshotError):
    """A datasheet has no such question."""


class ReasonMissing(SnapshotError):
    """A retraction needs a reason."""


class NotPublishable(SnapshotError):
    """The snapshot is not frozen, was never published, or is retracted. The message says which."""


@transaction.atomic
def answer_datasheet(*, corpus: Corpus, answers: Mapping[str, str], by: User) -> list[str]:
    """Stores the answers that differ from the current ones. Returns the keys of their questions.

    `answers` maps keys of DATASHEET_QUESTIONS to texts; an empty text removes an answer. Raises UnknownQuestion.
    """
    if unknown := sorted(set(answers) - set(QUESTIONS)):
        raise UnknownQuestion(f"A datasheet has no question {unknown[0]!r}. It has: {', '.join(QUESTIONS)}.")
    # Another answer or a publication at the same moment waits here.
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    standing = DatasheetAnswer.objects.filter(corpus=corpus).standing()
    texts = {key: text.strip().replace("\r\n", "\n") for key, text in answers.items()}
    new = {key: text for key, text in texts.items() if text != standing.get(key, "")}
    for key, text in new.items():
        DatasheetAnswer.objects.create(corpus=corpus, question=key, text=text, answered_by=by)
    return list(new)


@transaction.atomic
def publish(*, snapshot: Snapshot, by: User) -> Snapshot:
    """Publishes a frozen snapshot. Its datasheet keeps the answers of this moment.

    Publishing again has no effect. Raises DatasheetHasBlanks, NotPublishable.
    """
    Corpus.objects.select_for_update(no_key=True).get(pk=snapshot.corpus_id)
    row = Snapshot.objects.select_for_update(no_key=True, of=("self",)).get(pk=snapshot.pk)
    if row.status != Snapshot.Status.FROZEN:
        raise NotPublishable(f"{row} is not frozen yet. Publish it when it is.")
    if row.retracted_at is not None:
        raise NotPublishable(f"{row} was retracted. Freeze a new snapshot and publish that one.")
    if row.published_at is None:
        if left := blanks(DatasheetAnswer.objects.filter(corpus=row.corpus_id).standing()):
            raise DatasheetHasBlanks(row, left)
        row.published_at, row.published_by = timezone.now(), by
        row.save(update_fields=["published_at", "published_by"])
    return row


@transaction.atomic
def retract(*, snapshot: Snapshot, because: str, by: User) -> Snapshot:
    """Puts a permanent notice on a published snapshot. Its files do not change.

    Retracting again keeps the first notice. Raises NotPublishable, ReasonMissing.
    """
    if not (because := because.strip()):
        raise ReasonMissing("Give a reason: people who used the snapshot must know what is wrong with it.")
    row = Snapshot.objects.select_for_update(no_key=True, of=("self",)).get(pk=snapshot.pk)
    if row.published_at is None:
        raise NotPublishable(f"{row} was never published, so it cannot be retracted.")
    if row.retracted_at is None:
        row.retracted_at, row.retracted_by, row.retracted_because = timezone.now(), by, because
        row.save(update_fields=["retracted_at", "retracted_by", "retracted_because"])
    return row
