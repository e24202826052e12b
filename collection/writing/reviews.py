"""Reviews of written sentences: draws a sample when they are sent, hands it to researchers, and moves writers' levels.

Nangia et al. 2021 (What Ingredients Make for an Effective Crowdsourcing Protocol for Difficult NLU Data Collection Tasks?)
found that experts' feedback on sampled work helps writers, and feedback of the crowd does not.
"""

from collections.abc import Collection, Iterable
from datetime import timedelta
from hashlib import sha256

from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from collection.errors import NotPossible
from collection.models import Corpus, LevelChange, Pair, Review, WritingAssignment
from collection.writing.claiming import lock_writer
from collection.writing.levels import decide, standing_of
from shared.transactions import one_transaction

HELD_FOR = timedelta(minutes=15)
LONGEST_REMARK = 2000  # characters
Verdict = Review.Verdict


def place_in_draw(pair: Pair) -> float:
    """Returns where a pair stands in the draw, from 0 to 100: the SHA-256 of its public id, which nobody chose.

    Anybody can draw again from the ids; a larger share holds the smaller one.
    """
    digest = sha256(f"review:{pair.public_id}".encode()).digest()
    return 100 * int.from_bytes(digest[:8]) / 2**64


def draw_for_review(assignment: WritingAssignment, pairs: Iterable[Pair]) -> None:
    """Draws sentences that are being sent, each by itself, in the transaction that stores them."""
    version = assignment.prompt_version
    share = most = version.prompt.review_percent
    if version.feedback:
        level = standing_of(assignment.corpus, assignment.annotator).level
        most = max(share, level.review_percent if level else 0)
    drawn = [(pair, place) for pair in pairs if (place := place_in_draw(pair)) < most]
    Review.objects.bulk_create(
        Review(
            pair=pair,
            corpus_id=pair.corpus_id,
            writer_id=assignment.annotator_id,
            percent=share,
            is_sample=place < share,
            is_feedback=version.feedback,
        )
        for pair, place in drawn
    )


@one_transaction
def claim_review(*, corpus: Corpus, reviewer: User) -> Review | None:
    """Returns the sentence that this researcher has in hand, or the oldest that nobody has; None if none waits."""
    now = timezone.now()
    waiting = Review.objects.waiting(corpus).order_by("pk")
    mine = waiting.filter(held_by=reviewer, held_until__gt=now).first()
    free = Q(held_until=None) | Q(held_until__lte=now)
    found = mine or waiting.filter(free).select_for_update(skip_locked=True, of=("self",)).first()
    if found is not None:
        Review.objects.filter(pk=found.pk, verdict="").update(held_by=reviewer, held_until=now + HELD_FOR)
    return found


@one_transaction
def judge_review(*, review: Review, by: User, verdict: str, remark: str = "") -> LevelChange | None:
    """Stores what a researcher says of a sentence, once; returns the writer's new level, if that decided one.

    Raises NotPossible: an unknown verdict, a remark that is missing or too long, or somebody was first.
    """
    remark = remark.strip()
    if verdict not in Verdict.values:
        raise NotPossible("Choose what you think of the sentence.")
    if verdict == Verdict.OTHER and not remark:
        raise NotPossible("Say in a remark what is wrong with the sentence.")
    if len(remark) > LONGEST_REMARK:
        raise NotPossible(f"The remark has {len(remark):,} characters; {LONGEST_REMARK:,} at most.")
    lock_writer(review.writer)  # so that two reviews of one writer's sentences decide one after the other
    now = timezone.now()
    judged = Review.objects.filter(pk=review.pk, verdict="").update(
        verdict=verdict, remark=remark, judged_by=by, judged_at=now, held_by=None, held_until=None
    )
    if not judged:
        raise NotPossible("Somebody has judged this sentence meanwhile; their judgement stands.")
    return decide(review) if review.is_feedback else None


def read_reviews(*, writer: User, reviews: Collection[int]) -> int:
    """Notes that a writer has read these reviews of their own sentences; returns of how many it is news."""
    return Review.objects.unread(writer).filter(pk__in=reviews).update(read_at=timezone.now())
