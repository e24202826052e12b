"""Makes a large open corpus quickly: the platform opens a small one, and the database copies it."""

from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.models import Max, Min

from bench.corpora import make_corpus, open_all
from bench.rows import unchecked
from collection.models import Pair, Premise
from validation.models import Label, Question

BASE = 2000  # pairs

COPY = """
WITH RECURSIVE copies(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM copies WHERE k < %s)
INSERT INTO {table} ({columns}) SELECT {values} FROM {table} CROSS JOIN copies WHERE {table}.id BETWEEN %s AND %s
"""


def make_open_corpus(slug: str, pairs: int) -> Question:
    """Makes `pairs` pairs with four open seats each, in the platform's order.

    The number must be below 2,000, or a multiple of it.
    """
    question = make_corpus(slug, min(pairs, BASE))
    open_all(question)
    if pairs > BASE:
        _multiply(question, pairs // BASE - 1)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return question


def _multiply(question: Question, copies: int) -> None:
    """Copies all premises, pairs and labels of the question's corpus so many times; each copy has texts of its own."""
    premises = _ids(Premise.objects.filter(corpus=question.corpus))
    pairs = _ids(Pair.objects.filter(corpus=question.corpus))
    labels = _ids(Label.objects.filter(question=question))
    last = Label.objects.filter(question=question).aggregate(last=Max("turn"))["last"]
    own_premise = f"premise_id + k * {_number(premises)}"
    with unchecked(), connection.cursor() as cursor:
        with transaction.atomic():
            names = {name: f"{name} || '-' || k" for name in ("text", "public_id", '"group"')}
            _copy(Premise, copies, premises, {**names, "digest": "k || '-' || substr(digest, 8)"})
            own = {"premise_id": own_premise, "public_id": "public_id || '-' || k"}
            _copy(Pair, copies, pairs, {**own, "hypothesis": "hypothesis || '-' || k"})
            own = {"premise_id": own_premise, "pair_id": f"pair_id + k * {_number(pairs)}"}
            _copy(
                Label,
                copies,
                labels,
                {**own, "token": "k || '-' || substr(token, 8)", "turn": f"turn + k * {last}"},
            )
        for statement in connection.ops.sequence_reset_sql(no_style(), [Premise, Pair, Label]):
            cursor.execute(statement)


def _copy(model: type[models.Model], copies: int, ids: tuple[int, int], own: dict[str, str]) -> None:
    """Copies the rows with ids in this range. `own`: column -> its value in the k-th copy."""
    own = {"id": f"id + k * {_number(ids)}", **own}
    columns = [connection.ops.quote_name(str(field.column)) for field in model._meta.local_concrete_fields]
    values = [own.get(column, own.get(column.strip('"'), column)) for column in columns]
    statement = COPY.format(table=model._meta.db_table, columns=", ".join(columns), values=", ".join(values))
    with connection.cursor() as cursor:
        cursor.execute(statement, [copies, *ids])


def _ids(rows: "models.QuerySet[models.Model]") -> tuple[int, int]:
    found = rows.aggregate(first=Min("pk"), last=Max("pk"))
    return found["first"], found["last"]


def _number(ids: tuple[int, int]) -> int:
    return ids[1] - ids[0] + 1
