"""Writes a filled table as LaTeX that a paper can take: booktabs, and the best of each column in bold."""

from collections.abc import Sequence

from modeling.reports.cells import Cell, Report
from modeling.reports.rendering import notes_of, runs_behind, text_of
from shared.table_formats import escaped


def as_latex(report: Report) -> str:
    """Returns a `table` environment that needs the package booktabs.

    The caption says what the table shows and how to read it. The runs behind it and what is missing stand in comments.
    """
    names_bar = len(report.bars) > 1
    best = [_best([cells[place] for _, cells in report.rows]) for place, _ in enumerate(report.columns)]
    rows = [
        [
            escaped(title),
            *(_cell(cell, names_bar, cell in top) for cell, top in zip(cells, best, strict=True)),
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


def _best(cells: Sequence[Cell]) -> list[Cell]:
    """Returns the cells with the highest score, where runs of several rows have one."""
    scored = [cell for cell in cells if cell.runs and isinstance(cell.mean, float)]
    highest = max((cell.mean for cell in scored if isinstance(cell.mean, float)), default=None)
    return [cell for cell in scored if cell.mean == highest] if len(scored) > 1 else []


def _cell(cell: Cell, names_bar: bool, is_best: bool) -> str:
    text = escaped(text_of(cell, names_bar=names_bar)).replace("±", r"$\pm$").replace("†", r"$\dagger$")
    own, space, rest = text.partition(" ")
    return rf"\textbf{{{own}}}{space}{rest}" if is_best else text
