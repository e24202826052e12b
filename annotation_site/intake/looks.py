"""Looks through the files of an import before anything is written, and stops what would lose a part of them in silence."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from annotation_site.intake.files import PORTION
from annotation_site.intake.pairs import PairOrder, check_labels, checked, plans_of, started
from annotation_site.intake.report import PairReport
from collection.formats.field_errors import FieldError
from collection.formats.lines import BadLine, sha256_of
from collection.formats.records import PARTITIONS, Unreadable
from collection.formats.registry import ImportFormat
from collection.imports.pair_plans import Rules
from collection.imports.pairs import ID_TAKEN, OTHER_LABEL, PairSource, new_pairs
from collection.models import Corpus, Source
from shared.portions import portions
from validation.models import Label

LOOKED_AT = 2000  # rows whose columns are looked at
TEXTS = 100  # rows whose letters are
MOST_REFUSED = 0.1  # of a file's lines
CLASS = 0.01  # of all lines: a label that so many have is a class
WAYS = {  # out of a reason that many lines share, and the field that leads there
    ID_TAKEN: (
        " With the columns id= the pairs get other ids; with genre=COLUMN and “only genre” one part is imported.",
        "columns",
    ),
    OTHER_LABEL: (" Where each line is one person’s answer, choose “gather”.", "gather"),
}


class TooMuchRefused(FieldError):
    """A class or more than a tenth of a file is refused. Nothing was written; `report` names the lines."""

    def __init__(self, report: PairReport, text: str, way: tuple[str, str]) -> None:
        super().__init__(f"{text}{way[0]} Or choose “partly”: then the other lines are imported.", way[1])
        self.report = report


def looked_at(
    order: PairOrder, tell: Callable[[str], None] = lambda text: None
) -> tuple[PairReport, dict[str, Any]]:
    """Counts what an order would make, and what is there already. Writes nothing.

    Calls `tell` with the progress after every portion.
    """
    corpus, form, rules, _ = checked(order)
    report = PairReport()
    run = started(order, form, corpus or Corpus(slug=order.slug), writes=False)
    labels, partitions, pairs, voted = Counter[str](), Counter[str](), 0, 0
    digests = {sha256_of(path): path.name for path in order.files}
    before = Source.objects.filter(corpus=corpus, sha256__in=digests).values_list("sha256", flat=True)
    for path in order.files:
        is_checked, file = False, PairSource(Source(corpus=run.corpus, name=path.name))
        for portion in portions(order.form.read(path), PORTION):
            plans = plans_of(order, rules, report, path, portion)
            if plans and not is_checked:
                check_labels(order, report, path, plans)
                is_checked = True
            new, refused = new_pairs(run=run, file=file, plans=plans)
            report.refuse(path.name, refused)
            for plan in new:
                pairs += 1
                voted += bool(plan.votes)
                known = plan.published_label or plan.author_label
                labels[known or ("votes" if plan.votes else "none")] += 1
                partitions[order.partition or plan.item.partition or "none"] += 1
            tell(f"{path.name}: line {portion[-1].line:,}, {pairs:,} pairs looked through")
    report.ids_changed = run.ids_changed
    report.counts = {**run.counts, "pairs": pairs, "skipped": run.counts["skipped"], "voted": voted}
    return report, {
        **{"labels_by_name": dict(labels), "partitions": dict(partitions)},
        "imported_before": sorted({digests[digest] for digest in before}),
    }


def too_much(order: PairOrder, report: PairReport) -> TooMuchRefused | None:
    """Returns why an import with this report has to be asked for with `partly`; None where it has not."""
    if order.partly or order.strict or not (report.counts.get("pairs") or report.counts.get("skipped")):
        return None
    for label, lines in report.classes.items():
        if lines > 1 and lines >= CLASS * report.rows.total():
            return TooMuchRefused(
                report,
                f"All {lines:,} lines with the label {label} are refused, so nothing is imported.",
                _meant(label),
            )
    for file, reasons in report.unfit.items():
        if (lines := reasons.total()) > MOST_REFUSED * report.rows[file]:
            ((most, number),) = reasons.most_common(1)
            how_many = "most of them because" if 2 * number > lines else f"{number:,} of them because"
            odd = report.odd_labels.get(most, "") if order.form.fields else ""
            return TooMuchRefused(
                report,
                f"{file}: {lines:,} of {report.rows[file]:,} lines are refused, {how_many}: {most}. So nothing is"
                " imported.",
                _meant(odd) if odd else WAYS.get(most, ("", "")),
            )
    return None


def _meant(label: str) -> tuple[str, str]:
    return f" Say what {label} means: {label}=..., with nothing after = if it is no label.", "label_map"


def looked_through(
    order: PairOrder, tell: Callable[[str], None] = lambda text: None, *, judges: bool = True
) -> PairOrder:
    """Returns the order without its split if that is for corpora without votes, and this one has or gets some.

    judges: raises TooMuchRefused, for which all files are read; else they are read up to the first vote. Where a pair has
    votes, freezing places the others beside it. Calls `tell` with the progress.
    """
    corpus, _, rules, _ = checked(order)
    asks = order.unless_votes and order.split is not None and not order.partition
    has_votes = corpus and (corpus.prompts.exists() or Label.objects.filter(question__corpus=corpus).exists())
    if judges and not (order.partly or order.strict):
        report, _ = looked_at(order, tell)
        if problem := too_much(order, report):
            raise problem
        has_votes = has_votes or report.counts["voted"] > 0
    elif asks and not has_votes:
        has_votes = _any_votes(order, rules, tell)
    return replace(order, split=None) if asks and has_votes else order


def _any_votes(order: PairOrder, rules: Rules, tell: Callable[[str], None]) -> bool:
    for path in order.files:
        for portion in portions(order.form.read(path), PORTION):
            if any(
                not isinstance(item, BadLine) and rules.has_votes(item)
                for item in portion
                if order.wants(item)
            ):
                return True
            tell(f"{path.name}: line {portion[-1].line:,}, no votes so far")
    return False


def check_columns(form: ImportFormat, path: Path, *, language: bool, partitions: bool) -> None:
    """Raises FieldError where what a file says is not read, and decides something.

    language: that of a corpus that is to be made and called English. partitions: published ones in a column.
    """
    rows = [item for item in islice(form.records(path), LOOKED_AT) if not isinstance(item, BadLine)]
    if language and (
        letter := _foreign_letter(text for line, row in rows[:TEXTS] for text in _texts(form, line, row))
    ):
        raise FieldError(
            f"Most letters of {path.name} are not Latin (such as {letter}), so its language is not English. Name it, such"
            " as zh, ko or ar.",
            "language",
        )
    values: dict[str, Counter[str]] = {}
    for _, row in rows if partitions else ():
        for key, value in row.items():
            if isinstance(value, str) and value.strip():
                values.setdefault(key, Counter())[value.strip().lower()] += 1
    for key, found in values.items():
        known = found.keys() & PARTITIONS.keys()
        if 2 * sum(found[name] for name in known) > found.total() and not _reads(form, rows, key):
            names = ", ".join(sorted(found)[:10])
            by_columns = f"the columns partition={key} keep these partitions, " if form.fields else ""
            raise FieldError(
                f"The column {key} of {path.name} names partitions ({names}), and is not read. Choose:"
                f" {by_columns}the split 80:10:10 draws others, the split none draws none."
            )


def _reads(form: ImportFormat, rows: list[tuple[int, dict[str, Any]]], key: str) -> bool:
    """Returns whether the format keeps the column."""
    for line, row in rows:
        if row.get(key):
            if form.fields:
                return key in form.fields.columns_read(row)
            assert form.read_record is not None
            try:
                return key not in form.read_record(line, row).unread
            except Unreadable:
                continue
    return True


def _texts(form: ImportFormat, line: int, row: dict[str, Any]) -> tuple[str, ...]:
    """Returns premise and hypothesis of a row; nothing of one that cannot be read."""
    if form.fields:
        return form.fields.pair_in(form.fields.with_inner(row))
    assert form.read_record is not None
    try:
        pair = form.read_record(line, row)
    except Unreadable:
        return ()
    return (*pair.premise, pair.hypothesis)


def _foreign_letter(texts: Iterator[str]) -> str:
    """Returns a letter that is not Latin, if more than a third of the letters are not: ids may be among the texts."""
    letters = [letter for text in texts for letter in text if letter.isalpha()]
    foreign = [letter for letter in letters if not unicodedata.name(letter, "").startswith("LATIN")]
    return foreign[0] if 3 * len(foreign) > len(letters) else ""
