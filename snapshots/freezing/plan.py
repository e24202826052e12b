"""Plan a freeze: read from the database what partition.py needs. Writes nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypedDict

from django.db.models import BigIntegerField, BooleanField, Case, CharField, Count, F, Q, Value, When

from collection.models import Corpus, Pair, Withholding
from collection.models.withdrawal import WITHHELD
from collection.premises.partitions import partition_of
from nli.lines import PARTITIONS
from nli.manifest import Provenance, Times, Withdrawn
from nli.tokens import is_english
from snapshots.errors import SnapshotError
from snapshots.freezing.partition import DEV, TEST, TRAIN, Plan, hold_out, plan
from snapshots.freezing.premise_groups import Row
from snapshots.models import Placement
from snapshots.parses.attached_trees import trees_named
from validation.gold.queries import is_complete
from validation.models import Gold, Label, Question


class HoldOutRefused(SnapshotError):
    """The premises of the published train partition cannot be held out as requested. The message says why."""


class NotParsable(SnapshotError):
    def __init__(self, corpus: Corpus) -> None:
        super().__init__(
            f"{corpus.slug} is in the language {corpus.language!r}, and trees can be derived for English only. "
            "Freeze it without derived parses."
        )


class History(TypedDict, total=False):
    """The history of a snapshot, as keys of the manifest: sources, times of work, and what no longer counts."""

    provenance: list[Provenance]
    times: Times
    withdrawn: Withdrawn


@dataclass
class FreezePlan:
    """A plan for the pairs of a corpus, and the facts that it was made from.

    held_out: the groups that this freeze newly moves from a published train to dev. to_parse: the number of pairs
    without parses, if trees are to be derived for them. withheld: the partitions whose labels are withheld.
    """

    plan: Plan
    question: Question
    held_out: set[str] = field(default_factory=set)
    outside_training: list[str] = field(default_factory=list)
    standing: int = 0
    to_parse: int = 0
    history: History = field(default_factory=lambda: History())  # for the manifest; `copy_rows` fills it
    withheld: frozenset[str] = frozenset()

    @property
    def warnings(self) -> list[str]:
        """Returns what to know before the freeze: which partitions would be empty, why, and what to do."""
        if not self.plan.total:
            return []
        corpus, said = self.question.corpus, []
        asked = {DEV: corpus.dev_pairs_per_genre, TEST: corpus.test_pairs_per_genre}
        for part in PARTITIONS:
            if any(self.plan.pairs[part].values()):
                continue
            if part == TRAIN:
                why = "all pairs go to dev and test, or are left out. Ask for fewer pairs in dev and test, or wait for more."
            elif not asked[part]:
                why = f"the corpus file asks for none ({part}_pairs_per_genre = 0). Ask for some there if you want it."
            else:
                why = f"no free premise has all its labels. Wait until more pairs have all {self.question.seats} labels."
            said.append(f"{part} would be empty: {why}")
        return said


def plan_freeze(
    corpus: Corpus,
    *,
    seed: int = 0,
    dev_from_train: int = 0,
    author_disjoint: bool = False,
    derived_parses: bool = False,
    trees: str = "",
) -> FreezePlan:
    """Plans where each pair goes. Writes nothing.

    dev_from_train: the number of whole premises to hold out, including those that earlier snapshots held out.
    author_disjoint: keep the authors of test out of train (see partition.plan). trees: as `request_freeze` has it.
    Memory grows with dev and test only. Raises HoldOutRefused, NotParsable, SnapshotError (no main question).
    """
    question = Question.objects.select_related("corpus").filter(corpus=corpus, is_main=True).first()
    if question is None:
        raise SnapshotError(
            f"{corpus.slug} has no main question, so its gold labels have no rule. Load its corpus file with load_corpus."
        )
    if derived_parses:
        check_parsable(corpus)
    trees_named(corpus, trees, derived_parses=derived_parses)
    held_out = _held_out_groups(corpus, dev_from_train, seed) if dev_from_train else set()
    outside = list(corpus.genres.filter(in_training=False).order_by("slug").values_list("slug", flat=True))
    withheld = withheld_partitions(corpus)
    sealed = _sealed_complete(question) if withheld else Q(pk__in=())
    result = plan(
        rows_of(corpus, question, held_out, sealed, by_author=author_disjoint),
        seed=seed,
        dev_per_genre=corpus.dev_pairs_per_genre,
        test_per_genre=corpus.test_pairs_per_genre,
        outside_training=outside,
        author_disjoint=author_disjoint,
    )
    standing = Pair.objects.filter(corpus=corpus).to_freeze()
    to_parse = standing.filter(parse=None).count() if derived_parses else 0
    return FreezePlan(*(result, question, held_out, outside, standing.count(), to_parse), withheld=withheld)


def withheld_partitions(corpus: Corpus) -> frozenset[str]:
    standing = Withholding.objects.standing().filter(corpus=corpus)
    return frozenset(standing.values_list("partition", flat=True))


def check_parsable(corpus: Corpus) -> None:
    """Checks the language of a corpus. Raises NotParsable if no trees can be derived for it."""
    if not is_english(corpus.language):
        raise NotParsable(corpus)


def _sealed_complete(question: Question) -> Q:
    """Returns the condition that a pair's labels are withheld and fill its seats: the view of gold labels counts none."""
    sealed = Label.objects.filter(
        question=question, withdrawn_because=WITHHELD, label__isnull=False, sentence=0
    )
    sealed = sealed.filter(position__lte=question.seats)
    filled = sealed.values("pair").annotate(votes=Count("pk")).filter(votes__gte=question.seats)
    return Q(withdrawn_because=WITHHELD, pk__in=filled.values("pair"))


def rows_of(
    corpus: Corpus,
    question: Question,
    newly_held_out: set[str],
    sealed_complete: Q,
    *,
    by_author: bool = False,
) -> Iterator[Row]:
    """Yields the standing pairs, counted by the facts that decide their partition. Two queries for any corpus."""
    author = F("author") if by_author else Value(None, BigIntegerField())
    complete = Gold.objects.filter(is_complete(), question=question).values("pair")
    key = (
        "premise__group",
        "premise__genre__slug",
        "published",
        "premise__placement__partition",
        "wrote",
        "is_full",
    )
    pairs = Pair.objects.filter(corpus=corpus).to_freeze().order_by()
    # A published pair stays in its partition without labels.
    is_full = Case(
        When(published_partition=None, then=Q(pk__in=complete) | sealed_complete),
        default=False,
        output_field=BooleanField(),
    )
    published = Case(
        When(published_partition=None, then=Value(None, CharField())),
        default=partition_of(),
        output_field=CharField(),
    )
    counted = (
        pairs.annotate(wrote=author, is_full=is_full, published=published)
        .values_list(*key)
        .annotate(number=Count("pk"))
        .iterator()
    )
    for group, genre, published_in, placed, wrote, is_validated, number in counted:
        held_out = published_in == TRAIN and group in newly_held_out
        there = DEV if held_out else published_in
        yield Row(group, genre, number, there, placed, is_validated, wrote)
    # A premise keeps its partition, and binds its group to it, even if all its pairs are withdrawn.
    ties = Placement.objects.filter(premise__corpus=corpus).order_by()
    for group, genre, placed in ties.values_list(
        "premise__group", "premise__genre__slug", "partition"
    ).distinct():
        yield Row(group, genre, 0, placed=placed)


def check_hold_out(corpus: Corpus, wanted: int) -> None:
    """Checks a hold-out. Raises HoldOutRefused if `wanted` premises of the published train cannot become dev; 0 can."""
    if not wanted:
        return
    pairs = Pair.objects.filter(corpus=corpus).to_freeze()
    published = pairs.filter(published_partition=TRAIN, assignment=None)
    if not published.exists():
        raise HoldOutRefused(
            f"{corpus.slug} has no published train partition to hold premises out of. "
            "Import it with --partition train, or omit --dev-from."
        )
    if pairs.filter(published_partition=DEV).exists():
        raise HoldOutRefused(f"{corpus.slug} already has a published dev partition. Omit --dev-from.")
    already = _held_out(corpus)
    if wanted < already:
        raise HoldOutRefused(
            f"{already:,} premises of {corpus.slug} are already held out, and a premise never moves. "
            f"Ask for {already} or more, or omit --dev-from to keep them."
        )
    total = published.aggregate(number=Count("premise", distinct=True))["number"]
    if wanted >= total:
        raise HoldOutRefused(
            f"The published train partition of {corpus.slug} has {total:,} premises: "
            f"if {wanted:,} were held out, none would be left to train on. Ask for fewer."
        )


def _held_out(corpus: Corpus) -> int:
    return Placement.objects.filter(premise__corpus=corpus, origin=Placement.Origin.HELD_OUT).count()


def _held_out_groups(corpus: Corpus, wanted: int, seed: int) -> set[str]:
    """Chooses the groups to hold out, among those that are in the published train only."""
    check_hold_out(corpus, wanted)
    # What pilots wrote here is in train only, too.
    came_with_train = Q(published_partition=TRAIN, premise__placement=None, assignment=None)
    only_train = Count("pk", filter=came_with_train)
    groups = (
        Pair.objects.filter(corpus=corpus)
        .to_freeze()
        .order_by()
        .values("premise__group")
        .annotate(premises=Count("premise", distinct=True), number=Count("pk"), only_train=only_train)
        .filter(number=F("only_train"))
        .values_list("premise__group", "premises")
    )
    return hold_out(groups.iterator(), count=wanted - _held_out(corpus), seed=seed)
