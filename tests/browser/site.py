"""The corpus of the browser tests: small, with something to write and something to label."""

from accounts.models import User
from accounts.people.consents import give_consent
from collection.models import Corpus, Pair
from collection.premises.writing_seats import make_seats
from tests.cast import ana
from tests.corpora import make_corpus, make_pair, make_premise
from validation.pairs.opening import open_for_validation

TEXTS = (
    "A street musician plays the accordion in front of a closed bakery.",
    "The ferry leaves at six, whether or not the captain has had his coffee.",
    "Nobody told the twins that the lake freezes over in December.",
    "Our neighbour keeps three goats and an opinion on everything.",
    "The committee met for nine hours and agreed on the date of its next meeting.",
)


def make_site(*agreed: User) -> Corpus:
    """Makes five premises to write for and five pairs by Ana to label. `agreed`: people who gave their consent."""
    corpus = make_corpus(with_consent=True, max_hypothesis_chars=80)
    make_seats(premises=[make_premise(corpus, text) for text in TEXTS])
    for number, text in enumerate(TEXTS):
        premise = make_premise(corpus, f"In the story: {text}")
        make_pair(corpus, premise, f"Hypothesis {number}.", author=ana(), author_label="neutral")
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.all())
    assert corpus.consent_form is not None
    for person in agreed:
        give_consent(user=person, form=corpus.consent_form)
    return corpus
