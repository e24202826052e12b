"""The view `validation_gold`: votes and gold label of each pair under each question of its corpus.

It is the rule of nli/gold.py in SQL, for both databases; a test compares the two. The view stores nothing. No migration
makes it: `drop` drops it before migrations run, since neither database alters a table below a view, and `create` makes
it again afterwards. So the view always matches the code.

Filter by constants for both `pair_id` and `question_id`: the database applies these before it counts. It does not apply
a condition on a table that is joined to the view; then it counts all pairs of the question.
"""

from typing import Any

from django.db import connections, transaction

from nli.labels import READINGS, SCHEMES

GREATEST = {"postgresql": "GREATEST", "sqlite": "MAX"}

# From the inside outwards: count votes; apply the question's rule to them; choose the gold label. The threshold is more
# than half of the seats, or all votes must agree: only one label can reach it.
VIEW = """
CREATE VIEW validation_gold AS
SELECT *,
  COALESCE(adjudicated, standing, voted, CASE WHEN NOT settled THEN file_label END) AS label,
  CASE WHEN adjudicated IS NOT NULL THEN 'adjudicated'
    WHEN COALESCE(standing, voted) = voted THEN 'voted'
    WHEN standing IS NOT NULL THEN 'published'
    WHEN settled OR file_label IS NULL THEN 'none'
    WHEN published_label IS NOT NULL THEN 'published'
    ELSE 'author' END AS source,
  CASE WHEN adjudicated IS NOT NULL THEN ''
    WHEN standing <> voted THEN 'differs from the votes'
    WHEN standing IS NOT NULL AND voted IS NULL THEN 'no majority'
    ELSE '' END AS note
FROM (
  SELECT *, COALESCE(published_label, author_label) AS file_label,
    CASE WHEN imported > 0 THEN published_label END AS standing,
    CASE WHEN most < threshold THEN NULL
      WHEN gold_rule = 'unanimous' AND NOT (settled AND most = votes) THEN NULL
      WHEN gold_rule = 'adjudicated' AND {neutral} = 0
        AND CASE WHEN settled THEN votes ELSE seats END - most > 1 THEN NULL
      ELSE CASE reading {voted} END END AS voted
  FROM (
    SELECT *, {greatest}({places}) AS most
    FROM (
      SELECT q.id AS question_id, p.id AS pair_id, COALESCE(r.seats, q.seats) AS seats,
        COALESCE(r.threshold, q.threshold) AS threshold, q.gold_rule,
        q.scheme || CASE WHEN q.is_main AND q.gold_rule = 'unanimous' AND c.scheme <> q.scheme THEN '>' || c.scheme
          ELSE '' END AS reading,
        MAX(a.label) AS adjudicated,
        CASE WHEN q.is_main THEN p.published_label END AS published_label,
        CASE WHEN q.is_main THEN p.author_label END AS author_label,
        {counts},
        COUNT(l.label) AS votes,
        COUNT(*) FILTER (WHERE l.origin = 'imported') AS imported,
        COUNT(*) FILTER (WHERE l.origin <> 'author') > 0 AND COUNT(l.label) = COUNT(l.id) AS settled
      FROM collection_pair p
      JOIN collection_corpus c ON c.id = p.corpus_id
      JOIN validation_question q ON q.corpus_id = c.id
      LEFT JOIN validation_partitionrule r ON r.question_id = q.id AND r.partition = p.published_partition
      LEFT JOIN validation_label l ON l.pair_id = p.id AND l.question_id = q.id AND l.sentence = 0
        AND l.withdrawn_at IS NULL AND l.position <= q.seats
      LEFT JOIN validation_adjudication a ON a.pair_id = p.id AND a.question_id = q.id AND a.withdrawn_at IS NULL
      GROUP BY p.id, q.id, c.id, r.id
    ) AS c
  ) AS s
) AS d
"""

PLACES = max(map(len, SCHEMES.values()))


def definition(vendor: str) -> str:
    """Return the statement that creates the view."""
    places = [f"n{k}" for k in range(PLACES)]  # short, as the SQL names them 22 times
    at_place = [
        ", ".join(f"'{labels[k]}'" for labels in SCHEMES.values() if k < len(labels)) for k in range(PLACES)
    ]
    reads = {scheme: {label: label for label in labels} for scheme, labels in SCHEMES.items()}
    reads |= {f"{scheme}>{into}": READINGS[scheme, into] for scheme, into in READINGS}
    voted = " ".join(
        f"WHEN '{name}' THEN CASE most {_cases(places, list(read.values()))} END"
        for name, read in reads.items()
    )
    return VIEW.format(
        places=", ".join(places),
        greatest=GREATEST[vendor],
        neutral=places[SCHEMES["nli3"].index("neutral")],
        counts=",\n        ".join(
            f"COUNT(*) FILTER (WHERE l.label IN ({labels})) AS {place}"
            for place, labels in zip(places, at_place, strict=True)
        ),
        voted=voted,
    )


def _cases(places: list[str], labels: list[str]) -> str:
    """Return the branches of a CASE from the most frequent label's number to the gold label that it stands for."""
    other = max(labels, key=labels.count)
    others = (
        f"WHEN {place} THEN '{label}'" for place, label in zip(places, labels, strict=False) if label != other
    )
    return " ".join((*others, f"ELSE '{other}'"))


def drop(using: str, plan: Any = (), **_: Any) -> None:
    """Drops the view before migrations run. Without migrations to run it stays, since others may be reading it."""
    if plan:
        with connections[using].cursor() as cursor:
            cursor.execute("DROP VIEW IF EXISTS validation_gold")


def create(using: str, **_: Any) -> None:
    """Creates the view, and drops an older one first."""
    connection = connections[using]
    with transaction.atomic(using=using), connection.cursor() as cursor:
        cursor.execute("DROP VIEW IF EXISTS validation_gold")
        cursor.execute(definition(connection.vendor))
