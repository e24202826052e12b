"""What a freeze of a corpus would do: the database's side of partition.py. Reads only."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import BigIntegerField, BooleanField, Case, Count, Exists, F, OuterRef, Q, Value, When

from collection.models import Corpus, Pair
from nli.tokens import is_english
from snapshots.errors import SnapshotError
from snapshots.freezing.partition import DEV, TRAIN, Plan, hold_out, plan
from snapshots.freezing.premise_groups import Row
from snapshots.models import Placement
from validation.models import Label, Question


class NoQuestion(SnapshotError):
    """The corpus says no rule for its gold labels."""


class HoldOutRefused(SnapshotError):
    """Premises of the published train partition cannot be held out as asked; the message says why."""


class NotParsable(SnapshotError):
    def __init__(self, corpus: Corpus) -> None:
        super().__init__(
            f"{corpus.slug} is in the language {corpus.language!r}; trees can be derived for English alone. "
            "Freeze it without derived parses."
        )


@dataclass
class FreezePlan:
    """The plan, and the groups whose premises are newly held out of a published train as dev.

    to_parse: how many pairs that stand came without parses, where trees are to be derived for those.
    """

    plan: Plan
    question: Question
    held_out: set[str] = field(default_factory=set)
    outside_training: list[str] = field(default_factory=list)
    standing: int = 0
    to_parse: int = 0
    history: dict[str, Any] = field(default_factory=dict)  # filled by the copy, for the manifest


def plan_freeze(
    corpus: Corpus,
    *,
    seed: int = 0,
    dev_from_train: int = 0,
    author_disjoint: bool = False,
    derived_parses: bool = False,
) -> FreezePlan:
    """What would go where, before anything is written.

    `dev_from_train` counts whole premises, those held out by earlier snapshots included; 0 asks for none.
    `author_disjoint` keeps the authors of test out of train (see partition.plan).
    Raises HoldOutRefused, NoQuestion, NotParsable. Memory grows with dev and test alone.
    """
    question = Question.objects.select_related("corpus").filter(corpus=corpus, is_main=True).first()
    if question is None:
        raise NoQuestion(
            f"{corpus.slug} has no main question, so nothing says what its gold labels are. Load its file."
        )
    if derived_parses:
        check_parsable(corpus)
    held_out = _held_out_groups(corpus, dev_from_train, seed) if dev_from_train else set()
    outside = list(corpus.genres.filter(in_training=False).order_by("slug").values_list("slug", flat=True))
    result = plan(
        rows_of(corpus, question, held_out, by_author=author_disjoint),
        seed=seed,
        dev_per_genre=corpus.dev_pairs_per_genre,
        test_per_genre=corpus.test_pairs_per_genre,
        outside_training=outside,
        author_disjoint=author_disjoint,
    )
    standing = Pair.objects.filter(corpus=corpus).standing()
    to_parse = standing.filter(parse=None).count() if derived_parses else 0
    return FreezePlan(result, question, held_out, outside, standing.count(), to_parse)


def check_parsable(corpus: Corpus) -> None:
    """Whether trees can be derived for the sentences of a corpus. Raises NotParsable."""
    if not is_english(corpus.language):
        raise NotParsable(corpus)


def rows_of(
    corpus: Corpus, question: Question, newly_held_out: set[str], *, by_author: bool = False
) -> Iterator[Row]:
    """The pairs that stand, counted by what decides their place: two queries, however large the corpus."""
    author = F("author") if by_author else Value(None, BigIntegerField())
    full = (
        Label.objects.filter(question=question, pair=OuterRef("pk"))
        .counted()
        .order_by()
        .values("pair")
        .annotate(number=Count("pk"))
        .filter(number__gte=question.seats)
    )
    key = (
        "premise__group",
        "premise__genre__slug",
        "published_partition",
        "premise__placement__partition",
        "premise__placement__origin",
        "wrote",
        "is_full",
    )
    pairs = Pair.objects.filter(corpus=corpus).standing().order_by()
    # Published pairs need no labels to be where they are.
    is_full = Case(
        When(published_partition=None, then=Exists(full)), default=False, output_field=BooleanField()
    )
    counted = (
        pairs.annotate(wrote=author, is_full=is_full)
        .values_list(*key)
        .annotate(number=Count("pk"))
        .iterator()
    )
    for group, genre, published, placed, origin, wrote, is_validated, number in counted:
        held = origin == Placement.Origin.HELD_OUT or group in newly_held_out
        if published:
            yield Row(group, genre, number, published=published, placed=placed, held_out=held, author=wrote)
        else:
            yield Row(group, genre, number, placed=placed, validated=is_validated, author=wrote)
    # A premise keeps its place, and ties its group, even when all its pairs are withdrawn.
    ties = Placement.objects.filter(premise__corpus=corpus).order_by()
    for group, genre, placed in ties.values_list(
        "premise__group", "premise__genre__slug", "partition"
    ).distinct():
        yield Row(group, genre, 0, placed=placed)


def check_hold_out(corpus: Corpus, wanted: int) -> None:
    """Whether `wanted` premises of the published train can be dev (0 always can). Raises HoldOutRefused."""
    if not wanted:
        return
    pairs = Pair.objects.filter(corpus=corpus).standing()
    published = pairs.filter(published_partition=TRAIN)
    if not published.exists():
        raise HoldOutRefused(
            f"{corpus.slug} has no published train partition to hold premises out of. "
            "Import it with --partition train, or leave --dev-from away."
        )
    if pairs.filter(published_partition=DEV).exists():
        raise HoldOutRefused(
            f"{corpus.slug} has a published dev partition already. Leave --dev-from away: dev is that one."
        )
    already = _held_out(corpus)
    if wanted < already:
        raise HoldOutRefused(
            f"{already:,} premises of {corpus.slug} are held out already, and a premise never moves. "
            f"Ask for {already} or more, or leave --dev-from away to keep them."
        )
    total = published.aggregate(number=Count("premise", distinct=True))["number"]
    if wanted >= total:
        raise HoldOutRefused(
            f"The published train partition of {corpus.slug} has {total:,} premises: "
            f"holding {wanted:,} out would leave nothing to train on. Ask for fewer."
        )


def _held_out(corpus: Corpus) -> int:
    return Placement.objects.filter(premise__corpus=corpus, origin=Placement.Origin.HELD_OUT).count()


def _held_out_groups(corpus: Corpus, wanted: int, seed: int) -> set[str]:
    """The groups to hold out now: of those that stand in the published train and nowhere else."""
    check_hold_out(corpus, wanted)
    only_train = Count("pk", filter=Q(published_partition=TRAIN, premise__placement=None))
    groups = (
        Pair.objects.filter(corpus=corpus)
        .standing()
        .order_by()
        .values("premise__group")
        .annotate(premises=Count("premise", distinct=True), number=Count("pk"), only_train=only_train)
        .filter(number=F("only_train"))
        .values_list("premise__group", "premises")
    )
    return hold_out(groups.iterator(), count=wanted - _held_out(corpus), seed=seed)
