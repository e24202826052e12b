"""Every network compared with a slow, direct computation of its paper: one pair at a time, word by word, in NumPy."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch

from modeling.baselines.batches import encode_pairs
from modeling.baselines.catalogue import make_settings
from modeling.baselines.data import Pair
from modeling.baselines.networks import ReadingNetwork, make_network
from modeling.baselines.vocabulary import RESERVED, Vocabulary, tokenise
from tests.baselines.small import small_settings

WORDS = ("a", "dog", "sleeps", "runs", ".", "not", "men", "wait")
VOCABULARY = Vocabulary((*RESERVED, *WORDS))
PAIRS = (
    (("a dog sleeps .",), "dog runs"),
    (("men wait",), "a dog runs . not"),
    (("",), "men"),
    (("a dog .", "men wait . a dog runs", "not", "dog sleeps"), "men wait . not"),
    (("a", "a dog"), ""),
)
Weights = dict[str, Any]
Vectors = Any  # (words, dimensions)


def sigmoid(value: Any) -> Any:
    return 1 / (1 + np.exp(-value))


def softmax(values: Any) -> Any:
    raised = np.exp(values - values.max())
    return raised / raised.sum()


def linear(weights: Weights, name: str, inputs: Any) -> Any:
    return weights[f"{name}.weight"] @ inputs + weights.get(f"{name}.bias", 0)


def lstm(weights: Weights, name: str, words: Vectors, cell: Any = None) -> tuple[Vectors, Any]:
    """Returns the outputs and the last cell."""
    states = weights[f"{name}.weight_hh_l0"].shape[1]
    output, cell = np.zeros(states), np.zeros(states) if cell is None else cell
    outputs = []
    for word in words:
        gates = (
            weights[f"{name}.weight_ih_l0"] @ word
            + weights[f"{name}.bias_ih_l0"]
            + weights[f"{name}.weight_hh_l0"] @ output
            + weights[f"{name}.bias_hh_l0"]
        )
        let_in, keep, new, let_out = np.split(gates, 4)
        cell = sigmoid(keep) * cell + sigmoid(let_in) * np.tanh(new)
        output = sigmoid(let_out) * np.tanh(cell)
        outputs.append(output)
    return np.array(outputs), cell


def bilstm(weights: Weights, name: str, words: Vectors) -> Vectors:
    forward, _ = lstm(weights, f"{name}.left_to_right", words)
    backward, _ = lstm(weights, f"{name}.right_to_left", words[::-1])
    return np.concatenate((forward, backward[::-1]), axis=1)


def one_tanh_layer(weights: Weights, inputs: Any) -> Any:
    """Computes a `tanh_classifier`, whose layers have the numbers 0 and 3."""
    return linear(weights, "classifier.3", np.tanh(linear(weights, "classifier.0", inputs)))


def words_of(weights: Weights, text: Sequence[str]) -> Vectors:
    """Returns the vectors of all sentences of a text; one zero vector if there are none."""
    rows = [weights["vectors.weight"][i] for one in text for i in VOCABULARY.encode(tokenise(one))]
    return np.array(rows or [np.zeros(weights["vectors.weight"].shape[1])])


def infersent(w: Weights, premise: Sequence[str], hypothesis: str) -> Any:
    u, v = (bilstm(w, "encoder", words_of(w, text)).max(axis=0) for text in (premise, (hypothesis,)))
    return one_tanh_layer(w, np.concatenate((u, v, abs(u - v), u * v)))


def hypothesis_only(w: Weights, premise: Sequence[str], hypothesis: str) -> Any:
    return one_tanh_layer(w, bilstm(w, "encoder", words_of(w, (hypothesis,))).max(axis=0))


def mean_bilstm(w: Weights, premise: Sequence[str], hypothesis: str) -> Any:
    u, v = (bilstm(w, "encoder", words_of(w, text)).mean(axis=0) for text in (premise, (hypothesis,)))
    return one_tanh_layer(w, np.concatenate((u, v, u - v, u * v)))


def esim(w: Weights, premise: Sequence[str], hypothesis: str) -> Any:
    a, b = (bilstm(w, "encoder", words_of(w, text)) for text in (premise, (hypothesis,)))

    def aligned(word: Any, others: Vectors) -> Any:
        return softmax(np.array([word @ other for other in others])) @ others

    def composed(mine: Vectors, others: Vectors) -> Any:
        compared = []
        for word in mine:
            meets = aligned(word, others)
            together = np.concatenate((word, meets, word - meets, word * meets))
            compared.append(np.maximum(0, linear(w, "projection", together)))
        states = bilstm(w, "composer", np.array(compared))
        return np.concatenate((states.mean(axis=0), states.max(axis=0)))

    return one_tanh_layer(w, np.concatenate((composed(a, b), composed(b, a))))


def snli(read: Callable[[Weights, Vectors], Any]) -> Callable[[Weights, Sequence[str], str], Any]:
    """Computes SNLI's frame around a sentence model: tanh projection, three tanh layers."""

    def logits(w: Weights, premise: Sequence[str], hypothesis: str) -> Any:
        sides = []
        for text in (premise, (hypothesis,)):
            projected = np.array([np.tanh(linear(w, "projection.0", word)) for word in words_of(w, text)])
            sides.append(read(w, projected))
        state = np.concatenate(sides)
        for layer in (0, 2, 4):
            state = np.tanh(linear(w, f"classifier.{layer}", state))
        return linear(w, "classifier.6", state)

    return logits


def plain_rnn(w: Weights, words: Vectors) -> Any:
    state = np.zeros(words.shape[1])
    for word in words:
        state = np.tanh(
            w["reader.weight_ih_l0"] @ word
            + w["reader.bias_ih_l0"]
            + w["reader.weight_hh_l0"] @ state
            + w["reader.bias_hh_l0"]
        )
    return state


def conditional(w: Weights, premise: Sequence[str], hypothesis: str) -> tuple[Vectors, Vectors]:
    of_premise, cell = lstm(w, "reader.premise.lstm", words_of(w, premise))
    return of_premise, lstm(w, "reader.hypothesis.lstm", words_of(w, (hypothesis,)), cell)[0]


def conditional_lstm(w: Weights, premise: Sequence[str], hypothesis: str) -> Any:
    of_premise, of_hypothesis = conditional(w, premise, hypothesis)
    return one_tanh_layer(w, np.concatenate((of_premise[-1], of_hypothesis[-1])))


def sum_of_experts(w: Weights, premise: Sequence[str], hypothesis: str) -> Any:
    return sum(conditional_lstm(w, (one,), hypothesis) for one in premise)


def word_attention(w: Weights, premise: Sequence[str], hypothesis: str) -> Any:
    outputs, words = conditional(w, premise, hypothesis)
    found = np.zeros(words.shape[1])
    for word in words:
        asked = linear(w, "of_word", word) + linear(w, "of_found", found)
        fit = [linear(w, "weight", np.tanh(linear(w, "of_premise", output) + asked))[0] for output in outputs]
        found = softmax(np.array(fit)) @ outputs + np.tanh(linear(w, "carry", found))
    return linear(w, "softmax", np.tanh(linear(w, "from_found", found) + linear(w, "from_word", words[-1])))


def attentive_experts(w: Weights, premise: Sequence[str], hypothesis: str) -> Any:
    return sum(word_attention(w, (one,), hypothesis) for one in premise)


REFERENCES: dict[str, Callable[[Weights, Sequence[str], str], Any]] = {
    "hypothesis_only": hypothesis_only,
    "infersent": infersent,
    "bilstm": mean_bilstm,
    "esim": esim,
    "sum_of_words": snli(lambda w, words: words.sum(axis=0)),
    "rnn": snli(plain_rnn),
    "lstm": snli(lambda w, words: lstm(w, "reader", words)[0][-1]),
    "conditional_lstm": conditional_lstm,
    "word_attention": word_attention,
    "sum_of_experts": sum_of_experts,
    "attentive_experts": attentive_experts,
}


@pytest.mark.parametrize("baseline", sorted(REFERENCES))
def test_a_network_computes_what_its_paper_says(baseline: str):
    torch.manual_seed(11)
    network = make_network(make_settings(baseline, small_settings(baseline)), len(VOCABULARY), 5, 3).eval()
    assert isinstance(network, ReadingNetwork)
    network.set_vectors(torch.randn(len(VOCABULARY), 5))
    weights = {name: tensor.double().numpy() for name, tensor in network.state_dict().items()}
    pairs = [Pair(str(i), premise, other, 0, "g") for i, (premise, other) in enumerate(PAIRS)]
    with torch.inference_mode():
        encoded = encode_pairs(pairs, network.reads, VOCABULARY)
        logits = network(encoded.cut(np.arange(len(pairs)), torch.device("cpu"))).numpy()
    expected = np.array([REFERENCES[baseline](weights, pair.premise, pair.hypothesis) for pair in pairs])
    np.testing.assert_allclose(logits, expected, atol=2e-6)
    assert len(np.unique(expected.round(4), axis=0)) == len(pairs)
