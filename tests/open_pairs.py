"""Corpora with pairs that are open for labelling, and people who give a batch one label throughout."""

from accounts.models import User
from collection.models import Corpus, Pair
from tests.cast import ana
from tests.corpora import make_corpus, make_pair, make_premise
from validation.labelling.claiming import Batch, claim_batch
from validation.labelling.submitting import BatchResult, submit_batch
from validation.pairs.opening import open_for_validation


def open_pairs(number: int, **fields: object) -> Corpus:
    """Makes a corpus with so many pairs by Ana, each of a premise of its own, and opens them."""
    corpus = make_corpus(**fields)
    make_pairs(corpus, number)
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.all())
    return corpus


def make_pairs(corpus: Corpus, number: int, **fields: object) -> None:
    """Makes pairs that nobody opened, by Ana unless `author` says otherwise."""
    usual = {"author": ana(), "author_label": "neutral"}
    for each in range(number):
        premise = make_premise(corpus, f"Premise {each}.")
        make_pair(corpus, premise, f"Hypothesis {each}.", **{**usual, **fields})


def send_all(batch: Batch, who: User, label: str = "neutral", key: str = "") -> BatchResult:
    labels = {item.seat.token: label for item in batch.items}
    token = batch.assignment.token
    return submit_batch(annotator=who, token=token, labels=labels, key=key or token)


def label_all(corpus: Corpus, who: User, label: str = "neutral") -> BatchResult:
    """Gives the label to all pairs of the person's next batch."""
    return send_all(claim_batch(question=corpus.questions.get(), annotator=who), who, label)
