"""Vets pairs: withdraws them by the answers to a question or by a list, after a preview, and undoes that.

The Diverse NLI Collection (Poliak et al. 2018, appendix B.4) removed pairs so: those whose hypothesis had major errors.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Exists, OuterRef
from django.utils import timezone

from accounts.models import User
from collection.models import Corpus, Pair, Vetting
from collection.models.querysets import PairQuerySet
from collection.models.withdrawal import VETTED
from collection.premises.partitions import partition_of
from collection.writing.claiming import lock_writers
from nli.labels import NO_GOLD
from shared.portions import portions
from shared.transactions import one_transaction
from validation.errors import AlreadyDecided, ReasonMissing, ValidationError
from validation.gold.queries import deciding_labels, more_sort_memory
from validation.models import Gold, Label, Question
from validation.pairs.withdrawal import (
    PORTION,
    close_empty_seats,
    closed_seats,
    empty_seats,
    lock,
    restore_pairs,
)
from validation.questions.lookup import main_question
from validation.statistics.cached import mark_stale

GOLD, ANY = BY = ("gold", "any")
MOST_NAMES = 100_000
ROWS_AT_ONCE = 1000
FIRST_SHOWN = 10


@dataclass(frozen=True)
class Choice:
    """A choice of pairs of a corpus: by the answers to `question`, else by the public ids `names`.

    labels: of the question. by: `gold`, pairs whose answer by the question's rule is one of them; `any`, pairs with
    at least one counted label among them. partition: only pairs that are in this one.
    """

    question: Question | None = None
    labels: tuple[str, ...] = ()
    by: str = GOLD
    names: tuple[str, ...] = ()
    partition: str = ""

    def __post_init__(self) -> None:
        if len(self.names) > MOST_NAMES:
            raise ValidationError(
                f"The list names {len(self.names):,} pairs; withdraw {MOST_NAMES:,} at most at a time."
            )
        if self.question is None:
            if not self.names:
                raise ValidationError("Name a question with labels, or pairs by their ids.")
            return
        known = self.question.labels if self.by == ANY else self.question.rule.gold_labels
        strange = [label for label in self.labels if label not in known]
        if strange or not self.labels:
            what = (
                f"The question “{self.question.slug}” has no label “{strange[0]}”"
                if strange
                else "No label is named"
            )
            raise ValidationError(f"{what}; its labels are: {', '.join(known)}.")
        if self.question.by_sentence and self.by == GOLD:
            raise ValidationError(
                f"The question “{self.question.slug}” is about single sentences, not about pairs: choose by any label."
            )

    @property
    def in_words(self) -> str:
        """Describes the choice, for the record."""
        within = f", in {self.partition}" if self.partition else ""
        if self.question is None:
            return f"a list of {len(self.names):,} pair ids{within}"
        how = "any label" if self.by == ANY else "the answer"
        return f"{how} to “{self.question.slug}” is {' or '.join(self.labels)}{within}"

    def pairs(self, corpus: Corpus) -> PairQuerySet:
        """Returns the chosen pairs that are not withdrawn."""
        pairs = Pair.objects.standing().filter(corpus=corpus)
        if self.partition:
            pairs = pairs.alias(placed=partition_of()).filter(placed=self.partition)
        if self.question is None:
            return pairs.filter(public_id__in=self.names)
        if self.by == ANY:
            given = deciding_labels(self.question).filter(pair=OuterRef("pk"), label__in=self.labels)
            return pairs.filter(Exists(given))
        found = Gold.objects.filter(question=self.question, label__in=self.labels)
        return pairs.filter(pk__in=found.values("pair"))


@dataclass
class Preview:
    """What withdrawing a choice changes.

    unknown: ids of the list that the corpus does not have. gone: pairs of the list that are already withdrawn.
    labels: labels that stay in the history. seats: empty seats that close.
    """

    pairs: int = 0
    genres: Counter[str] = field(default_factory=Counter)
    gold: Counter[str] = field(default_factory=Counter)
    partitions: Counter[str] = field(default_factory=Counter)
    labels: int = 0
    seats: int = 0
    unknown: list[str] = field(default_factory=list)
    gone: int = 0
    first: list[Pair] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "pairs": self.pairs,
            "by_genre": dict(self.genres.most_common()),
            "by_gold_label": dict(self.gold.most_common()),
            "by_partition": dict(self.partitions.most_common()),
            **{"labels": self.labels, "seats": self.seats, "unknown": self.unknown, "gone": self.gone},
        }


def preview_vetting(*, corpus: Corpus, choice: Choice) -> Preview:
    """Returns what `vet` would change. It writes and locks nothing."""
    question = Question.objects.filter(corpus=corpus, is_main=True).first()
    with more_sort_memory():
        keys = list(choice.pairs(corpus).order_by("pk").values_list("pk", flat=True))
        seen = Preview(pairs=len(keys))
        for part in portions(keys, PORTION):
            rows = Pair.objects.filter(pk__in=part).order_by()
            seen.genres.update(dict(rows.values_list("premise__genre__slug").annotate(n=Count("pk"))))
            placed = rows.annotate(placed=partition_of()).values_list("placed")
            seen.partitions.update({name or NO_GOLD: n for name, n in placed.annotate(n=Count("pk"))})
            if question is not None:
                gold = Gold.objects.filter(question=question, pair__in=part).order_by().values_list("label")
                seen.gold.update({label or NO_GOLD: n for label, n in gold.annotate(n=Count("pair"))})
            seen.labels += Label.objects.cast().filter(pair__in=part).count()
            seen.seats += empty_seats(rows).count()
    seen.first = list(Pair.objects.filter(pk__in=keys[:FIRST_SHOWN]).with_texts().order_by("pk"))
    if choice.question is None:
        there = dict(
            Pair.objects.filter(corpus=corpus, public_id__in=choice.names).values_list(
                "public_id", "withdrawn_at"
            )
        )
        seen.unknown = [name for name in choice.names if name not in there]
        seen.gone = sum(at is not None for at in there.values())
    return seen


@one_transaction
def vet(*, corpus: Corpus, choice: Choice, by: User, reason: str) -> Vetting:
    """Withdraws the chosen pairs; they stay as history. Returns the record, with the number of `pairs`.

    The choice is evaluated once: a label that is sent afterwards changes nothing about it. A batch with such a pair
    can still be submitted; its label becomes surplus, and is paid. Raises ValidationError, ReasonMissing.
    """
    reason, now = reason.strip(), timezone.now()
    if not reason:
        raise ReasonMissing
    with more_sort_memory():
        keys = list(choice.pairs(corpus).order_by("pk").values_list("pk", flat=True))
    nothing = ValidationError("The choice contains no pair to withdraw. Choose other labels or ids.")
    if not keys:
        raise nothing
    _lock_empty_seats(keys)  # before the pairs, as an exclusion does
    vetting = Vetting.objects.create(
        corpus=corpus, by=by, reason=reason, chosen_by=choice.in_words[:300], created_at=now
    )
    standing = Pair.objects.standing()
    vetting.pairs_withdrawn = sum(
        standing.filter(pk__in=part).update(withdrawn_at=now, withdrawn_because=VETTED, vetting=vetting)
        for part in portions(keys, PORTION)
    )
    if not vetting.pairs_withdrawn:  # an exclusion has withdrawn them meanwhile
        raise nothing
    vetting.save(update_fields=["pairs_withdrawn"])
    close_empty_seats(pairs=Pair.objects.filter(vetting=vetting), at=now)
    mark_stale(corpus=corpus)
    return vetting


def _lock_empty_seats(pairs: Sequence[int]) -> None:
    """Locks the empty seats of these pairs in the order of the seats' ids, over all portions."""
    seats = [
        seat
        for part in portions(pairs, PORTION)
        for seat in empty_seats(Pair.objects.filter(pk__in=part)).values_list("pk", flat=True)
    ]
    for part in portions(sorted(seats), PORTION):
        lock(Label.objects.filter(pk__in=part))


@one_transaction
def undo_vetting(*, vetting: Vetting, by: User) -> int:
    """Restores the pairs that it withdrew; returns their number. Raises AlreadyDecided.

    Pairs of an author who has been excluded since then, together with what they wrote, now belong to that exclusion
    and stay withdrawn.
    """
    now = timezone.now()
    if not Vetting.objects.filter(pk=vetting.pk, undone_at=None).update(undone_at=now, undone_by=by):
        raise AlreadyDecided("Somebody has already restored these pairs. Nothing was changed.")
    mine = Pair.objects.filter(vetting=vetting)
    # An exclusion comes before, and keeps its pairs, or it waits, and takes them.
    lock_writers(User.objects.filter(pk__in=mine.values("author")))
    lock(closed_seats(mine))
    keys = list(mine.order_by("pk").values_list("pk", flat=True))
    restored = sum(restore_pairs(pairs=Pair.objects.filter(pk__in=part)) for part in portions(keys, PORTION))
    mark_stale(corpus=vetting.corpus)
    return restored


def vetted_rows(vetting: Vetting) -> Iterator[Sequence[object]]:
    """Returns a header and a row for each pair that a vetting withdrew, to be published separately, as the DNC did."""
    question = main_question(vetting.corpus)
    yield ("pair_id", "genre", "partition", "premise", "hypothesis", "gold_label")
    pairs = Pair.objects.filter(vetting=vetting).order_by("pk")
    keys = pairs.values_list("pk", flat=True).iterator()
    for part in portions(keys, ROWS_AT_ONCE):
        gold = dict(Gold.objects.filter(question=question, pair__in=part).values_list("pair", "label"))
        for pair in (
            Pair.objects.filter(pk__in=part).with_texts().annotate(placed=partition_of()).order_by("pk")
        ):
            yield (
                pair.public_id,
                pair.premise.genre.slug,
                pair.placed,
                pair.premise.text,
                pair.hypothesis,
                gold.get(pair.pk) or NO_GOLD,
            )
