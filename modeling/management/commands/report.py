"""`manage.py report CORPUS@VERSION [CORPUS@VERSION ...] TABLE [--format text|csv|latex|html|svg] [--train-missing]`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from collection.models import PARTITIONS
from jobs.claims import JobError
from modeling import catalogue
from modeling.baselines.settings import PRESETS
from modeling.launching.actions import MOST_CHILDREN
from modeling.reports.beside import with_published
from modeling.reports.completing import NAMES as COMPLETED
from modeling.reports.completing import SEEDS, TableOrder, complete, count
from modeling.reports.curves import FIGURE, SVG, drawn
from modeling.reports.definitions import TABLES as RUN_TABLES
from modeling.reports.filling import fill
from modeling.reports.leak_audits import LEAKS, count_here
from modeling.reports.overviews import MOST_ROWS, OVERVIEWS, overview
from modeling.reports.rendering import as_latex, rendered
from modeling.reports.scores import Scores
from shared.figures import FIGURES, Parameters
from shared.table_formats import FORMATS
from shared.whole_numbers import whole
from snapshots.errors import SnapshotError
from snapshots.management.lookup import frozen_snapshot
from snapshots.models import Snapshot
from snapshots.statistics.job import NoTagger
from snapshots.statistics.scope import SNAPSHOT

LATEX = "latex"
STATISTICS = {
    name: figure
    for name, figure in FIGURES.items()
    if figure.scope is SNAPSHOT and figure.columns and not figure.gather
}
NAMES = (*STATISTICS, *RUN_TABLES, *OVERVIEWS)


class Command(BaseCommand):
    help = (
        "Prints a table over frozen snapshots: statistics of one snapshot, or a result table of the papers from its runs. "
        "Statistics and counts that are not stored yet are computed first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "names",
            nargs="+",
            metavar="CORPUS@VERSION ... TABLE",
            help=f"one snapshot or several, then one of: {', '.join(NAMES)}",
        )
        parser.add_argument(
            "--preset",
            choices=PRESETS,
            help="a result table shows runs of this preset alone; else, of several settings, those with the most seeds",
        )
        parser.add_argument(
            "--key", default="", metavar="KEY", help="of the metadata, whose values are the rows of hyponly-4"
        )
        parser.add_argument(
            "--partition", choices=PARTITIONS, default="test", help=f"of {', '.join(OVERVIEWS)}; default test"
        )
        parser.add_argument(
            "--most",
            type=whole(1, MOST_ROWS),
            default=50,
            metavar="N",
            help="rows of these tables at most; default 50",
        )
        parser.add_argument(
            "--format",
            default="text",
            choices=(*FORMATS, SVG),
            help=f"default: text; {SVG} of {FIGURE} alone",
        )
        parser.add_argument(
            "--train-missing",
            action="store_true",
            help="also queue the runs that the table lacks, and score finished runs where it lacks their scores",
        )
        parser.add_argument(
            "--seeds",
            type=whole(1, MOST_CHILDREN),
            default=SEEDS,
            metavar="N",
            help=f"seeds of these runs, from 1 on; default {SEEDS}",
        )

        parser.add_argument(
            "--vectors",
            default=catalogue.PACKAGED_VECTORS,
            metavar="V",
            help="that these runs read: an installed package, or a GloVe text file",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        *snapshots, name = options["names"]
        if name not in NAMES:
            raise CommandError(f"There is no table {name!r}. There are: {', '.join(NAMES)}.")
        if not snapshots:
            raise CommandError(f"Name a snapshot before the table: manage.py report CORPUS@VERSION {name}.")
        if options["format"] == SVG and name != FIGURE:
            raise CommandError(
                f"The table {name} is no picture, so it has no format {SVG}: leave --format {SVG} out, or name {FIGURE}."
            )
        found = [frozen_snapshot(each) for each in snapshots]
        if len({snapshot.pk for snapshot in found}) < len(found):
            raise CommandError("A snapshot is named twice: name it once.")
        if name in RUN_TABLES:
            self.print_results(name, found, options)
        elif options["train_missing"] and name not in COMPLETED:
            raise CommandError(f"The table {name} needs no runs: leave --train-missing out.")
        elif name in OVERVIEWS:
            if len(found) > 1 and not OVERVIEWS[name].several:
                raise CommandError(f"The table {name} is of one snapshot: name one.")
            if name == LEAKS:
                self.count_leaks(found)
            if options["train_missing"]:
                self.complete(TableOrder(name, found, partition=options["partition"], most=options["most"]))
            made = overview(name, found, options["partition"], options["most"])
            self.stdout.write(FORMATS[options["format"]](made), ending="")
        elif len(found) > 1:
            raise CommandError(f"The table {name} is of one snapshot: name one.")
        else:
            self.print_statistics(name, found[0], options["format"])

    def print_results(self, name: str, snapshots: list[Snapshot], options: dict[str, Any]) -> None:
        try:
            asked = (options["preset"] or "", options["key"])
            if options["train_missing"]:
                self.complete(TableOrder(name, snapshots, *asked, options["seeds"], options["vectors"]))
            else:
                count(name, snapshots, self.stderr.write)
            scores = Scores(snapshots, *asked)
            report = fill(name, snapshots, scores=scores, tests=True)
        except (NoTagger, ValueError) as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}. Repair it, then ask again.") from None
        form = options["format"]
        made = drawn(scores) if form == SVG else as_latex(report) if form == LATEX else rendered(report, form)
        if not made:
            raise CommandError(
                f"A curve needs one system trained on two numbers of pairs, and there is none yet. Train some: "
                f"manage.py train {snapshots[0]} --baseline lstm --sizes 10,100"
            )
        self.stdout.write(made, ending="")

    def complete(self, order: TableOrder) -> None:
        complete(order, self.stderr.write, "Repeat this command")

    def count_leaks(self, snapshots: list[Snapshot]) -> None:
        try:
            count_here(snapshots, self.stderr.write)
        except (SnapshotError, JobError) as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped by hand. What was counted stays.") from None

    def print_statistics(self, name: str, snapshot: Snapshot, form: str) -> None:
        """Prints a figure of the snapshot's statistics beside the published ones; counts first what is not stored."""
        figure = STATISTICS[name]
        made = figure.table(SNAPSHOT.count(snapshot, figure.source, Parameters(), self.stderr.write))
        if made is None:
            raise CommandError(
                f"The manifest of {snapshot} cannot be read. Restore its folder from a backup."
            )
        self.stdout.write(FORMATS[form](with_published(made)), ending="")
