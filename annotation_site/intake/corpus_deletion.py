"""Deletes a corpus that holds no work, with all that describes it and with its premises."""

from django.db import IntegrityError
from django.db.models import Model, ProtectedError, QuerySet

from collection.models import (
    Corpus,
    CorpusMember,
    CorpusText,
    DroppedLine,
    EntryLink,
    Exam,
    ExamAttempt,
    Exclusion,
    Genre,
    Invitation,
    LedgerEntry,
    LevelChange,
    Look,
    OfferedText,
    Pair,
    PairSet,
    PayList,
    Premise,
    PremiseImport,
    Preregistration,
    Prompt,
    PromptReading,
    PromptVersion,
    Review,
    SignUp,
    Source,
    Vetting,
    Visit,
    Withholding,
    WritingAssignment,
    WritingSeat,
)
from shared.findings import listed
from shared.transactions import one_transaction
from snapshots.models import DatasheetAnswer, DerivedTree, Parser, Snapshot
from validation.models import Assignment, CalibrationItem, Label, Membership, Question, QuestionReading

# What somebody did for a corpus or in it: one row is enough to keep the corpus. (Model, path to the corpus, one, many)
WORK: tuple[tuple[type[Model], str, str, str], ...] = (
    (Pair, "corpus", "pair", "pairs"),
    (WritingAssignment, "corpus", "text begun", "texts begun"),
    (Label, "question__corpus", "label or open seat", "labels and open seats"),
    (Assignment, "question__corpus", "batch handed out", "batches handed out"),
    (Membership, "question__corpus", "annotator in a pool", "annotators in pools"),
    (PromptReading, "version__prompt__corpus", "reading of instructions", "readings of instructions"),
    (QuestionReading, "question__corpus", "reading of a question", "readings of questions"),
    (ExamAttempt, "exam__corpus", "exam taken", "exams taken"),
    (SignUp, "corpus", "person who signed up", "people who signed up"),
    (Visit, "link__corpus", "visit by a link", "visits by links"),
    (LedgerEntry, "corpus", "entry of pay", "entries of pay"),
    (PayList, "corpus", "list of pay", "lists of pay"),
    (Exclusion, "corpus", "exclusion", "exclusions"),
    (Vetting, "corpus", "withdrawal of pairs", "withdrawals of pairs"),
    (PairSet, "corpus", "set of pairs", "sets of pairs"),
    (Review, "corpus", "sentence drawn for review", "sentences drawn for review"),
    (LevelChange, "corpus", "change of a level", "changes of levels"),
    (Snapshot, "corpus", "snapshot", "snapshots"),
)
# What describes a corpus, in the order in which it goes: what refers to others goes before them.
DESCRIPTION: tuple[tuple[type[Model], str], ...] = (
    (DroppedLine, "genre__corpus"),
    (WritingSeat, "premise__corpus"),
    (PremiseImport, "genre__corpus"),
    (OfferedText, "premise__corpus"),
    (Premise, "corpus"),
    (DerivedTree, "parser__source__corpus"),
    (Parser, "source__corpus"),
    (Source, "corpus"),
    (EntryLink, "corpus"),
    (Invitation, "corpus"),
    (Exam, "corpus"),
    (CalibrationItem, "question__corpus"),
    (Question, "corpus"),
    (Genre, "corpus"),
    (PromptVersion, "prompt__corpus"),
    (Prompt, "arm_of__corpus"),
    (Prompt, "corpus"),
    (Look, "preregistration__corpus"),
    (Preregistration, "corpus"),
    (CorpusText, "corpus"),
    (DatasheetAnswer, "corpus"),
    (Withholding, "corpus"),
    (CorpusMember, "corpus"),
)
HUGE = (DroppedLine, WritingSeat, Premise)  # deleted by one statement each, without reading them


class HoldsWork(Exception):
    """The corpus holds work, so it stays. Its text is a whole sentence."""


def work_in(corpus: Corpus) -> list[str]:
    """Returns what was done in a corpus, such as "3 pairs"; nothing if it may be deleted."""
    found = []
    for model, path, one, many in WORK:
        if number := model._default_manager.filter(**{path: corpus}).count():
            found.append(f"{number:,} {one if number == 1 else many}")
    return found


def delete_corpus(*, corpus: Corpus) -> None:
    """Deletes a corpus with its premises and all that describes it. Raises HoldsWork.

    Rows that refer to it keep it, whatever this module knows: the database has no way around them.
    """
    try:
        _delete(corpus)
    except (ProtectedError, IntegrityError):
        raise HoldsWork(refusal(work_in(corpus) or ["work that has just begun"])) from None


@one_transaction
def _delete(corpus: Corpus) -> None:
    held = Corpus.objects.select_for_update().get(pk=corpus.pk)
    if work := work_in(held):
        raise HoldsWork(refusal(work))
    for model, path in DESCRIPTION:
        rows: QuerySet = model._default_manager.filter(**{path: held})
        if model in HUGE:
            rows._raw_delete(rows.db)
        else:
            rows.delete()
    held.delete()


def refusal(work: list[str]) -> str:
    return (
        f"This corpus holds {listed(work)}, so it is not deleted. Archive it instead: it leaves the list, and all of it"
        " stays."
    )
