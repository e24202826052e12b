"""The BiLSTM over sentences of many lengths equals torch's, forward and backward, with and without distinct words."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from modeling.baselines.batches import Sentences
from modeling.baselines.networks import recurrence
from modeling.baselines.networks.layers import BiLSTM
from modeling.baselines.networks.recurrence import Recurrence, Steps, steps_of

LENGTHS = ([6, 2, 4, 0], [1, 5, 5, 2])
OUTSIDE = -7.0


def sentences(lengths: list[int]) -> Sentences:
    """Returns sentences of the tokens 1, 2, 3, repeated, with padding after them."""
    numbers, longest = torch.tensor(lengths), max(1, *lengths)
    tokens = 1 + torch.arange(len(lengths) * longest).view(-1, longest) % 3
    tokens[torch.arange(longest) >= numbers[:, None]] = 0
    return Sentences(tokens, numbers, torch.arange(len(lengths)))


def steps() -> Steps:
    return steps_of([sentences(lengths) for lengths in LENGTHS])


def twins() -> tuple[BiLSTM, torch.nn.LSTM]:
    """Returns our BiLSTM, and torch's with the same weights."""
    torch.manual_seed(5)
    ours, theirs = BiLSTM(3, 4), torch.nn.LSTM(3, 4, batch_first=True, bidirectional=True)
    for end, name in ((ours.left_to_right, ""), (ours.right_to_left, "_reverse")):
        for key, parameter in end.named_parameters():
            theirs.get_parameter(key + name).data.copy_(parameter)
    return ours, theirs


def by_theirs(theirs: torch.nn.LSTM, table: Tensor) -> Tensor:
    """Returns torch's states (sentences, longest, 8); an empty sentence is read as one word of padding."""
    sides = [sentences(lengths) for lengths in LENGTHS]
    tokens = torch.cat([torch.nn.functional.pad(one.tokens, (0, 6 - one.tokens.shape[1])) for one in sides])
    lengths = torch.cat([one.lengths for one in sides]).clamp(min=1)
    packed = pack_padded_sequence(table[tokens], lengths, batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(theirs(packed)[0], batch_first=True, padding_value=OUTSIDE)[0]


def gradients(states: Tensor, table: Tensor, *modules: torch.nn.LSTM) -> list[Tensor]:
    """Returns the gradients of a sum in which every state has another weight."""
    weights = torch.linspace(-1, 1, states.numel()).view_as(states)
    parameters = [table, *(one for module in modules for one in module.parameters())]
    return list(torch.autograd.grad((states * weights).sum(), parameters))


@pytest.mark.parametrize("way", ["words", "distinct words", "torch's kernel"])
def test_states_and_gradients_are_those_of_torchs_own_bilstm(way: str, monkeypatch: pytest.MonkeyPatch):
    ours, theirs = twins()
    table = torch.randn(4, 3, requires_grad=True)
    expected = by_theirs(theirs, table)
    read = steps()
    if way == "distinct words":
        states = ours(table, read.tokens, read)
    elif way == "words":
        states = ours(table[read.tokens], None, read)
    else:
        states = recurrence.by_torch(table[read.tokens], read, ours.left_to_right, ours.right_to_left)
    spread = read.spread(states, OUTSIDE)
    torch.testing.assert_close(spread, expected)
    of_ours = gradients(spread, table, ours.left_to_right, ours.right_to_left)
    for found, wanted in zip(of_ours, gradients(expected, table, theirs), strict=True):
        torch.testing.assert_close(found, wanted)


def test_the_gradients_are_those_that_small_differences_show():
    torch.manual_seed(6)
    which, counts = torch.tensor([0, 2, 1, 1, 0, 2]), [3, 2, 1]
    sizes = ((3, 3), (8, 3), (8,), (8, 2))
    inputs, *weights = (torch.randn(size, dtype=torch.float64, requires_grad=True) for size in sizes)

    def read(which: Tensor | None) -> Callable[..., Tensor]:
        return lambda x, *weights: Recurrence.apply(x, which, *weights, counts, x.dtype)

    assert torch.autograd.gradcheck(read(which), (inputs, *weights))
    inputs = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(read(None), (inputs, *weights))


def test_words_stand_step_by_step_and_find_back_to_their_sentences():
    read = steps()
    assert (read.sentences, read.longest, sum(read.counts)) == (8, 6, len(read.tokens))
    assert read.counts == [8, 6, 4, 4, 3, 1]
    lengths = [max(1, length) for side in LENGTHS for length in side]
    grid = read.spread(torch.ones(len(read.tokens), 1), 0.0)
    assert grid.sum(dim=(1, 2)).tolist() == lengths
    places = read.gather(torch.arange(48.0).view(8, 6, 1))[:, 0].long()
    assert torch.equal(read.mirrored[read.mirrored], torch.arange(len(places)))
    for place, mirror in zip(places.tolist(), places[read.mirrored].tolist(), strict=True):
        assert place // 6 == mirror // 6
        assert place % 6 + mirror % 6 == lengths[place // 6] - 1
