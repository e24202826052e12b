"""Answer for a finished run, pair by pair, as `evaluate` predicts: loaded once, on one thread of the CPU."""

import time
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import torch

from modeling.baselines import checkpoint
from modeling.baselines.data import UNKNOWN, Pair, without_premise
from modeling.baselines.errors import BaselineError
from modeling.baselines.prediction import predict
from modeling.baselines.settings import NeuralSettings
from modeling.baselines.unseen import cut_unseen, encode_unseen, looks_up
from modeling.baselines.vectors import (
    PACKAGES,
    UNKNOWN_WORD,
    WordVectors,
    arrange,
    open_package,
    package_digest,
    require_same,
)
from nli.run_files import model_sha256

# Somebody who types should have the answers of a run and its twin within 150 ms, and so should 32 who type at once: if each
# pauses every four seconds, two models of this many milliseconds keep one core busy for 40% of the time.
MOST_MS = 25.0
MEASURED = 20
LONG_PREMISE = " ".join(["The old woman in the red coat walked slowly past the market before it rained."] * 4)
LONG_HYPOTHESIS = "Somebody who was not young at all went past a place where people buy things."

CPU = torch.device("cpu")
ALONE = Lock()  # answers are short, and take turns


class Answering:
    """A finished run that answers. Raises BaselineError if it is not the one that was frozen, or is too slow here."""

    def __init__(self, folder: Path, sha256: str) -> None:
        try:
            found = model_sha256(folder)
        except OSError as error:
            raise BaselineError(
                f"{error.filename}: {error.strerror}. The run is not on this machine."
            ) from None
        if found != sha256:
            raise BaselineError(
                f"The run in {folder} was changed since a prompt named it: put its files back, or name another "
                "run in a new arm."
            )
        self.run = checkpoint.load_run(folder)
        self.is_twin = bool(self.run.config.get("hypothesis_only"))
        self.words = _words_of(self.run, folder)
        if (took := self.measure()) > MOST_MS:
            raise BaselineError(
                f"{self.run.config['baseline']} is too slow to answer while somebody types: it takes {took:.0f} ms here, "
                f"and {MOST_MS:.0f} are the most. Name a run of a smaller network, such as cbow."
            )

    def answer(self, premise: Sequence[str], hypotheses: Sequence[str]) -> list[dict[str, float]]:
        """Returns label -> probability for each hypothesis about this premise."""
        pairs: Sequence[Pair] = [Pair("", tuple(premise), text, UNKNOWN, "") for text in hypotheses]
        if not pairs:
            return []
        run = self.run
        if self.is_twin:
            pairs = without_premise(pairs)
        unseen = cut_unseen(pairs, run.network.reads, run.vocabulary, run.settings)
        found = self.words.find(unseen.words) if self.words and unseen.words else None
        encoded = encode_unseen(unseen, run.vocabulary, found)
        with ALONE:
            rows = predict(run.network, encoded, len(run.labels), CPU, lambda: None)
        return [dict(zip(run.labels, row, strict=True)) for row in rows.tolist()]

    def measure(self) -> float:
        """Returns the 95th percentile of milliseconds that an answer takes, after a first one."""
        times = []
        for number in range(MEASURED + 1):
            begun = time.perf_counter()
            self.answer([LONG_PREMISE], [f"{LONG_HYPOTHESIS} Word{number} is new."])
            times.append(1000 * (time.perf_counter() - begun))
        return sorted(times[1:])[round(0.95 * MEASURED) - 1]


class PackagedWords:
    """The words of a package of vectors, all in memory, so that one is found at once."""

    def __init__(self, source: str, lowercase_fallback: bool) -> None:
        words, self.table = open_package(source)
        self.places = {word: place for place, word in enumerate(words.to_pylist())}
        self.source, self.digest = source, package_digest(source)
        self.lowercase_fallback = lowercase_fallback

    def find(self, words: Sequence[str]) -> WordVectors:
        """Returns the vectors of words as `find_vectors` does."""
        asked = {UNKNOWN_WORD, *words, *(word.lower() for word in words if self.lowercase_fallback)}
        known = {word: self.table[self.places[word]] for word in asked if word in self.places}
        return WordVectors(*arrange(words, known, self.lowercase_fallback), self.source, self.digest)


def _words_of(run: checkpoint.FinishedRun, folder: Path) -> PackagedWords | None:
    """Returns the words in which a run looks up those that training lacked; None if it looks up none."""
    settings = run.settings
    if not looks_up(settings) or not isinstance(settings, NeuralSettings):
        return None
    source = str(run.config["vectors"])
    if source not in PACKAGES:
        raise BaselineError(
            f"The run looks up words that training lacked in the file {source}, which takes too long while somebody types: "
            "name a run with look_up=false."
        )
    words = PackagedWords(source, settings.lowercase_fallback)
    require_same(source, words.digest, checkpoint.vectors_of_run(folder), folder)
    return words
