"""RUN.json and EVAL.json: one schema each, for the site that writes them and the programs that read them.

The schemas are strict: if a mistyped key were ignored, the run would not be the one that was asked for. They load no
torch, so that a wrong key is reported at once.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, SerializeAsAny, ValidationError, ValidationInfo, field_validator

from modeling.baselines.catalogue import BASELINES, NO_PREMISE, TWO_CLASSES, stored_settings
from modeling.baselines.errors import BaselineError
from modeling.baselines.files import sha256_of
from modeling.baselines.pretrained import digest_of
from modeling.baselines.settings import (
    PRESETS,
    LearningSettings,
    NeuralSettings,
    PretrainedSettings,
    Settings,
    VotingSettings,
)
from nli.labels import COLLAPSED, SCHEMES
from nli.tokens import writes_without_spaces
from schemas.base import LENIENT, Fault, Faulty, OneOf, Part, checked, part_of, refuse

HELD_OUT = ("dev", "test")
DEVICES = ("auto", "cpu", "cuda")
STARTS = ("update", "transfer")
WEIGHTS = "weights.safetensors"
BOTH_SIDES = (
    "",
    "nli3",
    "entailed2",
)  # schemes with a label for and one against entailment; "" is an error by itself
MOST_PAIRS = 2**31 - 1  # what the site's column holds


def _hexadecimal(text: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        refuse("must be 64 hexadecimal digits")
    return text


FilePath = Annotated[Path, Field(strict=False)]
Sha256 = Annotated[str, AfterValidator(_hexadecimal)]
AtMost = Annotated[int, Field(ge=1, le=MOST_PAIRS)]


class Object(Part):
    """A JSON object."""

    container = "an object"


class SnapshotName(Object):
    """Which snapshot a score belongs to."""

    name: str = Field(description="`CORPUS@VERSION`")
    sha256: str = Field(description="the snapshot's content hash")


class PremiseLabels(Object):
    """How labels of single premises decide: `scheme`, and of corpus.json's `single_premises` seats and threshold."""

    scheme: Annotated[str, OneOf(tuple(SCHEMES))]
    seats: Annotated[int, Field(ge=1)]
    threshold: Annotated[int, Field(ge=1)]


class DataFile(Object):
    """A partition's file and the SHA-256 that it must have.

    single_premises: the rule for the labels of single premises; without it they are not read.
    """

    path: FilePath
    sha256: Sha256
    single_premises: PremiseLabels | None = None


class Files(Object):
    """The files of a snapshot by partition; a partition that is null is left out."""

    train: DataFile | None = Field(None, description="what is learnt from; a run needs it")
    dev: DataFile | None = Field(None, description="what stops training, and chooses the epoch")
    test: DataFile | None = Field(None, description="scored at the end")

    @property
    def present(self) -> dict[str, DataFile]:
        return {name: file for name, file in self if file is not None}


class Mixing(Object):
    """How much of another snapshot's train part to learn from."""

    share: Annotated[float, Field(gt=0, le=1)] = Field(1.0, description="of it, drawn anew each epoch")
    most: AtMost | None = Field(None, description="of so many of its pairs at most, drawn once")


class MixedFile(Mixing):
    """The training file of another snapshot to learn from, too."""

    snapshot: SnapshotName = Field(description="`name` and `sha256`")
    file: DataFile = Field(description="its training file: `path` and `sha256`")


class Start(Object):
    """The finished run whose weights this one begins with.

    "update" trains them on; "transfer" also makes the softmax anew and keeps AdaDelta's accumulators.
    """

    folder: FilePath
    how: Annotated[str, OneOf(STARTS)]

    @cached_property
    def weights(self) -> str:
        """The SHA-256 of the weights when the run began. Raises BaselineError where the folder holds none."""
        return sha256_of(self.folder / WEIGHTS)


class Regime(Object):
    """The regime: how a run differs from a plain one on a whole snapshot. Requests and RUN.json share it."""

    genre: str | None = Field(None, description="learn from this genre's pairs alone")
    most: AtMost | None = Field(
        None,
        description="learn from so many pairs, drawn by the seed; a larger number takes the same pairs and more",
    )
    collapse: bool = Field(False, description="read labels of nli3 and ordinal5 as those of entailed2")
    soft_labels: bool = Field(
        False, description="learn the shares of the annotators' labels instead of the gold label"
    )
    hypothesis_only: bool = Field(
        False,
        description="train the hypothesis-only twin: the same network, which reads each premise as empty",
    )


class RunConfig(Regime):
    """RUN.json: one training run."""

    baseline: Annotated[str, OneOf(tuple(BASELINES))] = Field(description="one of the baselines below")
    seed: Annotated[int, Field(ge=0)] = Field(description="of all random numbers")
    snapshot: SnapshotName = Field(description="`name` and `sha256`, recorded in the metrics")
    scheme: Annotated[str, OneOf(tuple(SCHEMES))] = Field(
        description="the scheme of the labels that the run predicts"
    )
    files: Files = Field(
        description="`train`, `dev`, `test`: each `path` and `sha256`, or null; and `single_premises` (`scheme`, "
        "`seats`, `threshold`) where each sentence of a premise was judged by itself"
    )
    folder: FilePath = Field(description="becomes the run folder")
    cache: FilePath = Field(description="the folder that caches the word vectors of vocabularies")
    vectors: str | None = Field(
        None,
        description="an installed package or a GloVe text file; baselines that read word vectors need it",
    )
    preset: Annotated[str, OneOf(PRESETS)] = Field(
        "default",
        description="`default`, or `paper`: settings as published; `settings` override it",
    )
    settings: SerializeAsAny[Settings] = Field(
        Settings(),
        validate_default=True,
        description="those of the baseline; what is not named takes its default",
    )
    language: str = Field("en", description="a language tag: what counts as a word, and which tools fit")
    device: Annotated[str, OneOf(DEVICES)] = Field("auto", description="`auto`, `cpu` or `cuda`")
    threads: Annotated[int, Field(ge=1)] = Field(1, description="of the processor")
    # A kill costs this much work at most. Writing a checkpoint takes well under a second.
    checkpoint_seconds: Annotated[float, Field(ge=0)] = Field(
        20.0, description="seconds between two checkpoints"
    )
    mixed: Annotated[tuple[MixedFile, ...], Field(strict=False)] = Field(
        (), description="further training files: each `snapshot`, `file`, `share`, `most`"
    )
    start: Start | None = Field(
        None,
        description="a finished run to begin with: its `folder`, and `how`: `update` or `transfer`, which makes the "
        "softmax anew",
    )

    @field_validator("settings", mode="before")
    @classmethod
    def _of_the_baseline(cls, value: Any, info: ValidationInfo) -> Any:
        kind = BASELINES.get(info.data.get("baseline", ""))
        if kind is None:
            return Settings()  # the baseline is at fault
        named = {} if type(value) is Settings else value
        if info.data.get("preset") == "paper" and isinstance(named, dict):
            named = {**(kind.PAPER or {}), **named}
        try:
            return part_of(kind, named)
        except ValidationError:
            if info.context is LENIENT:
                return kind()
            raise

    def faults(self) -> Iterator[Fault]:
        """Yield the errors that involve several keys."""
        if self.files.train is None:
            yield Fault(("files", "train"), "is missing; a baseline cannot be trained without it")
        if self.collapse and self.scheme not in ("", COLLAPSED):
            yield Fault(
                ("collapse",), f'reads labels as those of {COLLAPSED}; set scheme to "{COLLAPSED}" with it'
            )
        if self.baseline in TWO_CLASSES and self.scheme not in ("", COLLAPSED):
            what = (
                f'must be "{COLLAPSED}", for {self.baseline} tells two classes apart; set collapse for others'
            )
            yield Fault(("scheme",), what)
        kind = BASELINES.get(self.baseline)
        if self.preset == "paper" and kind is not None and kind.PAPER is None:
            yield Fault(("preset",), f'is "paper", but {self.baseline} is in no paper; remove it')
        if (
            isinstance(self.settings, VotingSettings)
            and self.settings.rule == "more"
            and self.scheme not in BOTH_SIDES
        ):
            yield Fault(("settings", "rule"), '"more" is for nli3 and entailed2; set it to "most"')
        if self.hypothesis_only and self.baseline in NO_PREMISE:
            yield Fault(
                ("hypothesis_only",), f"is set, but {self.baseline} reads no premise anyway; remove it"
            )
        if self.start is not None and self.baseline and not isinstance(self.settings, LearningSettings):
            yield Fault(
                ("start",), f"is set, but {self.baseline} is fitted in one step and cannot start from a run"
            )
        if self.vectors is None and isinstance(self.settings, NeuralSettings):
            yield Fault(("vectors",), f"is missing; {self.baseline} needs word vectors")

    def identity(self) -> dict[str, Any]:
        """Return what decides the result, JSON-ready. On a CPU with one thread, runs with the same identity give the same
        numbers.

        Holds no path and no host, so that a run folder can be moved and compared.
        """
        return {
            "baseline": self.baseline,
            "seed": self.seed,
            "snapshot": self.snapshot.model_dump(),
            "scheme": self.scheme,
            "files": {partition: one.sha256 for partition, one in self.files.present.items()},
            "vectors": None if self.vectors is None else Path(self.vectors).name,
            "settings": stored_settings(self.settings),
            **self.pretrained(),
            # Only if it decides what a word is.
            **({"language": self.language} if writes_without_spaces(self.language) else {}),
            # Only if one was requested: a plain run keeps the identity that it had before there were regimes.
            **self.regime(),
        }

    def pretrained(self) -> dict[str, Any]:
        """Return the name of a pretrained encoder instead of its path, and the hash of its weights."""
        if not isinstance(self.settings, PretrainedSettings):
            return {}
        named = {**stored_settings(self.settings), "model": Path(self.settings.model).name}
        return {"settings": named, "pretrained": digest_of(self.settings.model)}

    def regime(self) -> dict[str, Any]:
        """Return the regime, JSON-ready: how the run differs from a plain one on a whole snapshot."""
        mixed = [
            {
                "snapshot": one.snapshot.model_dump(),
                "sha256": one.file.sha256,
                "share": one.share,
                "most": one.most,
            }
            for one in self.mixed
        ]
        start = None if self.start is None else {"how": self.start.how, "weights": self.start.weights}
        asked = {
            "mixed": mixed,
            "start": start,
            "genre": self.genre,
            "most": self.most,
            "collapse": self.collapse,
            "soft_labels": self.soft_labels,
            "hypothesis_only": self.hypothesis_only,
        }
        return {key: value for key, value in asked.items() if value}

    def digest(self) -> str:
        """Compute the hash of the identity. It says whether a checkpoint or a finished folder belongs to this run."""
        return hashlib.sha256(json.dumps(self.identity(), sort_keys=True).encode()).hexdigest()


class EvaluationConfig(Object):
    """EVAL.json: one evaluation of a finished run on the files of any snapshot with the same label scheme."""

    snapshot: SnapshotName = Field(description="`name` and `sha256`, recorded in the metrics")
    files: Files = Field(description="the partitions to be scored")
    folder: FilePath = Field(description="takes predictions and metrics")
    cache: Annotated[Path | None, Field(strict=False)] = Field(
        None, description="the folder that caches the word vectors of vocabularies"
    )
    vectors: str | None = Field(
        None, description="those that the run was trained with; null will do for an installed package"
    )
    device: Annotated[str, OneOf(DEVICES)] = Field("auto", description="`auto`, `cpu` or `cuda`")
    threads: Annotated[int, Field(ge=1)] = Field(1, description="of the processor")
    collapse: bool = Field(False, description="read labels of nli3 and ordinal5 as those of entailed2")

    def faults(self) -> Iterator[Fault]:
        """Yield the errors that involve several keys."""
        if not self.files.present:
            yield Fault(("files",), "must name at least one partition")


def read_run_config(value: object) -> RunConfig:
    """Check the content of RUN.json. Raises BaselineError with all errors."""
    config = _read("RUN.json", RunConfig, value)
    if config.start is not None:
        _ = config.start.weights  # as they are now: the run is another one when they change
    return config


def read_evaluation_config(value: object) -> EvaluationConfig:
    """Check the content of EVAL.json. Raises BaselineError with all errors."""
    return _read("EVAL.json", EvaluationConfig, value)


Config = TypeVar("Config", RunConfig, EvaluationConfig)


def _read(name: str, kind: type[Config], value: object) -> Config:
    def beyond(made: Config) -> Iterable[Fault]:
        return made.faults()

    try:
        return checked(kind, value, beyond)
    except Faulty as faulty:
        raise BaselineError(faulty.sentences(name)) from None
