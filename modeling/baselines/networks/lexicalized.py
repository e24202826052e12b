"""Lexicalized: the classifier with six types of features (SNLI paper, section 3.2)."""

from typing import ClassVar

from modeling.baselines.networks.fitted import Regression


class Lexicalized(Regression):
    """BLEU, length difference, overlap; words and word pairs of the hypothesis, cross-unigrams, cross-bigrams.

    The paper's "unigrams only" is without cross_bigrams, its "unlexicalized" without hypothesis_ngrams, cross_unigrams
    and cross_bigrams. It names neither classifier nor regularisation: here a logistic regression with L2 of strength
    1, by L-BFGS until it converges, from weights of zero. Differences and what the paper leaves open: tags and tokens
    are spaCy's, there the Stanford parser's; words are in lower case; BLEU stands four times, up to one, two, three
    and four words; the possible overlap is the shorter sentence; no marks stand around a sentence. Multiple premises
    are read as one text.
    """

    reads: ClassVar[tuple[str, ...]] = ("features",)
