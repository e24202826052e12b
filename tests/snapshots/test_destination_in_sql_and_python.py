"""Where a pair goes, by the plan (in Python), the copy and the live corpus (in SQL): random corpora find all the same."""

from collections import Counter
from random import Random

import pytest
from django.utils import timezone

from collection.models import Corpus, Pair
from collection.models.withdrawal import VETTED
from collection.premises.partitions import partition_of
from snapshots.freezing.partition import AWAITING_LABELS, NOT_IN_TRAINING, WROTE_TEST, destination
from snapshots.freezing.plan import FreezePlan, plan_freeze
from snapshots.freezing.premise_groups import Row
from snapshots.models import Placement, SnapshotPair
from tests.cast import person
from tests.corpora import make_corpus, make_premise
from tests.snapshots.material import add_genre, add_pair, freeze, label_pair, published_pair
from validation.models import Label
from validation.pairs.withdrawal import withdraw_pairs

pytestmark = pytest.mark.django_db
SEATS = 5


def grow(corpus: Corpus, dice: Random, first: int) -> None:
    """Adds premises in groups, with written and published pairs, with all labels and with too few.

    Four more have pairs of a published train alone: of these, a freeze may hold some out.
    """
    writers = [person(f"writer{number}") for number in range(6)]
    for number in range(first, first + 4):
        premise = make_premise(corpus, f"Line {number}.")
        published_pair(corpus, premise, "neutral", "train", f"p{number}")
    for number in range(first + 4, first + 22):
        premise = make_premise(
            corpus,
            f"Line {number}.",
            genre=dice.choice(["fiction", "fiction", "letters"]),
            group=f"group {dice.randrange(10)}",
        )
        for letter in dice.sample("enc", dice.randint(1, 3)):
            name = f"{letter}{number}"
            if dice.random() < 0.25:
                partition = dice.choice(["train", "train", "test", None])
                published_pair(corpus, premise, "neutral", partition, name)
                continue
            pair = add_pair(premise, letter, f"Hypothesis {name}.", author=dice.choice(writers))
            label_pair(pair, letter * dice.choice([SEATS, SEATS, SEATS, 3]))
            if dice.random() < 0.1:
                Label.objects.filter(pair=pair, position=SEATS).update(
                    position=None
                )  # a surplus one: a seat is empty
    gone = [pair for pair in corpus.pairs.standing().order_by("pk") if dice.random() < 0.05]
    withdraw_pairs(
        pairs=Pair.objects.filter(pk__in=[pair.pk for pair in gone]), because=VETTED, at=timezone.now()
    )


def rows(corpus: Corpus, planned: FreezePlan, *, by_author: bool) -> dict[int, Row]:
    """Returns pair id -> its row, read pair by pair."""
    placed = {each.premise_id: each for each in Placement.objects.filter(premise__corpus=corpus)}
    votes = Counter(Label.objects.filter(position__isnull=False).values_list("pair", flat=True))
    found = {}
    for pair in Pair.objects.filter(corpus=corpus).standing().select_related("premise__genre"):
        place = placed.get(pair.premise_id)
        group = pair.premise.group
        is_held_out = place and place.origin == Placement.Origin.HELD_OUT
        if pair.published_partition == "train" and (is_held_out or group in planned.held_out):
            pair.published_partition = "dev"
        found[pair.pk] = Row(
            group,
            pair.premise.genre.slug,
            1,
            published=pair.published_partition,
            placed=place and place.partition,
            validated=votes[pair.pk] == SEATS,
            author=pair.author_id if by_author else None,
        )
    return found


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.thorough) for n in range(2, 40))])
def test_the_copy_puts_each_pair_where_the_plan_does(seed):
    dice = Random(seed)
    corpus = make_corpus(dev_pairs_per_genre=dice.randint(0, 5), test_pairs_per_genre=dice.randint(1, 5))
    # Its premises may be in train already when a genre leaves training.
    add_genre(corpus, "letters", in_training=seed % 2 == 1)
    # The second freeze finds premises that the first has placed; new pairs come to their groups, and it may draw authors.
    for first, author_disjoint in ((0, seed % 2 == 0), (100, dice.random() < 0.5)):
        grow(corpus, dice, first)
        how = {"seed": seed, "author_disjoint": author_disjoint, "dev_from_train": 2 * (first == 0)}
        planned = plan_freeze(corpus, **how)
        went = {
            pk: destination(
                row,
                planned.plan.place_of(row.group),
                planned.outside_training,
                planned.plan.test_authors,
            )
            for pk, row in rows(corpus, planned, by_author=author_disjoint).items()
        }
        snapshot = freeze(corpus, **how)
        copied = dict(SnapshotPair.objects.filter(snapshot=snapshot).values_list("pair", "partition"))
        assert copied == {pk: place for pk, (place, _) in went.items() if place}
        counted = {part: sum(genres.values()) for part, genres in planned.plan.pairs.items()}
        assert Counter(copied.values()) == Counter(counted)
        live = Pair.objects.filter(pk__in=copied).annotate(placed=partition_of())
        assert dict(live.values_list("pk", "placed")) == copied
        left_out = Counter(why for place, why in went.values() if not place)
        assert left_out == {why: sum(genres.values()) for why, genres in planned.plan.left_out.items()}
        assert planned.held_out or first
        if seed == first == 0:
            assert left_out.keys() == {
                AWAITING_LABELS,
                NOT_IN_TRAINING,
                WROTE_TEST,
            }  # the dice reach all of them
        corpus.genres.filter(slug="letters").update(in_training=False)
