"""Draws the arm of a prompt for a writer or a premise: protocols that are compared while a corpus is written.

The arm with the fewest tasks for its share is drawn, and chance decides between equals (minimisation without covariates:
Taves 1974; with `drawn_by_genre`, within each genre). Tasks in hand count, so that arms stay equal when many begin at once.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from django.db.models import Count, F, Max, Q
from django.db.models.functions import Coalesce

from accounts.models import User
from collection.models import (
    ArmDraw,
    Corpus,
    Exclusion,
    Prompt,
    PromptChange,
    PromptVersion,
    WritingAssignment,
    WritingSeat,
)
from collection.models.querysets import is_leased

IN_HAND = timedelta(hours=2)  # a task that was begun longer ago is taken for given up
CHANCE = random.SystemRandom()


def root_of(prompt: str) -> Coalesce:
    """Returns an expression: the key of the prompt whose arm this one is, or its own. `prompt`: the path to it."""
    return Coalesce(f"{prompt}__arm_of", f"{prompt}__pk")


def draw(tasks: Mapping[int, int], shares: Mapping[int, int], chance: random.Random) -> int:
    """Returns the arm that is furthest behind. `tasks`: arm -> completed and begun ones; `shares`: of open arms."""
    load = {arm: (tasks.get(arm, 0) + 1) / share for arm, share in shares.items()}
    least = min(load.values())
    return chance.choice([arm for arm, each in load.items() if each == least])


def version_for(*, seat: WritingSeat, annotator: User, now: datetime) -> PromptVersion:
    """Returns the newest version of the arm to which writer or premise belongs; draws one for who belongs to none.

    Call it in the transaction that makes the task. `seat`: of a genre with a prompt.
    """
    root = cast(Prompt, seat.genre.prompt)
    versions = _versions(root)
    if len(versions) == 1:
        return versions.popitem()[1]
    by_premise = root.drawn_by == Prompt.DrawnBy.PREMISE
    of = {"premise_id": seat.premise_id} if by_premise else {"annotator_id": annotator.pk}
    drawn = root.draws.filter(**of).values_list("arm", flat=True)

    def found() -> PromptVersion | None:
        version = versions[arm] if (arm := drawn.first()) else None
        is_over = by_premise and version is not None and version.prompt.status == Prompt.Status.CLOSED
        return None if is_over else version

    if version := found():
        return version
    # One at a time, so that each draw counts the one before it. Meanwhile another seat of the premise may have been first,
    # and arms may have been opened or closed.
    Prompt.objects.select_for_update(of=("self",), no_key=True).get(pk=root.pk)
    versions = _versions(root)
    if version := found():
        return version
    open_ = {key: each for key, each in versions.items() if each.prompt.status != Prompt.Status.CLOSED}
    among = open_ or versions
    wrote = WritingAssignment.objects.filter(annotator=annotator, prompt_version__prompt__in=among)
    arm = None if by_premise else wrote.values_list("prompt_version__prompt", flat=True).first()
    if arm is None:  # else they wrote under it before there were others, and stay
        shares = {key: each.prompt.share for key, each in among.items()}
        tasks = tasks_by_arm(root, now, genre=seat.genre_id if root.drawn_by_genre else None)
        arm = draw(tasks, shares, CHANCE)
    if not root.draws.filter(**of).update(arm=versions[arm].prompt):
        ArmDraw.objects.create(root=root, arm=versions[arm].prompt, **of)
    return versions[arm]


def mean_pay(versions: Iterable[PromptVersion]) -> dict[int, float]:
    """Returns prompt -> the cents that a task under it costs on average: the pay of its open arms, weighed by their shares.

    `versions`: the newest of each prompt, with its prompt. Where all arms are closed, all of them count.
    """
    arms: dict[int, list[PromptVersion]] = {}
    for version in versions:
        arms.setdefault(version.prompt.root.pk, []).append(version)
    pay = {}
    for root, of in arms.items():
        among = [each for each in of if each.prompt.status != Prompt.Status.CLOSED] or of
        pay[root] = sum(each.pay_cents * each.prompt.share for each in among) / sum(
            each.prompt.share for each in among
        )
    return pay


def _versions(root: Prompt) -> dict[int, PromptVersion]:
    """Returns arm -> its newest version."""
    newest = PromptVersion.objects.newest().select_related("prompt__corpus", "prompt__arm_of")
    return {each.prompt_id: each for each in newest.filter(_is_arm(root))}


def _is_arm(root: Prompt, path: str = "") -> Q:
    """Returns a condition: `path` leads to one of the arms of this prompt."""
    return Q(**{f"{path}prompt": root.pk}) | Q(**{f"{path}prompt__arm_of": root.pk})


def _is_in_hand(now: datetime) -> Q:
    """Returns a condition on tasks: they were begun lately, and their writer holds the seat."""
    begun = Q(closed_at=None, created_at__gte=now - IN_HAND)
    return begun & is_leased(now, "seat__") & Q(seat__annotator=F("annotator"))


def tasks_by_arm(root: Prompt, now: datetime, *, genre: int | None = None) -> dict[int, int]:
    """Returns arm -> its tasks that are sent or in hand, since arms were last added, opened, closed or weighted anew.

    Older tasks do not count: an arm that comes late would get everybody, and differ from others by its time. Nor do those of
    people who were excluded with what they wrote.
    """
    since = PromptChange.objects.filter(_is_arm(root)).aggregate(at=Max("changed_at"))["at"]
    counted = Q(outcome=WritingAssignment.Outcome.SUBMITTED) | _is_in_hand(now)
    gone = Exclusion.objects.standing().filter(corpus=root.corpus_id, retracts_pairs=True)
    tasks = WritingAssignment.objects.filter(counted, _is_arm(root, "prompt_version__"))
    tasks = tasks.exclude(annotator__in=gone.values("annotator"))
    tasks = tasks.filter(seat__is_pilot=root.status == Prompt.Status.PILOT)
    if since is not None:
        tasks = tasks.filter(created_at__gte=since)
    if genre is not None:
        tasks = tasks.filter(seat__genre=genre)
    return dict(tasks.order_by().values_list("prompt_version__prompt").annotate(number=Count("pk")))


@dataclass(frozen=True)
class ArmCounts:
    """An arm with what was done under it.

    belong: writers, or premises, that were drawn into it. sent, in_hand: tasks; recent: those of `tasks_by_arm`, by which
    arms are drawn. skipped: tasks that were skipped or reported; left: that ran out.
    """

    arm: Prompt
    mode: str
    belong: int
    sent: int
    in_hand: int
    recent: int
    skipped: int
    left: int


def arms_in(corpus: Corpus) -> list[Prompt]:
    """Returns the arms of the corpus's prompts that have several, each prompt before its other arms. One query."""
    prompts = corpus.prompts.select_related("arm_of").order_by("pk")
    with_arms = {prompt.arm_of_id for prompt in prompts if prompt.arm_of_id is not None}
    arms = (prompt for prompt in prompts if prompt.root.pk in with_arms)
    return sorted(arms, key=lambda arm: (arm.root.pk, arm.pk))


def modes_of(arms: Iterable[Prompt]) -> dict[int, str]:
    """Returns arm -> the way of writing of its newest version."""
    return dict(PromptVersion.objects.newest().filter(prompt__in=arms).values_list("prompt", "mode"))


def arms_of(corpus: Corpus, now: datetime) -> list[ArmCounts]:
    """Returns the arms of `arms_in` with what was done under them. Two queries a prompt, and four."""
    arms = arms_in(corpus)
    modes = modes_of(arms)
    drawn = dict(ArmDraw.objects.filter(arm__in=arms).values_list("arm").annotate(number=Count("pk")))
    recent: dict[int, int] = {}
    for root in {arm.root for arm in arms}:
        recent |= tasks_by_arm(root, now)
    outcome = WritingAssignment.Outcome
    tasks = WritingAssignment.objects.filter(prompt_version__prompt__in=arms, seat__is_pilot=False).order_by()
    counts: dict[int, Mapping[str, Any]] = {
        row["prompt_version__prompt"]: row
        for row in tasks.values("prompt_version__prompt").annotate(
            sent=Count("pk", filter=Q(outcome__in=WritingAssignment.SENT)),
            in_hand=Count("pk", filter=_is_in_hand(now)),
            skipped=Count("pk", filter=Q(outcome__in=(outcome.SKIPPED, outcome.REPORTED))),
            left=Count("pk", filter=Q(outcome=outcome.EXPIRED) | (Q(closed_at=None) & ~_is_in_hand(now))),
        )
    }
    names = ("sent", "in_hand", "skipped", "left")
    return [
        ArmCounts(
            arm=arm,
            mode=modes.get(arm.pk, ""),
            belong=drawn.get(arm.pk, 0),
            recent=recent.get(arm.pk, 0),
            **{name: counts.get(arm.pk, {}).get(name, 0) for name in names},
        )
        for arm in arms
    ]
