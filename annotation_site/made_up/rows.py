"""Writes made-up rows quickly: by COPY on PostgreSQL, in portions on SQLite."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, cast

from django.core.management.color import no_style
from django.db import connection, models
from django.db.models import Max

PORTION = 50_000  # rows
ESCAPED = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n"})


@contextmanager
def unchecked(*refilled: type[models.Model]) -> Iterator[None]:
    """Lets PostgreSQL check no references inside the block, which takes half of the time; its superuser may.

    refilled: tables whose indexes are dropped before the block and made again after it. Constraints stay.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid::regclass::text"
            " = ANY(%s) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)",
            [[model._meta.db_table for model in refilled]],
        )
        indexes = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(f"DROP INDEX {name}")
        yield
        for _, definition in indexes:
            cursor.execute(definition)
        cursor.execute("SET session_replication_role = DEFAULT")


class Rows:
    """Collects rows of several tables, gives them keys, and writes them in portions. Nobody else may add rows meanwhile."""

    def __init__(self) -> None:
        self.tables: dict[type[models.Model], _Table] = {}

    def next_of(self, model: type[models.Model]) -> int:
        return self._table(model).next

    def add(self, model: type[models.Model], **values: Any) -> int:
        """Adds a row with these columns, by their names without quotes, and the others' defaults. Returns its key."""
        return self._table(model).add(values)

    def _table(self, model: type[models.Model]) -> "_Table":
        if model not in self.tables:
            self.tables[model] = _Table(model)
        return self.tables[model]

    def write(self) -> None:
        for table in self.tables.values():
            table.write()
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), list(self.tables)):
                cursor.execute(statement)


class _Table:
    def __init__(self, model: type[models.Model]) -> None:
        self.model = model
        self.next = (model._default_manager.aggregate(last=Max("pk"))["last"] or 0) + 1
        self.defaults = {
            str(field.attname): _default(field) for field in model._meta.local_concrete_fields if not field.primary_key
        }  # fmt: skip
        self.rows: list[tuple[Any, ...]] = []

    def add(self, values: dict[str, Any]) -> int:
        unknown = values.keys() - self.defaults.keys()
        assert not unknown, f"{self.model.__name__} has no {unknown}"
        key = self.next
        self.next += 1
        self.rows.append((key, *(self.defaults | values).values()))
        if len(self.rows) == PORTION:
            self.write()
        return key

    def write(self) -> None:
        key = self.model._meta.pk
        assert key is not None
        fields = (cast("models.Field[Any, Any]", self.model._meta.get_field(name)) for name in self.defaults)
        columns = [str(key.column), *(str(each.column) for each in fields)]
        table = self.model._meta.db_table
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                stream = io.StringIO()
                for row in self.rows:
                    stream.write("\t".join(map(_copied, row)) + "\n")
                stream.seek(0)
                cursor.copy_from(stream, table, columns=columns)
            else:
                quoted = ", ".join(map(connection.ops.quote_name, columns))
                places = ", ".join(["%s"] * len(columns))
                cursor.executemany(f"INSERT INTO {table} ({quoted}) VALUES ({places})", self.rows)
        self.rows = []


def _copied(value: Any) -> str:
    if value is None:
        return r"\N"
    if isinstance(value, bool):
        return "t" if value else "f"
    return str(value).translate(ESCAPED)


def _default(field: Any) -> Any:
    """Returns the default of a column as text or number; a time that Django would set is now."""
    if getattr(field, "auto_now_add", False) or getattr(field, "auto_now", False):
        return f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}"
    return field.get_default()
