"""The people of a question's pool, as researchers see them."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery

from accounts.models import User
from collection.imports.pairs import person_code
from collection.models import Corpus, Exclusion, Pair
from validation.gold.queries import with_gold_label
from validation.models import BatchItem, CalibrationAnswer, Label, Membership, Question


def pool_of(question: Question) -> QuerySet[Membership]:
    """Members with `cast` (labels that stand), `withdrawn`, and how many of `controls` and `calibration` items that they
    answered are `..._right`.
    """
    labels = Label.objects.cast_by(OuterRef("annotator")).filter(question=question).order_by()  # type: ignore[arg-type]
    expert = Label.objects.standing().filter(
        origin=Label.Origin.EXPERT, question=question, pair=OuterRef("pair"), sentence=OuterRef("sentence")
    )
    met = labels.filter(Exists(expert))
    right = labels.filter(Exists(expert.filter(label=OuterRef("label"))))
    outside = CalibrationAnswer.objects.filter(
        annotator=OuterRef("annotator"), item__question=question, answer__isnull=False
    ).order_by()
    return (
        Membership.objects.filter(question=question)
        .select_related("annotator")
        .annotate(
            cast=_count(labels.filter(withdrawn_at=None)),
            withdrawn=_count(labels.exclude(withdrawn_at=None)),
            controls=_count(met),
            controls_right=_count(right),
            calibration=_count(outside),
            calibration_right=_count(outside.filter(answer=F("item__label"))),
        )
        .order_by("-cast", "annotator__code")
    )


def imported_labels(question: Question) -> QuerySet[Label]:
    """Labels that came with a published corpus, each with the person of the file who gave it, authors among them."""
    return Label.objects.filter(question=question, annotator__kind=User.Kind.IMPORTED)


def imported_people(question: Question) -> int:
    """How many people have imported labels. Each is of one corpus alone, so few rows are looked at."""
    of_corpus = User.objects.filter(
        kind=User.Kind.IMPORTED, code__startswith=person_code(question.corpus.slug, "")[:29]
    )
    return of_corpus.filter(Exists(imported_labels(question).filter(annotator=OuterRef("pk")))).count()


def _count(rows: QuerySet[Any]) -> Subquery:
    return Subquery(rows.values("annotator").annotate(n=Count("pk")).values("n"))


def exclusions_of(corpus: Corpus, annotator: User) -> QuerySet[Exclusion]:
    """Newest first, those that were undone too."""
    rows = Exclusion.objects.filter(corpus=corpus, annotator=annotator).select_related("by", "undone_by")
    return rows.order_by("-created_at")


def known_as(name: str) -> User | None:
    """An annotator by code. Not by user name: the answer would tell a researcher whose the name is."""
    return User.objects.annotators().filter(code=name).first()


def newest_labels(annotator: User, question: Question, number: int) -> list[Any]:
    """What somebody labelled last, also what does not count: each with `seconds`, as text, and its pair's gold label."""
    handed_out = BatchItem.objects.filter(seat=OuterRef("pk"), assignment__annotator=annotator)
    rows: Iterable[Any] = (
        Label.objects.cast_by(annotator)
        .filter(question=question)
        .annotate(active_ms=Subquery(handed_out.order_by("-pk").values("active_ms")[:1]))
        .order_by("-cast_at", "-pk")[:number]
    )
    labels = list(rows)
    pairs = with_gold_label(Pair.objects.all(), question, {label.pair_id for label in labels}).in_bulk()
    for label in labels:
        label.pair = pairs[label.pair_id]
        label.seconds = "" if label.active_ms is None else f"{label.active_ms / 1000:.1f}"
    return labels
