"""The view `validation_gold`: votes and gold label of each pair under each question of its corpus.

It is the rule of nli/gold.py in SQL, for both databases; a test compares the two. The view stores nothing. No migration
makes it: `drop` drops it before migrations run, since neither database alters a table below a view, and `create` makes
it again afterwards. So the view always matches the code.

Filter by constants for both `pair_id` and `question_id`: the database applies these before it counts. It does not apply
a condition on a table that is joined to the view; then it counts all pairs of the question.
"""

from collections.abc import Mapping
from typing import Any

from django.db import connections, transaction

from nli.gold import DIFFERS, NO_MAJORITY, OF_ALL, RULES, may_decide
from nli.labels import READINGS, SCHEMES, reading

GREATEST = {"postgresql": "GREATEST", "sqlite": "MAX"}

# From the inside outwards: count votes; apply the question's rule to them; choose the gold label. The threshold is more
# than half of the seats, or all votes must agree: only one label can reach it. Under `majority_of_all` a settled pair has as
# many seats as answers; apart: those that are no votes. waiting: seats without a label.
# unclear: votes for labels that decide nothing in this partition.
# A pair has the scheme of its corpus. crossing: rule and schemes of
# the main question; some decide in another scheme. filed: the label that came with the pair.
VIEW = """
CREATE VIEW validation_gold AS
SELECT *,
  COALESCE(adjudicated, standing, voted, CASE WHEN NOT settled THEN filed END) AS label,
  CASE WHEN adjudicated IS NOT NULL THEN 'adjudicated'
    WHEN COALESCE(standing, voted) = voted THEN 'voted'
    WHEN standing IS NULL AND (settled OR filed IS NULL) THEN 'none'
    WHEN published IS NOT NULL THEN 'published'
    ELSE 'author' END AS source,
  CASE WHEN adjudicated IS NOT NULL OR COALESCE(standing = voted, standing IS NULL) THEN ''
    WHEN voted IS NULL THEN '{no_majority}'
    ELSE '{differs}' END AS note
FROM (
  SELECT *, CASE WHEN imported THEN published END AS standing,
    CASE WHEN most < threshold THEN NULL
      WHEN gold_rule = 'unanimous' AND NOT (settled AND most = votes AND unclear = 0) THEN NULL
      WHEN gold_rule = '{of_all}' AND NOT settled THEN NULL
      WHEN gold_rule = 'adjudicated' AND {neutral} = 0
        AND CASE WHEN settled THEN votes ELSE seats END - most > 1 THEN NULL
      ELSE CASE crossing {crossed} ELSE CASE scheme {voted} END END END AS voted
  FROM (
    SELECT *, {greatest}({places}) AS most, COALESCE(CASE WHEN settled THEN votes + apart END, room) AS seats,
      COALESCE(CASE WHEN settled THEN (votes + apart) / 2 + 1 END, need) AS threshold
    FROM (
      SELECT q.id AS question_id, p.id AS pair_id,
        COALESCE(r.seats, q.seats) AS room, COALESCE(r.threshold, q.threshold) AS need, q.gold_rule, q.scheme,
        CASE WHEN q.gold_rule = '{of_all}' THEN p.answers_left_out END AS apart,
        CASE WHEN q.is_main THEN q.gold_rule || q.scheme || p.scheme END AS crossing,
        CASE WHEN q.is_main THEN p.published_label END AS published,
        CASE WHEN q.is_main THEN COALESCE(p.published_label, p.author_label) END AS filed,
        MAX(a.label) AS adjudicated,
        {counts},
        COUNT(l.label) AS votes, COUNT(l.id) - COUNT(l.label) AS waiting,
        COUNT(*) FILTER (WHERE ',' || r.undecided || ',' LIKE '%,' || l.label || ',%') AS unclear,
        COUNT(*) FILTER (WHERE l.origin = 'imported') > 0 AS imported,
        COUNT(*) FILTER (WHERE l.origin <> 'author') > 0 AND COUNT(l.label) = COUNT(l.id) AS settled,
        MAX(l.label) FILTER (WHERE l.origin = 'author') AS author_vote,
        COUNT(l.label) FILTER (WHERE l.origin <> 'author' AND l.annotator_id = l.author_id) > 0 AS self_validated,
        MAX(l.cast_at) FILTER (WHERE l.label IS NOT NULL) AS last_cast_at
      FROM collection_pair p
      JOIN validation_question q ON q.corpus_id = p.corpus_id
      LEFT JOIN validation_partitionrule r ON r.question_id = q.id AND r.partition = p.published_partition
      LEFT JOIN validation_label l ON l.pair_id = p.id AND l.question_id = q.id AND l.sentence = 0
        AND l.withdrawn_at IS NULL AND l.position <= q.seats
      LEFT JOIN validation_adjudication a ON a.pair_id = p.id AND a.question_id = q.id AND a.withdrawn_at IS NULL
      GROUP BY p.id, q.id, r.id
    ) c
  ) s
) d
"""

PLACES = max(map(len, SCHEMES.values()))


def definition(vendor: str) -> str:
    """Returns the statement that creates the view, on one line: the database stores it as it came."""
    places = [f"n{k}" for k in range(PLACES)]  # short, as the SQL names them 22 times
    at_place = [
        ", ".join(f"'{labels[k]}'" for labels in SCHEMES.values() if k < len(labels)) for k in range(PLACES)
    ]
    crossed = {
        f"{rule}{scheme}{into}": read
        for rule in RULES
        for (scheme, into), read in READINGS.items()
        if may_decide(rule, scheme, into)
    }
    statement = VIEW.format(
        places=", ".join(places),
        greatest=GREATEST[vendor],
        of_all=OF_ALL,
        no_majority=NO_MAJORITY,
        differs=DIFFERS,
        neutral=places[SCHEMES["nli3"].index("neutral")],
        counts=",\n        ".join(
            f"COUNT(*) FILTER (WHERE l.label IN ({labels})) AS {place}"
            for place, labels in zip(places, at_place, strict=True)
        ),
        crossed=_branches(crossed, places),
        voted=_branches({scheme: reading(scheme, scheme) for scheme in SCHEMES}, places),
    )
    return " ".join(statement.split())


def _branches(reads: Mapping[str, Mapping[str, str]], places: list[str]) -> str:
    """Returns the branches of a CASE that give, for each key, the gold label of the most frequent label."""
    return " ".join(
        f"WHEN '{key}' THEN CASE most {_cases(places, list(read.values()))} END"
        for key, read in reads.items()
    )


def _cases(places: list[str], labels: list[str]) -> str:
    """Returns the branches of a CASE that map the number of the most frequent label to its gold label."""
    other = max(labels, key=labels.count)
    others = (
        f"WHEN {place} THEN '{label}'" for place, label in zip(places, labels, strict=False) if label != other
    )
    return " ".join((*others, f"ELSE '{other}'"))


def drop(using: str, plan: Any = (), **_: Any) -> None:
    """Drops the view before migrations run. Keeps it if there are none, since others may be reading it."""
    if plan:
        with connections[using].cursor() as cursor:
            cursor.execute("DROP VIEW IF EXISTS validation_gold")


def create(using: str, **_: Any) -> None:
    """Creates the view, and drops an older one first."""
    connection = connections[using]
    with transaction.atomic(using=using), connection.cursor() as cursor:
        cursor.execute("DROP VIEW IF EXISTS validation_gold")
        cursor.execute(definition(connection.vendor))
