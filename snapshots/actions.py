"""Freezing: a request, the work, and what happens when it is interrupted.

A freeze is a row that somebody claims. Its heartbeat is also the claim's token: it changes with every
sign of life, each written only if the last one was ours. Whoever was thought dead and taken over finds
that out at the next sign and stops; nothing is published but under a lock on the row and with the claim
still held.
"""

import logging
import shutil
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

from django.db import IntegrityError, OperationalError, transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from collection.models import Corpus, Pair
from snapshots.copies import forget, one_state, take
from snapshots.drafts import draft_of, put_in_place
from snapshots.export import Written, write
from snapshots.file_formats.cards import QUESTIONS, blanks
from snapshots.manifest import folder_of
from snapshots.models import DatasheetAnswer, Placement, Snapshot, SnapshotFile
from snapshots.parses import derive_parses, installed_parser
from snapshots.planning import FreezePlan, SnapshotError, check_hold_out, check_parsable
from snapshots.querysets import SnapshotQuerySet

logger = logging.getLogger(__name__)
# Without a sign of life for so long, a freeze is taken up again. Copying the rows gives none while it lasts.
STALE_AFTER = timedelta(minutes=3)


class EmptyCorpus(SnapshotError):
    def __init__(self, corpus: Corpus) -> None:
        super().__init__(f"{corpus.slug} has no pairs to freeze yet. Write or import some first.")


class FreezeInProgress(SnapshotError):
    """Another freeze of the corpus is under way; `snapshot` is that one, if it is still there."""

    def __init__(self, corpus: Corpus, snapshot: Snapshot | None) -> None:
        self.snapshot = snapshot
        self.is_stale = snapshot is not None and _is_stale(snapshot)
        state = f" ({snapshot}: {snapshot.progress or snapshot.get_status_display()})" if snapshot else ""
        super().__init__(f"A freeze of {corpus.slug} is under way{state}. Wait until it is done.")


class FreezeFailed(SnapshotError):
    """The freeze ended without a snapshot; asking again starts it anew under the same number."""


class DatasheetHasBlanks(SnapshotError):
    """The datasheet is not answered yet; `blanks` maps the keys of the questions that are left to their texts."""

    def __init__(self, snapshot: Snapshot, left: dict[str, str]) -> None:
        self.blanks = left
        super().__init__(
            f"{snapshot} cannot be published yet: {len(left)} of {len(QUESTIONS)} questions of the datasheet are "
            f"not answered. {' '.join(left.values())}"
        )


class UnknownQuestion(SnapshotError):
    """A datasheet asks no such question."""


class ReasonMissing(SnapshotError):
    """A retraction says why."""


class NotPublishable(SnapshotError):
    """It is not frozen, or it is published or retracted already; the message says which."""


class NothingToStop(SnapshotError):
    """The freeze is done, failed or gone."""


class _ClaimLost(Exception):
    """Somebody else has taken this freeze up."""


def request_freeze(
    *,
    corpus: Corpus,
    seed: int = 0,
    dev_from_train: int = 0,
    author_disjoint: bool = False,
    derived_parses: bool = False,
    by: User | None = None,
) -> Snapshot:
    """Puts a freeze on the list; `freeze_snapshot` does the work.

    A failed freeze is asked for again in its own row, so its number is not used up. derived_parses: make trees for
    the sentences that came without. Raises EmptyCorpus, FreezeInProgress, HoldOutRefused, NotParsable.
    """
    if not Pair.objects.filter(corpus=corpus).standing().exists():
        raise EmptyCorpus(corpus)
    check_hold_out(corpus, dev_from_train)
    if derived_parses:
        check_parsable(corpus)
    asked = {
        "status": Snapshot.Status.REQUESTED,
        "seed": seed,
        "dev_from_train": dev_from_train,
        "author_disjoint": author_disjoint,
        "parser": installed_parser() if derived_parses else None,
        "requested_by": by,
        "requested_at": timezone.now(),
        "progress": "waiting for a worker",
        "error": "",
    }
    try:
        with transaction.atomic():
            failed = Snapshot.objects.filter(corpus=corpus, status=Snapshot.Status.FAILED).first()
            if failed and Snapshot.objects.filter(pk=failed.pk, status=failed.status).update(**asked):
                failed.refresh_from_db()
                return failed
            newest = Snapshot.objects.filter(corpus=corpus).aggregate(version=Max("version"))["version"] or 0
            return Snapshot.objects.create(corpus=corpus, version=newest + 1, **asked)
    except IntegrityError:
        # Two asked at once. The constraint one_freeze_at_a_time (or the version's) let one through.
        current = Snapshot.objects.under_way().filter(corpus=corpus).select_related("corpus").first()
        raise FreezeInProgress(corpus, current) from None


@transaction.atomic
def answer_datasheet(*, corpus: Corpus, answers: Mapping[str, str], by: User) -> list[str]:
    """Keeps the answers that differ from those that stand; returns the keys of their questions.

    `answers` maps keys of QUESTIONS to texts; an empty text takes an answer back. Raises UnknownQuestion.
    """
    if unknown := sorted(set(answers) - set(QUESTIONS)):
        raise UnknownQuestion(f"A datasheet has no question {unknown[0]!r}. It has: {', '.join(QUESTIONS)}.")
    # Whoever answers or publishes at the same moment waits here.
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    standing = DatasheetAnswer.objects.filter(corpus=corpus).standing()
    texts = {key: text.strip().replace("\r\n", "\n") for key, text in answers.items()}
    new = {key: text for key, text in texts.items() if text != standing.get(key, "")}
    for key, text in new.items():
        DatasheetAnswer.objects.create(corpus=corpus, question=key, text=text, answered_by=by)
    return list(new)


@transaction.atomic
def publish(*, snapshot: Snapshot, by: User) -> Snapshot:
    """Declares a frozen snapshot published; the answers of its datasheet stay as they are now.

    Publishing twice changes nothing. Raises DatasheetHasBlanks, NotPublishable.
    """
    Corpus.objects.select_for_update(no_key=True).get(pk=snapshot.corpus_id)
    row = Snapshot.objects.select_for_update(no_key=True, of=("self",)).get(pk=snapshot.pk)
    if row.status != Snapshot.Status.FROZEN:
        raise NotPublishable(f"{row} is not frozen yet. Wait until it is, then publish it.")
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
    """Puts a notice on a published snapshot, for good. Its files stay as they are.

    Retracting twice keeps the first notice. Raises NotPublishable, ReasonMissing.
    """
    if not (because := because.strip()):
        raise ReasonMissing("Say why it is retracted: whoever used it must know what is wrong.")
    row = Snapshot.objects.select_for_update(no_key=True, of=("self",)).get(pk=snapshot.pk)
    if row.published_at is None:
        raise NotPublishable(f"{row} was never published: there is nothing to retract.")
    if row.retracted_at is None:
        row.retracted_at, row.retracted_by, row.retracted_because = timezone.now(), by, because
        row.save(update_fields=["retracted_at", "retracted_by", "retracted_because"])
    return row


@transaction.atomic
def stop_freeze(*, snapshot: Snapshot, by: User) -> Snapshot:
    """Ends a freeze that waits or is under way; its worker finds that out at its next sign of life.

    Trees that it derived are kept, so the next freeze goes on from there. Raises NothingToStop.
    """
    under_way = Snapshot.objects.under_way().filter(pk=snapshot.pk)
    if not _give_up(under_way, snapshot, f"Stopped by {by.username}. Freeze again when you like."):
        raise NothingToStop("This freeze is not under way any more: there is nothing to stop.")
    snapshot.refresh_from_db()
    return snapshot


def freeze_snapshot(*, snapshot_id: int) -> Snapshot:
    """Carries a requested freeze out, or takes up one whose worker died. Returns the frozen snapshot.

    Where nothing has changed since an earlier snapshot, that one is returned and this row is gone, its number
    free. Raises Snapshot.DoesNotExist, FreezeInProgress (somebody works on it), HoldOutRefused, NoQuestion,
    FreezeFailed.
    """
    work = _Freeze(snapshot_id)
    try:
        return work.carry_out()
    except _ClaimLost:
        return work.left_to_others()
    except SnapshotError as error:
        work.fail(str(error))
        raise
    except KeyboardInterrupt:
        work.fail("Stopped by hand. Freeze again when you like.")
        raise
    except Exception as error:
        if not work.fail(_sentence(error)):
            # What we worked on was taken from under our hands: no fault of anybody's.
            return work.left_to_others()
        raise FreezeFailed(work.snapshot.error) from error


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"The files could not be written: {error.strerror or error}. Make room, then freeze again."
    return f"The software failed ({type(error).__name__}: {error}). Tell its operator, then freeze again."


class _Freeze:
    """One claim on one freeze, from the first sign of life to the last."""

    def __init__(self, snapshot_id: int) -> None:
        self.snapshot = Snapshot.objects.select_related("corpus", "requested_by", "parser").get(
            pk=snapshot_id
        )
        self.beat: datetime | None = None

    def carry_out(self) -> Snapshot:
        if self.snapshot.status == Snapshot.Status.FROZEN:
            return self.snapshot
        self.claim()
        planned = self.copy()
        if self.snapshot.parser_id is not None:
            derive_parses(self.snapshot, self.sign_of_life)
        target = folder_of(self.snapshot)
        with draft_of(target) as draft:
            written = write(self.snapshot, planned, draft, self.sign_of_life)
            return self.publish(draft, target, written)

    def claim(self) -> None:
        """A conditional UPDATE: of two that try, one changes the row and goes on."""
        now = timezone.now()
        taken = Snapshot.objects.takeable(now - STALE_AFTER).filter(pk=self.snapshot.pk)
        if not taken.update(status=Snapshot.Status.FREEZING, heartbeat_at=now, progress="copying the pairs"):
            raise _ClaimLost
        self.beat = now

    def sign_of_life(self, progress: str) -> None:
        """Writes how far it is. Raises _ClaimLost."""
        now = timezone.now()
        ours = Snapshot.objects.filter(
            pk=self.snapshot.pk, status=Snapshot.Status.FREEZING, heartbeat_at=self.beat
        )
        if not ours.update(heartbeat_at=now, progress=progress[:200]):
            raise _ClaimLost
        self.beat = now

    def copy(self) -> FreezePlan:
        """The short transaction. The sign of life at its end undoes it all where the claim was lost."""
        before = self.beat
        try:
            with one_state():
                planned = take(self.snapshot)
                self.sign_of_life("pairs copied")
                return planned
        except (IntegrityError, OperationalError):
            self.beat = before
            # Whoever took this freeze up copies the same rows: then the fault is no fault.
            self.sign_of_life("copying the pairs")
            raise

    def publish(self, draft: Path, target: Path, written: Written) -> Snapshot:
        """Gives the folder its name and the row its hash, under a lock and with the claim still ours."""
        with transaction.atomic():
            locked = Snapshot.objects.select_for_update(no_key=True, of=("self",)).select_related("corpus")
            row = locked.filter(pk=self.snapshot.pk, heartbeat_at=self.beat, status="freezing").first()
            if row is None:
                raise _ClaimLost
            same = Snapshot.objects.frozen().filter(corpus=row.corpus, sha256=written.sha256).first()
            if same is not None:
                _give_way(row, same)
                return Snapshot.objects.select_related("corpus").get(pk=same.pk)
            _record(row, written)
            _move(draft, target)
        return row

    def fail(self, error: str) -> bool:
        """Says why on the row, and returns True, unless somebody else works on it by now."""
        with transaction.atomic():
            ours = Snapshot.objects.filter(pk=self.snapshot.pk, status="freezing", heartbeat_at=self.beat)
            if not _give_up(ours, self.snapshot, error):
                return False
        logger.warning("%s could not be frozen: %s", self.snapshot, error)
        self.snapshot.error = error
        return True

    def left_to_others(self) -> Snapshot:
        """Their snapshot, if it is there by now. Raises Snapshot.DoesNotExist, FreezeInProgress."""
        self.snapshot.refresh_from_db()
        if self.snapshot.status == Snapshot.Status.FROZEN:
            return self.snapshot
        if self.snapshot.status == Snapshot.Status.FAILED:
            raise FreezeFailed(self.snapshot.error)
        raise FreezeInProgress(self.snapshot.corpus, self.snapshot)


def _give_up(ours: SnapshotQuerySet, row: Snapshot, error: str) -> bool:
    """Says on the row why there is no snapshot, unless it is not among `ours` any more. In its caller's transaction."""
    if not ours.update(status=Snapshot.Status.FAILED, error=error, progress=""):
        return False
    forget(row)
    # A place counts from a snapshot that exists: the next freeze may draw with another seed.
    Placement.objects.filter(first_snapshot=row).delete()
    return True


def _is_stale(snapshot: Snapshot) -> bool:
    return (
        Snapshot.objects.takeable(timezone.now() - STALE_AFTER)
        .filter(pk=snapshot.pk, status="freezing")
        .exists()
    )


def _give_way(row: Snapshot, same: Snapshot) -> None:
    """Nothing has changed since `same`: the new row and its copies go, and its number is free again."""
    Placement.objects.filter(first_snapshot=row).update(first_snapshot=same)
    forget(row)
    row.delete()


def _record(row: Snapshot, written: Written) -> None:
    SnapshotFile.objects.bulk_create(
        SnapshotFile(snapshot=row, name=file.name, sha256=file.sha256, size=file.size, lines=file.lines)
        for file in written.files
    )
    row.status, row.progress, row.error = Snapshot.Status.FROZEN, "", ""
    row.sha256, row.pair_count, row.frozen_at = written.sha256, written.pairs, timezone.now()
    row.save(update_fields=["status", "progress", "error", "sha256", "pair_count", "frozen_at"])


def _move(draft: Path, target: Path) -> None:
    """One rename: the folder is there whole or not at all."""
    if target.exists():
        # Left by a freeze that died after its rename and before its commit: no row ever named it.
        shutil.rmtree(target)
    put_in_place(draft, target)
