"""The networks with which our speed is compared compute the same; otherwise the ratio would mean nothing."""

import pytest
import torch

from bench.plain_networks import PLAIN
from modeling.baselines.batches import encode_pairs, training_batches
from modeling.baselines.catalogue import make_settings
from modeling.baselines.data import Pair
from modeling.baselines.networks import make_network
from modeling.baselines.vocabulary import RESERVED, Vocabulary

TEXTS = (
    ("a b c d e", "b a"),
    ("c", "d e a b"),
    ("e d", "c c c"),
    ("b", "a"),
)  # the plain ones take no empty sentence


@pytest.mark.parametrize("name", PLAIN)
def test_the_plain_network_with_our_weights_gives_our_logits(name):
    vocabulary = Vocabulary((*RESERVED, *"abcde"))
    settings = make_settings(name, {"states": 6, "hidden": 5})
    torch.manual_seed(3)
    ours = make_network(settings, len(vocabulary), 4, 3).eval()
    plain = PLAIN[name](settings, len(vocabulary), 4, 3).eval()
    weights = {}
    for key, value in ours.state_dict().items():
        key = (
            key.replace("right_to_left.", "lstm.").replace("_l0", "_l0_reverse") if "right_to" in key else key
        )
        weights[key.replace("left_to_right.", "lstm.").replace("projection.", "projection.0.")] = value
    plain.load_state_dict(weights)
    pairs = [
        Pair(str(number), (premise,), hypothesis, 0, "") for number, (premise, hypothesis) in enumerate(TEXTS)
    ]
    encoded = encode_pairs(pairs, ours.reads, vocabulary)
    (rows,) = training_batches(encoded, len(pairs), 1, 0)
    batch = encoded.cut(rows, torch.device("cpu"))
    torch.testing.assert_close(plain(batch), ours(batch), rtol=1e-4, atol=1e-5)
