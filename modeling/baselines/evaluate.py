"""`python -m modeling.baselines.evaluate RUN_FOLDER EVAL.json` scores a finished run on files of any snapshot.

Writes predictions-<partition>.jsonl and metrics.json into the folder that EVAL.json names; prints JSON lines,
the last of them with the metrics. Exit code 0 done, 3 stopped (nothing is kept), 1 failed.
"""

import sys
from pathlib import Path

from modeling.baselines.config import read_evaluation_config
from modeling.baselines.errors import BaselineError
from modeling.baselines.files import read_json
from modeling.baselines.program import Events, Stop, run_program

USAGE = "Give a run folder and a file: python -m modeling.baselines.evaluate RUN_FOLDER EVAL.json."


def main(arguments: list[str]) -> int:
    """Runs the program and returns its exit code."""

    def work(events: Events, stop: Stop) -> None:
        if len(arguments) != 2:
            raise BaselineError(USAGE)
        folder, config = Path(arguments[0]), read_evaluation_config(read_json(Path(arguments[1])))
        # Imported here, for the reasons given in train.py.
        from modeling.baselines.evaluation import evaluate_run

        evaluate_run(folder, config, events, stop)

    return run_program(work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
