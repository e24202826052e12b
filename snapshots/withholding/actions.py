"""Withhold the labels of a partition, name who may read them, lift it: one function per state change."""

import shutil
from collections.abc import Iterable
from typing import cast

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.models import User
from collection.models import Corpus, Withholding
from collection.models.querysets import SEES_RESULTS
from nli.gold import WITHHELD
from nli.lines import FULL_FILES
from snapshots.errors import SnapshotError
from snapshots.files.draft_folders import draft_file
from snapshots.files.hashes import file_sha256
from snapshots.models import Snapshot, SnapshotFile, SnapshotPair
from snapshots.withholding.frozen import take_labels_out
from validation.pairs.withholding import pairs_of, seal, unseal

TELLING = 0.9  # the share of ids that end with their label's first letter, from which on ids tell labels


class CannotWithhold(SnapshotError):
    """The labels are out already, or a freeze is under way. The message says which."""


class NotNamed(SnapshotError):
    """Only administrators and the researchers named for a withheld partition may change it."""


@transaction.atomic
def withhold(
    *, corpus: Corpus, partition: str, by: User | None, readers: Iterable[User] = (), frozen: bool = False
) -> Withholding:
    """Withholds the labels of a partition, from now on: what is in it now is sealed, later pairs when they come.

    `by` and the `readers` are named for it. frozen: the labels are taken out of snapshots that have them, too; nobody can
    take back what was downloaded of these. Raises CannotWithhold, SnapshotError.
    """
    _lock(corpus)
    earlier = Withholding.objects.filter(corpus=corpus, partition=partition).order_by("-pk").first()
    if earlier is not None:
        state = (
            "are withheld already"
            if earlier.lifted_at is None
            else "were released: nobody can take them back"
        )
        raise CannotWithhold(f"The labels of {earlier} {state}.")
    out = list(with_labels(corpus, partition))
    if published := next((each for each in out if each.published_at), None):
        raise CannotWithhold(
            f"{published} is published with the labels of {partition}, so they are out. Nobody can take them back."
        )
    if out and not frozen:
        raise CannotWithhold(
            f"{out[0]} has the labels of {partition} in its files. They can be taken out of it by the page Withheld"
            " labels or `manage.py withhold --frozen`; who downloaded the snapshot before keeps them."
        )
    made = Withholding.objects.create(corpus=corpus, partition=partition, since=timezone.now(), by=by)
    made.readers.set([who for who in (by, *readers) if who is not None])
    _refuse_telling_ids(made)
    for snapshot in out:
        take_labels_out(snapshot, partition)
    seal(pairs=pairs_of(made), corpus=corpus)
    return made


def standing_of(corpus: Corpus, partition: str) -> Withholding:
    """Returns what withholds the labels of a partition. Raises SnapshotError if nothing does."""
    found = corpus.withholdings.standing().filter(partition=partition.replace("\0", "")).first()
    if found is None:
        raise SnapshotError(f"The labels of {partition} of {corpus} are not withheld.")
    return cast(Withholding, found)


def researcher_called(who: str, corpus: Corpus | None = None) -> User:
    """Returns the researcher with this user name or code, who sees the results of `corpus`. Raises SnapshotError."""
    found = User.objects.filter(Q(username=who) | Q(code=who), is_active=True).first()
    if found is None or not found.is_researcher:
        raise SnapshotError(f"There is no researcher {who}.")
    if corpus is not None and not Corpus.objects.of(found, SEES_RESULTS).filter(pk=corpus.pk).exists():
        raise SnapshotError(f"There is no researcher {who} among the members of {corpus}.")
    return found


def with_labels(corpus: Corpus, partition: str) -> QuerySet[Snapshot]:
    """Returns the frozen snapshots that have labels of a partition."""
    rows = SnapshotPair.objects.filter(snapshot=OuterRef("pk"), partition=partition).exclude(
        gold_source=WITHHELD
    )
    frozen: QuerySet[Snapshot] = Snapshot.objects.frozen().filter(Exists(rows), corpus=corpus)
    return frozen.select_related("corpus").order_by("version")


@transaction.atomic
def seal_new(*, corpus: Corpus) -> int:
    """Seals what has come into withheld partitions since. Returns the number of pairs."""
    standing = Withholding.objects.standing().filter(corpus=corpus)
    return sum(seal(pairs=pairs_of(each), corpus=corpus) for each in standing)


@transaction.atomic
def name_reader(*, withholding: Withholding, reader: User, by: User) -> None:
    """Lets a researcher read the labels. Raises NotNamed, SnapshotError for somebody who is no researcher."""
    _check_named(withholding, by)
    if not reader.is_researcher:
        raise SnapshotError(f"{reader} is no researcher.")
    withholding.readers.add(reader)


@transaction.atomic
def remove_reader(*, withholding: Withholding, reader: User, by: User) -> None:
    """Takes a researcher's right to read the labels away. Raises NotNamed."""
    _check_named(withholding, by)
    withholding.readers.remove(reader)


@transaction.atomic
def lift(*, withholding: Withholding, by: User) -> list[Snapshot]:
    """Releases the labels for good: pairs and labels count again, and each snapshot offers its full file.

    Returns these snapshots. Lifting again has no effect. Raises NotNamed, CannotWithhold, SnapshotError (a full file is
    missing or changed).
    """
    _check_named(withholding, by)
    _lock(withholding.corpus)
    row = Withholding.objects.select_related("corpus").get(pk=withholding.pk)
    if row.lifted_at is not None:
        return []
    unseal(corpus=row.corpus, pairs=pairs_of(row))
    row.lifted_at, row.lifted_by = timezone.now(), by
    row.save(update_fields=["lifted_at", "lifted_by"])
    frozen = Snapshot.objects.frozen().filter(corpus=row.corpus).select_related("corpus").order_by("version")
    return [snapshot for snapshot in frozen if _release(snapshot, FULL_FILES[row.partition])]


def _release(snapshot: Snapshot, name: str) -> bool:
    """Puts the full file of a partition into the snapshot's folder. Returns whether the snapshot withholds one."""
    manifest = snapshot.read_manifest()
    listed = manifest.get("withheld", {}).get(name) if manifest else None
    if listed is None:
        return False
    source = snapshot.sealed_folder / name
    if not source.is_file() or file_sha256(source) != listed["sha256"]:
        raise SnapshotError(f"{source} is missing or was changed. Restore it from a backup, then lift again.")
    with draft_file(snapshot.folder / name) as draft:
        shutil.copyfile(source, draft)
        draft.chmod(0o644)
    SnapshotFile.objects.create(
        snapshot=snapshot, name=name, sha256=listed["sha256"], size=listed["bytes"], lines=listed["lines"]
    )
    return True


def _lock(corpus: Corpus) -> None:
    """Waits for other changes of what is withheld, and for the end of a freeze. Raises CannotWithhold while one runs."""
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    if Snapshot.objects.under_way().filter(corpus=corpus).exists():
        raise CannotWithhold(f"A freeze of {corpus} is under way. Wait until it is done.")


def _check_named(withholding: Withholding, by: User) -> None:
    if not withholding.may_read(by):
        raise NotNamed(f"Only administrators and the researchers named for {withholding} may do this.")


def _refuse_telling_ids(withholding: Withholding) -> None:
    """Raises CannotWithhold if ids tell labels, as those of SNLI's and MultiNLI's files do by their last letter."""
    rows = list(pairs_of(withholding).values_list("public_id", "author_label", "published_label"))
    known = [(name, own or published or "") for name, own, published in rows if own or published]
    told = sum(name[-1:].lower() == label[:1] for name, label in known)
    if len({label for _, label in known}) > 1 and told >= TELLING * len(known):
        raise CannotWithhold(
            f"{told:,} of {len(known):,} ids of pairs in {withholding.partition} end with the first letter of their label."
            " Import the pairs under other ids."
        )
