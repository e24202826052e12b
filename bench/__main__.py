"""`python -m bench [SECTION ...]`: measures on a database of its own and prints Markdown.

The database of DATABASE_URL is not touched: a test database beside it is made and removed. Without
DATABASE_URL a server is found or started, as for the tests.
"""

import argparse
import contextlib
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import django

from bench.loads import SIZES, add_options, asked_for
from scripts.services import Missing, postgres

# With `-m` the module would import models before Django is set up.
PAGES = "import django; django.setup(); from tests.full_pages import main; main()"
SECTIONS = ("labelling", "writing", "export", "agreement", "gold", "pages", "networks", "answers")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument(
        "--pairs",
        type=int,
        help="of the sections labelling (else 2,000 and 400,000), agreement (57,000), gold (50,000), "
        "pages (57,000 and 433,000), export (433,000)",
    )
    add_options(parser)
    options = parser.parse_args()
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}. Known: {', '.join(SECTIONS)}.")
    try:
        measure(options)
    except Missing as missing:
        parser.exit(1, f"{missing}\n")


def measure(options: argparse.Namespace) -> None:
    """Finds or starts a PostgreSQL, as the tests do, and measures in a temporary folder."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        if options.sqlite:
            address = f"sqlite:///{folder}/bench.sqlite3"
        else:
            address = stack.enter_context(postgres()).address
        os.environ["DATABASE_URL"] = address
        os.environ["QUINTET_VAR"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
        django.setup()
        run(options, Path(folder))


def run(options: argparse.Namespace, folder: Path) -> None:
    """Makes the database, measures section by section, and removes the database."""
    from django.db import connection
    from django.test.utils import setup_databases, teardown_databases

    from bench.agreement import measure_agreement, measure_gold
    from bench.answers import measure_answers
    from bench.labelling import measure_labelling_table
    from bench.measure import describe
    from bench.networks import measure_networks
    from bench.snapshots import measure_snapshots
    from bench.writing import measure_writing

    pairs, sizes = options.pairs or 57_000, (options.pairs,) if options.pairs else SIZES
    if connection.vendor == "sqlite":  # unnamed, the test database would be in memory, where no site sees it
        connection.settings_dict["TEST"]["NAME"] = str(folder / "test.sqlite3")
    else:  # not the tests' own, which may be run meanwhile
        connection.settings_dict["TEST"]["NAME"] = f"bench_{connection.settings_dict['NAME']}"
    made = setup_databases(verbosity=0, interactive=False, serialized_aliases=[])
    try:
        print(f"Machine: {describe()}\n", flush=True)
        steps: dict[str, Callable[[], None]] = {
            "labelling": lambda: measure_labelling_table(sizes, asked_for(options)),
            "writing": measure_writing,
            "export": lambda: measure_snapshots(options.pairs or 433_000, folder),
            "agreement": lambda: measure_agreement(pairs),
            "gold": lambda: measure_gold(options.pairs or 50_000),
            "pages": lambda: measure_pages((options.pairs,) if options.pairs else (57_000, 433_000)),
            "networks": measure_networks,
            "answers": lambda: measure_answers(folder),
        }
        for name in options.sections or SECTIONS:
            steps[name]()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"Peak memory of the measuring process: {peak:,.0f} MiB")
    finally:
        teardown_databases(made, verbosity=0)


def measure_pages(sizes: Sequence[int]) -> None:
    """Fills the site as the tests of a full site do, in a process of its own, which prints the table."""
    from bench.measure import of_this_site

    command = [sys.executable, "-c", PAGES, *map(str, sizes)]
    subprocess.run(command, env=of_this_site(), check=True)


if __name__ == "__main__":
    main()
