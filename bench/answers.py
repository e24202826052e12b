"""Adds answers beyond the five labels to every pair of a corpus: then each has ten."""

from django.db import connection
from django.utils import timezone

from validation.models import Assignment, BatchItem, Label, Question

REASON = "The second sentence says more than the first one does."
# A reason for label 2; labels 6 and 7, asked for later; the answer to a question about grammar; a model's label; a skip.
REASONS = "UPDATE {label} SET reason = %(reason)s WHERE question_id = %(question)s AND position = 2"
GIVEN = """
INSERT INTO {label} (pair_id, premise_id, question_id, author_id, annotator_id, position, label, origin, token, cast_at,
  scheme, sentence, withdrawn_because, model, reason)
SELECT pair_id, premise_id, more.question_id, author_id, CASE more.origin WHEN 'model' THEN NULL ELSE annotator_id END,
  more.position, COALESCE(more.label, l.label), more.origin, l.token || more.suffix, cast_at, more.scheme, 0, '',
  more.model, ''
FROM {label} l JOIN (VALUES
  (2, %(question)s, 6, 'imported', NULL, 'nli3', '', 'x'),
  (3, %(question)s, 7, 'imported', NULL, 'nli3', '', 'y'),
  (4, %(other)s, 1, 'cast', 'minor', 'grammar3', '', 'g'),
  (1, %(question)s, NULL, 'model', NULL, 'nli3', 'bench-model', 'm')
) AS more(like_label, question_id, position, origin, label, scheme, model, suffix) ON more.like_label = l.position
WHERE l.question_id = %(question)s
"""
SKIPS = """
INSERT INTO {item} (assignment_id, seat_id, "order", skip_reason, lost)
SELECT batch.id, seat.id, row_number() OVER (PARTITION BY batch.id ORDER BY seat.id), 'unclear', false
FROM {label} seat JOIN {label} other ON other.pair_id = seat.pair_id AND other.question_id = seat.question_id
  AND other.position = 4
JOIN {batch} batch ON batch.annotator_id = other.annotator_id AND batch.question_id = seat.question_id
WHERE seat.question_id = %(question)s AND seat.position = 5
"""


def add_answers(question: Question) -> None:
    """Adds five answers to every pair, by a few statements."""
    other = Question.objects.create(
        corpus=question.corpus,
        slug="grammar",
        is_main=False,
        scheme="grammar3",
        wording="Is it good English?",
        seats=1,
        threshold=1,
    )
    people = Label.objects.filter(question=question, position=4).values_list("annotator", flat=True)
    now = timezone.now()
    Assignment.objects.bulk_create(
        Assignment(question=question, annotator_id=person, leased_until=now, closed_at=now)
        for person in people.distinct()
    )
    tables = {
        name: model._meta.db_table
        for name, model in (("label", Label), ("item", BatchItem), ("batch", Assignment))
    }
    with connection.cursor() as cursor:
        for statement in (REASONS, GIVEN, SKIPS):
            cursor.execute(
                statement.format(**tables), {"question": question.pk, "other": other.pk, "reason": REASON}
            )
        cursor.execute("ANALYZE")
