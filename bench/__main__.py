"""`python -m bench [SECTION ...]`: measures on a database of its own and prints Markdown.

The database of DATABASE_URL is not touched: a test database beside it is made and removed. Without
DATABASE_URL a server is found or started, as for the tests.
"""

import argparse
import contextlib
import json
import os
import random
import resource
import tempfile
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import django

from bench.loads import SIZES, add_options, asked_for
from scripts.services import Missing, postgres

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "scenes" / "scenes.jsonl"
SECTIONS = (
    "labelling",
    "writing",
    "drain",
    "pool",
    "premises",
    "pairing",
    "intake",
    "export",
    "agreement",
    "gold",
    "pages",
    "breakdowns",
    "networks",
    "lexicalized",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument(
        "--pairs",
        type=int,
        help="of the sections labelling (else 2,000 and 400,000), agreement (57,000), gold (50,000), "
        "pages (57,000 and 433,000), export and breakdowns (433,000), intake (550,000)",
    )
    parser.add_argument(
        "--lines",
        type=int,
        nargs="+",
        default=[100_000, 1_000_000],
        help="of the files that the section premises imports",
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
    from bench.breakdowns import measure_breakdowns
    from bench.labelling import measure_labelling_table
    from bench.lexicalized import measure_lexicalized
    from bench.measure import describe
    from bench.networks import measure_networks

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
            "writing": writing,
            "premises": lambda: importing_premises(options.lines, folder),
            "pairing": lambda: pairing(folder),
            "drain": lambda: draining(folder),
            "pool": guessers_in_a_pool,
            "intake": lambda: taking_in(options.pairs, folder),
            "export": lambda: exporting(options.pairs or 433_000, folder),
            "agreement": lambda: measure_agreement(pairs),
            "gold": lambda: measure_gold(options.pairs or 50_000),
            "pages": lambda: every_page(options.pairs),
            "breakdowns": lambda: measure_breakdowns(options.pairs or 433_000),
            "networks": measure_networks,
            "lexicalized": lambda: measure_lexicalized(folder),
        }
        for name in options.sections or SECTIONS:
            steps[name]()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"Peak memory of the measuring process: {peak:,.0f} MiB")
    finally:
        teardown_databases(made, verbosity=0)


def importing_premises(counts: list[int], folder: Path) -> None:
    """Measures `import_premises`: plain text with a premise on each line, all filters, two writers for each premise."""
    from bench.premises import import_lines
    from collection.models import Corpus, Genre

    print("| lines | seconds | lines/s | processor seconds | dropped | peak memory MiB |")
    print("|---|---|---|---|---|---|")
    corpus = Corpus.objects.create(slug="lines", name="Lines", writers_per_premise=2)
    for count in counts:
        Genre.objects.create(corpus=corpus, slug=f"g{count}", name=f"{count} lines")
        used = import_lines(corpus.slug, f"g{count}", count, folder)
        print(
            f"| {count:,} | {used['seconds']:.0f} | {count / used['seconds']:,.0f} | {used['processor']:.0f} "
            f"| {used['dropped']:,.0f} | {used['memory']:.0f} |",
            flush=True,
        )
    print()


def scenes(number: int) -> Iterator[str]:
    """Yields so many lines of a file of scenes. Captions are those of the examples, so that real sentences are parsed."""
    captions = [
        caption for line in EXAMPLES.read_text().splitlines() for caption in json.loads(line)["captions"]
    ]
    dice = random.Random(number)
    for scene in range(number):
        yield json.dumps({"id": f"s{scene}", "captions": dice.sample(captions, 5)})


def pairing(folder: Path, number: int = 1000) -> None:
    """Measures `pair_premises` on scenes with five captions each, and the part of it that is parsing."""
    from django.core.management import call_command

    from bench.measure import timed
    from collection.models import Corpus, Genre, Pair
    from collection.pairing.captions import read_captions
    from collection.pairing.wordnet import load_nouns

    corpus = Corpus.objects.create(slug="paired", name="paired", protocol="judged")
    Genre.objects.create(corpus=corpus, slug="all", name="All")
    path = folder / "scenes.jsonl"
    lines = list(scenes(number))
    path.write_text("\n".join(lines))
    list(read_captions(["A dog is sleeping."], load_nouns()))  # so that loading the parser is not counted
    captions = [text for line in lines for text in json.loads(line)["captions"]]
    _, parsing = timed(lambda: list(read_captions(captions, load_nouns())))
    _, seconds = timed(
        lambda: call_command("pair_premises", "paired", str(path), genre="all", stdout=StringIO())
    )
    pairs = Pair.objects.filter(corpus=corpus).count()
    print(
        f"Pairing: {pairs:,} pairs of {number:,} scenes in {seconds:.1f} s, {pairs / seconds:,.0f} pairs/s;"
        f" of it parsing {parsing:.1f} s, {len(captions) / parsing:,.0f} captions/s\n",
        flush=True,
    )


def writing(sizes: tuple[int, ...] = (4_000, 400_000), writers: int = 32) -> None:
    """Measures 32 writers who fetch premises and send three sentences each, over HTTP.

    The corpora are small and large.
    """
    from annotation_site.operation.server import site
    from bench.measure import percentile
    from bench.writing import make_corpus, write_for

    print("| premises | writers | premises written/s | next p50 / p95 ms | submit p50 / p95 ms |")
    print("|---|---|---|---|---|")
    for size in sizes:
        corpus = make_corpus(f"written-{size}", size)
        with site() as url:
            timings, seconds = write_for(corpus, url, writers, 10)
        claims, submits = (
            f"{1000 * percentile(values, 0.5):.1f} / {1000 * percentile(values, 0.95):.1f}"
            for values in (timings.claims, timings.submits)
        )
        done = len(timings.submits) / seconds
        print(f"| {size:,} | {writers} | {done:.0f} | {claims} | {submits} |", flush=True)
    print()


def draining(folder: Path, pairs: int = 2000, processes: int = 64) -> None:
    """Labels a whole corpus with processes whose leases last a second, that are killed, and that submit twice."""
    from bench.corpora import make_corpus, open_all
    from bench.drain import drain

    question = make_corpus("drained", pairs)
    open_all(question)
    (folder / "journals").mkdir()
    done = drain(question, processes=processes, folder=folder / "journals", seconds=3600)
    if done.faults:
        raise RuntimeError("; ".join(done.faults))
    print(
        f"Drain: {processes} processes, {pairs:,} pairs: {done.labels:,} labels and {done.surplus:,} surplus in"
        f" {done.seconds:.0f} s, {done.killed} kills; each pair has exactly four, none twice, none lost\n",
        flush=True,
    )


def guessers_in_a_pool(sizes: tuple[int, ...] = (150, 300, 900), pools: int = 5) -> None:
    """Measures precision and recall of the flags in pools of 30 people, 8 of whom guess."""
    from bench.pool import WAYS, measure_flags

    print(f"| pairs | labels of each | precision | recall | readers flagged | {' | '.join(WAYS)} |")
    print("|---|---|---|---|---|" + "---|" * len(WAYS))
    for pairs in sizes:
        flags = measure_flags(pairs, pools)
        found = " | ".join(f"{named} of {number}" for named, number in flags.found.values())
        print(
            f"| {pairs:,} | {flags.labels_each:.0f} | {flags.precision:.2f} | {flags.recall:.2f} "
            f"| {flags.wrongly} of {flags.readers} | {found} |",
            flush=True,
        )
    print()


def taking_in(pairs: int | None, folder: Path) -> None:
    """Measures `import_pairs` and `recast` with a tenth of the pairs, with all, and with the same files again."""
    from bench.intake import PAIRS, measure_intake

    measure_intake(pairs or PAIRS, folder)


def exporting(pairs: int, folder: Path) -> None:
    from bench.snapshots import measure_snapshots

    measure_snapshots(pairs, folder)


def every_page(pairs: int | None) -> None:
    """Measures every page of researchers on a full site, at 57,000 and at 433,000 pairs, or at so many."""
    from bench.pages import SIZES, measure_pages

    measure_pages((pairs,) if pairs else SIZES)


if __name__ == "__main__":
    main()
