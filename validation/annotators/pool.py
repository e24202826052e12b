"""Queries for researchers about the annotators in a question's pool."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery

from accounts.models import User
from collection.imports.pairs import person_code
from collection.models import Corpus, Exclusion, Pair
from validation.gold.queries import with_gold_label
from validation.models import BatchItem, CalibrationAnswer, Label, Membership, Question


def pool_of(question: Question) -> QuerySet[Membership]:
    """Returns the members with numbers of their labels and of answers to control and calibration items.

    `cast`: labels that are not withdrawn. `withdrawn`: the others. `controls`, `calibration`: answered items;
    `controls_right`, `calibration_right`: those with the expert's label.
    """
    labels = Label.objects.cast_by(OuterRef("annotator")).filter(question=question).order_by()  # type: ignore[arg-type]
    met = Label.objects.met_controls(question).filter(annotator=OuterRef("annotator")).order_by()
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
            controls_right=_count(met.filter(label=F("expert"))),
            calibration=_count(outside),
            calibration_right=_count(outside.filter(answer=F("item__label"))),
        )
        .order_by("-cast", "annotator__code")
    )


def imported_labels(question: Question) -> QuerySet[Label]:
    """Returns the labels that came with a published corpus from persons named in its file, including authors."""
    return Label.objects.filter(question=question, annotator__kind=User.Kind.IMPORTED)


def imported_people(question: Question) -> int:
    """Counts the people with imported labels. Their codes begin with the corpus, so the query reads few rows."""
    of_corpus = User.objects.filter(
        kind=User.Kind.IMPORTED, code__startswith=person_code(question.corpus.slug, "")[:29]
    )
    return of_corpus.filter(Exists(imported_labels(question).filter(annotator=OuterRef("pk")))).count()


def _count(rows: QuerySet[Any]) -> Subquery:
    return Subquery(rows.values("annotator").annotate(n=Count("pk")).values("n"))


def exclusions_of(corpus: Corpus, annotator: User) -> QuerySet[Exclusion]:
    """Returns all exclusions of this annotator from the corpus, also undone ones; newest first."""
    rows = Exclusion.objects.filter(corpus=corpus, annotator=annotator).select_related("by", "undone_by")
    return rows.order_by("-created_at")


def annotator_by_code(name: str) -> User | None:
    """Finds an annotator by code. Not by user name, since that would reveal to a researcher whose name it is."""
    return User.objects.annotators().filter(code=name).first()


def newest_labels(annotator: User, question: Question, number: int) -> list[Any]:
    """Returns somebody's newest labels, also those that do not count.

    Each has `seconds` as text, and its pair with the gold label.
    """
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


def control_answers(annotator: User, question: Question, number: int) -> list[Any]:
    """Returns somebody's newest labels on control items, those that differ from the expert's first; each has `expert`."""
    met: Any = (
        Label.objects.met_controls(question)
        .filter(annotator=annotator)
        .select_related("pair")
        .order_by("-cast_at", "-pk")[:number]
    )
    return sorted(met, key=lambda label: label.label == label.expert)
