"""Hourly pay and money by day of a corpus: counted now, or by a worker if the corpus is large."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import date
from typing import Any

from annotation_site.researchers.wages import Wage, wages
from annotation_site.researchers.wages_charts import Days, money_by_day
from collection.models import Corpus
from validation.models import CachedStatistics, Question
from validation.statistics.cached import Kind, current


def wages_of(question: Question, by: str, progress: Callable[[float], None]) -> dict[str, Any]:
    """Returns what a worker stores for a corpus, under its main question."""
    days = [(day.isoformat(), kind, cents) for day, kind, cents in money_by_day(question.corpus)]
    return {"wages": [asdict(wage) for wage in wages(question.corpus)], "days": days}


def counted_wages(corpus: Corpus) -> tuple[list[Wage] | None, Days, CachedStatistics | None]:
    """Returns (wages as `wages`, days as `money_by_day`, row) for a page; the row as `cached.current` does.

    The wages are None if no worker has counted those of a large corpus yet.
    """
    question = Question.objects.select_related("corpus").filter(corpus=corpus, is_main=True).first()
    if question is None:
        return wages(corpus), money_by_day(corpus), None
    content, row = current(question, Kind.WAGES)
    if content is None:
        return None, [], row
    days = [(date.fromisoformat(day), kind, cents) for day, kind, cents in content["days"]]
    return [Wage(**each) for each in content["wages"]], days, row
