"""`python -m bench.proofs PROOF ... --data FOLDER --out FOLDER`: trains missing runs, prints Markdown tables.

Trains one run after another, each on one thread. If it was interrupted, it continues where it was. `--tables` trains
nothing and prints the tables of the finished runs.
"""

import argparse
import sys
import time
from importlib import import_module
from pathlib import Path

from bench.proofs.plans import PLANS
from bench.proofs.runs import Place, Run, carry_out
from bench.proofs.tables import TABLES


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.proofs", description=__doc__)
    parser.add_argument("proofs", nargs="+", choices=PLANS, metavar="PROOF", help=", ".join(PLANS))
    parser.add_argument("--data", type=Path, required=True, help="the published corpora, a folder each")
    parser.add_argument("--out", type=Path, required=True, help="where frozen files and run folders go")
    parser.add_argument("--seeds", type=int, default=5, help="train no higher seed than this (5)")
    parser.add_argument("--tables", action="store_true", help="train nothing")
    options = parser.parse_args()
    place = Place(options.data.resolve(), options.out.resolve())
    for name in options.proofs:
        if not options.tables:
            train([run for run in PLANS[name]() if run.seed <= options.seeds], place)
        print(f"## {name}\n")
        for table in TABLES[name](place):
            print(f"{table}\n", flush=True)


def train(runs: list[Run], place: Place) -> None:
    """Trains the missing runs, after the runs that they start from. Reports progress on standard error."""
    import_module("modeling.baselines.training")  # torch once, for all children
    wanted = list({one.name: one for run in runs for one in run.needs()}.values())
    wanted = [run for run in wanted if not place.is_done(run)]
    for number, run in enumerate(wanted, start=1):
        began = time.monotonic()
        carry_out(run, place)
        print(
            f"{number}/{len(wanted)} {run.name} {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True
        )


if __name__ == "__main__":
    main()
