"""How a network is computed while it learns: in which precision, and compiled or not."""

import os
from pathlib import Path
from typing import cast

import torch
from torch import nn

from modeling.baselines.networks.layers import BiLSTM, CarryingLSTM
from modeling.baselines.networks.word_attention import WordAttention
from modeling.baselines.settings import LearningSettings, Settings


def in_precision(settings: LearningSettings, device: torch.device) -> torch.autocast:
    """A context in which products are made as the settings say."""
    return torch.autocast(device.type, torch.bfloat16, enabled=settings.precision == "bfloat16")


def compiled(module: nn.Module, settings: Settings, cache: Path) -> nn.Module:
    """The module, compiled where the settings ask for it. Lengths differ from batch to batch: shapes stay open.

    What reads word by word stays as it is: it would be compiled anew for every length.
    """
    if not isinstance(settings, LearningSettings) or not settings.compile:
        return module
    for one in module.modules():
        if isinstance(one, BiLSTM | CarryingLSTM | nn.RNNBase):
            one.forward = torch.compiler.disable(one.forward)  # type: ignore[method-assign]
        elif isinstance(one, WordAttention):
            one.look = torch.compiler.disable(one.look)  # type: ignore[method-assign]
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(cache / "compiled"))
    return cast(nn.Module, torch.compile(module, dynamic=True))
