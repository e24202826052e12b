"""Finds broken rules for `doctor`: those across tables and files, which no constraint can guard."""

from datetime import timedelta
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Greatest

from collection.models import Exclusion, Pair, PairInSet
from modeling.models import TrainingRun
from validation.models import BatchItem, Label, PartitionRule

_places = (
    Label.objects.that_count()
    .values("question", "pair", "sentence")
    .annotate(places=Count("pk"), last=Max("position"), turns=Count("turn"))
)
_counted = Label.objects.counted().values("question", "pair", "question__seats").annotate(labels=Count("id"))
_same_author = Q(author=F("pair__author")) | Q(author=None, pair__author=None)
_exclusion = Exclusion.objects.standing().filter(
    corpus=OuterRef("question__corpus"), annotator=OuterRef("annotator")
)
_label_of_item = Label.objects.filter(
    annotator=OuterRef("assignment__annotator"),
    question=OuterRef("seat__question"),
    premise=OuterRef("seat__premise"),
    pair=OuterRef("seat__pair"),
    label__isnull=False,
)
_premises = BatchItem.objects.order_by().values("assignment", "seat__premise").annotate(items=Count("pk"))

# A rule as a sentence -> the rows that break it.
INVARIANTS: dict[str, "QuerySet[Any, Any]"] = {
    "No pair has more labels than its question allows": Label.objects.seats().filter(
        position__gt=Greatest("question__seats", "question__most_labels")
    ),
    # A withdrawn label must leave a seat behind.
    "The label positions of an opened pair have no gap": _places.filter(turns__gt=0).exclude(
        places=F("last")
    ),
    "No pair has more counted labels than its question has seats": _counted.filter(
        labels__gt=F("question__seats")
    ),
    "No partition has more seats than its question": PartitionRule.objects.filter(
        seats__gt=F("question__seats")
    ),
    "Nobody validated their own pair": Label.objects.standing().filter(
        origin="cast", annotator=F("pair__author")
    ),
    "Labels repeat the premise, author and scheme of their pair and question": Label.objects.exclude(
        Q(premise=F("pair__premise"), scheme=F("question__scheme")) & _same_author
    ),
    "Label 1 is what the author was asked to write": Label.objects.standing()
    .filter(origin="author")
    .exclude(label=F("pair__author_label")),
    "No label of somebody who is excluded counts": Label.objects.seats().filter(
        Exists(_exclusion), origin="cast"
    ),
    # A claim may commit while a withdrawal is being written.
    "No pair was handed out after it was withdrawn": BatchItem.objects.filter(
        assignment__created_at__gt=F("seat__pair__withdrawn_at") + timedelta(minutes=1)
    ),
    "Every answer is stored as a label": BatchItem.objects.filter(
        ~Exists(_label_of_item), answer__isnull=False
    ),
    "No batch holds a premise twice": _premises.filter(items__gt=1),
    "A pair, its premise and its scheme are of one corpus": Pair.objects.exclude(
        corpus=F("premise__corpus"), scheme=F("corpus__scheme")
    ),
    "A named set has pairs of its corpus alone": PairInSet.objects.exclude(
        pair__corpus=F("pair_set__corpus")
    ),
    "A run that is done has its accuracy": TrainingRun.objects.filter(status="done", train_accuracy=None),
}
