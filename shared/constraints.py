"""Constraints: short forms of Django's own, and one that Django lacks."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import BaseConstraint, CheckConstraint, Model, Q, UniqueConstraint

from nli.labels import SCHEMES


def check(name: str, condition: Q, *, error: str | None = None) -> CheckConstraint:
    """Makes a CHECK constraint. `error`: what forms say where it is violated."""
    return CheckConstraint(name=name, condition=condition, violation_error_message=error)


def unique(name: str, *fields: str, where: Q | None = None) -> UniqueConstraint:
    """Makes a constraint that no two rows (`where`: none of those rows) have the same values in `fields`."""
    return UniqueConstraint(name=name, fields=fields, condition=where)


def label_fits_scheme(label: str) -> Q:
    """Returns the condition that the field `label` is empty or has a label of the field `scheme`."""
    condition = Q(**{f"{label}__isnull": True})
    for name, labels in SCHEMES.items():
        condition |= Q(**{"scheme": name, f"{label}__in": labels})
    return condition


class RowExists(BaseConstraint):
    """A foreign key of several columns: the values of `columns` are those of `to_columns` in a row of the table `to`.

    With it, a rule about two tables is a constraint: a column of one repeats a value of the other. The other table needs a
    unique constraint on exactly `to_columns`. Like Django's own foreign keys, it is checked at the end of the transaction.
    """

    def __init__(
        self, *, columns: Sequence[str], to: str, to_columns: Sequence[str], name: str, **errors: Any
    ) -> None:
        super().__init__(name=name, **errors)
        self.columns, self.to, self.to_columns = tuple(columns), to, tuple(to_columns)

    def constraint_sql(
        self, model: type[Model] | None, schema_editor: BaseDatabaseSchemaEditor | None
    ) -> str:
        assert schema_editor is not None
        quote = schema_editor.quote_name
        own, others = (", ".join(map(quote, names)) for names in (self.columns, self.to_columns))
        return (
            f"CONSTRAINT {quote(self.name)} FOREIGN KEY ({own}) REFERENCES {quote(self.to)} ({others})"
            " DEFERRABLE INITIALLY DEFERRED"
        )

    def create_sql(self, model: type[Model] | None, schema_editor: BaseDatabaseSchemaEditor | None) -> str:
        assert model is not None
        assert schema_editor is not None
        table = schema_editor.quote_name(model._meta.db_table)
        return f"ALTER TABLE {table} ADD {self.constraint_sql(model, schema_editor)}"

    def remove_sql(self, model: type[Model] | None, schema_editor: BaseDatabaseSchemaEditor | None) -> str:
        assert model is not None
        assert schema_editor is not None
        table, name = map(schema_editor.quote_name, (model._meta.db_table, self.name))
        return f"ALTER TABLE {table} DROP CONSTRAINT {name}"

    def validate(
        self,
        model: type[Model],
        instance: Model,
        exclude: Any = None,
        using: str = DEFAULT_DB_ALIAS,
    ) -> None:
        """Checks an object. Raises ValidationError if there is no such row."""
        attributes = {field.column: field.attname for field in model._meta.concrete_fields}
        values = [getattr(instance, attributes[column]) for column in self.columns]
        with connections[using].cursor() as cursor:
            quote = connections[using].ops.quote_name
            same = " AND ".join(f"{quote(column)} = %s" for column in self.to_columns)
            cursor.execute(f"SELECT 1 FROM {quote(self.to)} WHERE {same}", values)
            if cursor.fetchone() is None:
                raise ValidationError(self.get_violation_error_message(), code=self.violation_error_code)

    def deconstruct(self) -> Any:
        path, args, named = super().deconstruct()
        return path, args, {**named, "columns": self.columns, "to": self.to, "to_columns": self.to_columns}

    def __eq__(self, other: object) -> bool:
        return self.deconstruct() == other.deconstruct() if isinstance(other, RowExists) else NotImplemented

    __hash__ = None  # type: ignore[assignment]
