"""One judgement in train and three to five in test, kept where all are the same: declared in the corpus file."""

import pytest

from collection.models import Corpus, Pair
from snapshots.verify import verify
from tests.annotation_site.test_questions_beside_the_main_one import RELATIONS, load
from tests.cast import person
from tests.corpora import make_pair, make_premise
from tests.snapshots.material import folder, freeze, lines, manifest
from tests.validation.votes import gold_of
from validation.errors import NoWork
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import submit_batch
from validation.models import Label, PartitionRule, Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db
__all__ = ["load"]
OWN = "".join(
    f'[[question.partitions]]\npartition = "{name}"\nseats = 1\nthreshold = 1\n' for name in ("train", "dev")
)
BY_PARTITION = RELATIONS.replace("\n[[genres]]", f"\n{OWN}\n[[genres]]")


@pytest.fixture
def corpus(load) -> Corpus:
    assert "nothing" not in load(BY_PARTITION)
    corpus = Corpus.objects.get()
    for partition in ("train", "dev", "test", "test"):
        number = Pair.objects.count()
        premise = make_premise(corpus, f"Premise {number}.", genre="news")
        make_pair(corpus, premise, "So.", public_id=f"{partition}{number}", published_partition=partition)
    open_for_validation(question=Question.objects.get(), pairs=Pair.objects.all())
    return corpus


def label_all(wanted: dict[str, str]) -> None:
    """Six people label whatever they are given; `wanted` has the label of each pair, by person where it has several."""
    question = Question.objects.get()
    for number in range(6):
        who = person(f"person{number}")
        while True:
            try:
                batch = claim_batch(question=question, annotator=who)
            except NoWork:
                break
            labels = {}
            for item in batch.items:
                given = wanted[Pair.objects.get(pk=item.seat.pair_id).public_id]
                labels[item.seat.token] = given[number % len(given)]
            submit_batch(
                annotator=who,
                token=batch.assignment.token,
                labels=labels,
                key=f"{number}{batch.assignment.token}",
            )


def test_pairs_get_the_seats_of_their_partition_and_gold_by_its_threshold(corpus):
    seats = {pair.public_id: pair.labels.count() for pair in Pair.objects.all()}
    assert seats == {"train0": 1, "dev1": 1, "test2": 5, "test3": 5}
    label_all({"train0": "5", "dev1": "3", "test2": "5", "test3": "45"})
    question = Question.objects.get()
    gold = {pair.public_id: gold_of(pair, question)[0] for pair in Pair.objects.all()}
    assert gold == {"train0": "entailed", "dev1": "not-entailed", "test2": "entailed", "test3": None}
    snapshot = freeze(corpus)
    own = {"seats": 1, "threshold": 1}
    assert manifest(snapshot)["corpus"]["question"]["partitions"] == {"train": own, "dev": own}
    assert [line["gold_label"] for line in lines(snapshot, "train")] == ["entailed"]
    assert manifest(snapshot)["agreement"]["pairs_with_all_labels"] == 2
    assert verify(folder(snapshot)).findings == []


def test_the_rule_stays_once_pairs_were_opened_under_it(load, corpus):
    assert "nothing to change" in load(BY_PARTITION)
    told = load(RELATIONS)
    assert "partitions: 1 labels and open seats of dev were made under the rule" in told
    assert PartitionRule.objects.count() == 2
    Label.objects.all().delete()
    load(RELATIONS)
    assert not PartitionRule.objects.exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("threshold = 1\n", "threshold = 2\n", "threshold: must not be more than the 1 seats"),
        ("seats = 1\n", "seats = 9\n", "seats: must not be more than the 5 seats of the question"),
        ('partition = "dev"', 'partition = "train"', 'partition "train" is there 2 times'),
        ('partition = "dev"', 'partition = "valid"', "train, dev, test"),
        ('gold_rule = "unanimous"', 'gold_rule = "majority"', 'goes together with gold_rule = "unanimous"'),
    ],
)
def test_what_is_wrong_with_the_table_is_said(load, old, new, words):
    text = BY_PARTITION.replace(old, new)
    assert words in load(text)
    assert not Corpus.objects.exists()
