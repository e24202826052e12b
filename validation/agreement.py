"""Agreement between annotators, by SQL: the database counts pairs by pattern, statistics.py does the rest.

Sources: SNLI (Bowman et al. 2015) section 2.2 and Table 3; MultiNLI (Williams et al. 2018) section 2.1
and Table 2. `individual_equals_gold` is defined so that it fits both published tables.
"""

from collections import Counter
from typing import Any

from django.db import connection
from django.db.models import Case, CharField, Count, F, Max, Q, When
from django.db.models.functions import Cast

from collection.labels import ORDINAL
from collection.models import Corpus, Pair
from collection.querysets import PairQuerySet
from validation.models import Label, Question
from validation.statistics import Pattern, agreement_from_patterns, majority

# What each number means, in one sentence; shown one click away from it.
DEFINITIONS = {
    "pairs": "Pairs of the corpus that stand (withdrawn ones are left out).",
    "pairs_with_all_labels": "Pairs whose seats are all filled; every share below is over these.",
    "unanimous": "Share of pairs on which all labels, the author's among them, are the same.",
    "individual_equals_gold": "Share of single labels that equal the gold label, over pairs that have a gold label.",
    "individual_equals_gold_all_pairs": "The same, counting every label of a pair without gold as a miss.",
    "individual_equals_author": "Share of single labels, the author's own among them, that equal the author's label.",
    "gold_equals_author": "Share of pairs whose gold label is the label that the author was asked to write for.",
    "gold_differs_from_author": "Share of pairs that have a gold label, and it is not the author's.",
    "no_gold": "Share of pairs on which no label reaches the threshold of votes.",
    "fleiss_kappa": "Fleiss' kappa over all labels: agreement beyond chance, overall and for each label against the rest.",
    "fleiss_kappa_validators": "Fleiss' kappa over the validators' labels alone, the author's left out.",
    "krippendorff_alpha": "Krippendorff's alpha over the same labels: nominal, or ordinal where the labels are ordered.",
    "krippendorff_alpha_interval": "The 95% interval of alpha, by the jackknife over pairs.",
}
# The papers' table, row by row, in their order.
NAMES = {
    "unanimous": "unanimous gold label",
    "individual_equals_gold": "individual label = gold label",
    "individual_equals_gold_all_pairs": "the same, pairs without gold as misses",
    "individual_equals_author": "individual label = author's label",
    "gold_equals_author": "gold label = author's label",
    "gold_differs_from_author": "gold label differs from author's",
    "no_gold": "no gold label",
}
# SNLI Table 3 (also MultiNLI Table 2) and MultiNLI Table 2, in shares.
PUBLISHED: dict[str, tuple[float | None, float | None]] = {
    "unanimous": (0.583, 0.582),
    "individual_equals_gold": (0.890, 0.887),
    "individual_equals_author": (0.858, 0.852),
    "gold_equals_author": (0.912, 0.926),
    "gold_differs_from_author": (0.068, 0.056),
    "no_gold": (0.020, 0.018),
}


def main_question(corpus: Corpus) -> Question:
    """The question that decides gold. Raises Question.DoesNotExist."""
    return Question.objects.select_related("corpus").get(corpus=corpus, is_main=True)


def agreement(pairs: PairQuerySet, question: Question) -> dict[str, Any]:
    """All figures over `pairs` (standing ones) under `question`. One query, one row a pattern."""
    groups = _patterns(pairs, question, None)
    return {"pairs": pairs.standing().count(), **_figures(groups.get("", {}), question)}


def agreement_by_genre(question: Question) -> dict[str, dict[str, Any]]:
    """Genre slug -> figures, for every genre of the corpus, those without a label too."""
    pairs = Pair.objects.filter(corpus=question.corpus)
    groups = _patterns(pairs, question, "pair__premise__genre__slug")
    genres = question.corpus.genres.order_by("slug").annotate(
        size=Count("premises__pairs", filter=Q(premises__pairs__withdrawn_at=None))
    )
    return {
        genre.slug: {"pairs": genre.size, **_figures(groups.get(genre.slug, {}), question)}
        for genre in genres
    }


def author_against_gold(pairs: PairQuerySet, question: Question) -> dict[tuple[str, str | None], int]:
    """How many pairs with all labels have this author label (first) and this gold label (second, None: no gold)."""
    from_votes: Counter[tuple[str, str | None]] = Counter()
    for (author, votes), count in _patterns(pairs, question, None).get("", {}).items():
        if author is not None and sum(votes) == question.seats:
            gold = majority(votes, question.threshold)
            from_votes[author, None if gold is None else question.labels[gold]] += count
    return dict(from_votes)


def _figures(patterns: dict[Pattern, int], question: Question) -> dict[str, Any]:
    return agreement_from_patterns(
        patterns,
        labels=question.labels,
        seats=question.seats,
        threshold=question.threshold,
        ordinal=question.scheme in ORDINAL,
    )


def _patterns(pairs: PairQuerySet, question: Question, group: str | None) -> dict[str, dict[Pattern, int]]:
    """Group -> pattern -> pairs; without `group` everything is under "".

    The inner query has a row a pair, the outer one counts them by pattern. The ORM cannot group a grouped
    query, so the outer one is written by hand around the compiled inner one; only its few rows travel.
    """
    votes = {f"votes_{k}": Count("pk", filter=Q(label=label)) for k, label in enumerate(question.labels)}
    author_label = Max(Case(When(origin=Label.Origin.AUTHOR, then=F("label")), output_field=CharField()))
    key: Any = Cast(F(group), CharField()) if group else Cast("question_id", CharField())
    inner = (
        Label.objects.filter(question=question)
        .counted()
        .filter(pair__in=pairs.standing().order_by().values("pk"))
        .values("pair")
        .annotate(key=Max(key), author_label=author_label, **votes)
    )
    sql, params = inner.query.sql_with_params()
    columns = ", ".join(connection.ops.quote_name(name) for name in ("key", "author_label", *votes))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns}, COUNT(*) FROM ({sql}) AS pairs GROUP BY {columns}", params)
        rows = cursor.fetchall()
    groups: dict[str, dict[Pattern, int]] = {}
    for name, author, *counts, number in rows:
        groups.setdefault(name if group else "", {})[author, tuple(counts)] = number
    return groups
