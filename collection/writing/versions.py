"""Compares two versions of prompts: what people did under each, and the words in which they differ."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from difflib import SequenceMatcher
from statistics import median

from django.db.models import Avg, Count, F
from django.db.models.functions import Length

from collection.models import Pair, PromptVersion, WritingAssignment
from shared.among import Among

NEWEST = 1000  # tasks that the statistics are about
PASSED_OVER = ("skipped", "reported")
MARKS = re.compile(r"`|\*+(?=\S)|(?<=\S)\*+")
WORDS = re.compile(r"\s+|\S+")
SAME, ONLY_FIRST, ONLY_SECOND = "same", "first", "second"


@dataclass(frozen=True)
class VersionStatistics:
    """What writers did under a version, over its newest thousand closed tasks.

    tasks: their keys. sent, skipped: how many. took: median time from the claim to the sending. advice: advice given for
    a task that was sent. characters: mean length of their hypotheses. None where there is nothing to count.
    """

    tasks: list[int]
    sent: int
    skipped: int
    took: timedelta | None
    advice: float | None
    characters: float | None

    @property
    def closed(self) -> int:
        return self.sent + self.skipped


def statistics_of(version: PromptVersion) -> VersionStatistics:
    closed = WritingAssignment.objects.filter(prompt_version=version, closed_at__isnull=False)
    newest = list(closed.order_by("-pk").values_list("pk", flat=True)[:NEWEST])
    tasks = WritingAssignment.objects.filter(Among("pk", newest)).order_by()
    rows = list(tasks.values_list("outcome", F("closed_at") - F("created_at"), Count("advice")))
    sent = [(took, advice) for outcome, took, advice in rows if outcome in WritingAssignment.SENT]
    pairs = Pair.objects.filter(Among("assignment_id", newest))
    return VersionStatistics(
        tasks=newest,
        sent=len(sent),
        skipped=sum(outcome in PASSED_OVER for outcome, _, _ in rows),
        took=median(took for took, _ in sent) if sent else None,
        advice=sum(advice for _, advice in sent) / len(sent) if sent else None,
        characters=pairs.aggregate(mean=Avg(Length("hypothesis")))["mean"],
    )


def differences(first: str, second: str) -> Iterator[tuple[str, str]]:
    """Yields (SAME, ONLY_FIRST or ONLY_SECOND, text), word by word; white space belongs to the words around it.

    The marks of Markdown around words are left out.
    """
    a, b = (WORDS.findall(MARKS.sub("", text)) for text in (first, second))
    for kind, a0, a1, b0, b1 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind == "equal":
            yield SAME, "".join(a[a0:a1])
            continue
        if a1 > a0:
            yield ONLY_FIRST, "".join(a[a0:a1])
        if b1 > b0:
            yield ONLY_SECOND, "".join(b[b0:b1])
