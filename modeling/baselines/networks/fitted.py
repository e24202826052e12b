"""Networks that are fitted at once, without gradients: the commonest label, a logistic regression on features."""

import warnings
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from modeling.baselines.batches import Batch, EncodedPairs, Integers
from modeling.baselines.errors import BaselineError
from modeling.baselines.features.lexicon import measures_in
from modeling.baselines.networks.layers import Network
from modeling.baselines.settings import MajoritySettings, RegressionSettings
from modeling.baselines.vocabulary import PADDING


class FittedNetwork(Network):
    """A network without parameters, whose buffers `fit` sets."""

    def fit(self, pairs: EncodedPairs, rows: Integers) -> str:
        """Learns from the pairs `rows`. Returns a warning for the user, or ""."""
        raise NotImplementedError


class Regression(FittedNetwork):
    """A multinomial logistic regression with L2 on features by name (indicators) and measures, by scikit-learn.

    Measures are divided by their standard deviation in training, so that L2 treats a count of words like a share; the
    intercept has no L2. The stored weights are those of the measures without this division.
    """

    names: Tensor
    measures: Tensor
    intercept: Tensor

    def __init__(self, settings: RegressionSettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__()
        self.settings = settings
        self.register_buffer("names", torch.zeros(words, labels))
        self.register_buffer("measures", torch.zeros(labels, measures_in(settings)))
        self.register_buffer("intercept", torch.zeros(labels))

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels)."""
        assert batch.measures is not None
        logits = nn.functional.linear(batch.measures, self.measures, self.intercept)
        for one in batch.sentences:
            logits = logits + nn.functional.embedding_bag(
                one.tokens, self.names, mode="sum", padding_idx=PADDING
            )
        return logits

    def fit(self, pairs: EncodedPairs, rows: Integers) -> str:
        """Fits the regression. Raises BaselineError if all pairs have the same label."""
        from scipy import sparse  # a second, and the neural baselines need neither
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        assert pairs.measures is not None
        measures = pairs.measures[rows].astype(np.float64)
        scale = measures.std(axis=0)
        scale[scale == 0] = 1
        names = [
            sparse.csr_matrix((np.ones(len(indices)), indices, starts), (len(rows), len(self.names)))
            for indices, starts in (side.end_to_end(rows) for side in pairs.sides)
        ]
        examples = sparse.hstack([*names, sparse.csr_matrix(measures / scale)], format="csr")
        which, labels, weights = weighted_labels(pairs, rows)
        if len(np.unique(labels)) < 2:
            raise BaselineError(
                "All training pairs have the same label: train on pairs with two labels at least."
            )
        regression = LogisticRegression(C=1 / self.settings.l2, max_iter=self.settings.iterations)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            regression.fit(examples[which], labels, sample_weight=weights)
        self.keep(regression.classes_, regression.coef_, regression.intercept_, scale)
        if int(regression.n_iter_.max()) < self.settings.iterations:
            return ""
        return f"The regression had not converged after {self.settings.iterations} steps: set more iterations or more l2."

    def keep(
        self,
        classes: Integers,
        weights: npt.NDArray[np.float64],
        intercept: npt.NDArray[np.float64],
        scale: npt.NDArray[np.float64],
    ) -> None:
        """Stores the weights of scikit-learn (classes, names + measures) in the buffers."""
        if (
            len(classes) == 2
        ):  # of two classes it returns the weights of the second; those of the first are zero
            weights, intercept = (np.concatenate((np.zeros_like(one), one)) for one in (weights, intercept))
        of_names, of_measures = np.split(weights, [weights.shape[1] - len(scale)], axis=1)
        self.intercept.fill_(float("-inf"))  # for a label without pairs
        self.intercept[classes] = torch.from_numpy(intercept).float()
        self.measures[classes] = torch.from_numpy(of_measures / scale).float()
        if of_names.shape[1]:
            self.names[:, classes] = torch.from_numpy(of_names.T).float()


def weighted_labels(
    pairs: EncodedPairs, rows: Integers
) -> tuple[Integers, Integers, npt.NDArray[np.float64]]:
    """Returns places among the pairs `rows`, and the label and weight of each. With soft labels, a pair has one place for
    each of its labels, with the share of the label as weight.
    """
    if pairs.distributions is None:
        return np.arange(len(rows)), pairs.labels[rows], np.ones(len(rows))
    soft = pairs.distributions[rows].astype(np.float64)
    which, labels = np.nonzero(soft)
    return which, labels, soft[which, labels]


class Lexicalized(Regression):
    """BLEU, length difference, overlap; words and word pairs of the hypothesis, cross-unigrams, cross-bigrams.

    The paper's "unigrams only" is without cross_bigrams; its "unlexicalized" is also without hypothesis_ngrams and
    cross_unigrams. Several premises are one text.
    """

    reads: ClassVar[tuple[str, ...]] = ("features",)


class OverlapClassifier(Regression):
    """A logistic regression on shares of common words (features/measures.py); with WordNet, of related words, too."""

    reads: ClassVar[tuple[str, ...]] = ()


class Majority(FittedNetwork):
    """Predicts the shares of the labels in training; of equally common labels, the first wins."""

    reads: ClassVar[tuple[str, ...]] = ()
    counts: Tensor

    def __init__(self, settings: MajoritySettings, words: int, dimensions: int, labels: int) -> None:
        super().__init__()
        self.register_buffer("counts", torch.zeros(labels))

    def fit(self, pairs: EncodedPairs, rows: Integers) -> str:
        """Counts the labels."""
        self.counts.copy_(torch.bincount(torch.from_numpy(pairs.labels[rows]), minlength=len(self.counts)))
        return ""

    def forward(self, batch: Batch) -> Tensor:
        """Returns the logits (batch, labels) whose softmax are the shares; minus infinity for a label without pairs."""
        return self.counts.log().expand(len(batch), -1)
