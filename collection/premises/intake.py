"""Writes premises and dropped lines in batches, and restores lines that a filter dropped."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from collection.errors import CollectionError
from collection.formats.lines import BadLine
from collection.models import Corpus, DroppedLine, Genre, Premise, PremiseImport, Source
from collection.premise_ids import public_id_of, spare_public_id, text_of
from collection.premises.filters.candidates import Candidate, PremiseFilter, candidate
from collection.premises.filters.registry import sift
from collection.premises.writing_seats import make_seats

UPDATED = ["filter", "text", "sentence_count", "document", "group", "public_id"]

Place = tuple[int | None, int | None, int]  # source, line, place


class ReadElsewhere(CollectionError):
    """Another import reads the same file into the same genre now."""


@dataclass
class Batch:
    """The result of a batch of lines.

    present: lines that were premises already from an earlier reading of this file. refused: lines whose id
    belongs to another text.
    """

    added: int = 0
    present: int = 0
    dropped: list[tuple[Candidate, PremiseFilter]] = field(default_factory=list)
    refused: list[BadLine] = field(default_factory=list)


@dataclass
class Restored:
    """The premises made from dropped lines, and the lines that could not be restored, with reasons."""

    premises: list[Premise] = field(default_factory=list)
    refused: list[tuple[DroppedLine, str]] = field(default_factory=list)


@transaction.atomic
def import_batch(
    *,
    progress: PremiseImport,
    candidates: Sequence[Candidate],
    filters: Sequence[PremiseFilter],
    lines_read: int,
) -> Batch:
    """Filters a batch, and writes premises, dropped lines and progress in one transaction.

    `lines_read` is the last line of the batch, after which a later import goes on; so no line is split between
    batches. Digests are compared in the database, so that an import needs little memory. Raises ReadElsewhere.
    """
    genre, source = progress.genre, progress.source
    genre.corpus = _locked(genre.corpus_id)
    moved = PremiseImport.objects.filter(pk=progress.pk, lines_read=progress.lines_read).update(
        lines_read=lines_read
    )
    if not moved:
        raise ReadElsewhere(
            f"Another import of {source.name} into {genre.slug} is running. When it has ended, run the same command"
            " again; it goes on where that one stopped."
        )
    known = known_texts(genre, candidates)
    new = [each for each in candidates if known.get(each.digest) != (source.pk, each.line, each.place)]
    sifted = sift(new, known.keys(), filters)
    premises, refused = _add(genre, source, sifted.kept)
    _keep(genre, source, sifted.dropped)
    _mark_restored(genre, source, premises, candidates)
    batch = Batch(len(premises), len(candidates) - len(new), sifted.dropped, refused)
    progress.lines_read, progress.added = lines_read, progress.added + batch.added
    PremiseImport.objects.filter(pk=progress.pk).update(added=progress.added)
    return batch


def known_texts(genre: Genre, candidates: Iterable[Candidate]) -> dict[str, Place]:
    """Returns the digests of candidates that the genre has already, with their source, line and place."""
    digests = {each.digest for each in candidates}
    rows = Premise.objects.filter(genre=genre, digest__in=digests)
    found = rows.values_list("digest", "source", "line", "place")
    return {digest: (source, line, place) for digest, source, line, place in found}


@transaction.atomic
def restore_lines(*, lines: Iterable[DroppedLine], by: User) -> Restored:
    """Makes premises from dropped lines, with seats for writers in elicited corpora. Idempotent.

    A line whose text the genre has already stays dropped; the result names the premise that has it.
    """
    result = Restored()
    chosen = DroppedLine.objects.filter(pk__in=[line.pk for line in lines])
    # Locks corpora before lines, both in order of their ids, so that two researchers cannot deadlock.
    corpora = {
        pk: _locked(pk)
        for pk in chosen.order_by("genre__corpus").values_list("genre__corpus", flat=True).distinct()
    }
    found = chosen.select_for_update(of=("self",)).select_related("genre", "source").order_by("pk")
    for line in found:
        line.genre.corpus = corpora[line.genre.corpus_id]
        refusal, premise = _restored(line)
        if premise is None:
            result.refused.append((line, refusal))
            continue
        DroppedLine.objects.filter(pk=line.pk).update(
            restored_as=premise, restored_by=by, restored_at=timezone.now()
        )
        result.premises.append(premise)
    return result


def _add(
    genre: Genre, source: Source | None, candidates: Sequence[Candidate]
) -> tuple[list[Premise], list[BadLine]]:
    """Writes new premises with their seats. Rejects candidates whose id another premise has."""
    corpus = genre.corpus
    taken = _taken_ids(corpus, (each.public_id for each in candidates))
    premises, refused = [], []
    for each in candidates:
        if each.public_id in taken:
            refused.append(BadLine(each.line, f'the id "{each.public_id}" belongs to another premise'))
            continue
        public_id = each.public_id or public_id_of(genre.slug, each.digest)
        taken.add(public_id)
        premises.append(
            Premise(
                corpus=corpus,
                genre=genre,
                source=source,
                document=each.document,
                line=each.line,
                place=each.place,
                public_id=public_id,
                group=each.group or public_id,
                text=text_of(each.sentences),
                sentence_count=len(each.sentences),
                digest=each.digest,
            )
        )
    Premise.objects.bulk_create(premises)
    if corpus.protocol == Corpus.Protocol.ELICITED:
        make_seats(premises=premises)
    return premises, refused


def _keep(genre: Genre, source: Source, dropped: Iterable[tuple[Candidate, PremiseFilter]]) -> None:
    """Writes dropped lines. A line that another filter dropped before gets the name of the new filter."""
    DroppedLine.objects.bulk_create(
        (
            DroppedLine(
                source=source,
                genre=genre,
                line=each.line,
                place=each.place,
                document=each.document,
                group=each.group,
                public_id=each.public_id,
                text=text_of(each.sentences),
                sentence_count=len(each.sentences),
                filter=rule.name,
            )
            for each, rule in dropped
        ),
        update_conflicts=True,
        unique_fields=["source", "genre", "line", "place"],
        update_fields=UPDATED,
    )


def _mark_restored(
    genre: Genre, source: Source, premises: Sequence[Premise], candidates: Sequence[Candidate]
) -> None:
    """Marks lines as restored that were dropped under other settings and are premises now."""
    made = {(premise.line, premise.place): premise for premise in premises}
    if made:
        lines = DroppedLine.objects.not_restored().filter(
            source=source, genre=genre, line__range=(candidates[0].line, candidates[-1].line)
        )
        for line in lines.only("line", "place"):
            if premise := made.get((line.line, line.place)):
                DroppedLine.objects.filter(pk=line.pk).update(restored_as=premise, restored_at=timezone.now())


def _restored(line: DroppedLine) -> tuple[str, Premise | None]:
    if line.restored_at is not None:
        return "it has been restored already", None
    sentences = [line.text] if line.sentence_count == 1 else line.text.split("\n")
    wanted = candidate(
        *(line.line, sentences),
        place=line.place,
        public_id=line.public_id,
        document=line.document,
        group=line.group,
    )
    same = Premise.objects.filter(genre=line.genre, digest=wanted.digest).first()
    if same is not None:
        return f"{line.genre.slug} has this text already, as {same.public_id}", None
    if _taken_ids(line.genre.corpus, [wanted.public_id]):
        spare = spare_public_id(wanted.public_id, line.genre.slug, wanted.digest)
        wanted = replace(wanted, public_id=spare)
    (premise,), _ = _add(line.genre, line.source, [wanted])
    return "", premise


def _locked(corpus: int) -> Corpus:
    # `no_key`: annotators' rows refer to the corpus and must not wait for an import.
    return Corpus.objects.select_for_update(no_key=True).get(pk=corpus)


def _taken_ids(corpus: Corpus, public_ids: Iterable[str]) -> set[str]:
    wanted = {public_id for public_id in public_ids if public_id}
    found = Premise.objects.filter(corpus=corpus, public_id__in=wanted)
    return set(found.values_list("public_id", flat=True))
