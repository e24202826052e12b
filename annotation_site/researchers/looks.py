"""Looks at the arms of a corpus while it is written: each is kept, and says what is told at the level that it has left."""

from collections.abc import Iterator
from typing import Any

from collection.models import Corpus, Look, Preregistration, Prompt
from collection.writing.arms import arms_in
from shared.figures import Figure
from shared.sequential import LEVEL, SMALLEST_STEP, Comparison, look
from shared.tables import Column
from shared.transactions import one_transaction
from snapshots.statistics.comparing_groups import ALONE, UPHELD
from validation.models import Question
from validation.statistics.scope import CORPUS

BY = "arm"
NAMES = {ALONE: "what hypotheses alone tell", UPHELD: "the share upheld"}
DEFINITIONS = {
    "share": (
        "Of the pairs that were planned for each arm, how many are there: the harmonic mean of the two. Pairs without all"
        " their labels do not count for the share upheld."
    ),
    "level": (
        f"What p is held against at this look, so that all looks at all comparisons of a measure together tell a difference"
        f" that is none in {LEVEL:.0%} of studies at most: error spending (Lan and DeMets 1983) within Holm’s correction (Ye"
        f" et al. 2013). A comparison that has less than {SMALLEST_STEP:.0%} of its plan more than at its last look is not"
        " tested again."
    ),
    "told": "The look at which the difference was told first. What is told stays told.",
}


def planned_looks(corpus: Corpus | int) -> Preregistration | None:
    """Returns the preregistration of a corpus whose researchers planned to look at arms more than once."""
    return Preregistration.objects.filter(corpus=corpus).exclude(spending="").first()


def comparisons_of(corpus: Corpus) -> int:
    """Returns how many comparisons of two arms there will be."""
    arms = sum(arm.status != Prompt.Status.CLOSED for arm in arms_in(corpus))
    return arms * (arms - 1) // 2


def with_looks(question: Question, by: str, found: dict[str, Any]) -> dict[str, Any]:
    """Returns a count of `measure_bias` with what its look says, which is written down, where looks are planned.

    `looks`: whether they are. Only a count by arm, of the main question, is a look; one to which less than a hundredth of
    the plan has come since is the same look as before. The first look at an archived corpus spends all that is left, and
    is the last.
    """
    plan = planned_looks(question.corpus_id)
    if plan is None or by != BY or not question.is_main:
        return {**found, "looks": plan is not None}
    planned = [row for row in found["compared"] if all(row["groups"])]
    said = {_key(row): row for row in _look(plan=plan, question=question, rows=planned)}
    names = ("look", "share", "level", "told")
    rows = [
        {**row, **{name: said[_key(row)][name] for name in names}} if _key(row) in said else row
        for row in found["compared"]
    ]
    return {**found, "looks": True, "compared": rows}


def _key(row: dict[str, Any]) -> tuple[str, ...]:
    return row["measure"], *sorted(row["groups"])


@one_transaction
def _look(*, plan: Preregistration, question: Question, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns what this look, or the last one if it is the same, says of each comparison, and keeps it."""
    Preregistration.objects.select_for_update(no_key=True).get(pk=plan.pk)
    earlier = list(plan.looks.all())
    before: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for each in earlier:
        for row in each.compared:
            before.setdefault(_key(row), []).append({**row, "look": each.number})
    is_last = question.corpus.archived_at is not None
    was_last = bool(earlier) and earlier[-1].is_last
    tests, shares = [], []
    for row in rows:
        tested = [each["share"] for each in before.get(_key(row), ()) if each["level"] is not None]
        share = _harmonic(row["pairs"]) / (plan.planned_pairs or 1)
        last = tested[-1] if tested else 0.0
        has_grown = share >= last + SMALLEST_STEP or (is_last and not was_last and share > last)
        p = row["p"] if has_grown and not was_last else None
        told = any(each["told"] for each in before.get(_key(row), ()))
        tests.append(Comparison((*tested, share), p, is_last, told))
        shares.append(share)
    if all(each.p is None for each in tests):
        return [before[key][-1] for row in rows if (key := _key(row)) in before]
    number = len(earlier) + 1
    said = []
    for measure in NAMES:
        here = [place for place, row in enumerate(rows) if row["measure"] == measure]
        verdicts = look([tests[place] for place in here], plan.spending, plan.comparisons or 1)
        for place, verdict in zip(here, verdicts, strict=True):
            row, old = rows[place], before.get(_key(rows[place]), ())
            first = next((each["told"] for each in old if each["told"]), number if verdict.is_told else None)
            said.append(
                {
                    **{name: row[name] for name in ("measure", "groups", "pairs", "effect", "p")},
                    "share": shares[place],
                    "level": verdict.level,
                    "told": first,
                }
            )
    made = Look.objects.create(preregistration=plan, number=number, is_last=is_last, compared=said)
    return [{**row, "look": made.number} for row in said]


def _harmonic(pairs: list[int]) -> float:
    return 2 / sum(1 / each for each in pairs)


def _rows(corpus: Corpus) -> Iterator[dict[str, Any]]:
    for made in Look.objects.filter(preregistration__corpus=corpus):
        for row in made.compared:
            yield {
                **{name: row[name] for name in ("share", "p", "level")},
                "look": made.number,
                "made": made.made_at.date().isoformat(),
                "of": NAMES[row["measure"]],
                "pair": " − ".join(row["groups"]),
                "points": 100 * row["effect"],
                "told": row["told"],
            }


LOOKS = Figure(
    "looks",
    "Looks made",
    CORPUS,
    _rows,
    (
        Column("look", "look", "count"),
        Column("made", "made on", "day"),
        Column("of", "difference in"),
        Column("pair", "arms"),
        Column("share", "of the plan", "share", DEFINITIONS["share"]),
        Column("points", "difference, in points", "number"),
        Column("p", "p", "p"),
        Column("level", "level of the look", "p", DEFINITIONS["level"]),
        Column("told", "told at look", "count", DEFINITIONS["told"]),
    ),
    only_with_rows=True,
)
