"""Writes tables as TOML, which the standard library only reads: texts, numbers, tables, lists of tables."""

from collections.abc import Mapping, Sequence
from typing import Any

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\f": "\\f", "\r": "\\r", "\t": "\\t", "\n": "\\n"}


def toml_of(table: Mapping[str, Any], names: Sequence[str] = ()) -> str:
    """Returns the TOML text of a table: its keys, then the tables in it. `names`: those of the tables around it."""
    lines = [f"{key} = {value_of(value)}\n" for key, value in table.items() if not _has_tables(value)]
    blocks = [
        block_of((*names, key), each, is_list=not isinstance(value, Mapping))
        for key, value in table.items()
        if _has_tables(value)
        for each in ([value] if isinstance(value, Mapping) else value)
    ]
    return "".join(lines) + "".join(
        ("\n" if lines or place else "") + block for place, block in enumerate(blocks)
    )


def block_of(names: Sequence[str], table: Mapping[str, Any], *, is_list: bool) -> str:
    """Returns a table with its header. `is_list`: it is one of a list of tables."""
    header = ".".join(names)
    return (f"[[{header}]]\n" if is_list else f"[{header}]\n") + toml_of(table, names)


def value_of(value: Any) -> str:
    """Returns a text, a number, a truth value or a list of them as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Sequence):
        return f"[{', '.join(map(value_of, value))}]"
    return repr(value)


def _text(text: str) -> str:
    if "\n" not in text:
        return f'"{_escaped(text, _ESCAPES)}"'
    kept = {sign: escape for sign, escape in _ESCAPES.items() if sign not in '\n\t"'}
    folded = _escaped(text, kept).replace('"""', '""\\"')
    if folded.endswith('"'):
        folded = folded[:-1] + '\\"'
    return f'"""\n{folded}"""'


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(
        escapes.get(sign)
        or (sign if (sign >= " " and sign != "\x7f") or sign in "\n\t" else f"\\u{ord(sign):04X}")
        for sign in text
    )


def _has_tables(value: Any) -> bool:
    return isinstance(value, Mapping) or is_rows(value)


def is_rows(value: Any) -> bool:
    """Returns whether a value is a list of tables, which is not empty."""
    return (
        isinstance(value, list | tuple) and bool(value) and all(isinstance(each, Mapping) for each in value)
    )
