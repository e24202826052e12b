"""Puts the published figures of a paper beside one's own, and says in what the two differ."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from modeling import catalogue
from modeling.models import TrainingRun
from modeling.reports.cells import Cell, Selection
from modeling.reports.scores import Scores
from schemas.published import (
    BELOW_ONE,
    Paper,
    PublishedTable,
    column_of,
    in_the_papers_words,
    published,
    roles,
)
from shared.numbers import percent
from shared.tables import Column, Table

LENGTHS = "length-distribution"


class Beside:
    """The published figures that stand beside one result table."""

    def __init__(self, name: str, scores: Scores) -> None:
        self.scores = scores
        found: tuple[Paper | None, PublishedTable | None] = next(published(name), (None, None))
        self.paper, self.table = found
        self.roles = roles(self.paper, self.table, scores.origins) if self.paper and self.table else []
        self.shown: list[tuple[Cell, Selection]] = []

    def put(self, cell: Cell, wanted: Selection, row: str, column: str) -> None:
        """Gives a cell its published figure, if there is one, in the unit of the cell."""
        if self.table is None:
            return
        titles = (in_the_papers_words(title, self.scores.names, self.roles) for title in (row, column))
        figure = self.table.figure(*titles)
        if figure is not None:
            cell.published = _in_unit(figure, cell.kind)
            self.shown.append((cell, wanted))

    def notes(self) -> list[str]:
        """Returns where the figures in brackets are published, and in what they differ from those beside them."""
        if not self.shown or self.paper is None or self.table is None:
            return []
        of = f" ({self.table.about})" if self.table.about else ""
        return [f"[ ]: published in {self.paper.source(self.table)}{of}.", *self._differences()]

    def _differences(self) -> Iterator[str]:
        assert self.paper is not None  # of `notes`
        assert self.table is not None
        numbers = {number for cell, _ in self.shown for number in cell.runs}
        runs = [run for run in self.scores.runs if run.pk in numbers]
        if not runs:
            return
        pairs = []
        for role, name, own in zip(self.roles, self.scores.names, self.scores.training_pairs, strict=True):
            theirs = self.paper.data[role].pairs if role else 0
            if theirs and own != theirs:
                pairs.append(f"{theirs:,} of {role} there, {own:,} of {name} here ({_part(own, theirs)})")
        if pairs:
            yield f"Training pairs: {'; '.join(pairs)}."
        there = self.paper.vectors if self.table.vectors is None else self.table.vectors
        here = ", ".join(sorted({run.vectors for run in runs if _reads_vectors(run)}))
        if here and there and here != there:
            yield f"Vectors: {there} there, {here} here."
        yield from self._classes()

    def _classes(self) -> Iterator[str]:
        assert self.paper is not None  # of `notes`
        assert self.table is not None
        whole = self.paper.classes if self.table.classes is None else self.table.classes
        found: dict[str, None] = {}
        for cell, wanted in self.shown:
            if not cell.runs:
                continue
            role = self.roles[wanted.on]
            there = (self.paper.data[role].classes if role else 0) or whole
            here = 2 if wanted.collapse else len(self.scores.labels(wanted.on))
            if there and there != here:
                found[f"Classes: {there} there, {here} of {self.scores.names[wanted.on]} here."] = None
        yield from found


def _part(own: int, theirs: int) -> str:
    """Returns a share of the published pairs with the digits that it needs."""
    return f"{100 * own / theirs:.2g}%" if own < theirs else f"{own / theirs:.2g} times"


def _reads_vectors(run: TrainingRun) -> bool:
    known = catalogue.baselines().get(run.baseline)
    return known is not None and known.reads_vectors


def _in_unit(figure: float | str, kind: str) -> float | int | str:
    """Returns a published figure in the unit of a cell: shares from 0 to 1."""
    if kind != "share":
        return figure
    return f"{BELOW_ONE}%" if isinstance(figure, str) else round(figure / 100, 6)


def with_published(made: Table) -> Table:
    """Returns a table of statistics with a further column for each one that a paper publishes of the same rows, and that
    the table does not have itself.
    """
    own = [[row[column.key] for row in made.rows] for column in made.columns]
    kinds = {column.key: column.kind for column in made.columns}
    columns, rows, notes = list(made.columns), [dict(row) for row in made.rows], list(made.notes)
    for paper, table in published(made.key):
        key = table.key or made.columns[0].key
        of = table.about or paper.paper
        source = f"{table.about} ({paper.source(table)})" if table.about else paper.source(table)
        for name in filter(kinds.__contains__, table.columns):
            found = (table.figure(str(row[key]), name) for row in made.rows)
            figures = [None if figure is None else _in_unit(figure, kinds[name]) for figure in found]
            if all(figure is None for figure in figures) or figures in own:
                continue
            columns.append(Column(f"{name}, {source}", kind=kinds[name]))
            for row, figure in zip(rows, figures, strict=True):
                row[columns[-1].key] = figure
            if made.key == LENGTHS:
                counts = {str(row[key]): row[name] for row in made.rows}
                apart = total_variation(counts, column_of(paper.paper, table.name, name))
                notes.append(
                    f"Of the {name}, {percent(apart)} would have to have another length to be as in {of}."
                )
    return replace(made, columns=columns, rows=rows, notes=notes)


def total_variation(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> float:
    """Returns how far two distributions, given as counts, are apart: half the sum of the differences of their shares."""
    whole = [sum(float(count or 0) for count in counts.values()) or 1 for counts in (ours, theirs)]
    return (
        sum(
            abs(float(ours.get(one) or 0) / whole[0] - float(theirs.get(one) or 0) / whole[1])
            for one in {*ours, *theirs}
        )
        / 2
    )
