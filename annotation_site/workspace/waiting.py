"""Collects what waits for a person: visits, reports, exams, disputes, flags, pay, failed jobs, missing workers, the disk."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any
from urllib.parse import urlsplit

from django.apps import apps
from django.db.models import CharField, Count, Exists, F, IntegerField, Min, OuterRef, Q, QuerySet, Value
from django.urls import resolve, reverse
from django.utils import timezone

from accounts.models import User
from annotation_site.operation.health import OK, QUEUES, disk
from annotation_site.researchers.alarm import new_alarms
from annotation_site.researchers.payments import unapproved
from collection.members.gate import may_open, roles_of
from collection.models import Corpus, ExamAttempt, PairImportJob, PayList, ProblemReport, Review, Visit
from jobs.models import PATIENCE
from jobs.tasks import kinds
from modeling.models import LeakAudit, TrainingRun
from modeling.workers import working
from nli.gold import ADJUDICATED
from snapshots.models import Snapshot, SnapshotExport, SnapshotStatistics
from validation.models import CachedStatistics, Question
from validation.questions.addresses import address_in
from validation.statistics import cached

FAILED_SINCE = timedelta(days=7)
UNPAID_FOR = timedelta(days=7)  # as long may work be without approval
# Kinds of jobs: what failed, where a row has its corpus, and the page that shows it (with or without ?corpus=SLUG).
JOBS: tuple[tuple[Any, str, str, str], ...] = (
    (TrainingRun, "training run", "snapshot__corpus__slug", "runs"),
    (Snapshot, "freeze", "corpus__slug", "snapshots"),
    (SnapshotExport, "export", "snapshot__corpus__slug", "snapshots"),
    (SnapshotStatistics, "count of a snapshot’s statistics", "snapshot__corpus__slug", "snapshots"),
    (LeakAudit, "leak audit", "snapshot__corpus__slug", "snapshots"),
    (PairImportJob, "import", "corpus_slug", "imports"),
)


@dataclass(frozen=True)
class Waiting:
    """One thing that waits: in which corpus (a slug; empty: in none), a sentence, and what to do about it, where."""

    slug: str
    sentence: str
    action: str
    link: str


def waiting() -> list[Waiting]:
    """Returns all that waits, the most urgent first. A constant number of queries, and one for each adjudicated corpus."""
    return [
        *_disk(),
        *_no_worker(),
        *_kept_out(),
        *_reports(),
        *_reviews(),
        *_exams(),
        *_disputes(),
        *_flags(),
        *_alarms(),
        *_pay(),
        *_failed(),
    ]


def waiting_for(user: User | None) -> list[Waiting]:
    """Returns what waits for this researcher: in their corpora as far as their role reaches, and for everybody."""
    roles = roles_of(user)
    if roles is None:
        return waiting()
    found = waiting()
    # The import of a corpus that it did not make: only who requested it knows of it.
    strange = {each.slug for each in found} - {"", *roles}
    own = PairImportJob.objects.of(user).filter(corpus_slug__in=strange)  # no query where there is none
    slugs = set(own.values_list("corpus_slug", flat=True))
    return [each for each in found if not each.slug or _is_for(each, roles, slugs)]


def _is_for(each: Waiting, roles: Mapping[str, str], own: Collection[str]) -> bool:
    page = resolve(urlsplit(each.link).path).url_name or ""
    role = roles.get(each.slug)
    return (page == "imports" and each.slug in own) if role is None else may_open(role, page)


def waiting_in(slug: str, user: User | None) -> list[Waiting]:
    """Returns what waits for this researcher in one corpus, and what concerns all corpora."""
    return [each for each in waiting_for(user) if each.slug in ("", slug)]


def _some(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _disk() -> Iterator[Waiting]:
    part = disk()
    if part.state != OK:
        sentence = f"The disk of the server is filling up: {part.says.rstrip('.')}"
        yield Waiting("", sentence, "Ask the operator to make room; see the state", reverse("health"))


@dataclass(frozen=True)
class WaitingJobs:
    """The jobs of one queue that no worker has claimed: how many, what the oldest is, and since when it waits."""

    queue: str
    number: int
    oldest: str
    since: datetime


def waiting_jobs(until: datetime | None = None) -> list[WaitingJobs]:
    """Returns the waiting jobs of each queue that has any, or those requested before a time; in one query."""
    of_kinds = (
        kind.objects.waiting()
        .filter(queued_at__lt=until or timezone.now())
        .values(queue=Value(kind.QUEUE, CharField()), job=Value(kind._meta.label_lower, CharField()))
        .annotate(all=Count("pk"), since=Min("queued_at"))
        for kind in kinds()
    )
    rows = sorted((row for row in _together(of_kinds) if row["all"]), key=itemgetter("since"))
    found = []
    for queue in QUEUES:
        if own := [row for row in rows if row["queue"] == queue]:
            oldest = str(apps.get_model(own[0]["job"])._meta.verbose_name)
            found.append(WaitingJobs(queue, sum(row["all"] for row in own), oldest, own[0]["since"]))
    return found


def _no_worker() -> Iterator[Waiting]:
    for jobs in waiting_jobs(timezone.now() - PATIENCE):
        if not working(jobs.queue):
            are = "waits" if jobs.number == 1 else "wait"
            sentence = f"{_some(jobs.number, 'job')} {are}, and no worker serves the queue {jobs.queue}"
            yield Waiting("", sentence, "Ask the operator to start one; see the state", reverse("health"))


def _together(counts: Iterable[QuerySet[Any, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Returns the rows of all these queries, read by one statement."""
    first, *others = (each.order_by() for each in counts)
    return list(first.union(*others, all=True))


def _kept_out() -> Iterator[Waiting]:
    of = ("link__corpus__slug", "link__corpus__name", "link")
    for row in Visit.objects.exclude(waits_since=None).values(*of).annotate(all=Count("pk")).order_by(*of):
        slug, name, link = (row[each] for each in of)
        people = "1 person" if row["all"] == 1 else f"{row['all']:,} people"
        sentence = f"{people} lost the browser of their visit to {name}, and cannot go on"
        where = reverse("entry-link", args=[slug, link]) + "?step=began#people"
        yield Waiting(slug, sentence, "Make a way back", where)


def _reports() -> Iterator[Waiting]:
    of = ("assignment__corpus__slug", "assignment__corpus__name")
    reports = ProblemReport.objects.filter(answered_at=None).values(*of)
    for row in reports.annotate(all=Count("pk")).order_by(*of):
        slug, name = (row[each] for each in of)
        sentence = f"{_some(row['all'], 'problem report')} without an answer in {name}"
        yield Waiting(slug, sentence, "Answer", reverse("report-queue", args=[slug]))


def _reviews() -> Iterator[Waiting]:
    of = ("corpus__slug", "corpus__name")
    for row in Review.objects.waiting().values(*of).annotate(all=Count("pk")).order_by(*of):
        slug, name = (row[each] for each in of)
        sentence = f"{_some(row['all'], 'sentence')} to review in {name}"
        yield Waiting(slug, sentence, "Review", reverse("review-next", args=[slug]))


def _exams() -> Iterator[Waiting]:
    of = ("exam__corpus__slug", "exam__corpus__name")
    exams = ExamAttempt.objects.waiting().values(*of)
    for row in exams.annotate(all=Count("pk")).order_by(*of):
        slug, name = (row[each] for each in of)
        link = reverse("admin:collection_examattempt_changelist") + "?passed__isnull=True"
        yield Waiting(slug, f"{_some(row['all'], 'exam')} to review in {name}", "Review", link)


def _disputes() -> Iterator[Waiting]:
    for question in Question.objects.filter(is_main=True, gold_rule=ADJUDICATED).select_related("corpus"):
        if undecided := cached.waiting_for_decision(question):
            sentence = f"{_some(undecided, 'pair')} to decide in {question.corpus.name}"
            yield Waiting(question.corpus.slug, sentence, "Decide", address_in("adjudication", question))


def _flags() -> Iterator[Waiting]:
    for question, number in cached.flagged():
        are = "annotators are" if number > 1 else "annotator is"
        sentence = f"{number:,} {are} flagged in {question.corpus.name}"
        yield Waiting(
            question.corpus.slug, sentence, "Look at their work", address_in("annotators", question)
        )


def _alarms() -> Iterator[Waiting]:
    for question, rang in new_alarms(timezone.now()):
        corpus = question.corpus
        sentence = (
            f"{_some(len(rang), 'alarm')} rang in the last week: a word tells the label in {corpus.name}"
        )
        yield Waiting(corpus.slug, sentence, "Look for whom", address_in("bias", question) + "#alarm")


def _pay() -> Iterator[Waiting]:
    late = unapproved(OuterRef("pk")).filter(cents__gt=0, created_at__lt=timezone.now() - UNPAID_FOR)
    lists = PayList.objects.filter(corpus=OuterRef("pk"), paid_at=None)
    corpora = Corpus.objects.annotate(is_late=Exists(late), is_approved=Exists(lists))
    for corpus in corpora.filter(Q(is_late=True) | Q(is_approved=True)).order_by("slug"):
        link = reverse("pay", args=[corpus.slug])
        if corpus.is_late:
            sentence = f"Work from more than a week ago is not approved for payment in {corpus.name}"
            yield Waiting(corpus.slug, sentence, "Approve", link)
        if corpus.is_approved:
            sentence = f"Pay is approved and not paid yet in {corpus.name}"
            yield Waiting(corpus.slug, sentence, "Pay", link)


def _failed() -> Iterator[Waiting]:
    since = timezone.now() - FAILED_SINCE
    of_kinds = (
        kind.objects.filter(status=kind.FAILED, finished_at__gt=since)
        .values(place=Value(place, IntegerField()), slug=F(corpus))
        .annotate(all=Count("pk"))
        for place, (kind, _, corpus, _) in enumerate(JOBS)
    )
    for row in sorted(_together(of_kinds), key=itemgetter("place", "slug")):
        _, name, _, page = JOBS[row["place"]]
        slug = row["slug"]
        where = f" in {slug}" if slug else ""
        link = reverse(page) + (f"?corpus={slug}" if slug else "")
        sentence = f"{_some(row['all'], name)} failed in the last week{where}"
        yield Waiting(slug, sentence, "See why", link)
    counts = CachedStatistics.objects.filter(status=CachedStatistics.FAILED, finished_at__gt=since)
    for question in Question.objects.filter(cached_statistics__in=counts).select_related("corpus").distinct():
        sentence = f"Statistics of {question.corpus.name} could not be counted"
        yield Waiting(question.corpus.slug, sentence, "See why", address_in("agreement", question))
