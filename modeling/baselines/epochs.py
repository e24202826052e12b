"""The training loop: batches, epochs, and when to stop."""

import math
import time

import numpy as np
import torch
from torch import nn

from modeling.baselines.batches import Integers, training_batches
from modeling.baselines.dynamics import record
from modeling.baselines.errors import BaselineError
from modeling.baselines.scores import entropy, is_above_chance, majority_share, share
from modeling.baselines.settings import LearningSettings
from modeling.baselines.training_state import Training, in_precision

PROGRESS_SECONDS = 1.0


def run_epochs(training: Training, settings: LearningSettings) -> None:
    """Trains to the end. The network then has the weights of the best epoch on dev, or of the last epoch without dev."""
    position = training.position
    while not position.is_over:
        run_epoch(training, settings)
    training.save()  # the evaluations that follow can be stopped, too
    if training.best:
        training.network.load_state_dict(training.best)


def run_epoch(training: Training, settings: LearningSettings) -> None:
    """Trains on the remaining batches of one epoch, then scores dev; between them, too, where the settings ask for it."""
    position, config = training.position, training.config
    began = told_at = time.monotonic()
    batches = training_batches(
        training.train, settings.batch_size, config.seed, position.epoch, training.parts
    )
    between = {len(batches) * number // settings.evaluations for number in range(1, settings.evaluations)} - {
        0
    }
    training.network.train()
    for rows in batches[position.batch :]:
        training.pause_if_asked()
        if position.batch in between and (accuracy := dev_accuracy(training)) is not None:
            report(training, settings, len(batches), dev_accuracy=accuracy)
        take_step(training, settings, rows)
        if time.monotonic() - told_at >= PROGRESS_SECONDS:
            told_at = time.monotonic()
            report(training, settings, len(batches))
    accuracy, loss = dev_accuracy(training), epoch_mean_loss(training)
    training.events.emit(
        "epoch",
        epoch=position.epoch + 1,
        step=position.step,
        loss=loss,
        dev_accuracy=accuracy,
        learning_rate=position.learning_rate,
        seconds=round(time.monotonic() - began, 3),
    )
    end_epoch(training, settings, accuracy, loss)


def report(training: Training, settings: LearningSettings, batches: int, **scores: float) -> None:
    """Reports the position in an epoch of so many batches. Of several processes only the first does, for it has a pair."""
    if training.workers.is_first:
        position = training.position
        training.events.emit(
            "progress",
            step=position.step,
            steps=batches * settings.epochs,
            epoch=position.epoch + 1,
            epochs=settings.epochs,
            loss=mean_loss(training),
            pairs_per_second=round(position.pairs_per_second(), 1),
            padding=round(position.padding_share(), 4),
            **scores,
        )


def take_step(training: Training, settings: LearningSettings, rows: Integers) -> None:
    """Computes one batch forward and backward, and updates the weights once."""
    position, optimiser = training.position, training.optimiser
    assert optimiser is not None
    began = time.monotonic()
    mine, weight = training.workers.share_of(rows)
    batch = training.train.cut(mine, training.device)
    for group in optimiser.param_groups:
        group["lr"] = position.learning_rate
    with in_precision(settings, training.device):
        logits = training.together(batch)
    loss = nn.functional.cross_entropy(logits.float(), batch.targets)
    optimiser.zero_grad()
    (loss * weight).backward()
    if settings.clip:
        nn.utils.clip_grad_norm_(training.network.parameters(), settings.clip)
    optimiser.step()
    # Summed on the device: reading the number at each step would make a GPU wait.
    counted = len(batch) if weight else 0
    if weight:
        record(training.dynamics, torch.from_numpy(mine).to(training.device), logits, batch.labels)
    training.epoch_loss += loss.detach().double() * counted
    training.epoch_pairs += counted
    padding, cells = batch.cells()
    position.batch += 1
    position.step += 1
    position.pairs += len(rows)
    position.padding += padding
    position.cells += cells
    position.step_seconds += time.monotonic() - began


def mean_loss(training: Training) -> float:
    """Computes the mean loss of the epoch so far; of several processes, over the pairs of the first."""
    return finite(training, float(training.epoch_loss) / training.epoch_pairs)


def epoch_mean_loss(training: Training) -> float:
    """Computes the mean loss of the epoch over the pairs of all processes."""
    pairs = int(training.workers.total(torch.tensor(training.epoch_pairs)))
    return finite(training, float(training.workers.total(training.epoch_loss)) / pairs)


def finite(training: Training, loss: float) -> float:
    """Returns the loss. Raises BaselineError if it is not finite."""
    if not math.isfinite(loss):
        raise BaselineError(
            f"The loss is {loss} at step {training.position.step}: set a smaller learning_rate, "
            "or a clip above 0, and start in a new folder."
        )
    return loss


def dev_accuracy(training: Training) -> float | None:
    """Computes the accuracy on dev, or on the pairs that are held back in its place; None without either."""
    dev = training.stops_on
    return share(training.predict(dev).argmax(axis=1) == dev.labels) if len(dev) else None


def is_at_chance(training: Training, accuracy: float, loss: float) -> bool:
    """Returns whether the network is still at chance.

    It is if its dev accuracy is not above the share of the commonest label, or its loss not below that of always
    answering the shares of the training labels. Accuracy alone is not enough: of many epochs at chance, one is above
    the commonest label by luck.
    """
    gold, dev = training.train.labels, training.stops_on.labels
    shares = np.bincount(gold) / len(gold)
    is_above = is_above_chance(accuracy, majority_share(dev), len(dev))
    return not is_above or loss >= float(entropy(shares[np.newaxis])[0])


def end_epoch(training: Training, settings: LearningSettings, accuracy: float | None, loss: float) -> None:
    """Stores the weights if they are the best so far, sets the next learning rate, decides whether training continues."""
    position = training.position
    position.epoch += 1
    position.batch = 0
    training.epoch_loss.zero_()
    training.epoch_pairs = 0
    position.learning_rate *= settings.decay
    if accuracy is not None:
        position.has_learnt = position.has_learnt or not is_at_chance(training, accuracy, loss)
        if accuracy > position.best_accuracy:
            position.best_accuracy, position.best_epoch = accuracy, position.epoch
            position.epochs_without_better = 0
            training.best = {
                name: one.detach().clone() for name, one in training.network.state_dict().items()
            }
            training.best_accumulators = training.accumulators()
        elif position.has_learnt:  # at chance, nothing can get worse yet
            position.epochs_without_better += 1
        # Compared with the best epoch, not with the one before, as InferSent does: a slow decline counts.
        if accuracy < position.best_accuracy:
            position.learning_rate /= settings.shrink
    has_no_patience_left = 0 < settings.patience <= position.epochs_without_better
    is_slow = position.learning_rate < settings.stop_below
    position.is_over = position.epoch >= settings.epochs or has_no_patience_left or is_slow
