"""The dashboard of researchers: each corpus at a glance, and what needs attention."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db.models import Avg, Count, F, Max, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from collection.models import Corpus, ExamAttempt, Pair, Premise, ProblemReport, WritingSeat
from modeling.models import TrainingRun
from modeling.workers import working
from snapshots.models import Snapshot
from validation.models import Label, Question
from validation.statistics import cached

# The full lists are one click away.
CORPORA_SHOWN = 20
ROWS_SHOWN = 5
NOT_COUNTED = "…"  # no worker has counted it yet


@dataclass(frozen=True)
class Figure:
    """One number with its name, a note, and a link to its list. `value` is a text while the number is unknown."""

    value: int | str
    name: str
    note: str
    link: str


@dataclass(frozen=True)
class CorpusGlance:
    """A corpus with its numbers, newest snapshots and newest runs."""

    corpus: Corpus
    figures: list[Figure]
    has_question: bool
    is_written: bool
    snapshots: list[Snapshot] = field(default_factory=list)
    runs: list[TrainingRun] = field(default_factory=list)


def dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Adds `glances` (list of CorpusGlance), `waiting` (what needs a researcher's attention) and `training_is_worked` to
    the context of the admin's first page. Unfold calls it."""
    corpora = list(Corpus.objects.order_by("-pk")[:CORPORA_SHOWN])
    context["glances"] = glances(corpora)
    context["more_corpora"] = Corpus.objects.count() - len(corpora)
    context["waiting"] = waiting()
    context["training_is_worked"] = bool(working("training"))
    return context


def glances(corpora: list[Corpus]) -> list[CorpusGlance]:
    """Returns the numbers of these corpora: one grouped query for each number, and two for each corpus."""
    premises = _by_corpus(Premise.objects.exclude(status="dropped"), "corpus", corpora)
    is_written = Q(submitted_at__isnull=False)
    seats = _by_corpus(WritingSeat.objects.real(), "premise__corpus", corpora, written=is_written)
    pairs = _by_corpus(Pair.objects.standing(), "corpus", corpora)
    labels = _by_corpus(
        Label.objects.seats().filter(question__is_main=True).exclude(origin=Label.Origin.AUTHOR),
        "question__corpus",
        corpora,
        cast=Q(label__isnull=False),
    )
    questions = {
        question.corpus_id: question for question in Question.objects.filter(is_main=True, corpus__in=corpora)
    }
    return [
        _glance(
            corpus,
            premises=premises.get(corpus.pk, {}),
            seats=seats.get(corpus.pk, {}),
            pairs=pairs.get(corpus.pk, {}),
            labels=labels.get(corpus.pk, {}),
            question=questions.get(corpus.pk),
        )
        for corpus in corpora
    ]


def _glance(
    corpus: Corpus,
    *,
    premises: dict[str, int],
    seats: dict[str, int],
    pairs: dict[str, int],
    labels: dict[str, int],
    question: Question | None,
) -> CorpusGlance:
    complete, disputed, when = _complete_and_disputed(question if labels.get("cast") else None)
    pair_list = reverse("admin:collection_pair_changelist") + f"?corpus__id__exact={corpus.pk}"
    return CorpusGlance(
        corpus=corpus,
        has_question=question is not None,
        is_written=bool(seats),
        figures=[
            Figure(
                premises.get("all", 0),
                "premises",
                f"{seats.get('written', 0):,} of {seats.get('all', 0):,} writing tasks done"
                if seats
                else "none to write for",
                reverse("admin:collection_premise_changelist") + f"?corpus__id__exact={corpus.pk}",
            ),
            Figure(pairs.get("all", 0), "pairs", "written or imported", pair_list),
            Figure(
                labels.get("cast", 0),
                "validators' labels",
                f"{labels.get('all', 0) - labels.get('cast', 0):,} seats still open",
                reverse("admin:validation_label_changelist") + f"?question__corpus__id__exact={corpus.pk}",
            ),
            Figure(
                complete,
                "pairs with all labels",
                f"agreement is computed from them{when}",
                reverse("agreement", args=[corpus.slug]),
            ),
            Figure(
                disputed,
                "disputed",
                f"no label reaches the threshold{when}",
                reverse("pairs", args=[corpus.slug]) + "?votes=disputed",
            ),
        ],
        snapshots=list(Snapshot.objects.filter(corpus=corpus).newest_first()[:ROWS_SHOWN]),
        runs=list(
            TrainingRun.objects.filter(snapshot__corpus=corpus)
            .newest_first()
            .annotate(test_accuracy=_accuracy("test"), test_majority=_majority("test"))[:ROWS_SHOWN]
        ),
    )


def _complete_and_disputed(question: Question | None) -> tuple[int | str, int | str, str]:
    """Returns the pairs with all labels, how many of them have no gold label, and the date of the count."""
    if question is None:
        return 0, 0, ""
    figures, made_at = cached.dashboard_agreement(question)
    if figures is None:
        return NOT_COUNTED, NOT_COUNTED, "; a worker will count them soon"
    complete = figures["pairs_with_all_labels"]
    disputed = round((figures["no_gold"] or 0) * complete)
    return complete, disputed, f"; as of {made_at:%-d %B, %H:%M} UTC" if made_at else ""


def _accuracy(partition: str) -> Avg:
    return Avg("evaluations__accuracy", filter=_whole(partition))


def _majority(partition: str) -> Max:
    return Max("evaluations__majority", filter=_whole(partition))


def _whole(partition: str) -> Q:
    """Selects the score on a whole partition of the run's own snapshot; it may be evaluated on others, too."""
    return Q(
        evaluations__snapshot=F("snapshot"),
        evaluations__partition=partition,
    )


def _by_corpus(rows: Any, path: str, corpora: list[Corpus], **conditions: Q) -> dict[int, dict[str, int]]:
    """Returns corpus id -> {"all": rows, name of each condition: rows that fulfil it}."""
    counts = {name: Count("pk", filter=condition) for name, condition in conditions.items()}
    grouped = (
        rows.filter(**{f"{path}__in": corpora}).order_by().values(path).annotate(all=Count("pk"), **counts)
    )
    return {row.pop(path): row for row in grouped}


def waiting() -> list[tuple[str, str]]:
    """Returns what needs a researcher's attention, as sentences with links."""
    found = []
    reports = ProblemReport.objects.filter(answered_at=None).values("assignment__corpus__slug")
    for row in reports.annotate(all=Count("pk")).order_by("assignment__corpus__slug"):
        slug, count = row["assignment__corpus__slug"], row["all"]
        sentence = f"{count} problem report{'s' if count > 1 else ''} without an answer in {slug}"
        found.append((sentence, reverse("report-queue", args=[slug])))
    exams = ExamAttempt.objects.filter(passed=None).count()
    if exams:
        found.append(
            (
                f"{exams} exam{'s' if exams > 1 else ''} to review",
                reverse("admin:collection_examattempt_changelist") + "?passed__isnull=True",
            )
        )
    for question in Question.objects.filter(is_main=True, gold_rule="adjudicated").select_related("corpus"):
        undecided = cached.waiting_for_decision(question)
        if undecided:
            found.append(
                (
                    f"{undecided:,} pair{'s' if undecided > 1 else ''} of {question.corpus.name} to decide",
                    reverse("adjudication", args=[question.corpus.slug]),
                )
            )
    for question, number in cached.flagged():
        people = "annotators are" if number > 1 else "annotator is"
        found.append(
            (
                f"{number:,} {people} flagged in {question.corpus.name}",
                reverse("annotators", args=[question.corpus.slug]),
            )
        )
    late = TrainingRun.objects.filter(
        status="queued", requested_at__lt=timezone.now() - timedelta(minutes=1)
    ).count()
    if late and not working("training"):
        found.append(
            (
                f"{late} training run{'s' if late > 1 else ''} waiting, and no worker serves the queue",
                reverse("runs"),
            )
        )
    failed = TrainingRun.objects.filter(
        status="failed", finished_at__gt=timezone.now() - timedelta(days=7)
    ).count()
    if failed:
        found.append(
            (f"{failed} training run{'s' if failed > 1 else ''} failed in the last week", reverse("runs"))
        )
    return found
