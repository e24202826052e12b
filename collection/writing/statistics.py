"""Statistics of writing: advice and pilots for researchers, days and advice for the writer."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import User
from collection.advice import FIXED, LEVELS, MEANINGS
from collection.models import (
    AdviceGiven,
    Corpus,
    LedgerEntry,
    ProblemReport,
    Prompt,
    WritingAssignment,
    WritingSeat,
)
from shared.days import start_of_day


@dataclass(frozen=True)
class AdviceRow:
    """One row of the advice counts: a name, tasks sent, and (warned, refused) for each kind."""

    name: str
    tasks: int
    counts: list[tuple[int, int]]


def advice_kinds() -> list[tuple[str, str]]:
    """Returns name and meaning of each kind, in the order of the columns."""
    return list(MEANINGS.items())


def advice_levels(corpus: Corpus) -> dict[str, str]:
    """Returns the level of each kind in this corpus."""
    return LEVELS | dict(corpus.advice_settings.values_list("advice", "level"))


def advice_by_version(corpus: Corpus) -> list[AdviceRow]:
    """Returns a row for each prompt version with tasks."""
    rows = _advice(corpus, "prompt_version__prompt__name", "prompt_version__number")
    return [AdviceRow(f"{name}, version {number}", tasks, counts) for (name, number), tasks, counts in rows]


def advice_by_writer(corpus: Corpus) -> list[AdviceRow]:
    """Returns a row for each writer, those with the most advice first."""
    rows = _advice(corpus, "annotator__code")
    rows.sort(key=lambda row: -sum(map(sum, row[2])))
    return [AdviceRow(code, tasks, counts) for (code,), tasks, counts in rows]


def _advice(corpus: Corpus, *by: str) -> list[tuple[tuple[Any, ...], int, list[tuple[int, int]]]]:
    """Groups tasks that were submitted or got advice: key, tasks submitted, counts for each kind. Two queries."""
    sent = WritingAssignment.objects.filter(corpus=corpus).sent().order_by(*by)
    tasks = {tuple(key): count for *key, count in sent.values_list(*by).annotate(n=Count("pk"))}
    names = [f"assignment__{name}" for name in by]
    given: dict[tuple[Any, ...], dict[str, tuple[int, int]]] = {key: {} for key in tasks}
    for *key, kind, warned, refused in (
        AdviceGiven.objects.filter(assignment__corpus=corpus)
        .order_by(*names)
        .values_list(*names, "advice")
        .annotate(warned=Count("pk", filter=Q(refused=False)), refusals=Count("pk", filter=Q(refused=True)))
    ):
        given.setdefault(tuple(key), {})[kind] = (warned, refused)
    return [
        (key, tasks.get(key, 0), [counts.get(kind, (0, 0)) for kind in MEANINGS])
        for key, counts in given.items()
    ]


@dataclass
class WritingDay:
    """One person's day, in their time zone: tasks sent, skipped, reported; instructions read for pay; cents earned."""

    date: date
    sent: int = 0
    read: int = 0
    skipped: int = 0
    reported: int = 0
    cents: int = 0


def writing_days(annotator: User, days: int) -> list[WritingDay]:
    """Returns the last days on which this person wrote or skipped something, newest first. Two queries."""
    today = start_of_day(timezone.now())
    since = today - timedelta(days=days - 1)
    found: dict[date, WritingDay] = {}
    tasks = WritingAssignment.objects.filter(annotator=annotator, closed_at__gte=since).order_by()
    by_day = tasks.annotate(day=TruncDate("closed_at")).values_list("day", "outcome")
    for day, outcome, count in by_day.annotate(n=Count("pk")):
        row = found.setdefault(day, WritingDay(day))
        row.sent += count if outcome in WritingAssignment.SENT else 0
        row.skipped += count if outcome == "skipped" else 0
        row.reported += count if outcome == "reported" else 0
    entries = annotator.ledger.for_writing().filter(created_at__gte=since).order_by()
    paid = entries.annotate(day=TruncDate("created_at")).values_list("day")
    is_reading = Q(kind=LedgerEntry.Kind.READING)
    for day, cents, read in paid.annotate(total=Sum("cents"), read=Count("pk", filter=is_reading)):
        row = found.setdefault(day, WritingDay(day))
        row.cents, row.read = cents, read
    shown = [day for day in found.values() if day.sent or day.skipped or day.reported or day.cents]
    return sorted(shown, key=lambda day: day.date, reverse=True)


def earned_by_writing(annotator: User) -> dict[str, tuple[int, int]]:
    """Returns kind of pay -> how often this person earned it, and cents, for what writing pays."""
    kinds = annotator.ledger.for_writing().order_by().values_list("kind")
    return {kind: (times, cents) for kind, times, cents in kinds.annotate(Count("pk"), Sum("cents"))}


def advice_to(annotator: User, days: int) -> list[tuple[str, int]]:
    """Returns the advice that the writer got in the last days: meaning and count."""
    since = start_of_day(timezone.now()) - timedelta(days=days - 1)
    given = AdviceGiven.objects.filter(assignment__annotator=annotator, given_at__gte=since).order_by()
    given = given.exclude(advice__in=FIXED)  # an empty field says nothing about how somebody writes
    counts = dict(given.values_list("advice").annotate(n=Count("pk")))
    return [(gettext(meaning), counts[kind]) for kind, meaning in MEANINGS.items() if kind in counts]


@dataclass
class PilotRow:
    """One pilot's work under a prompt. The time is a median over the tasks that were sent."""

    code: str
    tasks: int = 0
    skipped: int = 0
    advice: int = 0
    reports: int = 0
    times: list[timedelta] = field(default_factory=list)

    @property
    def median(self) -> timedelta | None:
        return sorted(self.times)[len(self.times) // 2] if self.times else None


def pilot_tasks(prompt: Prompt) -> QuerySet[WritingAssignment]:
    """Returns the tasks at pilot seats, newest first, with all that researchers read about them."""
    tasks = WritingAssignment.objects.filter(prompt_version__prompt=prompt, seat__is_pilot=True)
    return (
        tasks.select_related("annotator", "seat__premise", "prompt_version", "signals")
        .prefetch_related("pairs", "advice", "reports")
        .order_by("-pk")
    )


def pilot_rows(prompt: Prompt) -> list[PilotRow]:
    """Returns a row for each chosen pilot, also those who did nothing yet. Three queries."""
    chosen = prompt.pilots.order_by("annotator__code").values_list("annotator__code", flat=True)
    rows = {code: PilotRow(code) for code in chosen}
    tasks = WritingAssignment.objects.filter(prompt_version__prompt=prompt, seat__is_pilot=True)
    for code, outcome, took, advice in tasks.values_list(
        "annotator__code", "outcome", F("closed_at") - F("created_at"), Count("advice")
    ):
        row = rows.setdefault(code, PilotRow(code))
        row.advice += advice
        if outcome in WritingAssignment.SENT:
            row.tasks += 1
            row.times.append(took)
        elif outcome in ("skipped", "reported"):
            row.skipped += 1
    reports = ProblemReport.objects.filter(assignment__in=tasks.order_by())
    for code, count in reports.values_list("assignment__annotator__code").annotate(n=Count("pk")).order_by():
        rows[code].reports = count
    return list(rows.values())


def pilot_seats(prompt: Prompt) -> dict[str, int]:
    """Returns how many seats are `made`, and how many of them are `written`."""
    seats = WritingSeat.objects.filter(genre__prompt=prompt, is_pilot=True)
    return seats.aggregate(made=Count("pk"), written=Count("submitted_at"))
