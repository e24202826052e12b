"""Train in one process, or in several together: `torchrun --nproc-per-node 2 -m
modeling.baselines.train RUN.json`.

Each process takes its share of each batch, and DistributedDataParallel sums the gradients. So `batch_size` is that of all
processes together, and the result is that of one process, except for rounding and the random numbers of dropout. Only the
first process writes files and events. The processes agree on whether to continue (a signal, the clock): a process that
stopped alone would leave the others waiting for ever.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn

from modeling.baselines.batches import Integers
from modeling.baselines.networks import Network


@dataclass(frozen=True)
class Workers:
    """This process's `rank` among `count`, and its number on its machine, `local`. The processes agree through `talk`, which
    is on the CPU, so that nothing waits for a GPU.
    """

    rank: int = 0
    count: int = 1
    local: int = 0
    talk: Any = None

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def wrap(self, network: Network) -> nn.Module:
        """Returns the network; with several processes, one that shares its gradients."""
        trains = any(parameter.requires_grad for parameter in network.parameters())
        if self.count == 1 or not trains:
            return network
        return nn.parallel.DistributedDataParallel(network, broadcast_buffers=False)

    def share_of(self, rows: Integers) -> tuple[Integers, float]:
        """Returns this process's rows of a batch, and the weight of its mean loss in the whole batch's.

        DistributedDataParallel takes the mean over processes. A process without a row takes one with weight 0.
        """
        if self.count == 1:
            return rows, 1.0
        mine = rows[self.rank :: self.count]
        return (mine, self.count * len(mine) / len(rows)) if len(mine) else (rows[:1], 0.0)

    def any(self, wanted: bool) -> bool:
        """Returns whether it is true in any process."""
        return bool(self.total(torch.tensor(float(wanted))) > 0)

    def total(self, tensor: Tensor) -> Tensor:
        """Computes the sum over the processes, on the CPU."""
        whole = tensor.detach().cpu().clone()
        if self.count > 1:
            dist.all_reduce(whole, group=self.talk)
        return whole

    def gather(self, tensor: Tensor) -> list[Tensor]:
        """Returns the tensors of all processes, in the order of their ranks."""
        if self.count == 1:
            return [tensor]
        each = [torch.empty_like(tensor) for _ in range(self.count)]
        dist.all_gather(each, tensor, group=self.talk)
        return each

    def merge(self, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Sums the arrays of all processes; each is zero where another process did the work."""
        return rows if self.count == 1 else self.total(torch.from_numpy(rows)).numpy()


@contextmanager
def joined(device: str) -> Iterator[Workers]:
    """Joins the processes that torchrun started; without torchrun, this process alone."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        yield Workers()
        return
    dist.init_process_group("nccl" if device != "cpu" and torch.cuda.is_available() else "gloo")
    try:
        talk = dist.new_group(backend="gloo")
        yield Workers(dist.get_rank(), count, int(os.environ.get("LOCAL_RANK", "0")), talk)
    finally:
        dist.destroy_process_group()
