"""Levels of writers: they rise and fall by the reviews of their sentences, as the corpus file says."""

from dataclasses import dataclass
from datetime import datetime

from accounts.models import User
from accounts.people.qualifications import ask_again
from collection.models import Corpus, Exam, Level, LevelChange, Review

EXAM_AGAIN = -1  # in place of a level
FELL = "too few of the reviewed sentences were good: the exam is to be taken again"


@dataclass(frozen=True)
class Standing:
    """A writer's level; None where the corpus has none. since: when it began. decided: what changed it last."""

    level: Level | None
    since: datetime | None = None
    decided: LevelChange | None = None
    above: Level | None = None

    @property
    def takes_exam(self) -> bool:
        return self.decided is not None and self.decided.level == EXAM_AGAIN


def standing_of(corpus: Corpus, writer: User) -> Standing:
    """Returns the level that a writer of a corpus has: of newcomers, and of those who took the exam again, the first."""
    levels = list(corpus.levels.all())
    if not levels:
        return Standing(None)
    last = LevelChange.objects.filter(corpus=corpus, writer=writer).order_by("-pk").first()
    place = min(max(last.level, 0), len(levels) - 1) if last else 0
    above = levels[place + 1] if place + 1 < len(levels) else None
    return Standing(levels[place], last.changed_at if last else None, last, above)


def decide(review: Review) -> LevelChange | None:
    """Moves the writer of a sentence that was just judged, if its level's latest reviews say so; returns the move.

    Call it in the transaction that judged it, with the writer locked.
    """
    corpus, writer = review.corpus, review.writer
    standing = standing_of(corpus, writer)
    level = standing.level
    if level is None:
        return None
    verdicts = list(
        Review.objects.for_levels(writer, corpus, standing.since).values_list("verdict", flat=True)[
            : level.of
        ]
    )
    if len(verdicts) < level.of:
        return None
    good = verdicts.count(Review.Verdict.FINE)
    if standing.above and level.rises_from and 100 * good >= level.rises_from * level.of:
        new = level.order + 1
    elif 100 * good < level.falls_below * level.of:
        new = level.order - 1
    else:
        return None
    if new == EXAM_AGAIN:
        holder = corpus.writing_qualification
        if holder is None or not Exam.objects.filter(qualification=holder, is_open=True).exists():
            return None
        ask_again(user=writer, qualification=holder, because=FELL)
    return LevelChange.objects.create(
        corpus=corpus, writer=writer, level=new, good=good, of=level.of, review=review
    )
