"""A corpus with five open pairs, and somebody who labels all of them alike."""

from accounts.models import User
from collection.models import Corpus, Pair
from tests.cast import ana
from tests.corpora import make_corpus, make_pair, make_premise
from validation.labelling.claiming import claim_batch
from validation.labelling.submitting import BatchResult, submit_batch
from validation.pairs.opening import open_for_validation


def five_open_pairs() -> Corpus:
    corpus = make_corpus()
    for number in range(5):
        premise = make_premise(corpus, f"Premise {number}.")
        make_pair(corpus, premise, f"Hypothesis {number}.", author=ana(), author_label="neutral")
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.all())
    return corpus


def label_all(corpus: Corpus, who: User, label: str) -> BatchResult:
    """Gives the label to all pairs of the person's next batch."""
    batch = claim_batch(question=corpus.questions.get(), annotator=who)
    labels = {item.seat.token: label for item in batch.items}
    token = batch.assignment.token
    return submit_batch(annotator=who, token=token, labels=labels, key=token)
