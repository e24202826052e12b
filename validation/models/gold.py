"""The view of votes and gold labels."""

from django.db import models

from collection.models import Pair
from validation.models.questions import Question


class Gold(models.Model):
    """Votes and gold label of a pair under a question: a row of a view, see validation/gold/sql_view.py. Read only.

    votes_0, votes_1, ...: how many of the seats have the first, the second, ... label of the question's scheme;
    votes: how many are filled; most: the votes of the most frequent label. seats, threshold: those of the pair's
    published partition, else the question's. is_settled: no seat is open, and somebody
    other than the author has labelled the pair. adjudicated: the researcher's decision. standing: the label that was
    published together with the votes. voted: the label that the votes give. author_vote: the author's label, if it is
    one of the votes. self_validated: whether the author validated the pair, too. last_cast_at: when the last of the
    votes was cast.
    """

    pk = models.CompositePrimaryKey("question_id", "pair_id")
    question = models.ForeignKey(Question, on_delete=models.DO_NOTHING, related_name="+")
    pair = models.ForeignKey(Pair, on_delete=models.DO_NOTHING, related_name="gold")
    votes_0 = models.IntegerField(db_column="n0")
    votes_1 = models.IntegerField(db_column="n1")
    votes_2 = models.IntegerField(db_column="n2")
    votes_3 = models.IntegerField(db_column="n3")
    votes_4 = models.IntegerField(db_column="n4")
    votes = models.IntegerField()
    most = models.IntegerField()
    seats = models.IntegerField()
    threshold = models.IntegerField()
    is_settled = models.BooleanField(db_column="settled")
    adjudicated = models.CharField(max_length=20, null=True)
    standing = models.CharField(max_length=20, null=True)
    voted = models.CharField(max_length=20, null=True)
    label = models.CharField(max_length=20, null=True)
    source = models.CharField(max_length=11)
    note = models.CharField(max_length=30)
    author_vote = models.CharField(max_length=20, null=True)
    self_validated = models.BooleanField()
    last_cast_at = models.DateTimeField(null=True)

    class Meta:
        managed = False
        db_table = "validation_gold"
