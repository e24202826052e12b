"""Decides who may write for a corpus, and who may mend what was returned to them."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from accounts.models import Grant, User
from collection.errors import NotByThisLink, NotQualified, NoWork, WritingEnded
from collection.joining.entry_links import is_open_to, opened_to
from collection.joining.exams import standing_of
from collection.models import Corpus, ExamAttempt, Exclusion, LedgerEntry, ReturnedText
from collection.models.querysets import ReturnedTextQuerySet


def why_not_writing(corpus: Corpus, annotator: User) -> NoWork | None:
    """Returns why this person may not write for this corpus; None if they may."""
    if Corpus.objects.filter(may_write(annotator), pk=corpus.pk).exists():
        return None
    if Exclusion.objects.of(annotator).filter(corpus=corpus).exists():
        return WritingEnded()
    if not is_open_to(annotator, corpus.pk) or corpus.writing_qualification is None:
        return NotByThisLink()
    earned = LedgerEntry.objects.for_writing().filter(corpus=corpus, user=annotator)
    waits = ExamAttempt.objects.waiting().filter(
        annotator=annotator, exam__qualification=corpus.writing_qualification
    )
    exam = getattr(corpus.writing_qualification, "exam", None)
    standing = standing_of(exam, annotator) if exam is not None else None
    return NotQualified(
        corpus.writing_qualification,
        has_earned=earned.exists(),
        exam_waits=waits.exists(),
        exam_failed=standing.why_not if standing is not None and standing.has_failed else "",
    )


def may_write(annotator: User, *, undone: Exclusion | None = None) -> Q:
    """Returns a condition on corpora: this person may write. `undone`: as if this exclusion had been undone."""
    held = Grant.objects.standing().filter(user=annotator, qualification=OuterRef("writing_qualification"))
    excluded = Exclusion.objects.of(annotator).filter(corpus=OuterRef("pk"))
    if undone is not None:
        excluded = excluded.exclude(pk=undone.pk)
    may = Q(writing_qualification=None) | Q(Exists(held))
    by_link = opened_to(annotator) | Q(Exists(held.filter(how=Grant.How.INVITATION)))
    return may & by_link & ~Q(Exists(excluded))


def texts_to_mend(writer: User, now: datetime) -> ReturnedTextQuerySet:
    """Returns the returned texts that this person can mend or decline now: they may still write for the corpus."""
    corpora = Corpus.objects.filter(may_write(writer), pk=OuterRef("pair__corpus"))
    mine: ReturnedTextQuerySet = ReturnedText.objects.of(writer).filter(
        Exists(corpora), outcome="", until__gt=now
    )
    return mine
