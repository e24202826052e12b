"""How soon somebody who types has the answer of a model in the loop: runs of the usual sizes, answered by the real program.

Each run has 20,000 words of 300 dimensions and layers of 300 units, without any training, and so has its hypothesis-only
twin: an answer takes as long as a trained one. Writers ask at moments of chance, once a second on average, more often than
anybody pauses.
"""

import json
import random
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from bench.measure import percentile
from bench.networks import LABELS, material, pairs_of

BASELINES = ("cbow", "infersent", "bilstm", "esim", "pretrained")
WRITERS = (1, 32)
SECONDS = 20.0
LONGEST_LOAD = 120.0


def measure_answers(folder: Path) -> None:
    """Prints a Markdown table: the milliseconds of an answer of a run and its twin, by baseline and number of writers."""
    path = folder / "answers.socket"
    command = [sys.executable, "-W", "ignore", "-m", "modeling.baselines.answer", str(path), str(folder)]
    print("| baseline | writers | answers | p50, ms | p95, ms |\n|---|---|---|---|---|")
    for baseline in BASELINES:
        models, asked = _run(folder, baseline)
        with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
            assert program.stdout is not None
            program.stdout.readline()
            try:
                _measure(path, baseline, models, asked)
            finally:
                program.terminate()
    print()


def _measure(path: Path, baseline: str, models: list[dict[str, str]], asked: list[dict[str, Any]]) -> None:
    until = time.monotonic() + LONGEST_LOAD
    while (said := _ask(path, models, asked[0])) == {"loading": True} and time.monotonic() < until:
        time.sleep(0.2)
    if "answers" not in said:
        print(f"| {baseline} | | refused: {said.get('error', 'it is not loaded')} | | |", flush=True)
        return
    for writers in WRITERS:
        times: list[float] = []

        def write(number: int, times: list[float] = times) -> None:
            chance, end = random.Random(number), time.monotonic() + SECONDS
            while time.monotonic() < end:
                time.sleep(chance.expovariate(1))
                begun = time.perf_counter()
                assert "answers" in _ask(path, models, chance.choice(asked))
                times.append(1000 * (time.perf_counter() - begun))

        threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        middle, most = percentile(times, 0.5), percentile(times, 0.95)
        print(f"| {baseline} | {writers} | {len(times)} | {middle:.1f} | {most:.1f} |", flush=True)


def _ask(path: Path, models: list[dict[str, str]], asked: dict[str, Any]) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(path))
        line.sendall(json.dumps({"models": models, **asked}).encode() + b"\n")
        with line.makefile("rb") as answer:
            said: dict[str, Any] = json.loads(answer.readline())
            return said


def _run(folder: Path, baseline: str) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    """Writes a run and its twin; returns how to ask for them, and premises with sentences."""
    from modeling.baselines import checkpoint, pretrained
    from modeling.baselines.catalogue import stored_settings
    from modeling.baselines.config import METRICS
    from modeling.baselines.settings import PretrainedSettings
    from nli.labels import SCHEMES
    from nli.run_files import model_sha256

    settings, network, lexicon, words = material(baseline)
    if hasattr(settings, "look_up"):
        settings = settings.model_copy(update={"look_up": False})
    models = []
    for is_twin in (False, True):
        run = folder / f"{baseline}{'-twin' if is_twin else ''}"
        run.mkdir()
        config = {
            "baseline": baseline,
            "settings": stored_settings(settings),
            "seed": 1,
            "hypothesis_only": is_twin,
        }
        checkpoint.save_network(run, network, lexicon, SCHEMES["nli3"][:LABELS])
        if isinstance(settings, PretrainedSettings):
            checkpoint.save_encoder(run, pretrained.folder_of(settings.model))
        (run / checkpoint.CONFIG).write_text(json.dumps(config))
        (run / METRICS).write_text("{}")
        models.append({"folder": run.name, "sha256": model_sha256(run)})
    drawn = pairs_of(words)[:1000]
    return models, [{"premise": list(pair.premise), "hypotheses": [pair.hypothesis]} for pair in drawn]
