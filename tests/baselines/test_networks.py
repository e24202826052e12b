"""The networks' arithmetic; neither padding nor the other pairs of a batch change a prediction."""

import math

import numpy as np
import pytest
import torch

from modeling.baselines.batches import EncodedPairs, encode_pairs, training_batches
from modeling.baselines.catalogue import BASELINES, make_settings
from modeling.baselines.data import Pair
from modeling.baselines.networks import Network, ReadingNetwork, make_network, network_of
from modeling.baselines.optimisers import make_optimiser
from modeling.baselines.prediction import predict
from modeling.baselines.settings import NeuralSettings
from modeling.baselines.vocabulary import RESERVED, Vocabulary, tokenise
from tests.baselines.small import graded, small_settings

WORDS = ("a", "dog", "sleeps", "runs", ".", "not")
SENTENCES = ("a dog sleeps.", "", "zzz qqq", "a dog", "not", "a dog runs. not")
NEURAL = sorted(name for name, kind in BASELINES.items() if issubclass(kind, NeuralSettings))
CPU = torch.device("cpu")


def premise_of(number: int, sentence: str) -> tuple[str, ...]:
    """One sentence, or several: corpora have both."""
    return (sentence, *(SENTENCES[number % 5], "a dog")[: number % 3])


def made(baseline: str, longest: int = 41, **changes: object) -> tuple[Network, EncodedPairs]:
    """Returns a network with random weights, and pairs of every length up to that of the longest."""
    sentences = (*SENTENCES, " ".join(["runs"] * longest))
    torch.manual_seed(3)
    vocabulary = Vocabulary((*RESERVED, *WORDS))
    settings = make_settings(baseline, small_settings(baseline, **changes))
    network = make_network(settings, len(vocabulary), 4, 3)
    assert isinstance(network, ReadingNetwork)
    network.set_vectors(torch.randn(len(vocabulary), 4))
    pairs = [
        Pair(str(number), premise_of(number, one), other, number % 3, "g")
        for number, (one, other) in enumerate((one, other) for one in sentences for other in sentences)
    ]
    return network.eval(), encode_pairs(pairs, network.reads, vocabulary)


@pytest.mark.parametrize("baseline", NEURAL)
def test_padding_and_company_never_change_a_prediction(baseline: str):
    network, pairs = made(baseline)
    together = predict(network, pairs, 3, CPU, lambda: None)
    with torch.inference_mode():
        alone = np.concatenate(
            [network(pairs.cut(np.array([row]), CPU)).softmax(dim=1).numpy() for row in range(len(pairs))]
        )
    assert np.isfinite(together).all()
    np.testing.assert_allclose(together, alone, atol=1e-6)
    assert (together.argmax(axis=1) == alone.argmax(axis=1)).all()


@pytest.mark.parametrize("baseline", graded(NEURAL))
def test_empty_unknown_and_very_long_sentences_can_be_learnt_from(baseline: str):
    network, pairs = made(baseline, longest=401)
    batch = pairs.cut(np.arange(len(pairs)), CPU)
    torch.nn.functional.cross_entropy(network.train()(batch), batch.labels).backward()
    for name, parameter in network.named_parameters():
        assert not parameter.requires_grad or parameter.grad is not None, name
        assert parameter.grad is None or torch.isfinite(parameter.grad).all(), name


@pytest.mark.parametrize("baseline", graded(NEURAL))
def test_every_network_learns_one_batch_by_heart_with_its_own_optimiser(baseline: str):
    torch.manual_seed(4)
    settings = make_settings(baseline, small_settings(baseline, dropout=0.0))
    assert isinstance(settings, NeuralSettings)
    texts = [
        f"{first} {second} {third}" for first in WORDS for second in WORDS[:3] for third in ("runs", "not")
    ]
    pairs = [
        Pair(str(number), (premise, "a dog"), hypothesis, number % 3, "g")
        for number, (premise, hypothesis) in enumerate(zip(texts, reversed(texts), strict=True))
    ][:24]
    vocabulary = Vocabulary((*RESERVED, *WORDS))
    network = make_network(settings, len(vocabulary), 8, 3)
    assert isinstance(network, ReadingNetwork)
    network.set_vectors(torch.randn(len(vocabulary), 8))
    batch = encode_pairs(pairs, network.reads, vocabulary).cut(np.arange(len(pairs)), CPU)
    optimiser = make_optimiser(network, settings)
    for _ in range(1500):
        logits = network(batch)
        if bool((logits.argmax(dim=1) == batch.labels).all()):
            return
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(logits, batch.labels).backward()
        optimiser.step()
    pytest.fail("the batch is not learnt in 1,500 steps")


@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_cbow_computes_what_the_paper_says_of_the_scaled_sums(scale: float):
    network, pairs = made("cbow", scale=scale)
    weights = {name: tensor.tolist() for name, tensor in network.state_dict().items()}
    vocabulary = Vocabulary((*RESERVED, *WORDS))

    def summed(sentence: str) -> list[float]:
        rows = [weights["vectors.weight"][index] for index in vocabulary.encode(tokenise(sentence))]
        return [scale * sum(row[place] for row in rows) for place in range(4)]

    def layer(name: str, inputs: list[float]) -> list[float]:
        matrix, bias = weights[f"classifier.{name}.weight"], weights[f"classifier.{name}.bias"]
        return [
            sum(w * x for w, x in zip(row, inputs, strict=True)) + b
            for row, b in zip(matrix, bias, strict=True)
        ]

    u, v = summed(SENTENCES[0]), summed(SENTENCES[3])
    features = [
        *u,
        *v,
        *(a - b for a, b in zip(u, v, strict=True)),
        *(a * b for a, b in zip(u, v, strict=True)),
    ]
    expected = layer("3", [math.tanh(value) for value in layer("0", features)])
    row = np.array([3])  # its premise is one sentence
    with torch.inference_mode():
        logits = network(pairs.cut(row, CPU))[0].tolist()
    assert logits == pytest.approx(expected, abs=1e-5)


def test_the_scale_of_cbow_makes_no_other_network():
    published, pairs = made("cbow", scale=1.0)
    scaled, _ = made("cbow", scale=0.25)
    weights = published.state_dict()
    factors = torch.tensor([4.0, 4.0, 4.0, 16.0]).repeat_interleave(4)  # of u, v, u - v and u * v
    weights["classifier.0.weight"] = weights["classifier.0.weight"] * factors
    scaled.load_state_dict(weights)
    batch = pairs.cut(np.arange(4), CPU)
    with torch.inference_mode():
        assert torch.allclose(scaled(batch), published(batch), atol=1e-5)


def test_hypothesis_only_never_sees_a_premise():
    assert network_of(BASELINES["hypothesis_only"]).reads == ("hypothesis",)
    assert len(made("hypothesis_only")[1].sides) == 1


def test_training_tunes_the_vectors_of_cbow_and_not_those_of_hypothesis_only():
    assert made("cbow")[0].get_parameter("vectors.weight").requires_grad
    assert not made("hypothesis_only")[0].get_parameter("vectors.weight").requires_grad


def test_batches_hold_each_pair_once_and_change_with_seed_and_epoch():
    pairs = made("cbow")[1]
    first = training_batches(pairs, 4, seed=1, epoch=0)
    assert sorted(np.concatenate(first).tolist()) == list(range(len(pairs)))
    assert [len(batch) for batch in first].count(4) == len(pairs) // 4
    again, later, other = (
        np.concatenate(training_batches(pairs, 4, seed=seed, epoch=epoch)).tolist()
        for seed, epoch in ((1, 0), (1, 1), (2, 0))
    )
    assert np.concatenate(first).tolist() == again
    assert again not in (later, other)


def test_sorting_by_length_saves_padding():
    pairs = made("cbow")[1]

    def padding(batches: list[np.ndarray]) -> int:
        return sum(pairs.cut(batch, CPU).cells()[0] for batch in batches)

    unsorted = np.split(np.random.default_rng(0).permutation(48), 12)
    assert padding(training_batches(pairs, 4, seed=1, epoch=0)) < padding(unsorted)
