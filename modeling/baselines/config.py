"""RUN.json and EVAL.json: one schema each, for the site that writes them and the programs that read them.

Keys and their meanings are in nli/run_files.py; limits, defaults and rules about several keys are here. The schemas are
strict: if a mistyped key were ignored, the run would not be the one that was asked for. They load no torch, so that a
wrong key is reported at once.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SerializeAsAny,
    ValidationError,
    ValidationInfo,
    field_validator,
)

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
    WordNetClassifierSettings,
)
from nli import run_files as shapes
from nli.gold import Rule
from nli.labels import COLLAPSED, SCHEMES
from nli.lines import ALL, SETS
from nli.shapes import fields_of
from nli.single_premises import rule_named
from nli.tokens import writes_without_spaces
from schemas.base import LENIENT, OneOf, Part, SchemaError, SchemaErrors, checked, part_of, refuse

DEVICES = ("auto", "cpu", "cuda")
STARTS = ("update", "transfer")
WEIGHTS, METRICS, CHECKPOINT = "weights.safetensors", "metrics.json", "checkpoint"
BOTH_SIDES = (
    "",
    "nli3",
    "entailed2",
)  # schemes with a label for and one against entailment; "" is an error by itself
NOTHING = hashlib.sha256().hexdigest()  # of an empty file
MOST_PAIRS = 2**31 - 1  # what the site's column holds


def _hexadecimal(text: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        refuse("must be 64 hexadecimal digits")
    return text


def named_set(value: Any) -> Any:
    """Returns the name of the set of labels that a run learns; earlier versions wrote true or false."""
    return (ALL if value else "") if isinstance(value, bool) else value


SoftLabels = Annotated[str, OneOf(("", *SETS)), BeforeValidator(named_set)]
FilePath = Annotated[Path, Field(strict=False)]
Sha256 = Annotated[str, AfterValidator(_hexadecimal)]
AtMost = Annotated[int, Field(ge=1, le=MOST_PAIRS)]


class Object(Part):
    """A JSON object. `shape`: its keys with their meanings, in nli/."""

    container = "an object"
    shape: ClassVar[Any] = None

    @classmethod
    def __pydantic_init_subclass__(cls, **named: Any) -> None:
        """Takes the meaning of each key from the shape. Raises TypeError where the two have other keys."""
        super().__pydantic_init_subclass__(**named)
        if "shape" not in vars(cls):
            return  # a subclass may have more keys
        keys = {key.name: key for key in fields_of(cls.shape)}
        here = {name: field.is_required() for name, field in cls.model_fields.items()}
        if here != {name: key.since == 1 for name, key in keys.items()}:
            raise TypeError(f"{cls.__name__} has other keys than {cls.shape.__name__}, or needs others")
        for name, field in cls.model_fields.items():
            field.description = keys[name].meaning


class SnapshotName(Object):
    """Which snapshot a score belongs to."""

    shape = shapes.SnapshotName

    name: str
    sha256: str


class PremiseLabels(Object):
    """How labels of single premises decide."""

    shape = shapes.PremiseRule

    scheme: Annotated[str, OneOf(tuple(SCHEMES))]
    seats: Annotated[int, Field(ge=1)]
    threshold: Annotated[int, Field(ge=1)]
    gold_scheme: Annotated[str, OneOf(("", *SCHEMES))] = ""

    @property
    def rule(self) -> Rule:
        return rule_named(cast(shapes.PremiseRule, self.model_dump()))


class DataFile(Object):
    """A partition's file and the SHA-256 that it must have."""

    shape = shapes.DataFile

    path: FilePath
    sha256: Sha256
    single_premises: PremiseLabels | None = None


class Files(Object):
    """The files of a snapshot by partition; a partition that is null is left out."""

    shape = shapes.Files

    train: DataFile | None = None
    dev: DataFile | None = None
    test: DataFile | None = None

    @property
    def present(self) -> dict[str, DataFile]:
        return {name: file for name, file in self if file is not None}


class Mixing(Object):
    """How much of another snapshot's train part to learn from."""

    shape: ClassVar[Any] = shapes.Mixing

    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    most: AtMost | None = None


class MixedFile(Mixing):
    """The training file of another snapshot to learn from, too."""

    shape = shapes.MixedFile

    snapshot: SnapshotName
    file: DataFile


class Start(Object):
    """The finished run whose weights this one begins with.

    "update" trains them on; "transfer" also makes the softmax anew and keeps AdaDelta's accumulators.
    """

    shape = shapes.Start

    folder: FilePath
    how: Annotated[str, OneOf(STARTS)]

    @cached_property
    def weights(self) -> str:
        """The SHA-256 of the weights when the run began. Raises BaselineError where the folder holds none."""
        return sha256_of(self.folder / WEIGHTS)


class Regime(Object):
    """The regime: how a run differs from a plain one on a whole snapshot. Requests and RUN.json share it."""

    shape: ClassVar[Any] = shapes.Regime

    genre: str | None = None
    most: AtMost | None = None
    collapse: bool = False
    soft_labels: SoftLabels = ""
    hypothesis_only: bool = False


class RunConfig(Regime):
    """RUN.json: one training run."""

    shape = shapes.RunFile

    baseline: Annotated[str, OneOf(tuple(BASELINES))]
    seed: Annotated[int, Field(ge=0)]
    snapshot: SnapshotName
    scheme: Annotated[str, OneOf(tuple(SCHEMES))]
    files: Files
    folder: FilePath
    cache: FilePath
    vectors: str | None = None
    preset: Annotated[str, OneOf(PRESETS)] = "default"
    settings: SerializeAsAny[Settings] = Field(Settings(), validate_default=True)
    hold_back: Annotated[float, Field(ge=0, lt=1)] = 0.1
    language: str = "en"
    device: Annotated[str, OneOf(DEVICES)] = "auto"
    threads: Annotated[int, Field(ge=1)] = 1
    # A kill costs this much work at most. Writing a checkpoint takes well under a second.
    checkpoint_seconds: Annotated[float, Field(ge=0)] = 20.0
    mixed: Annotated[tuple[MixedFile, ...], Field(strict=False)] = ()
    start: Start | None = None

    @field_validator("settings", mode="before")
    @classmethod
    def _of_the_baseline(cls, value: Any, info: ValidationInfo) -> Any:
        kind = BASELINES.get(info.data.get("baseline", ""))
        if kind is None:
            return Settings()  # the baseline is at error
        named = {} if type(value) is Settings else value
        if info.data.get("preset") == "paper" and isinstance(named, dict):
            named = {**(kind.PAPER or {}), **named}
        try:
            return part_of(kind, named)
        except ValidationError:
            if info.context is LENIENT:
                return kind()
            raise

    def errors(self) -> Iterator[SchemaError]:
        """Yields the errors that involve several keys."""
        if self.files.train is None:
            yield SchemaError(("files", "train"), "is missing; a baseline cannot be trained without it")
        if self.collapse and self.scheme not in ("", COLLAPSED):
            yield SchemaError(
                ("collapse",), f'reads labels as those of {COLLAPSED}; set scheme to "{COLLAPSED}" with it'
            )
        if self.baseline in TWO_CLASSES and self.scheme not in ("", COLLAPSED):
            what = (
                f'must be "{COLLAPSED}", for {self.baseline} tells two classes apart; set collapse for others'
            )
            yield SchemaError(("scheme",), what)
        kind = BASELINES.get(self.baseline)
        if self.preset == "paper" and kind is not None and kind.PAPER is None:
            yield SchemaError(("preset",), f'is "paper", but {self.baseline} is in no paper; remove it')
        if (
            isinstance(self.settings, VotingSettings)
            and self.settings.rule == "more"
            and self.scheme not in BOTH_SIDES
        ):
            yield SchemaError(("settings", "rule"), '"more" is for nli3 and entailed2; set it to "most"')
        if self.hypothesis_only and self.baseline in NO_PREMISE:
            yield SchemaError(
                ("hypothesis_only",), f"is set, but {self.baseline} reads no premise anyway; remove it"
            )
        if self.start is not None and self.baseline and not isinstance(self.settings, LearningSettings):
            yield SchemaError(
                ("start",), f"is set, but {self.baseline} is fitted in one step and cannot start from a run"
            )
        if self.vectors is None and isinstance(self.settings, NeuralSettings):
            yield SchemaError(("vectors",), f"is missing; {self.baseline} needs word vectors")

    @property
    def held_back(self) -> float:
        """Returns the share of train that is held back for early stopping: 0 where dev does that, or without epochs."""
        has_dev = self.files.dev is not None and self.files.dev.sha256 != NOTHING
        return 0.0 if has_dev or not isinstance(self.settings, LearningSettings) else self.hold_back

    def identity(self) -> dict[str, Any]:
        """Returns what decides the result, JSON-ready. On a CPU with one thread, runs with the same identity give the same
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
            **self.named_files(),
            # Only if it decides what a word is.
            **({"language": self.language} if writes_without_spaces(self.language) else {}),
            **({"held_back": self.held_back} if self.held_back else {}),
            # Only if one was requested: a plain run keeps the identity that it had before there were regimes.
            **self.regime(),
        }

    def named_files(self) -> dict[str, Any]:
        """Returns the name of a file or an encoder that settings name instead of its path, and its hash."""
        stored = stored_settings(self.settings)
        if isinstance(self.settings, PretrainedSettings):
            stored["model"] = Path(self.settings.model).name
            return {"settings": stored, "pretrained": digest_of(self.settings.model)}
        if isinstance(self.settings, WordNetClassifierSettings) and self.settings.verb_ocean:
            stored["verb_ocean"] = Path(self.settings.verb_ocean).name
            return {"settings": stored, "verb_ocean": sha256_of(Path(self.settings.verb_ocean))}
        return {}

    def regime(self) -> dict[str, Any]:
        """Returns the regime, JSON-ready: how the run differs from a plain one on a whole snapshot."""
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
            "soft_labels": self.soft_labels if self.soft_labels != ALL else True,  # as earlier runs have it
            "hypothesis_only": self.hypothesis_only,
        }
        return {key: value for key, value in asked.items() if value}

    def digest(self) -> str:
        """Computes the hash of the identity. It says whether a checkpoint or a finished folder belongs to this run."""
        return hashlib.sha256(json.dumps(self.identity(), sort_keys=True).encode()).hexdigest()


class EvaluationConfig(Object):
    """EVAL.json: one evaluation of a finished run on the files of any snapshot with the same label scheme."""

    shape = shapes.EvaluationFile

    snapshot: SnapshotName
    files: Files
    folder: FilePath
    cache: Annotated[Path | None, Field(strict=False)] = None
    vectors: str | None = None
    device: Annotated[str, OneOf(DEVICES)] = "auto"
    threads: Annotated[int, Field(ge=1)] = 1
    collapse: bool = False

    def errors(self) -> Iterator[SchemaError]:
        """Yields the errors that involve several keys."""
        if not self.files.present:
            yield SchemaError(("files",), "must name at least one partition")


def read_run_config(value: object) -> RunConfig:
    """Checks the content of RUN.json. Raises BaselineError with all errors."""
    config = _read("RUN.json", RunConfig, value)
    if config.start is not None:
        _ = config.start.weights  # as they are now: the run is another one when they change
    return config


def read_evaluation_config(value: object) -> EvaluationConfig:
    """Checks the content of EVAL.json. Raises BaselineError with all errors."""
    return _read("EVAL.json", EvaluationConfig, value)


Config = TypeVar("Config", RunConfig, EvaluationConfig)


def _read(name: str, kind: type[Config], value: object) -> Config:
    def beyond(made: Config) -> Iterable[SchemaError]:
        return made.errors()

    try:
        return checked(kind, value, beyond)
    except SchemaErrors as faulty:
        raise BaselineError(faulty.sentences(name)) from None
