"""Writes pairs in portions of about two thousand.

`write_pairs` must be called in a transaction, in which validation writes the labels of the same portion. It locks
the corpus's row, so that two imports into one corpus take turns while annotators go on.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from hashlib import sha256
from pathlib import PurePath
from typing import Any

from django.contrib.auth.hashers import make_password
from django.utils.text import slugify

from accounts.models import User
from collection.formats.lines import BadLine
from collection.imports.pair_plans import PlannedPair, pair_id_of
from collection.models import (
    Corpus,
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
from collection.premise_ids import public_id_of, published_id, spare_public_id, text_of
from collection.texts import flaw_in

IDS_LISTED = 3
GUIDANCE = ("advice_seen", "model_tries", "model_answer", "twin_answer")
ID_TAKEN = "its id belongs to another pair"
OTHER_LABEL = "the pair is there already, with another label"


class Repeats:
    """The number of occurrences of each id of a file, in a temporary database: memory does not grow with the file."""

    def __init__(self) -> None:
        self._store = sqlite3.connect("", isolation_level=None)
        self._store.execute("PRAGMA journal_mode=OFF")
        self._store.execute("CREATE TABLE met (id TEXT PRIMARY KEY, times INTEGER NOT NULL) WITHOUT ROWID")
        self._store.execute("CREATE TABLE pairs (id TEXT PRIMARY KEY, pair TEXT NOT NULL) WITHOUT ROWID")
        self._store.execute("BEGIN")

    def earlier(self, public_id: str, pair: "_Known") -> "_Known | None":
        """Returns the pair that had the id first; stores this one where none had."""
        found = self._store.execute("SELECT pair FROM pairs WHERE id = ?", (public_id,)).fetchone()
        if found is not None:
            text, labels, partition, file = json.loads(found[0])
            return _Known(tuple(text), tuple(labels), partition, file)
        self._store.execute("INSERT INTO pairs VALUES (?, ?)", (public_id, json.dumps(astuple(pair))))
        return None

    def met(self, public_id: str) -> int:
        """Counts an occurrence of the id. Returns the number of its earlier occurrences."""
        (times,) = self._store.execute(
            "INSERT INTO met VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET times = times + 1 RETURNING times",
            (public_id,),
        ).fetchone()
        return int(times) - 1


@dataclass
class PairImport:
    """One import of pairs into a corpus: its options and its state.

    genre: of the pairs, unless a line names another; empty: the corpus's only genre, else `default_genre`.
    genre_facts: the fields of genres that it makes, by slug; of others only the name is known.
    ids_repeat, ids_of_file: as in ImportFormat. people, simulated: as in ImportFormat. counts: of the
    report, by name.
    partitions: new pairs by partition, or "none".
    genres_made, ids_changed: the first few, for the report. writes: False for a look at what would be new; the corpus may
    then be one that is not stored yet. met: the ids of such a look so far, which an import would find stored.
    """

    corpus: Corpus
    partition: str = ""
    genre: str = ""
    default_genre: str = "all"
    genre_facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ids_repeat: bool = False
    ids_of_file: bool = False
    people: str | None = None
    simulated: Collection[str] = ()
    counts: Counter[str] = field(default_factory=Counter)
    partitions: Counter[str] = field(default_factory=Counter)
    genres_made: list[str] = field(default_factory=list)
    ids_changed: list[str] = field(default_factory=list)
    writes: bool = True
    met: Repeats = field(default_factory=Repeats)
    _genres: dict[str, Genre] | None = None
    _people: dict[str, int] = field(default_factory=dict)

    def genre_of(self, name: str) -> Genre | str:
        """Returns the genre of that name or slug, or why there is none.

        In a corpus with prompts the corpus file sets the genres. Elsewhere missing genres are made.
        """
        if self._genres is None:
            found = list(self.corpus.genres.all()) if not self.corpus._state.adding else []
            self._genres = {genre.name: genre for genre in found} | {genre.slug: genre for genre in found}
            if not self.genre:
                slugs = {genre.slug for genre in found}
                self.genre = slugs.pop() if len(slugs) == 1 else self.default_genre
        name = name or self.genre
        if flaw := flaw_in(name):
            return f"the genre {name[:80]!r} {flaw}"
        slug = genre_slug(name)
        genre = self._genres.get(name) or self._genres.get(slug)
        if genre is None:
            if not self.corpus._state.adding and self.corpus.prompts.exists():
                known = ", ".join(self.corpus.genres.order_by("slug").values_list("slug", flat=True))
                return f'there is no genre "{name}" in {self.corpus.slug}; its genres are: {known}'
            facts = self.genre_facts.get(slug) or {"name": name[:200]}
            if self.writes:
                # Another import may have made it since the genres were read.
                genre, is_new = Genre.objects.get_or_create(corpus=self.corpus, slug=slug, defaults=facts)
            else:
                genre, is_new = Genre(corpus=self.corpus, slug=slug, **facts), True
            if is_new:
                self.genres_made.append(slug)
            self._genres[slug] = genre
        self._genres[name] = genre
        return genre

    def count_rows(self, plans: Iterable[PlannedPair]) -> None:
        """Counts the rows of the file that are in the pairs, and what is told of these."""
        for plan in plans:
            self.counts["rows_in_pairs"] += plan.item.rows
            self.counts.update(plan.item.told)

    def partition_of(self, plan: PlannedPair) -> str | None:
        """Returns the published partition: the import's, else the one that the line names."""
        return self.partition or plan.item.partition or None

    def person(self, code: str) -> int | None:
        """Returns the id of the user for a code of the file. Call `make_people` with the code before."""
        return self._people[code] if code else None

    def make_people(self, codes: Iterable[str]) -> None:
        """Makes users for new codes of the file. They can never sign in."""
        new_codes = {code for code in codes if code and code not in self._people}
        wanted = {code: self._code_here(code) for code in new_codes}
        if not wanted:
            return
        known = dict(User.objects.filter(code__in=wanted.values()).values_list("code", "pk"))
        new = [
            User(
                username=ours,
                code=ours,
                kind=User.Kind.SIMULATED if code in self.simulated else User.Kind.IMPORTED,
                password=make_password(None),
            )
            for code, ours in wanted.items()
            if ours not in known
        ]
        known |= {user.code: user.pk for user in User.objects.bulk_create(new)}
        self.counts["people"] += len(new)
        self._people |= {code: known[ours] for code, ours in wanted.items()}

    def _code_here(self, code: str) -> str:
        """Returns the code under which a person of the file is known here. One that a snapshot holds may have its corpus."""
        if self.people is not None and HAS_CORPUS.match(code):
            return code
        return person_code(self.people or self.corpus.slug, code)


@dataclass
class PairSource:
    """One file of an import. `repeats` counts pairs by their id, or by their content if they have none."""

    source: Source
    repeats: Repeats = field(default_factory=Repeats)


UNSHORTENED = 29  # characters of a long code that stand before its digest
HAS_CORPUS = re.compile(r"(?=.{,40}\Z)([-\w]+:.|.{29}-[0-9a-f]{10}\Z)")  # see person_code


def genre_slug(name: str) -> str:
    """Returns a slug for a genre's published name; for names in other scripts, one made from the digest."""
    return slugify(name)[:60] or f"genre-{sha256(name.encode()).hexdigest()[:8]}"


def person_code(corpus: str, code: str) -> str:
    """Returns the code of an imported annotator: `corpus:code`, shortened with a digest to 40 characters."""
    whole = f"{corpus}:{code}"
    return whole if len(whole) <= 40 else f"{whole[:UNSHORTENED]}-{sha256(whole.encode()).hexdigest()[:10]}"


def write_pairs(
    *, run: PairImport, file: PairSource, plans: Sequence[PlannedPair]
) -> tuple[list[tuple[Pair, PlannedPair]], list[BadLine]]:
    """Writes the new pairs of a portion, with their premises, people and parses. Call it in a transaction.

    Returns the new pairs with their plans, and the lines with errors.
    """
    run.corpus = _locked(run.corpus.pk)
    corpus, scheme, source = run.corpus.pk, run.corpus.scheme, file.source.pk
    refused: list[BadLine] = []
    named = _with_names(run, file, plans, refused)
    new = _without_known(run, file, named, refused)
    premises = _premises(run, file.source, new)
    run.make_people(code for _, _, plan in new for code in plan.codes)
    pairs = [
        Pair(
            corpus_id=corpus,
            premise_id=premises[genre.pk, plan.digest],
            hypothesis=plan.item.hypothesis,
            public_id=public_id,
            scheme=scheme,
            author_id=run.person(plan.author),
            author_label=plan.author_label,
            published_label=plan.published_label,
            published_partition=run.partition_of(plan),
            source_id=source,
            answers_left_out=plan.item.left_out,
            metadata=_metadata(run, public_id, plan),
            author_reason=plan.item.author_reason,
            arm=plan.item.arm,
            family=plan.item.family,
        )
        for genre, public_id, plan in new
    ]
    Pair.objects.bulk_create(pairs)
    written = [(pair, plan) for pair, (_, _, plan) in zip(pairs, new, strict=True)]
    Parse.objects.bulk_create(_parse(pair, plan) for pair, plan in written if any(plan.item.parses))
    PairEdit.objects.bulk_create(
        PairEdit(pair=pair, edited_from=plan.item.edited_from, distance=plan.item.edit_distance)
        for pair, plan in written
        if plan.item.edit_distance
    )
    Guidance.objects.bulk_create(
        Guidance(
            pair=pair,
            label=plan.author_label or "",
            **{name: getattr(plan.item, name) for name in GUIDANCE},
        )
        for pair, plan in written
        if plan.item.advice_seen or plan.item.model_tries
    )
    _put_into_sets(run.corpus, written)
    run.counts["pairs"] += len(pairs)
    run.count_rows(plan for _, plan in written)
    run.partitions.update(pair.published_partition or "none" for pair in pairs)
    run.counts["empty_hypotheses"] += sum(not pair.hypothesis.strip() for pair in pairs)
    return written, refused


def _metadata(run: PairImport, public_id: str, plan: PlannedPair) -> dict[str, Any] | None:
    """Returns what the file says beside the pair, and the number that it has in the file if it has another id here."""
    told = {"id": plan.item.pair_id} if run.ids_of_file and plan.item.pair_id not in ("", public_id) else {}
    return {**told, **(plan.item.metadata or {})} or None


def _put_into_sets(corpus: Corpus, written: Iterable[tuple[Pair, PlannedPair]]) -> None:
    found: dict[str, PairSet] = {}
    places = [(name, pair) for pair, plan in written for name in plan.item.sets]
    for name in {name for name, _ in places}:
        found[name], _ = PairSet.objects.get_or_create(corpus=corpus, name=name)
    PairInSet.objects.bulk_create(PairInSet(pair_set=found[name], pair=pair) for name, pair in places)


def new_pairs(
    *, run: PairImport, file: PairSource, plans: Sequence[PlannedPair]
) -> tuple[list[PlannedPair], list[BadLine]]:
    """Returns the plans that `write_pairs` would store, and the lines with errors. Counts the others as skipped.

    run: one that writes nothing.
    """
    refused: list[BadLine] = []
    found = _without_known(run, file, _with_names(run, file, plans, refused), refused)
    new = []
    for genre, public_id, plan in found:
        this = _known(run, file, genre, plan)
        there = run.met.earlier(public_id, this)
        if there is not None and run.ids_of_file and there.is_apart_from(this):
            public_id = _of_file(file, public_id)
            there = run.met.earlier(public_id, this)
            _tell_of_file(run, public_id, is_new=there is None)
        if there is None:
            new.append(plan)
        else:
            _skip_or_refuse(run, public_id, plan, there, this, refused)
    run.count_rows(new)
    return new, refused


Named = tuple[Genre, str, PlannedPair]


def _with_names(
    run: PairImport, file: PairSource, plans: Iterable[PlannedPair], refused: list[BadLine]
) -> list[Named]:
    """Returns the plans with genre and public id."""
    named = []
    for plan in plans:
        partition = plan.item.partition
        if run.partition and partition not in ("", run.partition):
            reason = f"the pair belongs to {partition}, not to {run.partition}"
            refused.append(BadLine(plan.item.line, reason, rows=plan.item.rows))
            continue
        genre = run.genre_of(plan.item.genre)
        if isinstance(genre, str):
            refused.append(BadLine(plan.item.line, genre, rows=plan.item.rows))
            continue
        public_id = plan.item.pair_id
        if not public_id:
            # A drawn partition is no part of the pair: with another seed it is the same pair.
            partition = "" if plan.item.drawn else run.partition_of(plan) or ""
            content = pair_id_of(partition, genre.slug, plan, 0)
            repetition = file.repeats.met(content)
            public_id = pair_id_of(partition, genre.slug, plan, repetition) if repetition else content
        elif run.ids_repeat and (earlier := file.repeats.met(public_id)):
            public_id = f"{public_id[:190]}~{earlier + 1}"
            run.counts["pair_ids_changed"] += 1
            if len(run.ids_changed) < IDS_LISTED:
                run.ids_changed.append(public_id)
        named.append((genre, public_id, plan))
    return named


@dataclass(frozen=True, slots=True)
class _Known:
    """The fields that must be equal for two pairs with the same id to be the same pair; and the `file` it came from."""

    text: tuple[str, str, str]
    labels: tuple[str | None, str | None]
    partition: str | None
    file: str = field(default="", compare=False)

    def is_apart_from(self, other: "_Known") -> bool:
        """Returns whether it is another pair, of another file."""
        return self.text != other.text and self.file != other.file


def _without_known(
    run: PairImport, file: PairSource, named: Sequence[Named], refused: list[BadLine]
) -> list[Named]:
    """Excludes pairs whose id exists: equal pairs count as skipped, different ones are errors.

    Where ids are numbers within a file, one that a pair of another file has gets the file's name before it.
    """
    ids = [public_id for _, public_id, _ in named]
    if run.ids_of_file:
        ids += [_of_file(file, public_id) for public_id in ids]
    known = _known_pairs(run.corpus, ids)
    new = []
    for genre, public_id, plan in named:
        this = _known(run, file, genre, plan)
        if run.ids_of_file and public_id in known and known[public_id].is_apart_from(this):
            public_id = _of_file(file, public_id)
            _tell_of_file(run, public_id, is_new=public_id not in known)
        if public_id in known:
            _skip_or_refuse(run, public_id, plan, known[public_id], this, refused)
        else:
            known[public_id] = this
            new.append((genre, public_id, plan))
    return new


def _of_file(file: PairSource, public_id: str) -> str:
    """Returns the id of a pair with the name of its file before it: `rte2_dev-5`."""
    return f"{PurePath(file.source.name).stem[:100]}-{public_id}"[:200]


def _tell_of_file(run: PairImport, public_id: str, *, is_new: bool) -> None:
    run.counts["pair_ids_of_file"] += is_new
    if is_new and len(run.ids_changed) < IDS_LISTED:
        run.ids_changed.append(public_id)


def _known(run: PairImport, file: PairSource, genre: Genre, plan: PlannedPair) -> _Known:
    return _Known(
        text=(genre.slug, plan.digest, plan.item.hypothesis),
        labels=(plan.author_label, plan.published_label),
        partition=run.partition_of(plan),
        file=file.source.name,
    )


def _skip_or_refuse(
    run: PairImport, public_id: str, plan: PlannedPair, there: _Known, this: _Known, refused: list[BadLine]
) -> None:
    """Counts a pair that is there already as skipped; another one of its id is an error."""
    if plan.item.drawn:  # the pair stays where it is
        this = replace(this, partition=there.partition)
    if there == this:
        run.counts["skipped"] += 1
        run.counts["rows_skipped"] += plan.item.rows
    else:
        reason, kind = _conflict(public_id, there, this)
        refused.append(BadLine(plan.item.line, reason, rows=plan.item.rows, kind=kind))


def _known_pairs(corpus: Corpus, public_ids: Sequence[str]) -> dict[str, _Known]:
    if corpus._state.adding:  # a look at what would be made
        return {}
    rows = Pair.objects.filter(corpus=corpus, public_id__in=public_ids).values_list(
        "public_id",
        "premise__genre__slug",
        "premise__digest",
        "hypothesis",
        "author_label",
        "published_label",
        "published_partition",
        "source__name",
    )
    return {
        public_id: _Known((genre, digest, hypothesis), (author_label, published_label), partition, file or "")
        for public_id, genre, digest, hypothesis, author_label, published_label, partition, file in rows
    }


def _conflict(public_id: str, there: _Known, this: _Known) -> tuple[str, str]:
    """Returns why a pair cannot have the id, and the same without the id."""
    if there.text != this.text:
        return f'the id "{public_id}" belongs to another pair', ID_TAKEN
    if there.partition != this.partition:
        where = f"in partition {there.partition}" if there.partition else "without a partition"
        return f'pair "{public_id}" is there already, {where}', f"the pair is there already, {where}"
    return f'pair "{public_id}" is there already, with another label', OTHER_LABEL


def _premises(run: PairImport, source: Source, new: Sequence[Named]) -> dict[tuple[int, str], int]:
    """Returns the ids of the premises by genre and digest; makes the missing ones.

    A premise keeps the text and the id that it came with first. Counts the pairs that have others.
    """
    wanted: dict[tuple[int, str], tuple[Genre, PlannedPair]] = {}
    for genre, _, plan in new:
        wanted.setdefault((genre.pk, plan.digest), (genre, plan))
    found = Premise.objects.filter(
        genre__in={genre for genre, _ in wanted}, digest__in={digest for _, digest in wanted}
    ).values_list("genre_id", "digest", "pk", "text", "public_id")
    there = {(genre, digest): (pk, text, name) for genre, digest, pk, text, name in found}
    missing = [(genre, plan) for key, (genre, plan) in wanted.items() if key not in there]
    taken = _taken_ids(run.corpus, (plan.item.premise_id for _, plan in missing))
    made = []
    for genre, plan in missing:
        public_id = plan.item.premise_id or public_id_of(genre.slug, plan.digest)
        if public_id in taken:
            public_id = spare_public_id(public_id, genre.slug, plan.digest)
            run.counts["premise_ids_changed"] += 1
        taken.add(public_id)
        made.append(_premise(run.corpus, genre, source, plan, public_id))
    Premise.objects.bulk_create(made)
    run.counts["premises"] += len(made)
    there |= {(each.genre_id, each.digest): (each.pk, each.text, each.public_id) for each in made}
    for genre, _, plan in new:
        _, text, public_id = there[genre.pk, plan.digest]
        name = plan.item.premise_id
        run.counts["premise_texts_merged"] += text_of(plan.item.premise) != text
        run.counts["premise_ids_merged"] += bool(name) and name != published_id(public_id)
    return {key: pk for key, (pk, _, _) in there.items()}


def _premise(corpus: Corpus, genre: Genre, source: Source, plan: PlannedPair, public_id: str) -> Premise:
    item = plan.item
    return Premise(
        corpus=corpus,
        genre=genre,
        source=source,
        document=item.document,
        line=item.line,
        public_id=public_id,
        group=item.group or item.document or public_id,
        text=text_of(item.premise),
        sentence_count=len(item.premise),
        digest=plan.digest,
    )


def _parse(pair: Pair, plan: PlannedPair) -> Parse:
    premise, premise_binary, hypothesis, hypothesis_binary = plan.item.parses
    return Parse(
        pair_id=pair.pk,
        premise_parse=premise,
        premise_binary_parse=premise_binary,
        hypothesis_parse=hypothesis,
        hypothesis_binary_parse=hypothesis_binary,
    )


def _locked(corpus: int) -> Corpus:
    # `no_key`: annotators' rows refer to the corpus and must not wait for an import.
    return Corpus.objects.select_for_update(no_key=True).get(pk=corpus)


def _taken_ids(corpus: Corpus, public_ids: Iterable[str]) -> set[str]:
    wanted = {public_id for public_id in public_ids if public_id}
    return set(
        Premise.objects.filter(corpus=corpus, public_id__in=wanted).values_list("public_id", flat=True)
    )
