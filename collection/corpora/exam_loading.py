"""An exam of a corpus file: created, updated, or closed when it leaves the file."""

from accounts.models import Qualification
from collection.corpora.differences import Changes, replace_rows, set_fields, tell_rows
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
    """Makes the corpus's exam of this slug what the file says; it gives the qualification.

    One that somebody took stays, closed, when it leaves the file: its results are evidence.
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
    if tell_rows(exam.items, part.items, ExamItemPart, f"{name}: item", changes):
        replace_rows(exam.items, part.items)
        if exam.attempts.exists():
            changes.notes.append(
                f"People took the {name} before. Their answers keep the items that they saw."
            )


def _close(exam: Exam | None, name: str, changes: Changes) -> None:
    if exam is None:
        return
    if exam.attempts.exists():
        set_fields(exam, {"is_open": False}, name, changes)
    else:
        exam.delete()
        changes.gone(name)
