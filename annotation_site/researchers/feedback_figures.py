"""Figures of a corpus's reviews: how good sampled sentences are in each arm, before and after a writer's first review."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations, groupby
from operator import attrgetter
from typing import Any

from django.db.models import Min

from annotation_site.researchers.bias_figures import differences, differences_drawn
from collection.models import Corpus, Review
from shared import clusters
from shared.figures import Figure, Picture, picture
from shared.findings import LISTED, in_place
from shared.intervals import FEWEST_PAIRS
from shared.numbers import percent
from shared.tables import Column, Table, interval
from validation.statistics.scope import CORPUS

BEFORE, AFTER = "before", "after"
WHAT = "the share of good sentences"


@dataclass(frozen=True)
class Judged:
    """A sentence of the sample that was judged. is_after: it was sent after its writer's first review was there."""

    arm: str
    is_feedback: bool
    is_after: bool
    writer: int
    verdict: str

    @property
    def group(self) -> str:
        return f"{self.arm}{'' if self.is_feedback else ', no feedback'}"


def judged_in(corpus: Corpus) -> list[Judged]:
    """Returns the judged sample of a corpus by arm, first the sentences sent before a writer's first review."""
    reviews = Review.objects.filter(corpus=corpus).judged()
    first = dict(reviews.values_list("writer").annotate(at=Min("judged_at")))
    columns = ("pair__prompt_version__prompt__slug", "is_feedback", "drawn_at", "writer", "verdict")
    found = [
        Judged(arm or "", is_feedback, drawn_at > first[writer], writer, verdict)
        for arm, is_feedback, drawn_at, writer, verdict in reviews.filter(is_sample=True).values_list(
            *columns
        )
    ]
    return sorted(found, key=attrgetter("arm", "is_feedback", "is_after"))


def _group(rows: list[Judged]) -> clusters.Group:
    import numpy as np

    return np.array([each.writer for each in rows]), np.array([each.verdict == "fine" for each in rows])


def _shares(found: list[Judged]) -> Iterator[dict[str, Any]]:
    for (group, is_after), of in groupby(found, attrgetter("group", "is_after")):
        rows = list(of)
        share = clusters.share_of(_group(rows))
        when = AFTER if is_after else BEFORE
        numbers = {"writers": share.clusters, "reviewed": len(rows)}
        ends = {"share": share.share, "low": share.low, "high": share.high}
        yield (
            {"part": f"{group}, {when}", "arm": rows[0].arm, "feedback": rows[0].is_feedback, "when": when}
            | numbers
            | ends
        )


def _differences(found: list[Judged]) -> Iterator[dict[str, Any]]:
    after = {
        name: _group(rows)
        for name, of in groupby((each for each in found if each.is_after), attrgetter("group"))
        if len(rows := list(of)) >= FEWEST_PAIRS and len({each.writer for each in rows}) >= clusters.FEWEST
    }
    pairs = list(combinations(after, 2))
    apart = [clusters.difference(after[one], after[other]) for one, other in pairs]
    for (one, other), each, corrected in zip(
        pairs, apart, clusters.holm([each.p for each in apart]), strict=True
    ):
        shares = [float(after[name][1].mean()) for name in (one, other)]
        yield {
            "pair": f"{one} − {other}",
            **dict(zip(("first", "second"), shares, strict=True)),
            **{
                key: None if end is None else 100 * end
                for key, end in zip(("points", "low", "high"), each[:3], strict=True)
            },
            "p": each.p,
            "corrected": corrected,
            **dict(zip(("writers", "others"), each.clusters, strict=True)),
            "both": each.in_both,
        }


def _arms(found: list[Judged]) -> list[str]:
    return list(dict.fromkeys(each.group for each in found))


def _kinds(found: list[Judged]) -> Iterator[list[Any]]:
    often = Counter((each.group, each.verdict) for each in found)
    all_ = Counter(each.group for each in found)
    for verdict, name in Review.Verdict.choices if found else ():
        number = sum(often[arm, verdict] for arm in all_)
        yield [str(name), number, *(often[arm, verdict] / all_[arm] for arm in _arms(found))]


def _shares_found(table: Table) -> str:
    """Says what each arm's sentences were before the first review, and after it."""
    arms: dict[str, list[str]] = {}
    for row in table.rows:
        arm = row["part"].removesuffix(f", {row['when']}")
        arms.setdefault(arm, []).append(f"{percent(row['share'])} {row['when']} the first review")
    said = [f"{arm} {', '.join(shares)}" for arm, shares in arms.items()]
    return in_place(
        f"good sentences: {'; '.join(said[:LISTED])}{'' if len(said) <= LISTED else '; and others'}"
    )


def _kinds_found(table: Table) -> str:
    fine, *problems = (row["sentences"] for row in table.rows)
    return f"{sum(problems):,} of {fine + sum(problems):,} reviewed sentences have a problem."


def _drawn(table: Table, found: list[Judged]) -> Picture:
    return picture("dots", y="part", x="share", low="low", high="high", n="reviewed")


_figure = partial(Figure, scope=CORPUS, gather=judged_in, only_with_rows=True)
SHARES = _figure(
    "reviews",
    "Good sentences by arm, before and after the first review",
    compute=_shares,
    columns=(
        Column("part", "arm"),
        Column("arm", "slug of the arm"),
        Column("feedback", "feedback", definition="Whether its writers read the reviews."),
        Column(
            "when",
            "sent",
            definition="Before or after the writer’s first review was there, whether or not they read it: so arms with and"
            " without feedback are divided alike.",
        ),
        Column("writers", "writers", "count"),
        Column(
            "reviewed",
            "reviewed sentences",
            "count",
            "Of the sample; sentences drawn for a level are left out.",
        ),
        Column("share", "good", "share", "A researcher found nothing to remark."),
        *interval("The 95% interval over writers, who are drawn anew (studentized cluster bootstrap)."),
    ),
    draw=_drawn,
    finding=_shares_found,
)
COMPARED = _figure(
    "reviews-compared",
    "Differences between arms in good sentences, after the first review",
    compute=_differences,
    columns=differences(
        "The first arm less the second, of sentences sent after a writer’s first review was there."
    ),
    draw=partial(differences_drawn, WHAT),
    notes=(
        f"Arms with {clusters.FEWEST} writers and {FEWEST_PAIRS} reviewed sentences or more are compared.",
    ),
)
KINDS = _figure(
    "reviews-kinds",
    "What reviews say, by arm",
    compute=_kinds,
    columns=(
        Column("kind", "what is said"),
        Column("sentences", "sentences", "count", "Of all arms."),
        Column("{}", "", "share", "Of the reviewed sentences of the arm.", each=_arms),
    ),
    finding=_kinds_found,
)
FIGURES = (SHARES, COMPARED, KINDS)
