"""Turns a filled table into the formats of `report`: text and LaTeX for people, CSV with raw values, HTML."""

from modeling.reports.cells import Cell, Report
from shared.numbers import written
from snapshots.statistics.paper_tables import Cell as RawCell
from snapshots.statistics.paper_tables import Column, Table
from snapshots.statistics.table_formats import FORMATS

MISSING = "–"


def rendered(report: Report, form: str) -> str:
    """Returns the table in one of FORMATS. Its notes list what is missing."""
    return FORMATS[form](raw_table(report) if form == "csv" else readable_table(report))


def text_of(cell: Cell) -> str:
    """Formats a cell for people: mean, spread over seeds, and p-value; a dash if it is missing."""
    if cell.mean is None:
        return MISSING
    text = written(cell.mean, cell.kind)
    if cell.spread is not None:
        text += f" ± {100 * cell.spread:.1f}"
    return text if cell.p is None else f"{text} (p {'= ' if cell.p >= 1e-4 else ''}{written(cell.p, 'p')})"


def readable_table(report: Report) -> Table:
    columns = (Column(report.table.corner), *(Column(name) for name in report.columns))
    rows: list[list[RawCell]] = [[title, *map(text_of, cells)] for title, cells in report.rows]
    return Table(report.name, report.table.title, columns, rows, _notes(report))


def raw_table(report: Report) -> Table:
    """Returns the raw table: a column with spreads or p-values is followed by a column for each of these."""
    columns = [Column(report.table.corner)]
    parts: list[tuple[int, str]] = []
    for place, name in enumerate(report.columns):
        cells = [row[place] for _, row in report.rows]
        for attribute, title in (("mean", name), ("spread", f"{name} spread"), ("p", f"{name} p")):
            if attribute == "mean" or any(getattr(cell, attribute) is not None for cell in cells):
                columns.append(Column(title, "share"))
                parts.append((place, attribute))
    rows: list[list[RawCell]] = [
        [title, *(getattr(cells[place], attribute) for place, attribute in parts)]
        for title, cells in report.rows
    ]
    return Table(report.name, report.table.title, tuple(columns), rows, _notes(report))


def _notes(report: Report) -> tuple[str, ...]:
    notes = list(report.table.notes)
    if any(cell.spread is not None for _, cells in report.rows for cell in cells):
        notes.append("±: sample standard deviation over seeds, in points.")
    if any(cell.p is not None for _, cells in report.rows for cell in cells):
        bar = report.table.bar.replace("_", "-")
        against = "the better of majority and hypothesis-only" if bar == "better" else bar
        notes.append(f"p: exact paired test over pairs against {against}.")
    if report.settings:
        settings_of_each = (f"{baseline} {settings}" for baseline, settings in report.settings.items())
        notes.append(f"Settings: {', '.join(settings_of_each)}.")
    notes += [f"Missing: {name}." for name in report.missing]
    return tuple(notes)
