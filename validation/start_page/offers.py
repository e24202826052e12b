"""The offers on the start page: which corpora have work for an annotator, over collection and validation."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Greatest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from collection.joining.estimates import Task, words_to_read
from collection.joining.exams import may_take
from collection.models import WRITING_EXAM, Corpus, EntryLink, Exam, Prompt, PromptVersion
from collection.writing.claiming import has_writing, prompts_with_work
from validation.annotators.membership import may_label, may_qualify
from validation.labelling.seats import questions_with_work
from validation.models import Assignment, Label, Membership, Question
from validation.quality_control.control_items import bonus_of
from validation.questions.addresses import address_of
from validation.questions.choices import choices_of

OFFERS_SHOWN = 30
AT_ONCE = 20  # questions per statement
HOURLY = F("pay_cents") * 3600 / Greatest("seconds", 1)


@dataclass(frozen=True)
class Offer:
    """A corpus with work for an annotator, and exams that lead to more work.

    writes: the annotator can write. prompts: the prompts under which they can, if there are several. questions: the
    questions under which they can label, the main one first. exam: they can take the exam for writing. label_exams:
    the questions whose exams they can take. Pay is in cents per premise and per hour, time in seconds.
    """

    corpus: Corpus
    writes: bool
    prompts: tuple[Prompt, ...]
    exam: bool
    questions: tuple[Question, ...]
    label_exams: tuple[Question, ...]
    least_pay: int | None
    most_pay: int | None
    seconds: int | None
    least_hourly: int | None = None
    most_hourly: int | None = None


def offers_for(annotator: User) -> list[Offer]:
    """Returns the corpora with work or an exam for this annotator at present, in at most ten queries.

    It uses the same rules as the actions `claim_writing`, `claim_batch` and `send_exam`.
    """
    now = timezone.now()
    questions = _by_corpus(_questions_for(annotator, now, Question.objects.all()))
    label_exams = _by_corpus(_questions_with_exam_for(annotator, Question.objects.all()))
    corpora = (
        Corpus.objects.annotate(
            writes=has_writing(annotator, now),
            exam_waits=Exists(_writing_exams(annotator)),
        )
        .filter(Q(writes=True) | Q(exam_waits=True) | Q(pk__in=questions.keys() | label_exams.keys()))
        .order_by("pk")[:OFFERS_SHOWN]
    )
    shown: list[Any] = list(corpora)
    prompts = prompts_with_work(annotator, [corpus for corpus in shown if corpus.writes])
    return _with_pay(shown, prompts, questions, label_exams)


def _by_corpus(questions: Iterable[Question]) -> dict[int, list[Question]]:
    found: dict[int, list[Question]] = {}
    for question in questions:
        found.setdefault(question.corpus_id, []).append(question)
    return found


def _writing_exams(annotator: User) -> QuerySet[Exam]:
    """Returns the exam for writing of an outer query's corpus, if this annotator can take it."""
    exams = Exam.objects.filter(corpus=OuterRef("pk"), slug=WRITING_EXAM, corpus__paused_at=None)
    return exams.filter(may_take(annotator))


def _questions_for(annotator: User, now: datetime, among: QuerySet[Question]) -> list[Question]:
    """Returns those of these questions under which this annotator may label and would get a batch.

    It searches for free seats only under questions with an open seat or an open batch of the annotator.
    """
    cursors = Membership.objects.filter(annotator=annotator, question=OuterRef("pk")).values("cursor")
    seats = Label.objects.seats().filter(question=OuterRef("pk"), label=None)
    batches = Assignment.objects.filter(question=OuterRef("pk"), annotator=annotator, closed_at=None)
    asked = (
        among.filter(may_label(annotator), Q(Exists(seats), corpus__paused_at=None) | Exists(batches))
        .annotate(cursor=Coalesce(Subquery(cursors), 0))
        .order_by("corpus", "-is_main", "slug")
    )
    found: list[Question] = []
    waiting = list(asked)
    while waiting and len(found) < 2 * OFFERS_SHOWN:
        portion, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
        cursor_of = [(question.pk, question.cursor) for question in portion]
        have_work = questions_with_work(cursor_of, annotator.pk, now)
        found += [question for question in portion if question.pk in have_work]
    return found


def _questions_with_exam_for(annotator: User, among: QuerySet[Question]) -> QuerySet[Question]:
    """Returns those of these questions whose own exam this annotator can take to join the pool."""
    exams = Exam.objects.filter(may_take(annotator), corpus__paused_at=None).exclude(slug=WRITING_EXAM)
    found = among.filter(may_qualify(annotator), qualification__exam__in=exams)
    return found.order_by("corpus", "-is_main", "slug")[:OFFERS_SHOWN]


def _with_pay(
    corpora: list[Corpus],
    prompts: dict[int, list[Prompt]],
    questions: dict[int, list[Question]],
    label_exams: dict[int, list[Question]],
) -> list[Offer]:
    pay: dict[int, Any] = {
        row["prompt__corpus"]: row
        for row in PromptVersion.objects.newest()
        .filter(prompt__corpus__in=corpora)
        .values("prompt__corpus")
        .annotate(
            least_hourly=Min(HOURLY),  # before a column's name means its greatest
            most_hourly=Max(HOURLY),
            least=Min("pay_cents"),
            most=Max("pay_cents"),
            seconds=Max("seconds"),
        )
    }
    return [
        Offer(
            corpus=corpus,
            writes=corpus.writes,  # type: ignore[attr-defined]
            prompts=tuple(prompts.get(corpus.pk, ())) if len(prompts.get(corpus.pk, ())) > 1 else (),
            exam=corpus.exam_waits,  # type: ignore[attr-defined]
            questions=tuple(questions.get(corpus.pk, ())),
            label_exams=tuple(label_exams.get(corpus.pk, ())),
            least_pay=pay.get(corpus.pk, {}).get("least"),
            most_pay=pay.get(corpus.pk, {}).get("most"),
            seconds=pay.get(corpus.pk, {}).get("seconds"),
            least_hourly=pay.get(corpus.pk, {}).get("least_hourly"),
            most_hourly=pay.get(corpus.pk, {}).get("most_hourly"),
        )
        for corpus in corpora
    ]


def offered_address(annotator: User, corpus_id: int, work: str) -> str:
    """Returns the page of the work, or else of the exam, that a corpus has for this person now; empty if there is none.

    `work`: only that kind of work (EntryLink.Work), or any if it is empty. A visit asks at each of its steps, so this
    looks into that corpus alone, and no further than to the first page that it finds.
    """
    now = timezone.now()
    corpus = Corpus.objects.filter(pk=corpus_id)
    here = Question.objects.filter(corpus=corpus_id).select_related("corpus")

    def writing() -> Iterator[str]:
        free = corpus.filter(has_writing(annotator, now))
        yield from (reverse("writing", args=[each.slug]) for each in free)

    def labelling() -> Iterator[str]:
        yield from (address_of("labelling", question) for question in _questions_for(annotator, now, here))

    def exam() -> Iterator[str]:
        waiting = corpus.filter(Exists(_writing_exams(annotator)))
        yield from (reverse("exam", args=[each.slug]) for each in waiting)

    def label_exams() -> Iterator[str]:
        waiting = _questions_with_exam_for(annotator, here)
        yield from (address_of("labelling-exam", question) for question in waiting)

    ways = {
        EntryLink.Work.WRITING: (writing, exam),
        EntryLink.Work.LABELLING: (labelling, label_exams),
        EntryLink.Work.ANY: (writing, labelling, exam, label_exams),
    }
    return next((address for way in ways[EntryLink.Work(work)] for address in way()), "")


def labelling_task(corpus: int) -> Task | None:
    """Returns a batch of the corpus's main question; None if it has none."""
    question = Question.objects.filter(corpus=corpus, is_main=True).first()
    if question is None:
        return None
    size = question.batch_size
    words = words_to_read(
        question.instructions,
        [choice.help for choice in choices_of(question)],
        list(question.examples.all()),
        question.check_questions.all(),
    )
    return Task(
        _("Judge sentences"),
        seconds=size * question.seconds,
        cents=size * question.pay_cents,
        reading_cents=question.reading_pay_cents,
        sentences=size,
        bonus_cents=bonus_of(question),
        qualification=question.qualification_id,
        words=words,
    )
