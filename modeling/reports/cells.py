"""What the papers' tables consist of: the selection that a cell shows, cells, and a filled table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modeling.reports.definitions import PaperTable
from modeling.reports.unscored import Unscored


@dataclass(frozen=True)
class Selection:
    """What a cell shows. `trained`, `on`, `mixed` and the second part of `start` are positions in the list of snapshots.

    `config`: the parts of a system that are left out or kept, and the settings that its row of the paper changes.
    `share`: how much of the mixed snapshot each epoch draws. `sample`: the share of the training pairs that is drawn once.
    `everywhere`: count the pairs of all snapshots, not only of `on`. `tuned`: the setting that the paper tunes again for
    this row: a run that a search over it chose on dev goes before all others.
    """

    baseline: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    trained: int = 0
    on: int = 0
    partition: str = "test"
    dimension: str = ""
    value: tuple[str, ...] = ()
    measure: str = "accuracy"
    label: str = ""
    most: int | None = None
    collapse: bool = False
    genre: str | None = None
    mixed: int | None = None
    share: float = 1.0
    sample: float | None = None
    everywhere: bool = False
    start: tuple[str, int] | None = None
    tuned: str = ""
    fixed: int | None = None  # the snapshot of training, whatever the column says

    def snapshots(self) -> list[int]:
        return [
            self.trained,
            self.on,
            *([self.mixed] if self.mixed else []),
            *([self.start[1]] if self.start else []),
        ]


@dataclass
class Cell:
    """`mean` is a share, a count or a text; None where `missing` says what is missing. `runs` are the runs behind it.

    Beside a mean, `missing` names a run that is not in it yet. `starts` of `wanted`: seed -> the run to start from.

    `p` is of the exact paired test against the system `against`, whose accuracy on the same pairs is `bar`. `other`: the
    settings of the runs, where they are neither a preset's nor those of the paper's row.
    """

    kind: str
    mean: float | int | str | None = None
    spread: float | None = None
    p: float | None = None
    against: str = ""
    bar: float | None = None
    other: str = ""
    runs: list[int] = field(default_factory=list)
    missing: str = ""
    published: float | int | str | None = None  # what the paper has in this place
    wanted: dict[str, Any] | None = None  # the request of the run that is missing
    is_gain: bool = False  # a difference of scores, which is not the best of them
    waits: bool = False  # for a run that is under way
    unscored: list[Unscored] = field(default_factory=list)  # finished runs that are not in the mean yet


def _by_start(wanted: Mapping[str, Any], seeds: Sequence[int]) -> list[dict[str, Any]]:
    """Returns the requests of a missing run: one, or one for each run that its seeds start from."""
    request = {key: value for key, value in wanted.items() if key != "starts"}
    start = request["regime"].get("start")
    if start is None:
        return [{**request, "seeds": list(seeds)}]
    seeds_of: dict[int, list[int]] = {}
    for seed in seeds:
        seeds_of.setdefault(wanted["starts"].get(seed, start["run"]), []).append(seed)
    return [
        {**request, "regime": {**request["regime"], "start": {**start, "run": run}}, "seeds": its}
        for run, its in seeds_of.items()
    ]


@dataclass
class Report:
    """A filled table: its columns, rows of a title and cells, and the notes of the table that apply."""

    name: str
    table: PaperTable
    columns: list[str]
    rows: list[tuple[str, list[Cell]]]
    notes: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(
        default_factory=dict
    )  # baseline -> the settings of the runs in the cells

    @property
    def missing(self) -> list[str]:
        """Returns what is missing, without repetitions, in the order of the cells."""
        return list(dict.fromkeys(cell.missing for _, cells in self.rows for cell in cells if cell.missing))

    def requests(self, seeds: Sequence[int] = (1,)) -> list[dict[str, Any]]:
        """Returns the runs to request for missing cells, without repetitions.

        A run that starts from another starts from that of its own seed, where there is one: else the spread over seeds
        would lack that of the first training.
        """
        found = [cell.wanted for _, cells in self.rows for cell in cells if cell.wanted]
        return [
            request
            for place, one in enumerate(found)
            if one not in found[:place]
            for request in _by_start(one, seeds)
        ]

    def unscored(self) -> list[Unscored]:
        """Returns the finished runs that lack scores which cells show, without repetitions."""
        found = (one for _, cells in self.rows for cell in cells for one in cell.unscored)
        return list(dict.fromkeys(found))

    def best(self) -> list[Cell]:
        """Returns the cells with the highest score of their column, where runs of several rows have one."""
        found = []
        for place, _ in enumerate(self.columns):
            scored = [
                cells[place]
                for _, cells in self.rows
                if cells[place].runs and isinstance(cells[place].mean, float) and not cells[place].is_gain
            ]
            highest = max((cell.mean for cell in scored if isinstance(cell.mean, float)), default=None)
            found += [cell for cell in scored if cell.mean == highest] if len(scored) > 1 else []
        return found

    @property
    def waits(self) -> bool:
        """Returns whether a cell waits for a run that is under way."""
        return any(cell.waits for _, cells in self.rows for cell in cells)

    @property
    def bars(self) -> set[str]:
        """Returns the systems against which cells are tested."""
        return {cell.against for _, cells in self.rows for cell in cells if cell.p is not None}

    @property
    def filled(self) -> int:
        return sum(cell.mean is not None for _, cells in self.rows for cell in cells)

    @property
    def filled_by_runs(self) -> int:
        return sum(cell.mean is not None and bool(cell.runs) for _, cells in self.rows for cell in cells)

    @property
    def total(self) -> int:
        return sum(len(cells) for _, cells in self.rows)
