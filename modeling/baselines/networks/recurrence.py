"""Read sentences of different lengths with an LSTM, all at once and without padding.

Words are ordered by steps: the first words of all sentences, longest sentence first, then all second words, and so on.
The sentences that have a word at one step are then the first ones of the step before. cuDNN takes this form. On a CPU,
torch is slow with it: so forward and backward are computed here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from modeling.baselines.batches import Sentences

WEIGHTS = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")  # in the order that torch takes


@dataclass(frozen=True)
class Steps:
    """Words of some sentences, ordered by steps: `tokens` (words,); `counts`: the number of words of each step.

    An empty sentence has one word, padding. `place` (words,): the index of a word in (sentences, longest), end to
    end. `mirrored` (words,): the word at the same distance from the other end of the sentence.
    """

    tokens: Tensor
    counts: list[int]
    place: Tensor
    mirrored: Tensor
    sentences: int
    longest: int

    def spread(self, states: Tensor, outside: float) -> Tensor:
        """Returns (sentences, longest, size) from (words, size), with `outside` after the end of a sentence."""
        grid = states.new_full((self.sentences * self.longest, states.shape[1]), outside)
        return grid.index_copy(0, self.place, states).view(self.sentences, self.longest, -1)

    def gather(self, grid: Tensor) -> Tensor:
        """Returns (words, size) from (sentences, longest, size)."""
        return grid.flatten(0, 1).index_select(0, self.place)


def steps_of(sides: Sequence[Sentences]) -> Steps:
    """Returns all sentences as one `Steps`: first those of the first side, then those of the second, and so on."""
    device = sides[0].tokens.device
    longest = max(one.tokens.shape[1] for one in sides)
    tokens = torch.cat([nn.functional.pad(one.tokens, (0, longest - one.tokens.shape[1])) for one in sides])
    lengths = np.maximum(np.concatenate([one.lengths.numpy() for one in sides]), 1)
    order = np.argsort(-lengths, kind="stable")
    has_word = lengths[order] > np.arange(longest)[:, None]
    step, rank = np.nonzero(has_word)
    counts = has_word.sum(axis=1)
    starts = np.cumsum(counts) - counts
    place = torch.from_numpy(order[rank] * longest + step).to(device)
    mirrored = torch.from_numpy(starts[lengths[order][rank] - 1 - step] + rank).to(device)
    return Steps(
        tokens.flatten().index_select(0, place), counts.tolist(), place, mirrored, len(lengths), longest
    )


def read_both_ways(
    inputs: Tensor, which: Tensor | None, steps: Steps, forward: nn.LSTM, backward: nn.LSTM
) -> Tensor:
    """Returns (words, 2 * states): two LSTMs of one layer over `inputs` (words, size), one from each end.

    With `which` (words,), `inputs` (distinct, size) are the distinct ones, of which a word takes that one: what an
    LSTM makes of its input alone is computed once for each.
    """
    if inputs.device.type != "cpu":
        return by_torch(inputs if which is None else inputs[which], steps, forward, backward)
    there = read_one_way(inputs, which, steps, forward)
    turned = steps.mirrored if which is None else which[steps.mirrored]
    back = read_one_way(inputs, turned, steps, backward)
    return torch.cat((there, back.index_select(0, steps.mirrored)), dim=1)


def by_torch(inputs: Tensor, steps: Steps, forward: nn.LSTM, backward: nn.LSTM) -> Tensor:
    """Computes the same with torch's own kernel for this form, which is cuDNN's on a GPU."""
    # Converted here: autocast's own way for cuDNN may use half precision, in which gradients vanish.
    precision = precision_of(inputs)
    begin = inputs.new_zeros(2, steps.counts[0], forward.hidden_size, dtype=precision)
    weights = [one.get_parameter(name).to(precision) for one in (forward, backward) for name in WEIGHTS]
    with torch.autocast(inputs.device.type, enabled=False):
        outputs, _, _ = torch.lstm(
            inputs.to(precision), torch.tensor(steps.counts), (begin, begin), weights,
            has_biases=True, num_layers=1, dropout=0.0, train=forward.training, bidirectional=True,
        )  # fmt: skip
    return outputs


def read_one_way(inputs: Tensor, which: Tensor | None, steps: Steps, lstm: nn.LSTM) -> Tensor:
    """Returns (words, states) of one direction; `which`: the index in `inputs` of each word of the steps."""
    of_input, of_state, *biases = (lstm.get_parameter(name) for name in WEIGHTS)
    precision = precision_of(inputs)
    with torch.autocast("cpu", enabled=False):
        states: Tensor = Recurrence.apply(
            inputs.to(of_input.dtype), which, of_input, biases[0] + biases[1], of_state, steps.counts, precision
        )  # fmt: skip
    return states


def precision_of(inputs: Tensor) -> torch.dtype:
    """Returns the precision of products: that of autocast if it is on, else that of the inputs."""
    kind = inputs.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else inputs.dtype


class Recurrence(torch.autograd.Function):
    """An LSTM of one layer. The rows of its weights are in torch's order: input, forget, cell, output gate.

    Backward, everything that is not the recurrence itself is done for all words at once, a weight's gradient
    with one product.
    """

    @staticmethod
    def forward(
        ctx: Any,
        inputs: Tensor,
        which: Tensor | None,
        of_input: Tensor,
        bias: Tensor,
        of_state: Tensor,
        counts: list[int],
        precision: torch.dtype,
    ) -> Tensor:
        """Returns the states (words, states)."""
        inputs = inputs.to(precision)
        gates = product(inputs, of_input.t().to(precision).contiguous(), of_input.dtype).add_(bias)
        if which is not None:
            gates = gates.index_select(0, which)
        size, turned = of_state.shape[1], of_state.t().to(precision).contiguous()
        states = gates.new_empty(len(gates), size)
        cells, bounded = torch.empty_like(states), torch.empty_like(states)
        before: slice | None = None
        for begin, end in spans(counts):
            here, gate = slice(begin, end), gates[begin:end]
            if before is not None:
                before = slice(before.start, before.start + end - begin)  # words whose sentence continues
                add_product(gate, states[before], turned)
            gate[:, : 2 * size].sigmoid_()
            gate[:, 2 * size : 3 * size].tanh_()
            gate[:, 3 * size :].sigmoid_()
            let_in, kept, new, let_out = gate.split(size, dim=1)
            torch.mul(let_in, new, out=cells[here])
            if before is not None:
                cells[here].addcmul_(kept, cells[before])
            torch.tanh(cells[here], out=bounded[here])
            torch.mul(let_out, bounded[here], out=states[here])
            before = here
        ctx.save_for_backward(inputs, which, of_input, of_state, gates, states, cells, bounded)
        ctx.counts = counts
        return states

    @staticmethod
    def backward(ctx: Any, wanted: Tensor) -> tuple[Tensor | None, ...]:
        """Returns the gradients of inputs, input weight, bias and state weight."""
        inputs, which, of_input, of_state, gates, states, cells, bounded = ctx.saved_tensors
        precision, whole, in_precision = inputs.dtype, of_state.dtype, of_state.to(inputs.dtype)
        size, every, first = of_state.shape[1], list(spans(ctx.counts)), ctx.counts[0]
        slopes, of_cell = slopes_of(gates, bounded)
        let_in, kept, new, let_out = slopes.split(size, dim=1)
        wanted, cell_wanted = wanted.clone(), torch.zeros_like(cells)
        earlier = torch.empty_like(states[first:])  # the state before each word that is not a first
        for number in reversed(range(len(every))):
            here = slice(*every[number])
            of_here = cell_wanted[here].addcmul_(wanted[here], of_cell[here])
            let_in[here].mul_(of_here)
            new[here].mul_(of_here)
            let_out[here].mul_(wanted[here])
            if number == 0:
                kept[here].zero_()
                break
            start = every[number - 1][0]
            before = slice(start, start + here.stop - here.start)
            torch.mul(of_here, gates[here, size : 2 * size], out=cell_wanted[before])
            kept[here].mul_(of_here).mul_(cells[before])
            add_product(wanted[before], slopes[here], in_precision)
            earlier[here.start - first : here.stop - first] = states[before]
        # Transposed: in this order the library is a third faster.
        of_states = product(earlier.to(precision).t(), slopes[first:].to(precision), whole).t()
        slopes = sum_by(slopes, which, len(inputs))
        of_bias, slopes = slopes.sum(dim=0), slopes.to(precision)
        needs = ctx.needs_input_grad[0]
        of_inputs = product(slopes, of_input.to(precision), whole) if needs else None
        of_inputs_weights = product(inputs.t(), slopes, whole).t()
        return of_inputs, None, of_inputs_weights, of_bias, of_states, None, None


def product(left: Tensor, right: Tensor, kind: torch.dtype) -> Tensor:
    """Returns `left` @ `right`, computed in their precision and converted to `kind`."""
    return (left @ right).to(kind)


def add_product(to: Tensor, left: Tensor, right: Tensor) -> None:
    """Adds `left` @ `right`, computed in the precision of `right`."""
    if right.dtype == to.dtype:
        to.addmm_(left, right)
    else:
        to.add_(left.to(right.dtype) @ right)


def spans(counts: Sequence[int]) -> Sequence[tuple[int, int]]:
    """Returns the start and the end of each step."""
    ends = list(accumulate(counts))
    return list(zip([0, *ends[:-1]], ends, strict=True))


def slopes_of(gates: Tensor, bounded: Tensor) -> tuple[Tensor, Tensor]:
    """Computes the derivatives of the cells by the inputs of their gates (for the output gate: of the states), and of the
    states by their cells. That of the forget gate still has to be multiplied by the cell before.
    """
    let_in, _, new, let_out = gates.chunk(4, dim=1)
    size = bounded.shape[1]
    slopes = gates * gates
    slopes[:, : 2 * size].neg_().add_(gates[:, : 2 * size])
    slopes[:, :size].mul_(new)
    slopes[:, 2 * size : 3 * size].neg_().add_(1).mul_(let_in)
    slopes[:, 3 * size :].neg_().add_(let_out).mul_(bounded)
    return slopes, (bounded * bounded).neg_().add_(1).mul_(let_out)


def sum_by(rows: Tensor, which: Tensor | None, number: int) -> Tensor:
    """Sums the `rows` (words, size) with the same `which`: (number, size). Without `which`, returns the rows."""
    if which is None:
        return rows
    order = which.argsort(stable=True)
    counts = torch.bincount(which, minlength=number)
    return nn.functional.embedding_bag(order, rows, counts.cumsum(0) - counts, mode="sum")
