"""What can be set for each baseline: one dataclass each, free of torch so that a web process may look.

A default is the paper's value where a comment does not say otherwise. Every value is checked when it is made.
"""

import math
from dataclasses import dataclass, field, fields
from typing import Any


def setting(
    default: object,
    doc: str,
    *,
    least: float | None = None,
    below: float | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    """A dataclass field with its one-line documentation and its limits (`least` in, `below` out)."""
    return field(default=default, metadata={"doc": doc, "least": least, "below": below, "choices": choices})


@dataclass(frozen=True)
class Settings:
    """The settings of one baseline. Raises ValueError, naming the key, for a value out of its limits."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            least, below, choices = (one.metadata[name] for name in ("least", "below", "choices"))
            if choices and value not in choices:
                raise ValueError(f"{one.name} is {value!r}, but must be one of: {', '.join(choices)}.")
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError(f"{one.name} is {value}, but must be a finite number.")
            if least is not None and value < least:
                raise ValueError(f"{one.name} is {value}, but must be at least {least:g}.")
            if below is not None and value >= below:
                raise ValueError(f"{one.name} is {value}, but must be below {below:g}.")


@dataclass(frozen=True)
class MajoritySettings(Settings):
    """Always the commonest label of the training partition; nothing to set."""


@dataclass(frozen=True)
class NeuralSettings(Settings):
    """What every network has."""

    epochs: int = setting(20, "how often the training pairs are gone through, at most", least=1)
    batch_size: int = setting(32, "pairs in a training batch", least=1)
    optimiser: str = setting("adam", "how weights are updated", choices=("adam", "sgd"))
    learning_rate: float = setting(0.001, "the first epoch's learning rate", least=0, below=100)
    decay: float = setting(1.0, "factor on the learning rate after each epoch", least=0)
    shrink: float = setting(1.0, "divisor of the learning rate when dev accuracy falls; 1 for never", least=1)
    stop_below: float = setting(0.0, "training ends once the learning rate is below this", least=0)
    patience: int = setting(
        0, "training ends after so many epochs without a better dev accuracy; 0: never", least=0
    )
    clip: float = setting(0.0, "largest norm of a batch's gradient; 0 for no limit", least=0)
    hidden: int = setting(300, "units of the classifier's hidden layer", least=1)
    dropout: float = setting(0.0, "share of units dropped while training", least=0, below=1)
    train_vectors: bool = setting(True, "are word vectors tuned along with the rest")
    oov: str = setting(
        "random", "vector of a word without one: random, or one for all", choices=("random", "shared")
    )
    lowercase_fallback: bool = setting(True, "is a word that has no vector looked up in lower case")
    minimum_count: int = setting(1, "words rarer than this in training count as unknown", least=1)


@dataclass(frozen=True)
class CBOWSettings(NeuralSettings):
    """Sum of word vectors, [u; v; u-v; u*v], one tanh layer (MultiNLI paper, section 3)."""

    dropout: float = setting(0.1, "share of units dropped (0.2 for single genres)", least=0, below=1)
    patience: int = setting(
        3, "training ends after so many epochs without a better dev accuracy; 0: never", least=0
    )


@dataclass(frozen=True)
class HypothesisOnlySettings(NeuralSettings):
    """BiLSTM with max-pooling that sees the hypothesis alone (Hypothesis Only paper, section 3)."""

    epochs: int = setting(20, "how often the training pairs are gone through, at most", least=1)
    # Small, for learning rate and epochs are the paper's, whose corpora are larger: on 7,642 pairs batches of
    # 64 (InferSent's) ended at 53% of dev, batches of 4 at 60%.
    batch_size: int = setting(4, "pairs in a training batch", least=1)
    optimiser: str = setting("sgd", "how weights are updated", choices=("adam", "sgd"))
    learning_rate: float = setting(0.1, "the first epoch's learning rate", least=0, below=100)
    decay: float = setting(0.99, "factor on the learning rate after each epoch", least=0)
    shrink: float = setting(5.0, "divisor of the learning rate when dev accuracy falls; 1 for never", least=1)
    stop_below: float = setting(1e-5, "training ends once the learning rate is below this", least=0)
    clip: float = setting(5.0, "largest norm of a batch's gradient; 0 for no limit", least=0)
    # InferSent has 2048 for vectors of 300; with vectors of 50, 300 states were no better than 128 and took
    # three times as long.
    states: int = setting(128, "units of the LSTM in each direction", least=1)
    hidden: int = setting(512, "units of the classifier's hidden layer", least=1)
    train_vectors: bool = setting(False, "are word vectors tuned along with the rest")
    oov: str = setting(
        "shared", "vector of a word without one: random, or one for all", choices=("random", "shared")
    )
