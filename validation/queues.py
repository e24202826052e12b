"""What a researcher looks at: the people of a pool, and the pairs that an expert is to label."""

from typing import Any

from django.core.cache import cache
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from accounts.models import User
from collection.imports.pairs import person_code
from collection.models import Corpus, Exclusion, Pair
from validation.draws import in_drawn_order
from validation.models import CalibrationAnswer, CalibrationItem, Label, Membership, Question

# A flag from control items waits for so many: at one percent, few say nothing.
CONTROLS_BEFORE_A_FLAG = 20
DRAW_KEPT = 600  # seconds


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


def control_items(question: Question, *, share: float, seed: int) -> tuple[list[int], int]:
    """Pairs for an expert: (ids without an expert's label, how many were drawn). `share`: 0 to 1 of the open pairs.

    The same seed draws the same pairs, and a larger share the same ones and more. What was drawn is kept for
    DRAW_KEPT seconds, or until more pairs are opened: the expert comes back for each of them.
    """
    seats = Label.objects.seats().filter(question=question)
    newest = seats.filter(position=1).order_by("-pk").values_list("pk", flat=True).first()
    name = f"control:{question.pk}:{newest}:{share}:{seed}"
    drawn: list[int] | None = cache.get(name)
    if drawn is None:
        drawn = _draw(seats, share, seed)
        cache.set(name, drawn, DRAW_KEPT)
    labelled = set(
        Label.objects.standing()
        .filter(question=question, origin=Label.Origin.EXPERT)
        .values_list("pair", flat=True)
    )
    return [pk for pk in drawn if pk not in labelled], len(drawn)


def _draw(seats: QuerySet[Label], share: float, seed: int) -> list[int]:
    pairs = Pair.objects.standing().filter(Exists(seats.filter(pair=OuterRef("pk"))))
    number = round(share * pairs.count())
    return list(in_drawn_order(pairs, f"control:{seed}").values_list("pk", flat=True)[:number])


def judgements(pair: Pair, question: Question) -> QuerySet[Label]:
    """What everybody said of a pair: the seats in their order, then labels that do not count."""
    labels = Label.objects.cast().filter(question=question, pair=pair, sentence=0)
    return labels.select_related("annotator").order_by(F("position").asc(nulls_last=True), "pk")


def calibration_items(question: Question) -> QuerySet[CalibrationItem]:
    """The question's items with how many were shown it (`met`), `answered` it, and were `right`; open ones first."""
    answered = Q(answers__answer__isnull=False)
    return question.calibration.annotate(
        met=Count("answers"),
        answered=Count("answers", filter=answered),
        right=Count("answers", filter=answered & Q(answers__answer=F("label"))),
    ).order_by("-is_open", "pk")
