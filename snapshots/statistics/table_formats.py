"""Write a table as text, CSV, LaTeX or HTML. CSV has the raw values; the others are rounded."""

from collections.abc import Callable
from html import escape

from shared.csv_tables import csv_text
from shared.numbers import written
from snapshots.statistics.paper_tables import Column, Table

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def shown_rows(table: Table) -> list[list[str]]:
    return [
        [written(value, column.kind) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]


def as_text(table: Table) -> str:
    """Write columns padded with spaces, texts aligned left and numbers right, and the definitions below.

    A text of several lines, such as several premises, takes one line.
    """
    rows = ([" / ".join(cell.splitlines()) for cell in row] for row in shown_rows(table))
    lines = [[column.name for column in table.columns], *rows]
    widths = [max(len(line[index]) for line in lines) for index in range(len(table.columns))]

    def joined(line: list[str]) -> str:
        cells = (
            cell.rjust(width) if column.is_number else cell.ljust(width)
            for cell, width, column in zip(line, widths, table.columns, strict=True)
        )
        return "  ".join(cells).rstrip()

    parts = [table.title, "", *map(joined, lines), "", *table.definitions]
    return "\n".join(parts) + "\n"


def as_csv(table: Table) -> str:
    """Write a header and the raw values for spreadsheets; shares are from 0 to 1."""
    return csv_text([[column.name for column in table.columns], *table.rows])


def as_latex(table: Table) -> str:
    """Write a `table` environment, which needs the package booktabs."""
    alignment = "".join("r" if column.is_number else "l" for column in table.columns)
    rows = [" & ".join(escaped(column.name) for column in table.columns) + r" \\", r"\midrule"]
    rows += [" & ".join(map(escaped, row)) + r" \\" for row in shown_rows(table)]
    caption = escaped(" ".join((f"{table.title}.", *table.definitions)))
    return "\n".join(
        (
            r"\begin{table}",
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{table.name}}}",
            r"\end{table}",
            "",
        )
    )


def escaped(text: str) -> str:
    """Return a text as LaTeX prints it."""
    return "".join(_LATEX.get(character, character) for character in text)


def as_html(table: Table) -> str:
    """Write a `table` element and its definitions; all texts are escaped."""

    def cells(line: list[str], tag: str) -> str:
        return "".join(
            f"<{tag}{_class(column)}>{escape(cell)}</{tag}>"
            for cell, column in zip(line, table.columns, strict=True)
        )

    head = cells([column.name for column in table.columns], "th")
    body = "\n".join(f"<tr>{cells(row, 'td')}</tr>" for row in shown_rows(table))
    definitions = "".join(f"\n<li>{escape(each)}</li>" for each in table.definitions)
    return (
        f'<table class="table">\n<caption>{escape(table.title)}</caption>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table>\n<ul>{definitions}\n</ul>\n"
    )


def _class(column: Column) -> str:
    return ' class="number"' if column.is_number else ""


FORMATS: dict[str, Callable[[Table], str]] = {
    "text": as_text,
    "csv": as_csv,
    "latex": as_latex,
    "html": as_html,
}
