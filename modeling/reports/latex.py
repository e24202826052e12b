"""Writes a filled table as LaTeX that a paper can take: booktabs, and the best of each column in bold."""

from modeling.reports.cells import Cell, Report
from modeling.reports.rendering import notes_of, runs_behind, text_of
from shared.table_formats import escaped


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
