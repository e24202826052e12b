"""Turns a filled table into the formats of `report`: text and LaTeX for people, CSV with raw values, HTML."""

from modeling.reports.cells import Cell, Report
from modeling.reports.definitions import NAME_TWO
from shared.numbers import percent, written
from shared.table_formats import FORMATS, escaped
from shared.tables import Column, Table, Value, plain

MISSING, OTHER = "–", "†"
EMPTY = (
    "The table is empty: the snapshot has no values for it, or they are not counted yet (the command `report` counts"
    " them)."
)
BARS = {
    "majority": "the commonest gold label of these pairs",
    "hypothesis-only": "its runs with the same seeds",
}


def rendered(report: Report, form: str) -> str:
    """Returns the table in one of FORMATS but LaTeX. Its notes list what is missing."""
    made = raw_table(report) if form in ("csv", "json") else readable_table(report)
    return FORMATS[form](made)


def text_of(cell: Cell, *, names_bar: bool = False) -> str:
    """Formats a cell for people: mean, spread over seeds, the bar and the p-value; a dash if it is missing.

    The published figure follows in brackets. names_bar: name the system against which it is tested.
    """
    text = _own(cell, names_bar)
    return text if cell.published is None else f"{text} [{written(cell.published, cell.kind)}]"


def _own(cell: Cell, names_bar: bool) -> str:
    if cell.mean is None:
        return MISSING
    text = written(cell.mean, cell.kind)
    if cell.spread is not None:
        text += f" ± {100 * cell.spread:.1f}"
    if cell.other:
        text += f" {OTHER}"
    if cell.p is None or cell.bar is None or not isinstance(cell.mean, float):
        return text
    side = "above" if cell.mean > cell.bar else "below" if cell.mean < cell.bar else "equal to"
    bar = f"{side} {f'{cell.against} ' if names_bar else ''}{percent(cell.bar)}"
    return f"{text} ({bar}, p {'= ' if cell.p >= 1e-4 else ''}{written(cell.p, 'p')})"


def texts_of(report: Report) -> list[tuple[str, list[str]]]:
    """Returns the title of each row with its cells for people; these name the bar where it is not the same for all."""
    names_bar = len(report.bars) > 1
    return [(title, [text_of(cell, names_bar=names_bar) for cell in cells]) for title, cells in report.rows]


def readable_table(report: Report) -> Table:
    columns = (Column(report.table.corner), *(Column(name) for name in report.columns))
    rows: list[list[Value]] = [[title, *texts] for title, texts in texts_of(report)]
    return _table(report, columns, rows)


def raw_table(report: Report) -> Table:
    """Returns the raw table: a column is followed by a column for each of its further parts that some cell has."""
    columns = [Column(report.table.corner)]
    parts: list[tuple[int, str]] = []
    for place, name in enumerate(report.columns):
        cells = [row[place] for _, row in report.rows]
        for attribute in ("mean", "published", "spread", "p", "against", "bar", "other", "runs", "missing"):
            if attribute == "mean" or any(getattr(cell, attribute) not in (None, "", []) for cell in cells):
                columns.append(Column(name if attribute == "mean" else f"{name} {attribute}", kind="share"))
                parts.append((place, attribute))
    rows: list[list[Value]] = [
        [title, *(_raw(getattr(cells[place], attribute)) for place, attribute in parts)]
        for title, cells in report.rows
    ]
    return _table(report, tuple(columns), rows)


def _raw(value: Value | list[int]) -> Value:
    return " ".join(map(str, sorted(value))) if isinstance(value, list) else value


def _table(report: Report, columns: tuple[Column, ...], rows: list[list[Value]]) -> Table:
    notes = (*notes_of(report), *runs_behind(report), *(f"Missing: {name}." for name in report.missing))
    return plain(report.name, report.table.title, columns, rows, notes)


def notes_of(report: Report) -> list[str]:
    """Returns how to read or complete the table, and which settings its runs have."""
    notes = list(report.notes)
    if not report.total and NAME_TWO not in notes:
        notes.append(EMPTY)
    if any(cell.spread is not None for _, cells in report.rows for cell in cells):
        notes.append("±: sample standard deviation over seeds, in points.")
    if report.bars:
        bars = " or ".join(f"{bar} ({BARS[bar]})" for bar in sorted(report.bars))
        notes.append(
            f"p: exact paired test over pairs, two-sided, of the runs of the row against {bars}"
            f"{', whichever is better' if len(report.bars) > 1 else ''}."
        )
    other = {title: sorted({cell.other for cell in cells if cell.other}) for title, cells in report.rows}
    told = "; ".join(f"{title}: {' and '.join(texts)}" for title, texts in other.items() if texts)
    if told:
        notes.append(f"{OTHER} Other settings than a preset's or the paper's. {told}.")
    if report.settings:
        settings_of_each = (f"{baseline} {settings}" for baseline, settings in report.settings.items())
        notes.append(f"Settings: {', '.join(settings_of_each)}.")
    return notes


def runs_behind(report: Report) -> list[str]:
    """Returns a note with the runs behind each row."""
    behind = {
        title: sorted({run for cell in cells if cell.mean is not None for run in cell.runs})
        for title, cells in report.rows
    }
    said = [f"{title}: {', '.join(map(str, runs))}" for title, runs in behind.items() if runs]
    return [f"Runs: {'; '.join(said)}."] if said else []


def as_latex(report: Report) -> str:
    """Returns a `table` environment that needs the package booktabs.

    The caption says what the table shows and how to read it. The runs behind it and what is missing stand in comments.
    """
    names_bar = len(report.bars) > 1
    best = list(map(id, report.best()))
    rows = [
        [
            escaped(title),
            *(_cell(cell, names_bar, id(cell) in best) for cell in cells),
        ]
        for title, cells in report.rows
    ]
    head = [escaped(name) for name in (report.table.corner, *report.columns)]
    comments = (*runs_behind(report), *(f"Missing: {name}." for name in report.missing))
    return "\n".join(
        (
            *(f"% {' '.join(comment.split())}" for comment in comments),
            r"\begin{table}",
            rf"\begin{{tabular}}{{l{'r' * len(report.columns)}}}",
            r"\toprule",
            " & ".join(head) + r" \\",
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{escaped(' '.join((f'{report.table.title}.', *notes_of(report))))}}}",
            rf"\label{{tab:{report.name}}}",
            r"\end{table}",
            "",
        )
    )


def _cell(cell: Cell, names_bar: bool, is_best: bool) -> str:
    text = escaped(text_of(cell, names_bar=names_bar)).replace("±", r"$\pm$").replace("†", r"$\dagger$")
    own, space, rest = text.partition(" ")
    return rf"\textbf{{{own}}}{space}{rest}" if is_best else text
