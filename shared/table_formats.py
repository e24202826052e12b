"""Writes a table as text, CSV, JSON, LaTeX or HTML. CSV and JSON have the raw values; the others are rounded."""

import json
from collections.abc import Callable
from html import escape

from shared.csv_files import csv_text
from shared.tables import Table

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def as_text(table: Table) -> str:
    """Returns columns padded with spaces, texts aligned left and numbers right, and the definitions below.

    A text of several lines, such as several premises, takes one line.
    """
    rows = ([" / ".join(cell.splitlines()) for cell in row] for row in table.texts())
    lines = [[column.name for column in table.columns], *rows]
    widths = [max(len(line[index]) for line in lines) for index in range(len(table.columns))]

    def joined(line: list[str]) -> str:
        cells = (
            cell.rjust(width) if column.is_number else cell.ljust(width)
            for cell, width, column in zip(line, widths, table.columns, strict=True)
        )
        return "  ".join(cells).rstrip()

    heads = filter(None, (table.caption, table.title))
    return "\n".join([*dict.fromkeys(heads), "", *map(joined, lines), "", *_explained(table)]) + "\n"


def as_csv(table: Table) -> str:
    """Returns a header with the keys of the columns, and the raw values for spreadsheets; shares are from 0 to 1."""
    return csv_text([[column.key for column in table.columns], *table.cells()])


def as_json(table: Table) -> str:
    return json.dumps(table.as_json(), indent=2, ensure_ascii=False) + "\n"


def as_latex(table: Table) -> str:
    """Returns a `table` environment, which needs the package booktabs."""
    alignment = "".join("r" if column.is_number else "l" for column in table.columns)
    rows = [" & ".join(escaped(column.name) for column in table.columns) + r" \\", r"\midrule"]
    rows += [" & ".join(map(escaped, row)) + r" \\" for row in table.texts()]
    caption = escaped(" ".join((f"{(table.caption or table.title).removesuffix('.')}.", *_explained(table))))
    return "\n".join(
        (
            r"\begin{table}",
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{table.key}}}",
            r"\end{table}",
            "",
        )
    )


def as_html(table: Table) -> str:
    """Returns a `table` element and its definitions; all texts are escaped."""
    classes = [' class="number"' if column.is_number else "" for column in table.columns]

    def cells(line: list[str], tag: str) -> str:
        return "".join(f"<{tag}{css}>{escape(cell)}</{tag}>" for cell, css in zip(line, classes, strict=True))

    head = cells([column.name for column in table.columns], "th")
    body = "\n".join(f"<tr>{cells(row, 'td')}</tr>" for row in table.texts())
    explained = "".join(f"\n<li>{escape(each)}</li>" for each in _explained(table))
    return (
        f'<table class="table">\n<caption>{escape(table.caption or table.title)}</caption>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table>\n<ul>{explained}\n</ul>\n"
    )


def _explained(table: Table) -> list[str]:
    return [*(f"{name}: {meaning}" for name, meaning in table.definitions), *table.notes]


def escaped(text: str) -> str:
    """Returns a text as LaTeX prints it."""
    return "".join(_LATEX.get(character, character) for character in text)


FORMATS: dict[str, Callable[[Table], str]] = {
    "text": as_text,
    "csv": as_csv,
    "json": as_json,
    "latex": as_latex,
    "html": as_html,
}
