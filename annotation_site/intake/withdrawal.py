"""Withdraws an import of pairs as a whole, while nothing depends on it.

Foreign keys decide what depends on it: any row of any table that refers to the import's pairs or labels and did not
come with them. New tables count without a change here.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import IntegrityError, models, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from collection.models import (
    Corpus,
    CorpusMember,
    Genre,
    Guidance,
    Pair,
    PairEdit,
    PairInSet,
    PairSet,
    Parse,
    Premise,
    Source,
)
from validation.models import Adjudication, Assignment, BatchItem, Label, Question
from validation.statistics.cached import mark_stale


class BuiltOn(Exception):
    """Something depends on the import. The text says what. Nothing was changed."""


@dataclass(frozen=True)
class Withdrawn:
    """Counts of the rows that were removed, or would be."""

    pairs: int
    labels: int
    premises: int
    people: int
    corpus: bool


def withdraw_import(*, source: Source, with_corpus: bool = False, dry_run: bool = False) -> Withdrawn:
    """Removes the pairs, labels and parses that came with a file, and the premises and people that nothing else needs.

    with_corpus: remove the corpus too, which must then hold nothing else. Raises BuiltOn.
    """
    try:
        with transaction.atomic():
            # Imports into one corpus take turns by this lock; annotators do not wait for it.
            corpus = Corpus.objects.select_for_update(no_key=True).get(pk=source.corpus_id)
            found = _remove(source, corpus, with_corpus)
            if dry_run:
                transaction.set_rollback(True)
    except IntegrityError:
        raise BuiltOn(
            f"Somebody has just begun to work on the pairs of {source.name}. Nothing was removed. Withdraw single pairs"
            " with vet_pairs instead."
        ) from None
    return found


def _remove(source: Source, corpus: Corpus, with_corpus: bool) -> Withdrawn:
    pairs = Pair.objects.filter(source=source)
    labels = Label.objects.filter(pair__in=pairs)
    # An open seat that nobody ever claimed is not work. Labels of experts and models that were given here have a time.
    came = labels.filter(
        Q(origin__in=[Label.Origin.IMPORTED, Label.Origin.AUTHOR])
        | Q(origin__in=[Label.Origin.EXPERT, Label.Origin.MODEL], cast_at=None)
        | Q(origin=Label.Origin.CAST, label=None, leased_until=None)
    )
    people = User.objects.imported()
    skips = BatchItem.objects.filter(seat__pair__in=pairs, assignment__annotator__in=people)
    decisions = Adjudication.objects.filter(pair__in=pairs, by__in=people)
    blockers = dict(_built_on(pairs, but={Guidance, Parse, PairEdit, Label, PairInSet}, came=decisions))
    blockers |= dict(_built_on(came, but=set(), came=skips))
    if given := labels.exclude(pk__in=came.values("pk")).count():
        blockers["labels given here"] = given
    if blockers:
        counted = ", ".join(f"{number:,} {what}" for what, number in sorted(blockers.items()))
        raise BuiltOn(
            f"The import of {source.name} into {corpus.slug} cannot be withdrawn, because its pairs have {counted}."
            " Withdraw single pairs with vet_pairs instead: they stay as history."
        )
    # Pairs go last, because other rows are found through them.
    batches = list(skips.values_list("assignment", flat=True))
    _delete(skips)
    _delete(Assignment.objects.filter(pk__in=batches))
    _delete(decisions)
    counts = {"labels": _delete(came)}
    _delete(Parse.objects.filter(pair__in=pairs))
    _delete(Guidance.objects.filter(pair__in=pairs))
    _delete(PairEdit.objects.filter(pair__in=pairs))
    if _delete(PairInSet.objects.filter(pair__in=pairs)):
        _delete(PairSet.objects.filter(corpus=corpus, places=None))
    counts["pairs"] = _delete(pairs)
    counts["premises"] = _delete(unreferenced(Premise.objects.filter(source=source)))
    counts["people"] = _delete(unreferenced(people))
    _delete(unreferenced(Source.objects.filter(pk=source.pk)))
    mark_stale(corpus=corpus)
    if with_corpus:
        _remove_corpus(corpus)
    return Withdrawn(**counts, corpus=with_corpus)


def _remove_corpus(corpus: Corpus) -> None:
    """Removes a corpus that has nothing but its genres, its questions and its members, as an import creates it."""
    genres = Genre.objects.filter(corpus=corpus)
    question = Question.objects.filter(corpus=corpus).filter(Q(is_main=True) | Q(wording_came=True))
    blockers = dict(_built_on(Corpus.objects.filter(pk=corpus.pk), but={Genre, Question, CorpusMember}))
    blockers |= dict(_built_on(genres, but=set()))
    if others := Question.objects.filter(corpus=corpus, is_main=False, wording_came=False).count():
        blockers["other questions"] = others
    if blockers:
        counted = ", ".join(f"{number:,} {what}" for what, number in sorted(blockers.items()))
        raise BuiltOn(
            f"The corpus {corpus.slug} holds {counted} as well. Withdraw the import without the corpus."
        )
    try:
        question.delete()
    except models.ProtectedError as problem:
        names = sorted({str(row._meta.verbose_name_plural) for row in problem.protected_objects})
        raise BuiltOn(
            f"The corpus {corpus.slug} cannot be removed: its question has {', '.join(names)}. Withdraw the import"
            " without the corpus."
        ) from None
    genres.delete()
    corpus.delete()


def _relations(model: type[models.Model]) -> Iterator[models.ForeignKey]:
    """Yields the foreign keys of all tables that refer to this one; views are left out."""
    for relation in model._meta.get_fields(include_hidden=True):
        field = getattr(relation, "field", None)
        if not isinstance(field, models.ForeignKey) or not relation.auto_created or field.model is None:
            continue
        if field.model._meta.managed:
            yield field


def _built_on(
    rows: QuerySet, but: set[type[models.Model]], came: QuerySet | None = None
) -> Iterator[tuple[str, int]]:
    """Yields what refers to these rows, with its count, except for the tables `but` and the rows `came`."""
    for field in _relations(rows.model):
        if field.model not in but:
            found = field.model._base_manager.filter(**{f"{field.name}__in": rows.values("pk")})
            if came is not None and field.model is came.model:
                found = found.exclude(pk__in=came.values("pk"))
            number = found.count()
            if number:
                yield str(field.model._meta.verbose_name_plural), number


def unreferenced(rows: QuerySet) -> QuerySet:
    """Returns the rows to which no other row refers."""
    for field in _relations(rows.model):
        rows = rows.exclude(Exists(field.model._base_manager.filter(**{field.name: OuterRef("pk")})))
    return rows


def _delete(rows: QuerySet) -> int:
    """Deletes with one statement, without loading the rows; foreign keys are still enforced."""
    number: int = rows.order_by()._raw_delete(rows.db)
    return number
