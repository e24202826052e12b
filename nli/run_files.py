"""The shape of RUN.json and EVAL.json: each key with its type and its meaning, once.

The site writes these objects, and mypy holds it to their keys. The schema with limits and defaults
(modeling/baselines/config.py) takes the meanings from here, and must have the same keys.
"""

import hashlib
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from nli.shapes import Key

# A folder of `cache`: the words of a snapshot's sentences. The edition counts up when sentences get other words.
TAGGED, TAGGED_EDITION = "tagged", 1


class SnapshotName(TypedDict):
    """Which snapshot a score belongs to."""

    name: Annotated[str, Key("`CORPUS@VERSION`")]
    sha256: Annotated[str, Key("the snapshot's content hash")]


class PremiseRule(TypedDict):
    """How labels of single premises decide (nli.single_premises): a majority of the seats."""

    scheme: str
    seats: int
    threshold: int
    gold_scheme: NotRequired[str]


class DataFile(TypedDict):
    """A partition's file, and the rule for its labels of single premises; without it they are not read."""

    path: str
    sha256: str
    single_premises: NotRequired[PremiseRule | None]


class Files(TypedDict):
    """The files of a snapshot by partition."""

    train: NotRequired[Annotated[DataFile | None, Key("what is learnt from; a run needs it")]]
    dev: NotRequired[Annotated[DataFile | None, Key("what stops training, and chooses the epoch")]]
    test: NotRequired[Annotated[DataFile | None, Key("scored at the end")]]


class Mixing(TypedDict):
    """How much of another snapshot's train part to learn from."""

    share: NotRequired[Annotated[float, Key("of it, drawn anew each epoch")]]
    most: NotRequired[Annotated[int | None, Key("of so many of its pairs at most, drawn once")]]


class MixedFile(Mixing):
    """The training file of another snapshot to learn from, too."""

    snapshot: Annotated[SnapshotName, Key("`name` and `sha256`")]
    file: Annotated[DataFile, Key("its training file: `path` and `sha256`")]


class Start(TypedDict):
    """The finished run whose weights a run begins with."""

    folder: str
    how: str


class Regime(TypedDict):
    """How a run differs from a plain one on a whole snapshot."""

    genre: NotRequired[Annotated[str | None, Key("learn from this genre's pairs alone")]]
    most: NotRequired[
        Annotated[
            int | None,
            Key("learn from so many pairs, drawn by the seed; a larger number takes the same pairs and more"),
        ]
    ]
    collapse: NotRequired[Annotated[bool, Key("read labels of nli3 and ordinal5 as those of entailed2")]]
    soft_labels: NotRequired[
        Annotated[
            str,
            Key(
                "learn the shares of people's labels instead of the gold label: of those in the `seats`, of the `extra` ones"
                " that were asked for later, or of `all`. A pair without any is learnt by its gold label. `true`, as earlier"
                " versions wrote, is `all`"
            ),
        ]
    ]
    hypothesis_only: NotRequired[
        Annotated[
            bool, Key("train the hypothesis-only twin: the same network, which reads each premise as empty")
        ]
    ]


class RegimeOfRun(Regime):
    """A regime with what it takes from elsewhere."""

    mixed: NotRequired[
        Annotated[list[MixedFile], Key("further training files: each `snapshot`, `file`, `share`, `most`")]
    ]
    start: NotRequired[
        Annotated[
            Start | None,
            Key(
                "a finished run to begin with: its `folder`, and `how`: `update` or `transfer`, which makes the softmax anew"
            ),
        ]
    ]


class RunFile(RegimeOfRun):
    """RUN.json: one training run."""

    baseline: Annotated[str, Key("one of the baselines below")]
    seed: Annotated[int, Key("of all random numbers")]
    snapshot: Annotated[SnapshotName, Key("`name` and `sha256`, recorded in the metrics")]
    scheme: Annotated[str, Key("the scheme of the labels that the run predicts")]
    files: Annotated[
        Files,
        Key(
            "`train`, `dev`, `test`: each `path` and `sha256`, or null; and `single_premises` (`scheme`, `seats`,"
            " `threshold`, `gold_scheme`) where each sentence of a premise was judged by itself"
        ),
    ]
    folder: Annotated[str, Key("becomes the run folder")]
    cache: Annotated[str, Key("the folder that caches the word vectors of vocabularies")]
    vectors: NotRequired[
        Annotated[
            str | None,
            Key("an installed package or a GloVe text file; baselines that read word vectors need it"),
        ]
    ]
    preset: NotRequired[
        Annotated[str, Key("`default`, or `paper`: settings as published; `settings` override it")]
    ]
    settings: NotRequired[
        Annotated[dict[str, Any], Key("those of the baseline; what is not named takes its default")]
    ]
    hold_back: NotRequired[
        Annotated[
            float,
            Key(
                "where there is no dev file with pairs, the share of train, in whole premises or groups, that is not learnt"
                " but stops the training and chooses its epoch; 0: none"
            ),
        ]
    ]
    language: NotRequired[Annotated[str, Key("a language tag: what counts as a word, and which tools fit")]]
    device: NotRequired[Annotated[str, Key("`auto`, `cpu` or `cuda`")]]
    threads: NotRequired[Annotated[int, Key("of the processor")]]
    checkpoint_seconds: NotRequired[Annotated[float, Key("seconds between two checkpoints")]]


class EvaluationFile(TypedDict):
    """EVAL.json: one evaluation of a finished run on the files of any snapshot with the same label scheme."""

    snapshot: Annotated[SnapshotName, Key("`name` and `sha256`, recorded in the metrics")]
    files: Annotated[Files, Key("the partitions to be scored")]
    folder: Annotated[str, Key("takes predictions and metrics")]
    cache: NotRequired[Annotated[str | None, Key("the folder that caches the word vectors of vocabularies")]]
    vectors: NotRequired[
        Annotated[
            str | None,
            Key("those that the run was trained with; null will do for an installed package"),
        ]
    ]
    device: NotRequired[Annotated[str, Key("`auto`, `cpu` or `cuda`")]]
    threads: NotRequired[Annotated[int, Key("of the processor")]]
    collapse: NotRequired[Annotated[bool, Key("read labels of nli3 and ordinal5 as those of entailed2")]]


# What a finished run predicts with: these are always there, those below with some networks.
MODEL_FILES = ("weights.safetensors", "config.json", "vocabulary.json", "labels.json")
MORE_MODEL_FILES = ("encoder/config.json", "encoder/tokenizer.json", "verb_ocean.txt")


def model_sha256(folder: Path) -> str:
    """Returns a SHA-256 over what the finished run in `folder` predicts with. Raises OSError where a file is missing."""
    digest = hashlib.sha256()
    more = [name for name in MORE_MODEL_FILES if (folder / name).is_file()]
    for name in (*MODEL_FILES, *more):
        with (folder / name).open("rb") as stream:
            digest.update(f"{name} {hashlib.file_digest(stream, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()
