"""What learns in one look at all training pairs, without gradients: a logistic regression on features."""

import warnings

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from modeling.baselines.batches import Batch, EncodedPairs, Integers
from modeling.baselines.errors import BaselineError
from modeling.baselines.features.lexicon import measures_in
from modeling.baselines.networks.layers import Network
from modeling.baselines.settings import RegressionSettings
from modeling.baselines.vocabulary import PADDING


class FittedNetwork(Network):
    """A network without parameters, whose buffers `fit` sets."""

    def fit(self, pairs: EncodedPairs, rows: Integers) -> str:
        """Learns from the pairs `rows`; the answer is what a person should be warned of, "" for nothing."""
        raise NotImplementedError


class Regression(FittedNetwork):
    """A multinomial logistic regression with L2 on features by name (indicators) and measures, by scikit-learn.

    Measures are divided by their standard deviation in training before L2 is applied, so that a count of words and a
    share weigh alike; the intercept is free of it. What is kept are the weights of the measures as they are.
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
        """Logits (batch, labels)."""
        assert batch.measures is not None
        logits = nn.functional.linear(batch.measures, self.measures, self.intercept)
        for one in batch.sentences:
            logits = logits + nn.functional.embedding_bag(
                one.tokens, self.names, mode="sum", padding_idx=PADDING
            )
        return logits

    def fit(self, pairs: EncodedPairs, rows: Integers) -> str:
        """Raises BaselineError where all pairs have the same label."""
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
        """Puts what scikit-learn found (classes, names + measures) into the buffers."""
        if len(classes) == 2:  # of two classes it tells the second one's weights, the first one's being zero
            weights, intercept = (np.concatenate((np.zeros_like(one), one)) for one in (weights, intercept))
        of_names, of_measures = np.split(weights, [weights.shape[1] - len(scale)], axis=1)
        self.intercept.fill_(float("-inf"))  # for a label never seen
        self.intercept[classes] = torch.from_numpy(intercept).float()
        self.measures[classes] = torch.from_numpy(of_measures / scale).float()
        if of_names.shape[1]:
            self.names[:, classes] = torch.from_numpy(of_names.T).float()


def weighted_labels(
    pairs: EncodedPairs, rows: Integers
) -> tuple[Integers, Integers, npt.NDArray[np.float64]]:
    """Of the pairs `rows`: the places among them, the label of each, and its weight. With soft labels a pair stands
    once for each label that somebody gave, with its share.
    """
    if pairs.distributions is None:
        return np.arange(len(rows)), pairs.labels[rows], np.ones(len(rows))
    soft = pairs.distributions[rows].astype(np.float64)
    which, labels = np.nonzero(soft)
    return which, labels, soft[which, labels]
