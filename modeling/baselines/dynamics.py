"""Training dynamics: how the network answers each training pair in the course of training, for a data map.

Swayamdipta et al., "Dataset Cartography: Mapping and Diagnosing Datasets with Training Dynamics", EMNLP 2020, section 2.
As there, the answers are those that training itself computes, with dropout and before the step that learns from them.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from modeling.baselines.data import Pair
from modeling.baselines.files import whole_or_absent

TRAINING_DYNAMICS = "training_dynamics.jsonl"
# The columns of the sums: epochs, probability of the gold label, its square, correct answers.
COLUMNS = 4


def no_dynamics(pairs: int, device: torch.device) -> Tensor:
    """Makes the sums (pairs, columns) before the first step."""
    return torch.zeros(pairs, COLUMNS, dtype=torch.float64, device=device)


def record(sums: Tensor, rows: Tensor, logits: Tensor, labels: Tensor) -> None:
    """Adds the answers to one batch, whose pairs are the distinct `rows` of the training pairs."""
    probabilities = logits.detach().double().softmax(dim=1)
    gold = probabilities.gather(1, labels[:, None])[:, 0]
    is_right = (probabilities.argmax(dim=1) == labels).double()
    sums[rows] += torch.stack((torch.ones_like(gold), gold, gold * gold, is_right), dim=1)


def write_dynamics(folder: Path, pairs: Sequence[Pair], sums: Tensor, labels: Sequence[str]) -> None:
    """Writes training_dynamics.jsonl: one line for each pair that was learnt from, in the order of the training file.

    `confidence` is the mean probability of the gold label over epochs, `variability` its standard deviation,
    `correctness` the share of epochs with a correct answer.
    """
    epochs, gold, squares, right = sums.cpu().unbind(dim=1)
    mean = gold / epochs
    spread = (squares / epochs - mean * mean).clamp(min=0).sqrt()
    columns = (epochs.int().tolist(), mean.tolist(), spread.tolist(), (right / epochs).tolist())
    with (
        whole_or_absent(folder / TRAINING_DYNAMICS) as temporary,
        temporary.open("w", encoding="utf-8") as stream,
    ):
        for pair, seen, confidence, variability, correctness in zip(pairs, *columns, strict=True):
            if not seen:  # with a `share`, perhaps no epoch drew this pair
                continue
            line = {
                "pairID": pair.pair_id,
                "gold": labels[pair.label],
                "genre": pair.genre,
                "epochs": seen,
                "confidence": round(confidence, 6),
                "variability": round(variability, 6),
                "correctness": round(correctness, 6),
            }
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
