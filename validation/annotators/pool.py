"""Queries for researchers about the annotators in a question's pool."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from accounts.models import User
from collection.models import Corpus, Exclusion, Pair
from validation.gold.queries import with_gold_label
from validation.models import BatchItem, CalibrationAnswer, Label, Membership, Question


def pool_of(question: Question, annotator: User | None = None) -> list[Any]:
    """Returns the members, or this one, with numbers of their labels and of answers to control and calibration items.

    `cast`: labels that are not withdrawn. `withdrawn`: the others, but not those that a correction replaced.
    `controls`, `calibration`: answered items; `controls_right`, `calibration_right`: those with the expert's label.
    Those with the most labels come first.
    Each kind of rows is counted once for all: by person, they would be read again and again.
    """
    one = {} if annotator is None else {"annotator": annotator}
    standing = Q(withdrawn_at=None)
    labels = Label.objects.ever_cast().without_corrected().filter(question=question, **one)
    met = Label.objects.met_controls(question).filter(**one)
    outside = CalibrationAnswer.objects.filter(item__question=question, answer__isnull=False, **one)
    counted = (
        _by_person(labels, cast=Count("pk", filter=standing), withdrawn=Count("pk", filter=~standing)),
        _by_person(met, controls=Count("pk"), controls_right=Count("pk", filter=Q(label=F("expert")))),
        _by_person(
            outside,
            calibration=Count("pk"),
            calibration_right=Count("pk", filter=Q(answer=F("item__label"))),
        ),
    )
    members = list(Membership.objects.filter(question=question, **one).select_related("annotator"))
    for member in members:
        for numbers in counted:
            vars(member).update(numbers[member.annotator_id])
    return sorted(members, key=lambda member: (-member.cast, member.annotator.code))


def _by_person(rows: QuerySet[Any], **counts: Count) -> defaultdict[int, dict[str, int]]:
    """Returns person -> these counts; zeros for everybody else."""
    found: defaultdict[int, dict[str, int]] = defaultdict(lambda: dict.fromkeys(counts, 0))
    for row in rows.order_by().values("annotator").annotate(**counts):
        found[row.pop("annotator")] = row
    return found


# What somebody is in a corpus, and in the pool of a question.
WRITER, OUTSIDE = "writes pairs, too", "not in the pool"
ROLES = tuple(map(str.lower, (*User.Kind.labels, *User.Role.labels[1:], WRITER)))
STATES = (*Membership.Status.values, OUTSIDE)


def standing_of(question: Question, codes: Iterable[str]) -> dict[str, tuple[tuple[str, ...], str]]:
    """Returns code -> (some of ROLES, one of STATES), in one query."""
    status = Membership.objects.filter(question=question, annotator=OuterRef("pk")).values("status")
    wrote = Pair.objects.standing().filter(corpus=question.corpus_id, author=OuterRef("pk"))
    people = User.objects.filter(code__in=list(codes)).annotate(status=Subquery(status), writes=Exists(wrote))
    return {
        each.code: (
            (
                (
                    each.get_kind_display() if each.role == User.Role.ANNOTATOR else each.get_role_display()
                ).lower(),
                *((WRITER,) if each.writes else ()),
            ),
            each.status or OUTSIDE,
        )
        for each in people
    }


def imported_labels(question: Question) -> QuerySet[Label]:
    """Returns the labels that came with a published corpus from persons named in its file, but those of authors as such."""
    labels = Label.objects.filter(question=question, annotator__in=User.objects.imported())
    return labels.exclude(origin=Label.Origin.AUTHOR)


def imported_people(question: Question) -> int:
    """Counts the people who judged in a published file. One person may be in the files of several corpora."""
    return (
        User.objects.imported()
        .filter(Exists(imported_labels(question).filter(annotator=OuterRef("pk"))))
        .count()
    )


def exclusions_of(corpus: Corpus, annotator: User) -> QuerySet[Exclusion]:
    """Returns all exclusions of this annotator from the corpus, also undone ones; newest first."""
    rows = Exclusion.objects.filter(corpus=corpus, annotator=annotator).select_related("by", "undone_by")
    return rows.order_by("-created_at")


def annotator_by_code(name: str) -> User | None:
    """Finds an annotator by code. Not by user name, since that would reveal to a researcher whose name it is."""
    return User.objects.annotators().filter(code=name).first()


def newest_labels(annotator: User, question: Question, number: int) -> list[Any]:
    """Returns somebody's newest labels, also those that do not count.

    Each has `counts`, `seconds` as text, and its pair with the gold label.
    """
    handed_out = BatchItem.objects.filter(seat=OuterRef("pk"), assignment__annotator=annotator)
    rows: Iterable[Any] = (
        Label.objects.cast_by(annotator)
        .shown()
        .with_counts()
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
