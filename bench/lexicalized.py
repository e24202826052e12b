"""Measures time and memory of the lexicalized classifier by the number of training pairs.

SNLI's 18,466 published dev and test pairs are varied: two words of each premise and one of each hypothesis are
exchanged for other words of the corpus. Real pairs have fewer different features, so real memory is a little lower.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.varied import Real, real_pairs, varied
from collection.formats.lines import sha256_of

SIZES = (9_000, 90_000, 550_000)
HELD_OUT = 1_000


def varied_lines(real: list[Real], pairs: int) -> Iterator[str]:
    """Yields so many lines of a snapshot's file."""
    dice = random.Random(1)
    words = [word for one in real for text in (*one.premise, one.hypothesis) for word in text.split()]

    for number in range(pairs):
        one = real[number % len(real)]
        line = {
            "pairID": f"v{number}",
            "gold_label": one.label,
            "sentence1": varied(dice, " ".join(one.premise), words, 2),
            "sentence2": varied(dice, one.hypothesis, words, 1),
            "genre": one.genre,
        }
        yield json.dumps(line) + "\n"


def measure_lexicalized(folder: Path) -> None:
    """Prints a Markdown table with a row for each size."""
    captions = [one for one in real_pairs() if one.genre in ("captions", "own")]
    print("| pairs | features | seconds | processor seconds | peak memory MiB | run folder MiB |")
    print("|---|---|---|---|---|---|")
    for size in SIZES:
        place = folder / f"lexicalized-{size}"
        place.mkdir(parents=True, exist_ok=True)
        files: dict[str, Any] = {}
        for name, pairs in (("train", size), ("dev", HELD_OUT)):
            path = place / f"{name}.jsonl"
            path.write_text("".join(varied_lines(captions, pairs)), encoding="utf-8")
            files[name] = {"path": str(path), "sha256": sha256_of(path)}
        asked = {
            "baseline": "lexicalized",
            "seed": 1,
            "snapshot": {"name": f"varied-{size}@1", "sha256": "0" * 64},
            "scheme": "nli3",
            "files": files,
            "cache": str(folder / "cache"),
            "folder": str(place / "run"),
        }
        (place / "RUN.json").write_text(json.dumps(asked), encoding="utf-8")
        began = time.monotonic()
        child = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "modeling.baselines.train", str(place / "RUN.json")],
            stdout=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(child.pid, 0)
        seconds = time.monotonic() - began
        peak, processor = used.ru_maxrss / 1024, used.ru_utime + used.ru_stime
        if status:
            print(f"| {size:,} | failed | {seconds:.0f} | {processor:.0f} | {peak:,.0f} | |", flush=True)
            continue
        features = len(json.loads((place / "run/vocabulary.json").read_text())) - 2
        written = sum(path.stat().st_size for path in (place / "run").iterdir()) / 2**20
        print(
            f"| {size:,} | {features:,} | {seconds:.0f} | {processor:.0f} | {peak:,.0f} | {written:,.0f} |",
            flush=True,
        )
    print()
