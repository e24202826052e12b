"""Lexicalized: the classifier with six types of features (SNLI paper, section 3.2)."""

from typing import ClassVar

from modeling.baselines.networks.fitted import Regression


class Lexicalized(Regression):
    """BLEU, length difference, overlap; words and word pairs of the hypothesis, cross-unigrams, cross-bigrams.

    The paper's "unigrams only" is without cross_bigrams; its "unlexicalized" is also without hypothesis_ngrams and
    cross_unigrams. Several premises are one text.
    """

    reads: ClassVar[tuple[str, ...]] = ("features",)
