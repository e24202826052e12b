"""Taking an import of pairs back as a whole, while nothing was built on it.

What counts as built on it is what the database's foreign keys say: any row of any table that points at the
import's pairs or labels and did not come with them. A table that is added later counts without a word here.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import IntegrityError, models, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from collection.models import Corpus, Genre, Pair, Parse, Premise, Source
from validation.models import Label, Question
from validation.statistics.cached import outdate


class BuiltOn(Exception):
    """Something was built on the import. The text says what; nothing was changed."""


@dataclass(frozen=True)
class Withdrawn:
    """How many rows were removed, or would be."""

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
            f"Somebody began to work on the pairs of {source.name} in this moment; nothing was removed."
        ) from None
    return found


def _remove(source: Source, corpus: Corpus, with_corpus: bool) -> Withdrawn:
    pairs = Pair.objects.filter(source=source)
    labels = Label.objects.filter(pair__in=pairs)
    # An open seat that nobody was ever given is no work.
    came = labels.filter(
        Q(origin__in=[Label.Origin.IMPORTED, Label.Origin.AUTHOR])
        | Q(origin=Label.Origin.CAST, label=None, leased_until=None)
    )
    blockers = dict(_built_on(pairs, but={Parse, Label}))
    blockers |= dict(_built_on(came, but=set()))
    if given := labels.exclude(pk__in=came.values("pk")).count():
        blockers["labels given here"] = given
    if blockers:
        told = ", ".join(f"{number:,} {what}" for what, number in sorted(blockers.items()))
        raise BuiltOn(
            f"The import of {source.name} into {corpus.slug} cannot be withdrawn: there are {told} of its pairs."
        )
    # Pairs last: rows are found through them.
    counts = {"labels": _delete(came)}
    _delete(Parse.objects.filter(pair__in=pairs))
    counts["pairs"] = _delete(pairs)
    counts["premises"] = _delete(unreferenced(Premise.objects.filter(source=source)))
    imported = User.objects.filter(kind=User.Kind.IMPORTED, code__startswith=f"{corpus.slug}:")
    counts["people"] = _delete(unreferenced(imported))
    _delete(unreferenced(Source.objects.filter(pk=source.pk)))
    outdate(corpus=corpus)
    if with_corpus:
        _remove_corpus(corpus)
    return Withdrawn(**counts, corpus=with_corpus)


def _remove_corpus(corpus: Corpus) -> None:
    """Removes a corpus that has its genres and its main question alone, as an import makes one."""
    genres = Genre.objects.filter(corpus=corpus)
    question = Question.objects.filter(corpus=corpus, is_main=True)
    blockers = dict(_built_on(Corpus.objects.filter(pk=corpus.pk), but={Genre, Question}))
    blockers |= dict(_built_on(genres, but=set()))
    if others := Question.objects.filter(corpus=corpus, is_main=False).count():
        blockers["other questions"] = others
    if blockers:
        told = ", ".join(f"{number:,} {what}" for what, number in sorted(blockers.items()))
        raise BuiltOn(
            f"The corpus {corpus.slug} holds {told} as well. Withdraw the import without the corpus."
        )
    try:
        question.delete()
    except models.ProtectedError as problem:
        names = sorted({str(row._meta.verbose_name_plural) for row in problem.protected_objects})
        raise BuiltOn(f"The corpus {corpus.slug} has {', '.join(names)} for its question as well.") from None
    genres.delete()
    corpus.delete()


def _relations(model: type[models.Model]) -> Iterator[models.ForeignKey]:
    """The foreign keys of all tables that point at this one; a view's rows follow from what is there."""
    for relation in model._meta.get_fields(include_hidden=True):
        field = getattr(relation, "field", None)
        if not isinstance(field, models.ForeignKey) or not relation.auto_created or field.model is None:
            continue
        if field.model._meta.managed:
            yield field


def _built_on(rows: QuerySet, but: set[type[models.Model]]) -> Iterator[tuple[str, int]]:
    """What points at these rows, with its number, apart from the tables `but`."""
    for field in _relations(rows.model):
        if field.model not in but:
            number = field.model._base_manager.filter(**{f"{field.name}__in": rows.values("pk")}).count()
            if number:
                yield str(field.model._meta.verbose_name_plural), number


def unreferenced(rows: QuerySet) -> QuerySet:
    """The rows that no other row points at."""
    for field in _relations(rows.model):
        rows = rows.exclude(Exists(field.model._base_manager.filter(**{field.name: OuterRef("pk")})))
    return rows


def _delete(rows: QuerySet) -> int:
    """Deletes by one statement, without reading half a million rows first; foreign keys still hold."""
    number: int = rows.order_by()._raw_delete(rows.db)
    return number
