"""Set the precision of training, and compile the network."""

import os
from pathlib import Path
from typing import cast

import torch
from torch import nn

from modeling.baselines.networks.layers import BiLSTM, CarryingLSTM
from modeling.baselines.networks.word_attention import WordAttention
from modeling.baselines.settings import LearningSettings, Settings


def in_precision(settings: LearningSettings, device: torch.device) -> torch.autocast:
    """Return a context in which products have the precision of the settings."""
    return torch.autocast(device.type, torch.bfloat16, enabled=settings.precision == "bfloat16")


def compiled(module: nn.Module, settings: Settings, cache: Path) -> nn.Module:
    """Compile the module if the settings ask for it, for shapes that differ from batch to batch.

    Recurrent layers are left out: they would be compiled again for each length.
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
