"""Excludes annotators from a corpus, and undoes exclusions. History and pay stay.

`_concerned` selects what an exclusion changes, for the preview, which only reads, and for the action.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from accounts.models import User
from collection.models import Corpus, Exclusion, Pair
from collection.models.withdrawal import ANNOTATOR_EXCLUDED, AUTHOR_EXCLUDED, CAME_BACK, PAIR_GONE
from collection.writing.claiming import lock_writer
from collection.writing.who_may_write import may_write, why_not_writing
from shared.transactions import one_transaction
from validation.errors import AlreadyDecided, ReasonMissing
from validation.gold.queries import more_sort_memory, with_gold_label
from validation.models import Adjudication, Assignment, Label, Membership, Question
from validation.models.querysets import LabelQuerySet
from validation.pairs.opening import seat_like
from validation.pairs.withdrawal import closed_seats, empty_seats, lock, restore_pairs, withdraw_pairs
from validation.statistics.cached import mark_stale

Place = tuple[int, int, int, int | None]


@dataclass(frozen=True)
class Consequences:
    """What an exclusion changes.

    labels: labels that it withdraws. seats: seats that it opens again. pairs: pairs that it withdraws. writing: whether
    the annotator could write for the corpus until now. gold: pair -> (gold label before, after) of pairs whose gold
    label changes. decided: pairs that the annotator labelled and a researcher adjudicated; their gold labels stay.
    """

    labels: int
    seats: int
    pairs: int
    writing: bool
    gold: dict[str, tuple[str | None, str | None]]
    decided: int


@dataclass(frozen=True)
class Return:
    """What undoing an exclusion changes.

    labels: labels that return to their seats. surplus: labels whose seats are filled by now. pairs: pairs that it
    restores. writing: whether the annotator can write for the corpus again.
    """

    labels: int
    surplus: int
    pairs: int
    writing: bool


@dataclass(frozen=True)
class _Concerned:
    """What an exclusion withdraws: labels as a validator, and pairs as an author (none if the pairs stay)."""

    labels: LabelQuerySet
    pairs: QuerySet[Pair]


def _concerned(corpus: Corpus, annotator: User, retract_pairs: bool) -> _Concerned:
    written = Pair.objects.standing().filter(corpus=corpus, author=annotator)
    return _Concerned(
        labels=Label.objects.standing().cast_by(annotator).filter(question__corpus=corpus),
        pairs=written if retract_pairs else written.none(),
    )


def preview_exclusion(*, corpus: Corpus, annotator: User, retract_pairs: bool = False) -> Consequences:
    """Returns what `exclude` would change. It writes and locks nothing."""
    return _consequences(corpus, annotator, _concerned(corpus, annotator, retract_pairs))


def _consequences(corpus: Corpus, annotator: User, concerned: _Concerned) -> Consequences:
    touched = concerned.labels.values("pair")
    decided = Adjudication.objects.standing().filter(question__is_main=True, pair__in=touched)
    seats = concerned.labels.that_count()
    return Consequences(
        labels=concerned.labels.count(),
        seats=seats.count(),
        pairs=concerned.pairs.count(),
        writing=why_not_writing(corpus, annotator) is None and corpus.prompts.exists(),
        gold=_gold_changes(corpus, concerned.labels),
        decided=decided.count(),
    )


def _gold_changes(corpus: Corpus, labels: LabelQuerySet) -> dict[str, tuple[str | None, str | None]]:
    """Returns public id -> gold label with and without these labels, for pairs where they differ."""
    question = Question.objects.select_related("corpus").filter(corpus=corpus, is_main=True).first()
    if question is None:
        return {}
    deciding = labels.filter(question=question).counted()
    given = dict(deciding.values_list("pair", "label"))
    rules = question.rules_by_partition()
    changes = {}
    with more_sort_memory():
        rows: Any = with_gold_label(Pair.objects.standing(), question, given).order_by("pk")
        for row in rows:
            rule = rules[row.published_partition]
            votes = [getattr(row, f"votes_{k}") for k in range(len(rule.labels))]
            after = rule.decide(
                rule.without(votes, given[row.pk]),
                settled=False,  # the seat is open again
                adjudicated=row.adjudicated_label,
                published=row.published_label,
                beside_votes=row.standing_label is not None,
                author=row.author_label,
            )
            if after.label != row.gold_label:
                changes[row.public_id] = (row.gold_label, after.label)
    return changes


@one_transaction
def exclude(
    *, corpus: Corpus, annotator: User, by: User, reason: str, retract_pairs: bool = False
) -> Consequences:
    """Withdraws somebody's labels, reopens their seats, and ends their labelling and writing for the corpus.

    `retract_pairs`: also withdraws the pairs that they wrote. A batch that they hold can still be submitted; its labels
    are surplus, and paid. `reason` never leaves the site. Raises ReasonMissing, AlreadyDecided.
    """
    reason, now = reason.strip(), timezone.now()
    if not reason:
        raise ReasonMissing
    lock_writer(annotator)  # a text that they mend at this moment is there, or is refused
    could_write = why_not_writing(corpus, annotator) is None and corpus.prompts.exists()
    try:
        with transaction.atomic():
            exclusion = Exclusion.objects.create(
                corpus=corpus,
                annotator=annotator,
                by=by,
                reason=reason,
                retracts_pairs=retract_pairs,
                created_at=now,
            )
    except IntegrityError:
        raise AlreadyDecided("This annotator is excluded from the corpus already.") from None
    _close_pool(exclusion)
    # In the order of docs/locking.md: a submission is before this, or waits and then finds the batch closed.
    batches = Assignment.objects.filter(question__corpus=corpus, annotator=annotator, closed_at=None)
    open_batches = [batch.pk for batch in batches.select_for_update(of=("self",)).order_by("pk")]
    concerned = _concerned(corpus, annotator, retract_pairs)
    held = Label.objects.open().filter(question__corpus=corpus, annotator=annotator)
    rows = lock(concerned.labels, held, empty_seats(concerned.pairs))
    done = _consequences(corpus, annotator, concerned)
    labels = [row for row in rows if row.label is not None]
    Assignment.objects.filter(pk__in=open_batches).update(closed_at=now)
    held.update(annotator=None, leased_until=None)
    _withdraw(labels, exclusion)
    withdraw_pairs(pairs=concerned.pairs, because=AUTHOR_EXCLUDED, at=now, exclusion=exclusion)
    mark_stale(corpus=corpus)
    return Consequences(**{**vars(done), "writing": could_write})


def _close_pool(exclusion: Exclusion) -> None:
    """Writes a membership under each question, so that the annotator cannot join a pool at the same time."""
    excluded = {"status": Membership.Status.EXCLUDED, "exclusion": exclusion}
    for question in Question.objects.filter(corpus=exclusion.corpus_id).order_by("pk"):
        _, was_none = Membership.objects.get_or_create(
            question=question, annotator=exclusion.annotator, defaults=excluded
        )
        if not was_none:
            members = Membership.objects.filter(question=question, annotator=exclusion.annotator)
            members.update(before=F("status"), **excluded)


def _withdraw(labels: Sequence[Label], exclusion: Exclusion) -> None:
    """Withdraws labels and makes a new seat for each that had one; the seat is closed if its pair is withdrawn."""
    now = exclusion.created_at
    Label.objects.filter(pk__in=[label.pk for label in labels]).update(
        withdrawn_at=now, withdrawn_because=ANNOTATOR_EXCLUDED, exclusion=exclusion
    )
    pairs = {label.pair_id for label in labels}
    gone = set(Pair.objects.filter(pk__in=pairs, withdrawn_at__isnull=False).values_list("pk", flat=True))
    empty = [seat_like(label) for label in labels if label.position is not None]
    for seat in empty:
        if seat.pair_id in gone:
            seat.withdrawn_at, seat.withdrawn_because = now, PAIR_GONE
    Label.objects.bulk_create(empty, batch_size=2000)


def preview_undoing(*, exclusion: Exclusion) -> Return:
    """Returns what `undo_exclusion` would change. It writes and locks nothing."""
    withdrawn, seats = _coming_back(exclusion)
    return _return(exclusion, *_divided(withdrawn, seats))


def _coming_back(exclusion: Exclusion) -> tuple[QuerySet[Label], QuerySet[Label]]:
    """Returns the labels that the exclusion withdrew, and the current seats of the same pairs."""
    withdrawn = Label.objects.filter(exclusion=exclusion)
    return withdrawn, Label.objects.seats().filter(pair__in=withdrawn.values("pair"))


def _divided(
    withdrawn: QuerySet[Label], seats: QuerySet[Label]
) -> tuple[list[Label], list[Label], list[int]]:
    """Returns labels that return to their seats, labels whose seat is filled by now, and the empty seats to remove."""
    now_there = {_place(seat): seat for seat in seats.order_by("pk")}
    rows = list(withdrawn.order_by("pk"))
    returning = [row for row in rows if _place(row) not in now_there or now_there[_place(row)].label is None]
    back = {row.pk for row in returning}
    surplus = [row for row in rows if row.pk not in back]
    empty = [now_there[_place(row)].pk for row in returning if _place(row) in now_there]
    return returning, surplus, empty


def _return(
    exclusion: Exclusion, returning: Sequence[Label], surplus: Sequence[Label], _: Sequence[int]
) -> Return:
    may = may_write(exclusion.annotator, undone=exclusion)
    writes = Corpus.objects.filter(may, pk=exclusion.corpus_id).exists()
    return Return(
        labels=len(returning),
        surplus=len(surplus),
        pairs=exclusion.pairs.count(),
        writing=writes and exclusion.corpus.prompts.exists(),
    )


@one_transaction
def undo_exclusion(*, exclusion: Exclusion, by: User) -> Return:
    """Undoes an exclusion: restores the memberships, writing, labels and pairs.

    A label returns to its seat if nobody has filled that, else it becomes surplus. If somebody is labelling such a seat
    now, their label becomes surplus, and is paid. Raises AlreadyDecided.
    """
    now = timezone.now()
    if not Exclusion.objects.standing().filter(pk=exclusion.pk).update(undone_at=now, undone_by=by):
        raise AlreadyDecided("Somebody has already undone this exclusion. Nothing was changed.")
    members = Membership.objects.filter(exclusion=exclusion)
    members.filter(before="").delete()
    members.update(status=F("before"), before="", exclusion=None)
    withdrawn, seats = _coming_back(exclusion)
    lock(withdrawn, seats, closed_seats(Pair.objects.filter(exclusion=exclusion)))
    returning, surplus, empty = _divided(withdrawn, seats)
    done = _return(exclusion, returning, surplus, empty)
    Label.objects.filter(pk__in=empty).update(withdrawn_at=now, withdrawn_because=CAME_BACK)
    back = {"withdrawn_at": None, "withdrawn_because": "", "exclusion": None}
    Label.objects.filter(pk__in=[row.pk for row in returning]).update(**back)
    Label.objects.filter(pk__in=[row.pk for row in surplus]).update(position=None, **back)
    restore_pairs(pairs=Pair.objects.filter(exclusion=exclusion))
    mark_stale(corpus=exclusion.corpus_id)
    return done


def _place(label: Label) -> Place:
    return label.question_id, label.pair_id, label.sentence, label.position
