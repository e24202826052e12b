"""Figures of the training of one run, and of several runs in one picture; which runs these are, and in what they differ."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from accounts.people.gates import viewer
from modeling import catalogue
from modeling.models import RunProgress, TrainingRun
from modeling.results.scope import RUN
from schemas.published import column_of
from shared.figures import Figure, Parameters, Shown, picture
from shared.findings import peak, span
from shared.numbers import percent
from shared.tables import Column, Row, Table

MOST_RUNS = 6  # lines that dashes and colours still tell apart
FIRST_RUNS = f"Of more than {MOST_RUNS} runs the first are drawn."
POINTS_A_RUN = 60  # of a line of the loss


# One run: two losses or one accuracy are a curve


def _losses(lines: Sequence[RunProgress]) -> list[Row] | None:
    """Returns the losses of the run; that of an attempt that was lost is a curve of its own beside it."""
    known = [line for line in lines if line.loss is not None]
    kept: list[Row] = [{"step": line.step, "loss": line.loss} for line in known if not line.is_lost]
    if len(kept) < 2 or not _lost(lines):
        return kept if len(kept) > 1 else None
    lost = [{"step": line.step, "loss": None, "lost": line.loss} for line in known if line.is_lost]
    return [*({"lost": None, **row} for row in kept), *lost]


def _lost(lines: Sequence[RunProgress]) -> list[str]:
    return ["lost"] if any(line.is_lost and line.loss is not None for line in lines) else []


def _losses_found(table: Table) -> str:
    first, *_, last = (row for row in table.rows if row["loss"] is not None)
    return f"Training loss went from {first['loss']:.3f} to {last['loss']:.3f} in {last['step']:,} steps."


def _drawn_by(x: str, **draw: Any) -> Any:
    """Draws all columns but the first over the first."""
    return lambda table, data: picture(
        "lines", x=x, series=[column.key for column in table.columns[1:]], **draw
    )


STEP = Column("step", kind="count")
LOSS = Figure(
    "loss",
    "Training loss by step",
    RUN,
    _losses,
    (
        STEP,
        Column("loss", "training loss", "kappa"),
        Column("lost", "loss of the attempt that was lost", "kappa", each=_lost),
    ),
    _drawn_by("step"),
    _losses_found,
    gather=lambda run: run.lines.curve(),
)


def _scores(lines: Sequence[RunProgress]) -> list[Row] | None:
    found: list[Row] = []
    for line in lines:
        if line.dev_accuracy is not None and not line.is_lost:
            change = line.dev_accuracy - found[-1]["accuracy"] if found else None
            found.append(
                {"step": line.step, "epoch": line.epoch, "accuracy": line.dev_accuracy, "change": change}
            )
    return found or None


def _scores_found(table: Table) -> str:
    reached = peak({f"step {row['step']:,}": row["accuracy"] for row in table.rows}, "", "at", percent)
    best = max(table.rows, key=lambda row: row["accuracy"])
    near = [row for row in table.rows if abs((row["epoch"] or 0) - (best["epoch"] or 0)) <= 1]
    varies = ""
    if changes := [abs(row["change"]) for row in near[1:]]:
        published = column_of("SNLI", "dev-accuracy")["LSTM"]
        varies = (
            f" Within an epoch of it, two evaluations that follow each other differ by up to"
            f" {100 * max(changes):.1f} points (SNLI, section 3.3, near the end of its LSTM: up to {published:.1f})."
        )
    return f"Accuracy on dev reaches {reached}.{varies}"


DEV_ACCURACY = Figure(
    "dev-accuracy",
    "Accuracy on dev by step",
    RUN,
    _scores,
    (
        STEP,
        Column("epoch", kind="count"),
        Column("accuracy", "accuracy on dev", "share"),
        Column("change", "change since the evaluation before", "share"),
    ),
    picture(
        "lines", x="step", series=["accuracy"], points=True, zero=False, colours={"accuracy": "--chart-point"}
    ),
    _scores_found,
    gather=lambda run: run.lines.curve(),
)


# Several runs, or those of a sweep


class Beside(Parameters):
    beside: Annotated[str, Field(pattern=r"^(\d{1,9}(,\d{1,9})*)?$")] = ""


@dataclass(frozen=True)
class Together:
    """The curves of several runs. runs: at most MOST_RUNS."""

    runs: Sequence[TrainingRun]

    @cached_property
    def names(self) -> dict[int, str]:
        parents = {run.parent_id for run in self.runs}
        if len(parents) != 1 or None in parents:
            return {run.pk: f"run {run.pk}: {run.baseline}" for run in self.runs}
        names = {
            run.pk: f"seed {run.seed}" + (f", {run.most:,} pairs" if run.most else "") for run in self.runs
        }
        if len(set(names.values())) == len(names):
            return names
        return {run.pk: f"run {run.pk}" for run in self.runs}  # they differ in settings

    @cached_property
    def epochs(self) -> Mapping[int, Mapping[int, float]]:
        """Returns run -> epoch -> accuracy on dev. One query."""
        rows = RunProgress.objects.kept().filter(dev_accuracy__isnull=False, epoch__isnull=False)
        found: dict[int, dict[int, float]] = defaultdict(dict)
        for run, epoch, accuracy in (
            rows.filter(run__in=self.names).order_by("pk").values_list("run", "epoch", "dev_accuracy")
        ):
            found[run][epoch] = accuracy
        return {run: found[run] for run in self.names if run in found}

    @cached_property
    def losses(self) -> Mapping[int, Mapping[int, float]]:
        """Returns run -> step -> loss, of runs with two. A query each."""
        found = {
            run.pk: {
                line.step: line.loss
                for line in run.lines.kept().filter(loss__isnull=False).thinned(POINTS_A_RUN)
            }
            for run in self.runs
        }
        return {run: values for run, values in found.items() if len(values) > 1}


def together(run: TrainingRun, beside: str = "") -> Together:
    return Together(chosen_runs([str(run.pk), *beside.split(",")]))


def of_sweep(sweep: TrainingRun) -> Together:
    return Together(sorted(sweep.children.all(), key=lambda child: child.pk)[:MOST_RUNS])


def _over_each_other(along: str, curves: Mapping[int, Mapping[int, float]]) -> list[Row] | None:
    """Returns a column for each run: place along the axis -> value."""
    places = sorted({place for values in curves.values() for place in values})
    return [
        {along: place, **{f"run-{run}": values.get(place) for run, values in curves.items()}}
        for place in places
    ] or None


def _epochs_found(table: Table) -> str:
    best = {
        column.name: max(row[column.key] for row in table.rows if row[column.key] is not None)
        for column in table.columns[1:]
    }
    each = "each" if len(best) > 1 else next(iter(best))
    return f"The best epoch of {each} reaches {span(best, percent)} on dev."


EPOCHS = Figure(
    "dev-by-epoch",
    "Accuracy on dev by epoch, of several runs",
    RUN,
    lambda data, beside="": _over_each_other("epoch", data.epochs),
    (
        Column("epoch", kind="count"),
        Column("run-{}", "{}", "share", each=lambda data: {run: data.names[run] for run in data.epochs}),
    ),
    _drawn_by("epoch", zero=False, y_name="accuracy on dev"),
    _epochs_found,
    notes=(FIRST_RUNS,),
    parameters=Beside,
    gather=together,
)


def _ends_found(table: Table) -> str:
    ends = {
        column.name: [row[column.key] for row in table.rows if row[column.key] is not None][-1]
        for column in table.columns[1:]
    }
    return f"Training loss ends at {span(ends, lambda loss: f'{loss:.3f}')}."


LOSSES = Figure(
    "loss-by-step",
    "Training loss by step, of several runs",
    RUN,
    lambda data, beside="": _over_each_other("step", data.losses),
    (STEP, Column("run-{}", "{}", "kappa", each=lambda data: {run: data.names[run] for run in data.losses})),
    _drawn_by("step", y_name="training loss"),
    _ends_found,
    notes=(FIRST_RUNS,),
    parameters=Beside,
    gather=together,
)

OF_RUN, OF_SEVERAL = (LOSS, DEV_ACCURACY), (EPOCHS, LOSSES)
FIGURES = (*OF_RUN, *OF_SEVERAL)


def chosen_runs(numbers: Iterable[str]) -> list[TrainingRun]:
    """Returns the runs with these numbers, at most six, in their order; of a sweep its runs. Unknown ones are left out."""
    wanted = list(
        dict.fromkeys(int(each) for each in numbers if each.isascii() and each.isdigit() and len(each) < 10)
    )
    rows = TrainingRun.objects.of(viewer()).newest_first().in_bulk(wanted)
    found = [rows[number] for number in wanted if number in rows]
    sweeps = [run.pk for run in found if run.is_sweep]
    of_sweep: dict[int, list[TrainingRun]] = {run: [] for run in sweeps}
    for child in (
        TrainingRun.objects.newest_first().filter(parent__in=sweeps).order_by("pk") if sweeps else ()
    ):
        of_sweep[child.parent_id].append(child)
    singles = [one for run in found for one in of_sweep.get(run.pk, [run])]
    return list(dict.fromkeys(singles))[:MOST_RUNS]


def differences(runs: Sequence[TrainingRun]) -> list[tuple[str, list[Any]]]:
    """Returns what differs between runs, with the value of each; a setting that a run leaves to its default is empty."""
    settings = [
        {
            "snapshot": str(run.snapshot),
            "baseline": run.baseline,
            "vectors": run.vectors,
            "training pairs": run.most or "all",
            "seed": run.seed,
            **run.config,
            **run.regime,
        }
        for run in runs
    ]
    names = dict.fromkeys(name for one in settings for name in one)
    table = [(name, [one.get(name, "") for one in settings]) for name in names]
    return [(name, values) for name, values in table if any(value != values[0] for value in values)]


def without_line(runs: Iterable[TrainingRun], figures: Iterable[Shown]) -> list[tuple[TrainingRun, str]]:
    """Returns the runs that none of the figures draws, each with why."""
    drawn = {key for each in figures for key in each.table.draw["series"]}
    return [(run, _why_undrawn(run)) for run in runs if f"run-{run.pk}" not in drawn]


def _why_undrawn(run: TrainingRun) -> str:
    known = catalogue.baselines().get(run.baseline)
    if known and not known.learns_in_steps:
        return "it does not learn in epochs"
    if run.is_under_way:
        return "it has not ended its first epoch yet"
    return "it has stored neither an epoch nor two losses"
