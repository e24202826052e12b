"""Loads an exam from a corpus file: creates, updates or closes it."""

from accounts.models import Qualification
from collection.corpora.differences import Changes, note_rows, replace_rows, set_fields
from collection.corpus_schema import ExamItemPart, ExamPart
from collection.models import Corpus, Exam


def load_exam(
    *,
    corpus: Corpus,
    slug: str,
    scheme: str,
    gives: Qualification | None,
    part: ExamPart | None,
    name: str,
    changes: Changes,
) -> None:
    """Creates or updates the exam of this slug. `gives`: the qualification for passing it.

    An exam that is no longer in the file is deleted, or closed if somebody took it.
    """
    exam = Exam.objects.select_for_update(no_key=True).filter(corpus=corpus, slug=slug).first()
    if part is None or gives is None:
        _close(exam, name, changes)
        return
    columns = {key: value for key, value in dict(part).items() if key != "items"}
    columns |= {"is_open": True, "scheme": scheme, "qualification": gives}
    if exam is None:
        exam = Exam.objects.create(corpus=corpus, slug=slug, **columns)
        changes.new(f"{name}, {len(part.items)} items")
        replace_rows(exam.items, part.items)
        return
    set_fields(exam, columns, name, changes)
    if note_rows(exam.items, part.items, ExamItemPart, f"{name}: item", changes):
        replace_rows(exam.items, part.items)
        if exam.attempts.exists():
            changes.notes.append(f"People have taken the {name} before. Their answers keep the old items.")


def _close(exam: Exam | None, name: str, changes: Changes) -> None:
    if exam is None:
        return
    if exam.attempts.exists():
        set_fields(exam, {"is_open": False}, name, changes)
    else:
        exam.delete()
        changes.gone(name)
