"""Counts pairs by vote pattern in the database, so that it returns a row for each pattern and not for each label.

A pattern (nli.agreement.Pattern) is all that a pair's labels contribute to agreement. A profile is the patterns of the
pairs of one premise group, with their numbers: the bootstrap of confidence_intervals.py draws premise groups.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

from django.db import connection
from django.db.models import Case, CharField, Count, F, Max, Q, Value, When
from django.db.models.functions import Cast, Coalesce, Concat, TruncWeek

from collection.models.querysets import PairQuerySet
from nli.agreement import Pattern
from validation.gold.queries import deciding_labels, more_sort_memory
from validation.models import Adjudication, Label, Question
from validation.statistics.confidence_intervals import Profile, Profiles

# The dimensions that are properties of a pair: name -> an expression on pairs; `pair__` reaches it from labels.
Key = Callable[[str], Any]
PAIR_KEYS: dict[str, Key] = {
    "genre": lambda pair: F(f"{pair}premise__genre__slug"),
    # Placements belong to `snapshots`, which this app may not import, so this names only the relation.
    "partition": lambda pair: Coalesce(
        f"{pair}published_partition", f"{pair}premise__placement__partition", Value("")
    ),
    "prompt": lambda pair: Case(
        When(
            **{f"{pair}prompt_version__isnull": False},
            then=Concat(
                f"{pair}prompt_version__prompt__slug",
                Value(" version "),
                Cast(f"{pair}prompt_version__number", CharField()),
            ),
        ),
        default=Value(""),
        output_field=CharField(),
    ),
    "author": lambda pair: Coalesce(f"{pair}author__code", Value("")),
}
DIMENSIONS = {
    "genre": "the premise's genre",
    "partition": "the published partition, else the one where a snapshot placed the premise",
    "prompt": "the prompt, and its version, under which the hypothesis was written",
    "author": "who wrote the hypothesis",
    "validator": "who validated: the pairs that have a label of this person among labels 2 to 5",
    "week": "the week, by its Monday, in which the pair got its last label",
}
# With more groups than this, rows have no intervals: their pairs are then not counted by premise group.
ROWS_WITH_INTERVALS = 30
# `pairs` has a row for each pair (or sentence, if these are judged) with its pattern as text; `grouped` has the same by
# group. `fallen` counts patterns within each premise group (`unit`), and the outer SELECT counts premise groups with the
# same patterns: few rows. Patterns are text, which both databases can group by.
COUNT = """
WITH pairs AS (
  SELECT fell.pair_id, fell.sentence, {key} AS key, chosen.unit, {pattern} AS pattern
  FROM ({fell}) AS fell JOIN ({chosen}) AS chosen ON chosen.id = fell.pair_id
  LEFT JOIN {adjudication} AS decided ON decided.pair_id = fell.pair_id AND decided.question_id = %s
    AND decided.withdrawn_at IS NULL
),
grouped AS ({grouped}),
fallen AS (
  SELECT 0 AS part, '' AS key, unit, pattern, COUNT(*) AS number FROM pairs GROUP BY 1, 2, 3, 4
  UNION ALL
  SELECT 1, key, CASE WHEN (SELECT COUNT(DISTINCT key) FROM grouped) > {most} THEN '' ELSE unit END, pattern, COUNT(*)
  FROM grouped GROUP BY 1, 2, 3, 4
),
premises AS (SELECT part, key, {profile} AS profile FROM fallen GROUP BY part, key, unit)
SELECT part, key, profile, COUNT(*) FROM premises GROUP BY part, key, profile
"""
NO_GROUPS = "SELECT key, unit, pattern FROM pairs WHERE 1 = 0"
BY_KEY = "SELECT key, unit, pattern FROM pairs"
BY_VALIDATOR = """
SELECT CAST(labelled.annotator_id AS TEXT) AS key, pairs.unit, pairs.pattern
FROM pairs JOIN ({labelled}) AS labelled ON labelled.pair_id = pairs.pair_id AND labelled.sentence = pairs.sentence
"""


def count_patterns(
    pairs: PairQuerySet, question: Question, by: str = ""
) -> tuple[Profiles, dict[str, Profiles]]:
    """Returns the profiles of these pairs, except withdrawn ones, and group -> profiles. One query.

    `by`: a key of DIMENSIONS; without it there are no groups. The name of a group is its key; of a validator, the id.
    """
    votes = {f"votes_{k}": Count("pk", filter=Q(label=label)) for k, label in enumerate(question.labels)}
    fell = (
        deciding_labels(question)
        .values("pair_id", "sentence")
        .annotate(
            author_label=Max(Case(When(origin=Label.Origin.AUTHOR, then=F("label")))),
            imported=Max(Case(When(origin=Label.Origin.IMPORTED, then=1), default=0)),
            by_author=Max(Case(When(position__gt=1, annotator=F("author"), then=1), default=0)),
            week=TruncWeek(Max("cast_at")),
            **votes,
        )
    )
    group = PAIR_KEYS[by]("") if by in PAIR_KEYS else Value("")
    chosen = (
        pairs.standing().order_by().values("id", "published_label", unit=F("premise__group"), named=group)
    )
    pattern = (
        "COALESCE(fell.author_label, '')",
        # A label that was published together with votes takes precedence over them.
        "COALESCE(decided.label, CASE fell.imported WHEN 1 THEN chosen.published_label END, '')",
        "CASE WHEN decided.label IS NULL THEN '' ELSE 'a' END",
        "fell.by_author",
        *(f"fell.{name}" for name in votes),
    )
    fell_sql, fell_params = fell.query.sql_with_params()
    chosen_sql, chosen_params = chosen.query.sql_with_params()
    grouped, grouped_params = _grouped(question, by)
    statement = COUNT.format(
        fell=fell_sql,
        chosen=chosen_sql,
        key="COALESCE(CAST(fell.week AS TEXT), '')" if by == "week" else "CAST(chosen.named AS TEXT)",
        pattern=" || '/' || ".join(pattern),
        adjudication=connection.ops.quote_name(Adjudication._meta.db_table),
        grouped=grouped,
        most=ROWS_WITH_INTERVALS,
        profile=gathered("pattern || '*' || number"),
    )
    with more_sort_memory(), connection.cursor() as cursor:
        cursor.execute(statement, (*fell_params, *chosen_params, question.pk, *grouped_params))
        return _read(cursor.fetchall(), by)


def _grouped(question: Question, by: str) -> tuple[str, tuple[Any, ...]]:
    """Returns SQL that selects key, unit and pattern of the pairs of each group, and its parameters."""
    if by != "validator":
        return (BY_KEY if by else NO_GROUPS), ()
    validators = (
        deciding_labels(question)
        .exclude(origin=Label.Origin.AUTHOR)
        .filter(annotator__isnull=False)
        # A published file may have two labels of one annotator on a pair.
        .values("pair_id", "sentence", "annotator_id")
        .distinct()
    )
    sql, params = validators.query.sql_with_params()
    return BY_VALIDATOR.format(labelled=sql), params


def patterns_of(profiles: Profiles) -> dict[Pattern, int]:
    """Sums profiles up: pattern -> number of pairs."""
    patterns: Counter[Pattern] = Counter()
    for profile, premises in profiles.items():
        for pattern, pairs in profile:
            patterns[pattern] += pairs * premises
    return dict(patterns)


def gathered(text: str) -> str:
    """Returns SQL that joins the texts of a group's rows by spaces; on PostgreSQL in sorted order."""
    if connection.vendor == "postgresql":
        return f"string_agg({text}, ' ' ORDER BY {text})"
    return f"group_concat({text}, ' ')"


def _read(rows: list[tuple[Any, ...]], by: str) -> tuple[Profiles, dict[str, Profiles]]:
    known: dict[str, tuple[Pattern, int]] = {}
    whole: Counter[Profile] = Counter()
    groups: defaultdict[str, Counter[Profile]] = defaultdict(Counter)
    for part, key, text, number in rows:
        entries = text.split(" ")
        for entry in entries:
            if entry not in known:
                known[entry] = _read_entry(entry)
        counts = groups[key[:10] if by == "week" else key] if part else whole
        counts[tuple(known[entry] for entry in entries)] += number
    return dict(whole), dict(groups)


def _read_entry(entry: str) -> tuple[Pattern, int]:
    """Reads a pattern and its number of pairs from the text that the query wrote."""
    text, _, number = entry.rpartition("*")
    author, decided, adjudicated, by_author, *votes = text.split("/")
    by = "adjudicated" if adjudicated else "published" if decided else ""
    return (
        Pattern(author or None, tuple(map(int, votes)), decided or None, by, by_author == "1"),
        int(number),
    )
