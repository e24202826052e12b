"""What is kept of how a writer wrote, beside the other writers of the corpus. Researchers read it; no rule uses it."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Length

from accounts.models import User
from collection.advice import words_of
from collection.models import Corpus, Pair, WritingAssignment
from nli.likeness import Bigrams, nearest
from nli.tokens import tokeniser

OWN_TASKS, TASKS = 1_000, 20_000  # the latest of the writer, and of all others
OWN_TEXTS, TEXTS = 300, 3_000
FEWEST_TASKS = 5  # of a writer who is compared
FEWEST_TEXTS = 30  # of others, to say what is usual


@dataclass(frozen=True)
class Typed:
    """What was measured of a task; 0 characters where its page measured nothing."""

    writer: int
    declared: bool
    characters: int
    active_ms: int
    keys: int
    pasted: int
    inserted: int
    bursts: int


@dataclass(frozen=True)
class Measure:
    """A measure of a writer. others: the same of the other writers. kind: how it is written, as of a Column."""

    name: str
    definition: str
    kind: str
    value: float | None
    others: Sequence[float] = ()

    @property
    def middle(self) -> float | None:
        return median(self.others) if self.others else None

    @property
    def above(self) -> int:
        """Returns how many others have a higher value."""
        return sum(each > self.value for each in self.others) if self.value is not None else 0


def _share(part: str, whole: str, times: float = 1) -> Callable[[Sequence[Typed]], float | None]:
    """Returns a function: the sum of one count over that of another one, in tasks that have both measured."""

    def found(tasks: Sequence[Typed]) -> float | None:
        known = [each for each in tasks if getattr(each, whole)]
        return (
            times * sum(getattr(each, part) for each in known) / sum(getattr(each, whole) for each in known)
            if known
            else None
        )

    return found


TYPED: tuple[tuple[str, str, str, Callable[[Sequence[Typed]], float | None]], ...] = (
    (
        "help declared",
        "Tasks in which the writer said that a language model helped.",
        "share",
        lambda tasks: fmean(each.declared for each in tasks) if tasks else None,
    ),
    (
        "keys a character",
        "Keys pressed for a character that was sent. Corrections bring more than 1; phones, dictation and texts that are to"
        " be changed bring fewer.",
        "number",
        _share("keys", "characters"),
    ),
    ("pasted", "Characters pasted for a character that was sent.", "share", _share("pasted", "characters")),
    (
        "came at once",
        "Characters that came more than 25 at once without a paste, for a character that was sent: dictated, dropped, or put"
        " in by a program.",
        "share",
        _share("inserted", "characters"),
    ),
    (
        "characters a burst",
        "Characters that were sent for each run of changes without a pause of two seconds. Who copies from elsewhere pauses"
        " seldom; so does who thinks before typing.",
        "number",
        _share("characters", "bursts"),
    ),
    (
        "characters a minute",
        "Of time with the page in front, idle time left out.",
        "number",
        _share("characters", "active_ms", 60_000),
    ),
)


def tasks_of(corpus: Corpus) -> QuerySet[WritingAssignment]:
    """Returns the tasks of a corpus that were sent, the latest first, each with its `characters`."""
    texts = Pair.objects.filter(assignment=OuterRef("pk")).order_by().values("assignment")
    characters = Subquery(texts.annotate(n=Sum(Length("hypothesis"))).values("n"))
    sent = WritingAssignment.objects.filter(corpus=corpus, outcome__in=WritingAssignment.SENT)
    return sent.annotate(characters=characters).order_by("-pk")


def _typed(tasks: QuerySet[WritingAssignment]) -> list[Typed]:
    signals = [
        f"signals__{name}" for name in ("active_ms", "keystrokes", "pasted_chars", "inserted_chars", "bursts")
    ]
    rows = tasks.values_list("annotator", "model_helped", "characters", *signals)
    return [
        Typed(
            writer,
            helped,
            (characters or 0) if counts[0] is not None else 0,
            *(count or 0 for count in counts),
        )
        for writer, helped, characters, *counts in rows
    ]


def typed_by(corpus: Corpus, writer: User) -> list[Measure]:
    """Returns how the writer's latest tasks were typed, beside the writers of the corpus's latest ones."""
    own = _typed(tasks_of(corpus).filter(annotator=writer)[:OWN_TASKS])
    by_writer: dict[int, list[Typed]] = defaultdict(list)
    for each in _typed(tasks_of(corpus).exclude(annotator=writer)[:TASKS]):
        by_writer[each.writer].append(each)
    others = [tasks for tasks in by_writer.values() if len(tasks) >= FEWEST_TASKS]
    return [
        Measure(
            name, definition, kind, value(own), [found for of in others if (found := value(of)) is not None]
        )
        for name, definition, kind, value in TYPED
    ]


@dataclass(frozen=True)
class Alike:
    """Two sentences that share most of their words."""

    own: str
    other: str
    likeness: float


def texts_by(corpus: Corpus, writer: User) -> tuple[list[Measure], list[Alike]]:
    """Returns measures of the writer's latest sentences, and the nearest ones of others and of their own."""
    cut = tokeniser(corpus.language, words_of)
    latest = Pair.objects.filter(corpus=corpus, assignment__isnull=False).order_by("-pk")
    own = list(latest.filter(author=writer).values_list("hypothesis", flat=True)[:OWN_TEXTS])
    rows = list(latest.exclude(author=writer).values_list("author", "hypothesis")[:TEXTS])
    others = [text for _, text in rows]
    own_cut, cut_of = [cut(text) for text in own], [cut(text) for text in others]
    inside, outside = nearest(own_cut, own_cut, itself=True), nearest(own_cut, cut_of)
    likeness = "the words and pairs of neighbouring words that both have, of those that either has; the mean."
    measures = [
        Measure(
            "likeness to own",
            f"To the nearest other sentence of this writer: {likeness}",
            "number",
            _mean(inside),
        ),
        Measure(
            "likeness to others’",
            f"To the nearest sentence of somebody else: {likeness}",
            "number",
            _mean(outside),
        ),
    ]
    if len(others) >= FEWEST_TEXTS:
        measures.append(_bits(own_cut, rows, cut_of))
    alike = {}
    for texts, found in ((own, inside), (others, outside)):
        for text, (value, place) in zip(own, found, strict=True):
            if value:
                alike[frozenset((text, texts[place]))] = Alike(text, texts[place], value)
    return measures, sorted(alike.values(), key=lambda each: -each.likeness)


def _mean(found: Sequence[tuple[float, int]]) -> float | None:
    return fmean(value for value, _ in found) if found else None


def _bits(own: Sequence[Any], rows: Sequence[tuple[int, str]], cut_of: Sequence[Any]) -> Measure:
    """Learns from every second sentence of others, and tries this writer's, and those of each other writer, on it."""
    model = Bigrams(cut_of[::2])
    of: dict[int, list[float]] = defaultdict(list)
    for (writer, _), tokens in list(zip(rows, cut_of, strict=True))[1::2]:
        of[writer].append(model.bits(tokens))
    return Measure(
        "bits a word",
        "How surprising the words are to a bigram model of other people’s sentences. Fluent, usual wording has few bits; so"
        " has a writer of plain sentences.",
        "number",
        fmean(map(model.bits, own)) if own else None,
        [fmean(values) for values in of.values() if len(values) >= FEWEST_TASKS],
    )
