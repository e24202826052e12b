"""Prepare a run: its network, word vectors and encoded pairs before the first step."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from modeling.baselines import checkpoint
from modeling.baselines.batches import Part, Texts, distributions_of, encode_texts, texts_of
from modeling.baselines.catalogue import english_tools
from modeling.baselines.checkpoint import FinishedRun
from modeling.baselines.config import RunConfig
from modeling.baselines.data import Partition, without_premise
from modeling.baselines.errors import BaselineError
from modeling.baselines.features.lexicon import Features
from modeling.baselines.lexicons import make_lexicon
from modeling.baselines.networks import Network, ReadingNetwork, make_network, network_of
from modeling.baselines.optimisers import make_optimiser
from modeling.baselines.prediction import resolve_device
from modeling.baselines.program import Events, Stop
from modeling.baselines.regimes import learnt_before, load_start, take_accumulators, take_weights
from modeling.baselines.settings import (
    LearningSettings,
    LexicalizedSettings,
    NeuralSettings,
)
from modeling.baselines.training_state import HELD_BACK, UNSCORED, Training
from modeling.baselines.unseen import Unseen, cut_unseen, encode_unseen
from modeling.baselines.vectors import PACKAGES, WordVectors, find_vectors, require_same
from modeling.baselines.vocabulary import RESERVED, Lexicon, build_vocabulary, every_word
from modeling.baselines.workers import Workers
from nli.lines import HELD_OUT

OTHER_CHANCE = 1_000_003  # the difference between the seeds of processes that train together


def prepare(
    config: RunConfig,
    partitions: Mapping[str, Partition],
    parts: tuple[Part, ...],
    labels: tuple[str, ...],
    events: Events,
    stop: Stop,
    workers: Workers,
) -> tuple[Training, Lexicon]:
    """Makes the network and encodes the pairs of all partitions."""
    settings = config.settings
    device = resolve_device(config.device, workers.local)
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    train, *held_out = (partitions.get(name, Partition()).pairs for name in ("train", *HELD_OUT, HELD_BACK))
    held_out += [partitions.get(name, Partition()).unscored for name in HELD_OUT]
    if config.hypothesis_only:
        train, *held_out = map(without_premise, (train, *held_out))
    reads = network_of(type(settings)).reads
    earlier = None if config.start is None else load_start(config, config.start, labels)
    empty = make_lexicon(settings, RESERVED, config.language, config.seed, len(labels))
    if isinstance(empty, Features):
        empty.tagger.keep_in(config.cache, config.snapshot.sha256)
    sides = [texts_of(side, train, empty) for side in reads]
    vocabulary = filled(empty, sides, config, earlier)
    unseen = [cut_unseen(pairs, reads, vocabulary, settings) for pairs in held_out]
    vectors, *further = vectors_of(vocabulary, unseen, config)
    if workers.is_first:
        warn_of_language(events, config, vectors)
    soft = distributions_of(train, len(labels), config.soft_labels) if config.soft_labels else None
    training = Training(
        config=config,
        network=first_network(config, vocabulary, vectors, len(labels), earlier).to(device),
        labels=labels,
        device=device,
        train=encode_texts(sides, train, vocabulary, soft),
        held_out={
            name: encode_unseen(one, vocabulary, found)
            for name, one, found in zip(
                (*HELD_OUT, HELD_BACK, *UNSCORED.values()), unseen, further, strict=True
            )
        },
        vectors=vectors,
        learnt_before=learnt_before(config.start, earlier),
        events=events,
        stop=stop,
        parts=parts,
        workers=workers,
    )
    if not workers.is_first:
        torch.manual_seed(config.seed + OTHER_CHANCE * workers.rank)  # each process drops units of its own
    if isinstance(settings, LearningSettings):
        start_learning(training, settings)
    return training, vocabulary


def filled(empty: Lexicon, sides: Sequence[Texts], config: RunConfig, earlier: FinishedRun | None) -> Lexicon:
    """Returns the lexicon with the words or features of training, after those of an earlier run. Pieces are fixed."""
    settings = config.settings
    if isinstance(settings, NeuralSettings):
        known = RESERVED if earlier is None else earlier.vocabulary.words
        return build_vocabulary(every_word(sides), settings.minimum_count, known, config.language)
    if isinstance(settings, LexicalizedSettings) and isinstance(empty, Features):
        found = build_vocabulary(every_word(sides), settings.minimum_count)
        return Features(found.words, settings, empty.tagger, language=config.language)
    return empty


def vectors_of(
    vocabulary: Lexicon, unseen: Sequence[Unseen], config: RunConfig
) -> Sequence[WordVectors | None]:
    """Finds the vectors of the vocabulary, then, partition by partition, those of words that training lacks. Returns None
    for each if the baseline reads no vectors. Raises BaselineError if the source is not that of the run to start from.
    """
    settings = config.settings
    if not isinstance(settings, NeuralSettings) or config.vectors is None:
        return [None] * (1 + len(unseen))
    words = vocabulary.words[len(RESERVED) :]
    if not words:
        raise BaselineError(
            f"There is no training word to learn from: all sentences are empty, or each of their words is rarer than "
            f"minimum_count ({settings.minimum_count}). Set it smaller, or freeze a snapshot with longer texts."
        )
    lists = [words, *(one.words for one in unseen)]
    found = find_vectors(config.vectors, lists, config.cache, settings.lowercase_fallback)
    if not found[0].found.any():
        raise BaselineError(
            f"The word vectors {config.vectors} know none of the {len(words)} training words ({', '.join(words[:3])}, ...): "
            "name others, of the language that the pairs are in."
        )
    if config.start is not None:
        folder = config.start.folder
        require_same(config.vectors, found[0].digest, checkpoint.vectors_of_run(folder), folder)
    return found


def warn_of_language(events: Events, config: RunConfig, vectors: WordVectors | None) -> None:
    """Warns if the tools of the run are for another language than its pairs."""
    language = config.language
    english = english_tools(config.settings, language, config.vectors if config.vectors in PACKAGES else None)
    if english:
        events.warn(
            f"{english}, and the pairs are in the language {language!r}: the score says little about the corpus.",
            language=language,
        )
    if vectors is not None and (missing := int((~vectors.found).sum())) * 2 > len(vectors.found):
        events.warn(
            f"Of {len(vectors.found):,} training words {missing:,} have no vector in {Path(str(config.vectors)).name}: "
            "name vectors of the language that the pairs are in.",
            words=len(vectors.found),
            words_without_vector=missing,
        )


def first_network(
    config: RunConfig,
    vocabulary: Lexicon,
    vectors: WordVectors | None,
    labels: int,
    earlier: FinishedRun | None,
) -> Network:
    """Makes the network with new weights, its word vectors, and the weights of an earlier run."""
    dimensions = 0 if vectors is None else vectors.rows.shape[1]
    network = make_network(config.settings, len(vocabulary), dimensions, labels)
    if (
        isinstance(network, ReadingNetwork)
        and vectors is not None
        and isinstance(config.settings, NeuralSettings)
    ):
        network.set_vectors(first_table(vectors, config.settings.oov))
    if earlier is not None and config.start is not None:
        take_weights(network, earlier, config.start.how)
    return network


def start_learning(training: Training, settings: LearningSettings) -> None:
    """Makes the optimiser, after a transfer with the earlier accumulators, and sets the first learning rate."""
    start = training.config.start
    training.optimiser = make_optimiser(training.network, settings)
    training.position.learning_rate = settings.learning_rate
    if start is not None and start.how == "transfer" and settings.optimiser == "adadelta":
        accumulators = checkpoint.load_accumulators(start.folder)
        take_accumulators(training.network, training.optimiser, accumulators)


def first_table(vectors: WordVectors, oov: str) -> Tensor:
    """Makes the word table (words, dimensions) before training, reserved words first.

    A word without a vector, and the unknown word, get the shared vector, or random ones of usual length.
    """
    size = (len(RESERVED) + len(vectors.rows), vectors.rows.shape[1])
    if oov == "random":
        table = torch.randn(size) * float(vectors.rows[vectors.found].std(dtype=np.float64))
    else:
        table = torch.from_numpy(vectors.shared).repeat(size[0], 1)
    table[len(RESERVED) :][torch.from_numpy(vectors.found)] = torch.from_numpy(vectors.rows[vectors.found])
    return table
