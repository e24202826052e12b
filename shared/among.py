"""A condition on thousands of keys that is one value of the statement, not one for each key."""

import json
from collections.abc import Collection
from typing import Any

from django.db.models import BooleanField, F, Func


class Among(Func):
    """Says whether a column is one of these values: as `__in`, but a tenth of its work with thousands of them."""

    output_field = BooleanField()

    def __init__(self, column: str, values: Collection[int] | Collection[str]) -> None:
        super().__init__(F(column))
        self.values = values

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        column, parameters = compiler.compile(self.source_expressions[0])
        if self._are_numbers():  # a text that PostgreSQL reads is quicker than an array of parameters
            return f"{column} = ANY(%s::bigint[])", [*parameters, f"{{{self._joined()}}}"]
        return f"{column} = ANY(%s::text[])", [*parameters, list(self.values)]

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> Any:
        column, parameters = compiler.compile(self.source_expressions[0])
        if self._are_numbers():  # SQLite applies constants inside of a view, but not a query for the values
            return f"{column} IN ({self._joined()})", parameters
        return f"{column} IN (SELECT value FROM json_each(%s))", [*parameters, json.dumps(list(self.values))]

    def _are_numbers(self) -> bool:
        return all(isinstance(value, int) for value in self.values)

    def _joined(self) -> str:
        return ",".join(map(str, self.values))
