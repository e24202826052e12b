"""Measures freezing, exporting, verifying and counting at size, each in a process of its own for its peak memory."""

import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

from bench.measure import Used, run_command, timed
from bench.varied import add_answers, make_varied_corpus, real_pairs, real_scenes
from snapshots.exports.formats import FORMATS, HOLD_ANSWERS

SCENES = {"mpe"}  # formats for premises of four sentences
TAGGED = 50_000  # beyond so many pairs, tags take minutes


def measure_snapshots(pairs: int, folder: Path) -> None:
    """Prints a table for a tenth of `pairs` and one for all of them: the memory should be the same.

    Every pair has five labels; in two more tables of a tenth, ten answers, or a premise of four sentences. Ratios are to a
    plain COPY of the same rows, labels included.
    """
    for number in (pairs // 10, pairs):
        _measure(f"exported-{number}", number, folder)
    _measure("answered", pairs // 10, folder, answers=True)
    _measure("scenes", pairs // 10, folder, scenes=True)


def _measure(slug: str, pairs: int, folder: Path, *, scenes: bool = False, answers: bool = False) -> None:
    real = real_scenes() if scenes else real_pairs()
    question, made = timed(lambda: make_varied_corpus(slug, real, pairs))
    if answers:
        add_answers(question)
    copied = _copied(slug, folder / "rows.tsv")
    more = ", four sentences a premise" if scenes else ", ten answers a pair" if answers else ""
    print(
        f"{pairs:,} pairs with five labels each{more}, made and loaded in {made:.0f} s; `COPY` of their texts and"
        f" labels to a file: {copied:.2f} s\n"
    )
    print("| what | seconds | processor seconds | pairs a second | times COPY | peak memory, MiB |")
    print("|---|---|---|---|---|---|")
    table = _Table(pairs, copied)
    # A command that does nothing: what Django itself needs, to subtract from the others.
    table.tell("`manage.py check`", run_command("check"))
    table.tell("`freeze_snapshot`", run_command("freeze_snapshot", slug))
    for name in sorted(HOLD_ANSWERS) if answers else FORMATS:
        if (name in SCENES) == scenes or name == "jsonl":
            out = folder / f"out-{slug}-{name}"
            words = ("export_snapshot", f"{slug}@1", "--format", name, "--out", str(out))
            table.tell(f"`export_snapshot --format {name}`", run_command(*words))
            if name != "jsonl":
                shutil.rmtree(out)
    table.tell("`verify_snapshot`", run_command("verify_snapshot", str(folder / f"out-{slug}-jsonl")))
    for kind, name in (("corpus", "genres"), ("artifacts", "giveaways"), ("tags", "tags")):
        if not answers and (kind != "tags" or pairs <= TAGGED):
            table.tell(f"statistics, {kind}", run_command("report", f"{slug}@1", name))
    print()


def _copied(slug: str, path: Path) -> float:
    """Returns the seconds that COPY takes to write the rows as text.

    A line for each pair, with its labels in a list.
    """
    rows = (
        "SELECT premise.text, pair.hypothesis, pair.author_label, given.labels FROM collection_pair pair"
        " JOIN collection_premise premise ON premise.id = pair.premise_id"
        " JOIN collection_corpus corpus ON corpus.id = pair.corpus_id"
        " JOIN (SELECT pair_id, array_agg(label ORDER BY position) AS labels FROM validation_label GROUP BY pair_id)"
        " AS given ON given.pair_id = pair.id"
        f" WHERE corpus.slug = '{slug}'"
    )
    began = time.perf_counter()
    with path.open("w") as stream, connection.cursor() as cursor:
        cursor.copy_expert(f"COPY ({rows}) TO STDOUT", stream)
    seconds = time.perf_counter() - began
    path.unlink()
    return seconds


@dataclass(frozen=True)
class _Table:
    pairs: int
    copy: float

    def tell(self, what: str, used: Used) -> None:
        print(
            f"| {what} | {used.seconds:.1f} | {used.processor:.1f} | {self.pairs / used.seconds:,.0f} "
            f"| {used.seconds / self.copy:.1f} | {used.memory:.0f} |",
            flush=True,
        )
