"""Draws pairs by a seed: the database sorts them in a random order that the seed fixes."""

from typing import Any

from django.db.models import CharField, Func, QuerySet, Value
from django.db.models.functions import SHA256, Cast, Concat


class _Digest(SHA256):
    """SHA256 as in Django, but without PostgreSQL's extension pgcrypto."""

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        template = "ENCODE(SHA256(CONVERT_TO(%(expressions)s, 'UTF8')), 'hex')"
        return Func.as_sql(self, compiler, connection, template=template, **extra)


def in_drawn_order(pairs: QuerySet[Any], seed: str) -> QuerySet[Any]:
    """Orders pairs by `drawn`, the SHA-256 of seed and key. A longer slice contains the pairs of a shorter one."""
    key = Concat(Value(f"{seed}:"), Cast("pk", CharField()), output_field=CharField())
    return pairs.annotate(drawn=_Digest(key)).order_by("drawn")
