"""`python -m modeling.baselines.train RUN.json` trains one baseline; `--describe` prints the settings of all.

Prints JSON lines; exit code 0 done, 3 stopped with a checkpoint, 1 failed. A run that was stopped or killed
continues when it is started again with the same RUN.json; a finished run prints its metrics again.
"""

import json
import sys
from pathlib import Path

from modeling.baselines.catalogue import describe, less_memory
from modeling.baselines.config import read_run_config
from modeling.baselines.errors import BaselineError
from modeling.baselines.files import read_json
from modeling.baselines.program import Events, Stop, is_out_of_memory, run_program

USAGE = "Give one file: python -m modeling.baselines.train RUN.json (or --describe)."


def main(arguments: list[str]) -> int:
    """Runs the program and returns its exit code."""
    if arguments == ["--describe"]:
        print(json.dumps(describe()))
        return 0

    def work(events: Events, stop: Stop) -> None:
        if len(arguments) != 1:
            raise BaselineError(USAGE)
        config = read_run_config(read_json(Path(arguments[0])))
        # Imported here: torch takes seconds to load, but a mistyped key is reported at once, and a missing torch in a
        # sentence.
        from modeling.baselines.training import train_run

        try:
            train_run(config, events, stop)
        except Exception as error:
            if is_out_of_memory(error):
                raise BaselineError(less_memory(config.settings)) from error
            raise

    return run_program(work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
