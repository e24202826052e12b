"""`manage.py reproduce snli|multinli|mpe|hyponly|dnc --data FOLDER [--scale sample|published] [--plan]`."""

import io
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from jobs.claims import claim
from modeling import catalogue
from modeling.baselines.catalogue import with_preset
from modeling.launching.actions import MOST_CHILDREN, resume_run
from modeling.launching.regimes import training_pairs
from modeling.launching.usual import Plan, done_runs, plan_of
from modeling.management.commands import train
from modeling.models import TrainingRun
from modeling.reports.cells import Selection
from modeling.reports.definitions import TABLES
from modeling.reports.filling import fill
from modeling.reports.scores import Scores
from shared.whole_numbers import whole
from snapshots.models import Snapshot

RECIPES: dict[str, Any] = tomllib.loads(
    (settings.BASE_DIR / "schemas" / "reproductions.toml").read_text(encoding="utf-8")
)
PUBLISHED, SAMPLE = "published", "sample"
PAPER = "paper"  # the preset
GLOVE, GLOVE_FROM = "glove.840B.300d.txt", "https://nlp.stanford.edu/data/glove.840B.300d.zip"
DATA = "{data}/"


@dataclass(frozen=True)
class Recipe:
    """How a corpus comes here. `lacking`: the files that are not there."""

    source: str
    commands: list[list[str]]
    lacking: list[str]


@dataclass(frozen=True)
class Table:
    """A table of a paper over the corpora that are there. `without`: those that are not."""

    name: str
    corpora: list[str]
    without: list[str]
    first: str = ""
    then: str = ""
    start: str = ""

    @property
    def snapshots(self) -> list[str]:
        return [f"{name}@1" for name in self.corpora]


def recipe(corpus: str, scale: str, data: Path) -> Recipe:
    """Returns the commands for a corpus, at the published scale where there is no other, with the files of the folder."""
    own = RECIPES["corpora"].get(corpus)
    given = RECIPES["recast"] if own is None else own.get(scale, own[PUBLISHED])
    commands, lacking = [], []
    for line in given["commands"]:
        words = []
        for word in shlex.split(line.replace("{name}", corpus)):
            if word.startswith(DATA):
                pattern = word.removeprefix(DATA)
                found = sorted(data.glob(pattern))
                if not found:
                    lacking.append(pattern.rstrip("*"))
                word = str(found[0]) if found else word
            words.append(word)
        commands.append(words)
    return Recipe(given["from"], commands, lacking)


def tables(paper: str, here: Mapping[str, bool]) -> list[Table]:
    """Returns the tables of a paper. Where the order of corpora counts, those behind a missing one are left out."""
    found = []
    for each in RECIPES["papers"][paper]["tables"]:
        corpora = [name for name in each["of"] if here[name]]
        if not each.get("free") and not (each.get("free_rest") and here[each["of"][0]]):
            corpora = list(takewhile(here.__getitem__, each["of"]))
        without = [name for name in each["of"] if name not in corpora]
        steps = {key: each[key] for key in ("first", "then", "start") if key in each}
        found.append(Table(each["name"], corpora, without, **steps))
    return found


class Command(BaseCommand):
    help = (
        "Prints a paper's tables over the published corpora, beside the published figures: imports and freezes the corpora, "
        "and trains what the tables lack, one run after another. Ctrl-C stops it with a checkpoint; the same command goes "
        "on. Give it a database of its own."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "paper", choices=RECIPES["papers"], metavar="PAPER", help=", ".join(RECIPES["papers"])
        )
        parser.add_argument(
            "--data",
            type=Path,
            required=True,
            metavar="FOLDER",
            help="the published corpora, unpacked, side by side",
        )
        parser.add_argument(
            "--scale",
            choices=(SAMPLE, PUBLISHED),
            default=SAMPLE,
            help="published: the whole corpora, the settings of the papers and GloVe 840B of 300 dimensions; sample (the "
            "default): small public parts, the default settings and the installed vectors",
        )
        parser.add_argument(
            "--vectors",
            metavar="V",
            help=f"other vectors than the scale's, such as a GloVe text file; published: {GLOVE}",
        )
        parser.add_argument(
            "--seeds",
            type=whole(1, MOST_CHILDREN),
            default=3,
            metavar="N",
            help="seeds of each run, from 1 on; default 3",
        )
        parser.add_argument("--queue", action="store_true", help="let the workers train")
        parser.add_argument(
            "--plan",
            action="store_true",
            help="only say which data is missing and where it is had, and how long the runs take that are missing",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        data = options["data"].resolve()
        if not data.is_dir():
            raise CommandError(f"--data: there is no folder {data}. Unpack the published corpora into one.")
        names = list(
            dict.fromkeys(
                name for each in RECIPES["papers"][options["paper"]]["tables"] for name in each["of"]
            )
        )
        recipes = {name: recipe(name, options["scale"], data) for name in names}
        frozen = set(Snapshot.objects.frozen().filter(version=1).values_list("corpus__slug", flat=True))
        here = {name: name in frozen or not made.lacking for name, made in recipes.items()}
        for name, made in recipes.items():
            if not here[name]:
                self.stderr.write(f"{name} is missing: {', '.join(made.lacking)}. From {made.source}")
        vectors = self.vectors(options, data)
        for table in (found := tables(options["paper"], here)):
            if table.without:
                what = "is left out" if not table.corpora else "is without"
                self.stderr.write(f"Table {table.name} {what}: {', '.join(table.without)}")
        found = [table for table in found if table.corpora]
        if not found:
            raise CommandError(f"Nothing can be made: put the files that are named above into {data}.")
        if not options["plan"]:
            for name, made in recipes.items():
                if here[name] and name not in frozen:
                    self.run(made.commands)
        for table in found:
            self.make(table, vectors, options)

    def vectors(self, options: Mapping[str, Any], data: Path) -> str:
        """Returns the vectors of all runs: those asked for, or those of the scale."""
        if options["vectors"]:
            return str(options["vectors"])
        if options["scale"] == SAMPLE:
            return catalogue.PACKAGED_VECTORS
        if (data / GLOVE).is_file():
            return str(data / GLOVE)
        if GLOVE in catalogue.vectors():
            return GLOVE
        told = f"The papers' vectors are missing: put {GLOVE} into {data}, from {GLOVE_FROM}, or name others by --vectors."
        if not options["plan"]:
            raise CommandError(told)
        self.stderr.write(told)
        return GLOVE

    def run(self, commands: Sequence[Sequence[str]]) -> None:
        for words in commands:
            self.stderr.write(f"manage.py {shlex.join(words)}")
            call_command(*words, stdout=self.stderr, stderr=self.stderr)

    def make(self, table: Table, vectors: str, options: Mapping[str, Any]) -> None:
        """Trains what a table lacks, unless its runs are only planned or queued, and prints it."""
        preset = ["--preset", PAPER] if options["scale"] == PUBLISHED and table.name in TABLES else []
        asked = [*table.snapshots, table.name, *preset]
        snapshots = [
            found
            for name in table.corpora
            if (found := Snapshot.objects.frozen().filter(version=1, corpus__slug=name).first())
        ]
        self.tell_time(table, snapshots, options)
        if options["plan"]:
            return
        if (
            table.first
            and not TrainingRun.objects.filter(
                status=TrainingRun.Status.SWEEP, snapshot=snapshots[0]
            ).exists()
        ):
            self.run(
                [[*shlex.split(table.first.format(seeds=options["seeds"])), "--vectors", vectors, "--queue"]]
            )
        stopped = TrainingRun.objects.filter(status=TrainingRun.Status.STOPPED, snapshot__in=snapshots)
        for run in stopped:
            resume_run(run=run)
        self.complete(table, asked, snapshots, vectors, options)
        if search := self.search(table, snapshots, preset, options):
            self.run([[*search, "--vectors", vectors, "--queue"]])
            self.complete(table, asked, snapshots, vectors, options)
        call_command("report", *asked, stdout=self.stdout, stderr=self.stderr)
        self.stdout.write("")

    def search(
        self, table: Table, snapshots: Sequence[Snapshot], preset: list[str], options: Mapping[str, Any]
    ) -> list[str]:
        """Returns the command by which a table's settings are tuned again; none where it was called, or cannot be yet."""
        if not table.then or len(snapshots) < 2:
            return []
        scores = Scores(snapshots, PAPER if preset else "")
        searched = TrainingRun.objects.filter(pk__in=scores.searched, snapshot=snapshots[-1])
        runs = scores.matching(Selection(baseline=table.start))
        if not runs or searched.filter(regime__start__isnull=False).exists():
            return []
        start = min(runs, key=lambda run: run.seed).pk
        return [*shlex.split(table.then.format(seeds=options["seeds"], start=start)), *preset]

    def complete(
        self,
        table: Table,
        asked: Sequence[str],
        snapshots: Sequence[Snapshot],
        vectors: str,
        options: Mapping[str, Any],
    ) -> None:
        """Trains what a table lacks, until nothing waits, or only queues it."""
        while table.name in TABLES:
            more = ["--train-missing", "--seeds", str(options["seeds"]), "--vectors", vectors]
            call_command("report", *asked, *more, stdout=io.StringIO(), stderr=self.stderr)
            waiting = TrainingRun.objects.claimable().filter(snapshot__in=snapshots).in_turn()
            if options["queue"] or not (rows := list(waiting)):
                break
            for row in rows:
                self.train(row)

    @property
    def trainer(self) -> train.Command:
        made = train.Command()
        made.stdout, made.stderr = self.stdout, self.stderr
        return made

    def train(self, row: TrainingRun) -> None:
        claimed = claim(TrainingRun, row.pk, worker=train.me())
        if claimed is None:  # a worker was faster
            return
        try:
            self.trainer.train_one(row, claimed)
        except CommandError as error:
            if error.returncode == train.INTERRUPTED:
                raise CommandError(
                    "Stopped; what is done stays, and a checkpoint is stored. The same command goes on.",
                    returncode=train.INTERRUPTED,
                ) from None
            self.stderr.write(f"Run {row.pk}: {error}")

    def tell_time(self, table: Table, snapshots: Sequence[Snapshot], options: Mapping[str, Any]) -> None:
        """Says how many runs a table lacks and how long they take, by earlier runs with the same settings."""
        if table.name not in TABLES:
            return
        if len(snapshots) < len(table.corpora):
            self.stderr.write(
                f"Table {table.name}: --plan tells the time of its runs once its corpora are imported."
            )
            return
        preset = PAPER if options["scale"] == PUBLISHED else ""
        lacking = fill(table.name, snapshots, scores=Scores(snapshots, preset, "")).requests(
            range(1, options["seeds"] + 1)
        )
        done, plans = done_runs(), list[Plan]()
        for each in lacking:
            config = with_preset(
                each["baseline"], each.get("preset") or catalogue.DEFAULT, each.get("config") or {}
            )
            regime = each["regime"]
            pairs = training_pairs(each["snapshot"], regime.get("genre")).count()
            plans.append(
                plan_of(
                    each["baseline"],
                    config,
                    [min(pairs, regime.get("most") or pairs)] * len(each["seeds"]),
                    done,
                )
            )
        runs, unknown = (
            sum(plan.runs for plan in plans),
            sum(plan.runs for plan in plans if plan.minutes is None),
        )
        minutes = sum(plan.minutes or 0 for plan in plans)
        if runs:
            known = (
                f"about {minutes:,.0f} minutes by earlier runs with these settings" if unknown < runs else ""
            )
            told = f"no earlier run tells how long {unknown} of them take" if unknown else ""
            self.stderr.write(
                f"Table {table.name} lacks {runs} runs: {'; '.join(filter(None, (known, told)))}."
            )
