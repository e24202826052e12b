"""OverlapClassifier: a classifier on what two sentences have in common (SNLI paper, section 3.1)."""

from typing import ClassVar

from modeling.baselines.networks.fitted import Regression


class OverlapClassifier(Regression):
    """A logistic regression on shares of common words, lemmas, and lemmas of content words; two classes.

    In the manner of the classifier of the Excitement Open Platform without lexical resources, and not a copy of it:
    the paper tells neither its features nor its settings, so nine shares are taken here (features/measures.py). From
    weights of zero by L-BFGS until it converges, with L2 of strength 1. The variant with WordNet, VerbOcean and
    dependency trees is not here.
    """

    reads: ClassVar[tuple[str, ...]] = ()
