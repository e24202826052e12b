"""`python -m bench.networks BASELINE BATCH_SIZE SECONDS THREADS`: a baseline's training speed, as JSON. No Django.

`plain esim` and `plain infersent` are the same networks in torch's own layers, for comparison
(bench/plain_networks.py). Vectors have 300 dimensions, there are 20,000 words, and layers have 300 units (a pretrained
encoder keeps its sizes); sentences are as long as those of SNLI; the optimiser is the baseline's own.

Each measurement is a process of its own, so that its peak memory is its own. With one thread, pairs per processor
second are comparable on a busy machine too; pairs per second need a quiet one.
"""

import json
import os
import resource
import subprocess
import sys
import time
from typing import TYPE_CHECKING, get_type_hints

if TYPE_CHECKING:
    from modeling.baselines.data import Pair
    from modeling.baselines.networks import Network
    from modeling.baselines.settings import LearningSettings
    from modeling.baselines.vocabulary import Lexicon

BEGAN = time.perf_counter()
WORDS, DIMENSIONS, UNITS, PAIRS, LABELS = 20_000, 300, 300, 20_000, 3

# How many of SNLI's 570,152 premises and hypotheses have 1, 2, 3, ... tokens (SNLI paper, Figure 2), to 30.
PREMISES = (
    39, 42, 156, 1095, 3882, 12120, 26514, 37434, 44028, 49245, 50919, 48363, 43314, 38121, 33183, 27621,
    23250, 20247, 18513, 16386, 13746, 12066, 9183, 7131, 6198, 5007, 3963, 3438, 2631, 1959,
)  # fmt: skip
HYPOTHESES = (
    1, 1011, 7980, 29471, 61196, 74094, 93600, 85851, 61359, 46711, 33241, 22844, 15994, 11047, 7601, 5312,
    3732, 2631, 1878, 1325, 911, 642, 449, 357, 217, 168, 138, 84, 67, 46,
)  # fmt: skip


def main(baseline: str, batch_size: int, seconds: float, threads: int) -> None:
    import torch
    from torch import nn

    from modeling.baselines.batches import encode_pairs, training_batches
    from modeling.baselines.optimisers import make_optimiser

    torch.set_num_threads(threads)
    torch.manual_seed(1)
    settings, network, lexicon, words = material(baseline)
    encoded = encode_pairs(pairs_of(words), network.reads, lexicon)
    optimiser = make_optimiser(network, settings)
    device = torch.device("cpu")
    spent = {"cutting": 0.0, "network": 0.0, "updating": 0.0}
    done = padding = cells = 0
    first_step = started = processor = 0.0
    steps = 0
    for rows in (rows for epoch in range(1000) for rows in training_batches(encoded, batch_size, 1, epoch)):
        begin = time.perf_counter()
        batch = encoded.cut(rows, device)
        cut = time.perf_counter()
        optimiser.zero_grad()
        nn.functional.cross_entropy(network(batch), batch.targets).backward()
        learnt = time.perf_counter()
        if settings.clip:
            nn.utils.clip_grad_norm_(network.parameters(), settings.clip)
        optimiser.step()
        end = time.perf_counter()
        steps += 1
        if steps == 1:
            first_step = end - BEGAN
        if steps == 5:  # the first steps allocate
            started, processor = end, time.process_time()
        if steps <= 5:
            continue
        for stage, took in zip(spent, (cut - begin, learnt - cut, end - learnt), strict=True):
            spent[stage] += took
        done += len(rows)
        more, every = batch.cells()
        padding, cells = padding + more, cells + every
        if end - started > seconds:
            break
    processor = time.process_time() - processor
    whole = sum(spent.values())
    told = {
        "baseline": baseline,
        "batch_size": batch_size,
        "threads": threads,
        "pairs_per_second": done / whole,
        "pairs_per_processor_second": done / processor,
        "first_step_seconds": first_step,
        "padding": padding / cells,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "shares": {stage: took / whole for stage, took in spent.items()},
    }
    print(json.dumps(told))


def material(baseline: str) -> "tuple[LearningSettings, Network, Lexicon, list[str]]":
    """Returns a baseline's settings at these sizes, a new network, its vocabulary, and words to write pairs with.

    A pretrained encoder keeps its size; each word is one of its tokens.
    """
    from bench.plain_networks import PLAIN
    from modeling.baselines.catalogue import BASELINES, make_settings
    from modeling.baselines.networks import make_network
    from modeling.baselines.pretrained import Pieces, folder_of
    from modeling.baselines.settings import LearningSettings, PretrainedSettings
    from modeling.baselines.vocabulary import RESERVED, Vocabulary

    name = baseline.removeprefix("plain ")
    has = get_type_hints(BASELINES[name])
    sizes: dict[str, object] = {str(key): UNITS for key in ("hidden", "states", "size") if key in has}
    settings = make_settings(name, sizes)
    assert isinstance(settings, LearningSettings)
    if isinstance(settings, PretrainedSettings):
        pieces = Pieces(folder_of(settings.model))
        words = [piece for piece in pieces.words if piece.isalpha()][:WORDS]
        return settings, make_network(settings, len(pieces), 0, LABELS), pieces, words
    words = [f"word{number}" for number in range(WORDS)]
    vocabulary = Vocabulary((*RESERVED, *words))
    make = make_network if name == baseline else PLAIN[name]
    return settings, make(settings, len(vocabulary), DIMENSIONS, LABELS), vocabulary, words


def pairs_of(words: list[str]) -> "list[Pair]":
    """Returns pairs of these words, distributed as in language.

    The word of rank r occurs 1 / r times as often as the first.
    """
    import numpy as np

    from modeling.baselines.data import Pair

    chance = np.random.default_rng(1)
    often = 1 / np.arange(1, len(words) + 1)

    def texts(counts: tuple[int, ...]) -> list[str]:
        lengths = 1 + chance.choice(len(counts), PAIRS, p=np.array(counts) / sum(counts))
        drawn = chance.choice(len(words), int(lengths.sum()), p=often / often.sum())
        return [" ".join(words[i] for i in part) for part in np.split(drawn, np.cumsum(lengths)[:-1])]

    both = zip(texts(PREMISES), texts(HYPOTHESES), strict=True)
    return [
        Pair(str(number), (premise,), hypothesis, number % LABELS, "")
        for number, (premise, hypothesis) in enumerate(both)
    ]


def measure_networks(seconds: float = 10.0) -> None:
    """Prints a Markdown table of all networks at batches of 32 and 64, with one thread and with all cores."""
    from bench.plain_networks import PLAIN
    from modeling.baselines.catalogue import BASELINES
    from modeling.baselines.settings import LearningSettings

    names = sorted(name for name, kind in BASELINES.items() if issubclass(kind, LearningSettings))
    print(
        "| baseline | batch | threads | pairs/s | pairs/processor s | first step s | peak MiB | network "
        "| cutting batches | updating |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for baseline in (*names, *(f"plain {name}" for name in PLAIN)):
        for batch_size in (32, 64):
            for threads in sorted({1, os.cpu_count() or 1}):
                measure_one(baseline, batch_size, seconds, threads)
    print()


def measure_one(baseline: str, batch_size: int, seconds: float, threads: int) -> None:
    """Returns one line of the table, measured in a process of its own."""
    arguments = [baseline, str(batch_size), str(seconds), str(threads)]
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "bench.networks", *arguments],
        env={**os.environ, "OMP_NUM_THREADS": str(threads)},
        stdout=subprocess.PIPE,
        check=True,
    )
    told = json.loads(answer.stdout)
    print(
        f"| {baseline} | {batch_size} | {threads} | {told['pairs_per_second']:,.0f} "
        f"| {told['pairs_per_processor_second']:,.0f} | {told['first_step_seconds']:.1f} "
        f"| {told['peak_mib']:,.0f} | {told['shares']['network']:.1%} | {told['shares']['cutting']:.1%} "
        f"| {told['shares']['updating']:.1%} |",
        flush=True,
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
