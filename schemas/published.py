"""Reads the published figures of the papers: a TOML file a paper in `papers/`, each figure where its paper has it.

Shares and accuracies are in percent, as published. "" is a cell that the paper leaves empty, "<1" one below a percent.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from schemas.base import Part, SchemaErrors, checked, refuse

FOLDER = Path(__file__).with_name("papers")
BELOW_ONE = "<1"
Figure = float | str
Texts = Annotated[tuple[str, ...], Field(strict=False)]
Figures = Annotated[tuple[int | float | str, ...], Field(strict=False)]


@dataclass(frozen=True)
class Origin:
    """What a snapshot is: its name, its protocol, the sentences of its premises, and the files that its pairs came from."""

    name: str
    protocol: str
    premises: int = 1
    files: tuple[str, ...] = ()


class Data(Part):
    """A data set of a paper's tables.

    `files`: how the names of its published files begin. `names`: how the name of a snapshot begins that stands for it.
    `premises`: sentences of a premise.
    """

    files: Texts = ()
    names: Texts = ()
    protocol: str
    premises: int = 1
    pairs: int = Field(0, description="training pairs; 0 where the paper does not say")
    classes: int = 0

    def is_of_kind(self, origin: Origin) -> bool:
        return (self.protocol, self.premises) == (origin.protocol, origin.premises)

    def by_files(self, origin: Origin) -> int:
        """Returns how much of every file's name says that the pairs are its own; 0 if one does not."""
        return min((_beginning(name, self.files, "") for name in origin.files), default=0)

    def by_name(self, origin: Origin) -> int:
        """Returns how much of the name of a snapshot of its kind says that it is this one; 0 for another kind."""
        slug = origin.name.partition("@")[0]
        return _beginning(slug, self.names, "-") if self.is_of_kind(origin) else 0


class Model(Part):
    """The baseline that a row or column of a paper's table shows, and the section of the paper that both name."""

    baseline: str
    cites: str


class PublishedTable(Part):
    """A table or figure of a paper. Rows and columns have the names of the table here beside which it stands.

    `about`: the data set whose figures they are, where it is not the paper's own. `key`: the column whose values name the
    rows. `model`: of all rows. `order`: the data sets in the order in which a report names its snapshots.
    """

    name: str
    place: str
    columns: Texts
    rows: dict[str, Figures]
    about: str = ""
    key: str = ""
    model: str = ""
    order: Texts = ()
    vectors: str | None = None
    classes: int | None = None

    @model_validator(mode="after")
    def _rows_fill_the_columns(self) -> "PublishedTable":
        for name, figures in self.rows.items():
            if len(figures) != len(self.columns):
                refuse(
                    f"row {name} of {self.name} has {len(figures)} figures for {len(self.columns)} columns"
                )
        return self

    def figure(self, row: str, column: str) -> Figure | None:
        """Returns a figure as it is published; None where there is none. Case, blanks and marks do not count."""
        found = {plain(name): figures for name, figures in self.rows.items()}.get(plain(row))
        place = next((n for n, name in enumerate(self.columns) if plain(name) == plain(column)), None)
        return found[place] if found and place is not None and found[place] != "" else None


class Paper(Part):
    """The published figures of one paper. `vectors` and `classes` are those of its tables but where one says another."""

    paper: str
    cited: str
    vectors: str = ""
    classes: int = 0
    data: dict[str, Data]
    models: dict[str, Model] = Field(default_factory=dict)
    tables: Annotated[tuple[PublishedTable, ...], Field(strict=False)]

    def source(self, table: PublishedTable) -> str:
        return f"{self.paper}, {table.place}"


@cache
def papers() -> Mapping[str, Paper]:
    """Returns every paper by its name. Raises ValueError with the faults of a file."""
    found = {}
    for path in sorted(FOLDER.glob("*.toml")):
        try:
            paper = checked(Paper, tomllib.loads(path.read_text(encoding="utf-8")))
        except SchemaErrors as faulty:
            raise ValueError(faulty.sentences(path.name)) from None
        found[paper.paper] = paper
    return found


def published(name: str) -> Iterator[tuple[Paper, PublishedTable]]:
    """Yields what the papers publish beside the table of this name."""
    for paper in papers().values():
        for table in paper.tables:
            if table.name == name:
                yield paper, table


def column_of(paper: str, name: str, column: str = "", about: str = "") -> dict[str, Figure]:
    """Returns {row: figure} of one published column, by default the only one. Raises KeyError."""
    for table in papers()[paper].tables:
        if (table.name, table.about) == (name, about) and (not column or column in table.columns):
            place = table.columns.index(column) if column else 0
            return {row: figures[place] for row, figures in table.rows.items() if figures[place] != ""}
    raise KeyError(f"{paper} publishes no {name} {column}".strip())


def plain(text: str) -> str:
    """Returns a name as names are compared: by letters, digits and signs of comparison alone."""
    return "".join(letter for letter in text.casefold() if letter.isalnum() or letter in "<>+")


def roles(paper: Paper, table: PublishedTable, origins: Sequence[Origin]) -> list[str]:
    """Returns which data set of the paper each snapshot stands for; "" for none.

    The files that its pairs came from decide. Else it is a data set of its kind: that with which its name begins, or the
    one in its place of the table.
    """
    found = [_said(paper, Data.by_files, one) or _said(paper, Data.by_name, one) for one in origins]
    for place, (data, origin) in enumerate(zip(table.order, origins, strict=False)):
        if not found[place] and data not in found and paper.data[data].is_of_kind(origin):
            found[place] = data
    return found


def _said(paper: Paper, how: Callable[[Data, Origin], int], origin: Origin) -> str:
    """Returns the data set of which most is said; "" if nothing is."""
    said = {name: how(data, origin) for name, data in paper.data.items()}
    name = max(said, key=lambda name: said[name])
    return name if said[name] else ""


def _beginning(text: str, starts: Sequence[str], end: str) -> int:
    """Returns the length of the longest start with which a text begins, up to its end or to the mark `end`; else 0."""
    lower = text.casefold().replace("_", "-")
    plain_starts = (start.casefold().replace("_", "-") for start in starts)
    return max((len(one) for one in plain_starts if lower == one or lower.startswith(one + end)), default=0)


def in_the_papers_words(title: str, names: Sequence[str], data: Sequence[str]) -> str:
    """Returns the title of a row or column with the paper's data sets for the snapshots: “CBOW, trained on SNLI”."""
    for name, role in sorted(zip(names, data, strict=True), key=lambda pair: -len(pair[0])):
        title = title.replace(name, role or name)
    first, second = (*data, "", "")[:2]
    for ours, theirs in (
        ("second, then first", f"{second} then {first}"),
        ("second then first", f"{second} then {first}"),
        ("First and second", f"{first} and {second}"),
        ("both mixed", f"{first} and {second} mixed"),
    ):
        title = title.replace(ours, theirs)
    for place, role in (("first", first), ("second", second)):
        title = re.sub(f"(the )?{place} snapshot", role, title, flags=re.IGNORECASE)
    return title
