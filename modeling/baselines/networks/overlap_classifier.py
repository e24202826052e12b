"""OverlapClassifier: a classifier on what two sentences have in common (SNLI paper, section 3.1)."""

from typing import ClassVar

from modeling.baselines.networks.fitted import Regression


class OverlapClassifier(Regression):
    """A logistic regression on shares of common words (features/measures.py); with WordNet, of related words, too."""

    reads: ClassVar[tuple[str, ...]] = ()
