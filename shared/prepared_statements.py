"""Runs hand-written SQL as prepared statements: planned once for each connection, several in one round trip.

Only the few statements that every label needs use it; the rest uses the ORM. See decision 10 in docs/decisions/.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from django.db import connection, models
from django.db.models.base import ModelState

Row = TypeVar("Row", bound=models.Model)
Values = Mapping[str, Any] | Sequence[Any]
Step = tuple[str, Values]

MARK = re.compile(r"%\((\w+)\)s|%s")
# Connection -> statement -> the name under which PostgreSQL knows it there.
_prepared: WeakKeyDictionary[Any, dict[str, str]] = WeakKeyDictionary()


def rows(*steps: Step) -> list[tuple[Any, ...]]:
    """Runs statements in order, inside a transaction, and returns the rows of the last one.

    Marks: all %s, or all %(name)s.

    PostgreSQL gets them in one message. A statement's text must be constant, and PostgreSQL must be able to infer
    the types of its values: a prepared statement lasts as long as its connection.
    """
    with connection.cursor() as cursor:
        _send(cursor, steps)
        return cursor.fetchall() if cursor.description else []


def changed(*steps: Step) -> int:
    """Runs statements as `rows` does, and returns how many rows the last one wrote."""
    with connection.cursor() as cursor:
        _send(cursor, steps)
        return int(cursor.rowcount)


def moment(value: datetime) -> Any:
    """Returns a time in the database's own form."""
    return connection.ops.adapt_datetimefield_value(value)


@cache
def columns(model: type[models.Model], alias: str) -> str:
    """Returns all columns of a table for a SELECT, in the order that `made` expects."""
    quoted = (connection.ops.quote_name(str(field.column)) for field in model._meta.concrete_fields)
    return ", ".join(f"{alias}.{name}" for name in quoted)


def made(model: type[Row], row: Sequence[Any]) -> tuple[Row, Sequence[Any]]:
    """Returns an object made of the first values of a row, and the remaining values."""
    names, converters = _fields(model, connection.vendor)
    values = dict(zip(names, row, strict=False))
    for name, own in converters.items():
        for convert in own:
            values[name] = convert(values[name], None, connection)
    return part(model, values), row[len(names) :]


def part(model: type[Row], values: dict[str, Any], **related: models.Model) -> Row:
    """Returns an object with these columns; others are fetched on access, as after `only`.

    `related`: objects that foreign keys point to. Skips the model's __init__, which took longer than the query.
    """
    row = model.__new__(model)
    row.__dict__.update(values)
    row._state = ModelState()
    row._state.adding, row._state.db = False, connection.alias
    row._state.fields_cache.update(related)
    return row


@cache
def _fields(model: type[models.Model], vendor: str) -> tuple[list[str], dict[str, list[Any]]]:
    """Returns the columns' attributes, and the converters of the database: SQLite has neither booleans nor timestamps."""
    fields = {str(field.attname): field for field in model._meta.concrete_fields}
    converters = {
        name: connection.ops.get_db_converters(field.get_col("")) + field.get_db_converters(connection)
        for name, field in fields.items()
    }
    return list(fields), {name: own for name, own in converters.items() if own}


def _send(cursor: Any, steps: Sequence[Step]) -> None:
    if not _may_prepare():
        for statement, values in steps:
            cursor.execute(statement, values)
        return
    sent = [_execution(statement, values) for statement, values in steps]
    cursor.execute("; ".join(text for text, _ in sent), [one for _, own in sent for one in own])


def _may_prepare() -> bool:
    """Returns False where a pooler may give each transaction another connection, as Django's setting says."""
    is_postgres = connection.vendor == "postgresql"
    return is_postgres and not connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")


def _execution(statement: str, values: Values) -> tuple[str, list[Any]]:
    names = _prepared.setdefault(connection.connection, {})
    numbered, order = _numbered(statement)
    if statement not in names:
        name = f"own_{len(names)}"
        with connection.wrap_database_errors, connection.connection.cursor() as cursor:
            cursor.execute(f"PREPARE {name} AS {numbered}")
        names[statement] = name
    own = list(values) if not isinstance(values, Mapping) else [values[name] for name in order]
    marks = f"({', '.join(['%s'] * len(own))})" if own else ""
    return f"EXECUTE {names[statement]}{marks}", own


@cache
def _numbered(statement: str) -> tuple[str, tuple[str, ...]]:
    """Returns the statement with $1, $2, ... for its marks, and the names of the values in that order."""
    order: list[str] = []

    def number(mark: re.Match[str]) -> str:
        name = mark[1] or str(len(order))
        if name not in order:
            order.append(name)
        return f"${order.index(name) + 1}"

    return MARK.sub(number, statement), tuple(order)
