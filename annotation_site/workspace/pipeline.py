"""Counts the stages of the data: premises, texts, pairs, labels, gold labels, days, money.

A small corpus is counted during the request. For a large one a worker counts, and pages show what it counted last, with
the date (validation/statistics/cached.py decides which is which).
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from annotation_site.workspace.premises_charts import premise_stock
from annotation_site.workspace.texts_days import A_DAY, DAYS, texts_by_day
from collection.models import Corpus, LedgerEntry, Pair, Premise, PromptVersion, WritingSeat
from collection.writing.arms import mean_pay
from shared.days import start_of_day
from shared.findings import WEEK, is_early, pace
from validation.gold.queries import is_complete, is_disputed
from validation.models import Gold, Label, Question
from validation.pairs.opening import openings, seats_to_fill, unopened_pairs
from validation.statistics import cached
from validation.statistics.agreement import agreement_and_weeks
from validation.statistics.progress import Progress, ignore_progress


@dataclass(frozen=True)
class Counts:
    """Holds the numbers of a corpus's overview."""

    premises: int = 0  # without dropped ones
    tasks: int = 0  # writing tasks
    written: int = 0  # writing tasks that were sent
    pairs: int = 0  # without withdrawn ones
    opened: int = 0  # pairs with seats
    unopened: int = 0  # pairs that can be opened ...
    opening_cents: int = 0  # ... and what that would cost
    complete: int = 0  # pairs with all labels
    gold: int = 0  # complete pairs with a gold label
    disputed: int = 0  # complete pairs whose votes give no gold label; a researcher may have decided
    filled: int = 0  # seats with a label, without the author's
    labels: int = 0  # filled seats whose label was cast on this site
    open_seats: int = 0  # labels still needed
    labelling: int = 0  # people who labelled in the last 24 hours
    writing: int = 0  # people who wrote in the last 24 hours
    surplus: int = 0  # labels that came after somebody else had filled their seats
    # [ISO date in UTC, texts, labels] of each day with any, oldest first
    worked: list[list[Any]] = field(default_factory=list)
    agreement: float | None = None  # share of labels that equal the gold label
    compared: int = 0  # number of pairs behind `agreement`
    interval: list[float] | None = None  # of `agreement`, 95%
    spent: int = 0  # cents earned so far
    due_labels: int = 0  # cents that the open seats will cost, under all questions
    due_texts: int = 0  # cents that the open writing tasks will cost
    due_new_labels: int = 0  # and the labels of what is written in them, under the main question
    earned_on_top: int = (
        0  # cents of `spent` that were not for texts and labels: reading, bonuses and the like
    )
    # [slug of a genre, premises, used up, with pairs], where a worker counted
    premise_stock: list[list[Any]] = field(default_factory=list)
    # slug of a genre -> ISO date -> texts, 14 days, where a worker counted
    texts_by_day: dict[str, dict[str, int]] = field(default_factory=dict)
    # as `weekly_agreement` returns them, where a worker counted
    weeks: list[list[Any]] = field(default_factory=list)
    made_at: datetime | None = None  # when a worker counted; None: during this request

    def pace(self, column: int) -> float:
        """Returns the mean number a day over the last week, or since the first: of texts (column 1) or of labels (2)."""
        return pace(sum(day[column] for day in self.days(WEEK)), self.days_since_first(column))

    def is_early(self, column: int) -> bool:
        """Returns whether it is too early to tell when the texts or the labels will be done."""
        return is_early(self.days_since_first(column), sum(day[column] for day in self.worked))

    def days(self, number: int = DAYS) -> list[list[Any]]:
        """Returns the last days as in `worked`, the oldest first; those on which nobody worked, too."""
        today, known = start_of_day(timezone.now()).date(), {day[0]: day for day in self.worked}
        last = ((today - ago * A_DAY).isoformat() for ago in range(number - 1, -1, -1))
        return [known.get(day, [day, 0, 0]) for day in last]

    def first_day(self, column: int) -> date | None:
        """Returns the first day with a text or with a label; None without any."""
        return next((date.fromisoformat(day[0]) for day in self.worked if day[column]), None)

    def days_since_first(self, *columns: int) -> int:
        """Returns how many days have passed since the first with any of these, both ends included."""
        today = start_of_day(timezone.now()).date()
        known = [day for day in map(self.first_day, columns) if day]
        return (today - min(known)).days + 1 if known else 0

    def until_done(self, fee_percent: float) -> dict[str, int]:
        """Returns what is still to be paid until every text is written and labelled: the parts, in cents, no empty ones.

        Reading, bonuses and the like are added at their share so far, once the work is enough for a forecast: before, a
        few people who were paid for reading would be taken for a share of all that comes.

        fee_percent: what the platform takes on top of all pay.
        """
        work = self.due_texts + self.due_new_labels + self.opening_cents + self.due_labels
        earned = self.spent - self.earned_on_top
        tells = any(self.first_day(column) and not self.is_early(column) for column in (1, 2))
        on_top = round(work * self.earned_on_top / earned) if earned and tells else 0
        parts = {
            "texts": self.due_texts,
            "new labels": self.due_new_labels,
            "unopened": self.opening_cents,
            "labels": self.due_labels,
            "on top": on_top,
            "fee": round((work + on_top) * fee_percent / 100),
        }
        return {name: cents for name, cents in parts.items() if cents}

    @property
    def pace_of_labels(self) -> float:
        return self.pace(2)

    def last_active(self) -> date | None:
        """Returns the last day on which somebody wrote or labelled; None if there is none."""
        return date.fromisoformat(self.worked[-1][0]) if self.worked else None


def counts_of(corpora: Collection[Corpus]) -> dict[int, Counts | None]:
    """Returns corpus id -> its counts; None for a large corpus that no worker has counted yet.

    It needs a constant number of queries, and two more for the agreement of each corpus that has labels.
    """
    main = Question.objects.filter(is_main=True, corpus__in=corpora)
    main = main.select_related("corpus").prefetch_related("partitions")
    questions = {question.corpus_id: question for question in cached.with_size(main)}
    large = [question for question in questions.values() if question.is_large]  # type: ignore[attr-defined]
    stored = cached.stored_overviews(large)
    found: dict[int, Counts | None] = {}
    for question in large:
        content, made_at = stored.get(question.pk, (None, None))
        found[question.corpus_id] = Counts(**content, made_at=made_at) if content else None
    found |= _count([corpus for corpus in corpora if corpus.pk not in found], questions, timezone.now())
    for pk, question in questions.items():
        counts = found[pk]
        if counts is not None and counts.filled:
            found[pk] = replace(counts, **_agreement(cached.dashboard_agreement(question)[0]))
    return found


def counts_to_sort_by(corpora: Collection[Corpus]) -> dict[int, Counts | None]:
    """Returns corpus id -> its counts as a worker last stored them; only corpora without stored ones are counted now.

    For lists of many corpora, all of which a worker counts (cached.stale_overviews).
    """
    main = dict(Question.objects.filter(is_main=True, corpus__in=corpora).values_list("pk", "corpus"))
    stored = cached.stored_overviews(main)
    found: dict[int, Counts | None] = {
        main[pk]: Counts(**content, made_at=made_at) for pk, (content, made_at) in stored.items()
    }
    return found | counts_of([corpus for corpus in corpora if corpus.pk not in found])


def overview_of(question: Question, by: str = "", progress: Progress = ignore_progress) -> dict[str, Any]:
    """Returns the counts of the question's corpus, for the cache. A worker calls it."""
    corpus, now = question.corpus, timezone.now()
    counts = _count([corpus], {corpus.pk: question}, now)[corpus.pk]
    figures, weeks = agreement_and_weeks(question)
    found = {name: value for name, value in asdict(counts).items() if name != "made_at"}
    return found | {
        **_agreement(figures),
        "premise_stock": premise_stock(corpus),
        "texts_by_day": texts_by_day(corpus, now),
        "weeks": weeks,
    }


def _count(corpora: Collection[Corpus], questions: dict[int, Question], now: datetime) -> dict[int, Counts]:
    if not corpora:
        return {}
    rows: dict[int, dict[str, Any]] = {corpus.pk: {} for corpus in corpora}
    keys = [corpus.pk for corpus in corpora]
    day_ago = now - A_DAY

    def add(queryset: QuerySet[Any], path: str, **counts: Any) -> None:
        grouped = queryset.filter(**{f"{path}__in": keys}).order_by().values(path).annotate(**counts)
        for row in grouped:
            rows[row.pop(path)].update(row)

    sent = Q(submitted_at__isnull=False)
    add(Premise.objects.exclude(status="dropped"), "corpus", premises=Count("pk"))
    add(
        WritingSeat.objects.real(),
        "premise__corpus",
        tasks=Count("pk"),
        written=Count("pk", filter=sent),
        writing=Count("annotator", filter=Q(submitted_at__gte=day_ago), distinct=True),
    )
    add(Pair.objects.standing(), "corpus", pairs=Count("pk"))
    corpus_of = {questions[pk].pk: pk for pk in keys if pk in questions}
    # By the questions' keys, not by a join with their corpora: then an index leads to these labels alone.
    labels = Label.objects.filter(question__in=list(corpus_of))
    is_filled = Q(label__isnull=False)
    grouped = labels.that_count().order_by().values("question")
    for row in grouped.annotate(
        opened=Count("pair", distinct=True),
        filled=Count("pk", filter=is_filled & ~Q(origin=Label.Origin.AUTHOR)),
        labels=Count("pk", filter=is_filled & Q(origin=Label.Origin.CAST)),
        open_seats=Count("pk", filter=Q(label=None)),
        labelling=Count("annotator", filter=Q(cast_at__gte=day_ago, origin=Label.Origin.CAST), distinct=True),
    ):
        rows[corpus_of[row.pop("question")]].update(row)
    late = Label.objects.surplus().filter(question__in=list(corpus_of)).order_by().values("question")
    for row in late.annotate(surplus=Count("pk")):
        rows[corpus_of[row["question"]]]["surplus"] = row["surplus"]
    gold = Gold.objects.filter(is_complete(), question__in=list(corpus_of), pair__withdrawn_at=None)
    for row in gold.values("question").annotate(
        complete=Count("pair"),
        gold=Count("pair", filter=Q(label__isnull=False)),
        disputed=Count("pair", filter=is_disputed()),
    ):
        numbers = {name: row[name] for name in ("complete", "gold", "disputed")}
        rows[corpus_of[row["question"]]].update(numbers)
    counted = [questions[pk] for pk in keys if pk in questions]
    for pk, opening in openings(counted, unopened_pairs(*counted)).items():
        rows[pk] |= {"unopened": opening.pairs, "opening_cents": opening.cents}
    on_top = Sum("cents", filter=~Q(kind__in=(LedgerEntry.Kind.WRITING, LedgerEntry.Kind.LABELS)), default=0)
    add(LedgerEntry.objects.all(), "corpus", spent=Sum("cents"), earned_on_top=on_top)
    days = _days(keys, corpus_of)
    open_seats = Label.objects.open().filter(question__corpus__in=keys, question__is_main=False).order_by()
    others = dict(open_seats.values_list("question__corpus").annotate(cents=Sum("question__pay_cents")))
    for pk, due in _due_texts(keys, questions).items():
        rows[pk] |= due
    for pk, row in rows.items():
        row["worked"] = [[day.isoformat(), *days[pk][day]] for day in sorted(days[pk])]
        main = row.get("open_seats", 0) * questions[pk].pay_cents if pk in questions else 0
        row["due_labels"] = main + others.get(pk, 0)
    return {pk: Counts(**row) for pk, row in rows.items()}


def _days(keys: list[int], corpus_of: dict[int, int]) -> dict[int, dict[date, list[int]]]:
    """Returns corpus id -> day -> [texts, labels under the main question], for each day with any.

    corpus_of: question id -> corpus id.
    """
    days: dict[int, dict[date, list[int]]] = {pk: defaultdict(lambda: [0, 0]) for pk in keys}
    texts = WritingSeat.objects.real().filter(premise__corpus__in=keys, submitted_at__isnull=False)
    written = texts.order_by().annotate(day=TruncDate("submitted_at")).values_list("premise__corpus", "day")
    for pk, day, number in written.annotate(number=Count("pk")):
        days[pk][day][0] = number
    labels = Label.objects.filled_by_validators().filter(question__in=list(corpus_of))
    cast = labels.order_by().annotate(day=TruncDate("cast_at")).values_list("question", "day")
    for question, day, number in cast.annotate(number=Count("pk")):
        days[corpus_of[question]][day][1] = number
    return days


def _due_texts(keys: list[int], questions: dict[int, Question]) -> dict[int, dict[str, int]]:
    """Returns corpus id -> the cents that the unwritten tasks will cost, at the pay of the newest prompt versions, and those
    of the labels that their pairs get under the main question."""
    unwritten = (
        WritingSeat.objects.real()
        .filter(premise__corpus__in=keys, submitted_at=None, genre__prompt__isnull=False)
        .exclude(premise__status="dropped")
    )
    grouped = (
        unwritten.order_by().values_list("premise__corpus", "genre__prompt").annotate(number=Count("pk"))
    )
    newest = PromptVersion.objects.newest().filter(prompt__corpus__in=keys).prefetch_related("fields")
    versions = {version.prompt_id: version for version in newest.select_related("prompt__arm_of")}
    pay = mean_pay(versions.values())
    due: dict[int, dict[str, int]] = {pk: {"due_texts": 0, "due_new_labels": 0} for pk in keys}
    for corpus, prompt, number in grouped:
        if version := versions.get(prompt):
            due[corpus]["due_texts"] += round(number * pay[prompt])
            if question := questions.get(corpus):
                rules, fields = question.rules_by_partition(), version.fields.all()
                seats = sum(len(seats_to_fill(question, rules, None, field.label, 1)) for field in fields)
                due[corpus]["due_new_labels"] += number * seats * question.pay_cents
    return due


def _agreement(figures: dict[str, Any] | None) -> dict[str, Any]:
    if figures is None or not figures["pairs_with_all_labels"]:
        return {}
    return {
        "compared": figures["pairs_with_all_labels"],
        "agreement": figures["individual_equals_gold"],
        "interval": figures["intervals"]["individual_equals_gold"],
    }
