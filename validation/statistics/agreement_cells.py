"""Agreement by two properties of pairs at once: genre and week, prompt version and week, genre and person."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal, Self

from pydantic import model_validator

from accounts.models import User
from collection.models import Pair
from nli.agreement import agreement_from_patterns, chance_corrected, votes_only, with_all_labels
from schemas.base import refuse
from shared.figures import Figure, Parameters, Picture, picture
from shared.findings import compared, in_place, named_rows
from shared.intervals import FEWEST_PAIRS
from shared.numbers import decimals
from shared.tables import Column, Table, interval
from validation.models import Question
from validation.statistics.agreement import WEEKS as QUARTER
from validation.statistics.cached import FIRST_DIMENSION, Kind
from validation.statistics.confidence_intervals import Profiles, interval_of_corrected
from validation.statistics.definitions import CORRECTED, DEFINITIONS, corrected_name
from validation.statistics.progress import Progress
from validation.statistics.scope import QUESTION, Counted
from validation.statistics.vote_patterns import (
    DIMENSIONS,
    TITLES,
    WEEKS,
    behind_both,
    count_patterns,
    name_of_group,
    patterns_of,
)

MOST_ROWS, MOST_COLUMNS = 30, QUARTER
MOST_WITH_INTERVALS = 60  # cells
NOBODY = "none"
Cell = tuple[str, str]


class Two(Parameters):
    """by: of the rows. across: of the columns."""

    by: Literal[*DIMENSIONS] = FIRST_DIMENSION  # type: ignore[valid-type]
    across: Literal[*DIMENSIONS] = "week"  # type: ignore[valid-type]

    @model_validator(mode="after")
    def _are_two(self) -> Self:
        if self.by == self.across:
            refuse(f"by and across are both {self.by}; choose two different ones")
        return self

    @property
    def counted_by(self) -> str:
        return f"{self.by},{self.across}"


def cells_of(question: Question, by: str, progress: Progress) -> dict[str, Any]:
    """Computes agreement by the two properties in `by`, which a comma separates, by one query over the labels.

    Returns by, across; rows and columns: the groups that are kept, and left_out: how many rows and columns are not; cells:
    [row, column, pairs with all labels, kappa, [low, high] or None, share of labels that equal gold].
    """
    both = first, across = tuple(by.split(","))
    groups = _with_codes(
        count_patterns(Pair.objects.filter(corpus=question.corpus_id), question, *both).groups, both
    )
    progress(0.5)
    full = {cell: with_all_labels(patterns_of(profiles), question.rule) for cell, profiles in groups.items()}
    sizes = {cell: sum(patterns.values()) for cell, patterns in full.items() if patterns}
    rows, columns = _kept(sizes, 0, first, MOST_ROWS), _kept(sizes, 1, across, MOST_COLUMNS)
    shown = [(row, column) for row in rows for column in columns if (row, column) in sizes]
    enough = [cell for cell in shown if sizes[cell] >= FEWEST_PAIRS]
    found = []
    for number, cell in enumerate(shown):
        progress(0.5 + 0.5 * number / len(shown))
        figures = agreement_from_patterns(full[cell], question.rule)
        is_sure = cell in enough and len(enough) <= MOST_WITH_INTERVALS
        ends = interval_of_corrected(groups[cell], question.rule) if is_sure else None
        kappa = chance_corrected(votes_only(full[cell]), question.rule)
        found.append([*cell, sizes[cell], kappa, ends, figures["individual_equals_gold"]])
    left_out = [
        len({cell[place] for cell in sizes}) - len(kept) for place, kept in enumerate((rows, columns))
    ]
    return {
        "by": first,
        "across": across,
        "rows": rows,
        "columns": columns,
        "left_out": left_out,
        "cells": found,
    }


def _with_codes(groups: Mapping[Any, Profiles], both: tuple[str, ...]) -> dict[Cell, Profiles]:
    """Returns the groups, with codes for the ids of validators."""
    if "validator" not in both:
        return dict(groups)
    place = both.index("validator")
    codes = dict(User.objects.filter(pk__in={int(cell[place]) for cell in groups}).values_list("pk", "code"))
    return {
        tuple(codes[int(key)] if at == place else key for at, key in enumerate(cell)): profiles
        for cell, profiles in groups.items()
    }


def _kept(sizes: Mapping[Cell, int], place: int, by: str, most: int) -> list[str]:
    """Returns the groups that are shown: the last weeks in their order, else those with most pairs, by name."""
    whole: Counter[str] = Counter()
    for cell, pairs in sizes.items():
        whole[cell[place]] += pairs
    if by in WEEKS:
        return sorted(whole)[-most:]
    return sorted(group for group, _ in sorted(whole.items(), key=lambda each: (-each[1], each[0]))[:most])


def _named(data: Counted, by: str, group: str) -> str:
    return name_of_group(by, group, {"genre": data.genres}) or NOBODY


def _rows(data: Counted, by: str, across: str) -> Iterator[dict[str, Any]]:
    for row, column, pairs, kappa, ends, equal in data.found["cells"]:
        low, high = ends or (None, None)
        yield {
            "row": _named(data, by, row),
            "column": _named(data, across, column),
            "pairs": pairs,
            "kappa": kappa,
            "low": low,
            "high": high,
            "equal": equal,
            "href": behind_both(data.question, (by, row), (across, column), votes="complete"),
        }


def _drawn(table: Table, data: Counted) -> Picture:
    by, across = data.found["by"], data.found["across"]
    parts = named_rows(
        [{**row, "name": f"{row['row']}, {row['column']}"} for row in table.rows], "name", "kappa", "pairs"
    )
    statistic = corrected_name(data.question.rule)
    found = compared(statistic, parts, "part", lambda value: decimals(value, 2))
    cut = [
        f"{number:,} more {what} {'is' if number == 1 else 'are'} left out"
        for number, what in zip(data.found["left_out"], ("rows", "columns"), strict=True)
        if number
    ]
    leads = " A cell leads to its pairs." if any(row["href"] for row in table.rows) else ""
    note = (
        f"Below each value stands the number of pairs; over fewer than {FEWEST_PAIRS} both are faint. The stronger the"
        f" colour, the higher among the others.{leads}{''.join(f' {each}.' for each in cut)}"
    )
    drawn = picture(
        "heat",
        y="row",
        x="column",
        value="kappa",
        n="pairs",
        series=[_named(data, across, each) for each in data.found["columns"]],
        x_name=TITLES.get(across, across),
        note=note,
    )
    whole = f"{statistic} by {TITLES.get(by, by)} and {TITLES.get(across, across)}"
    return {**drawn, "title": in_place(found or whole)}


CELLS = Figure(
    "agreement-cells",
    "Agreement by two properties of pairs",
    QUESTION,
    _rows,
    (
        Column("row", "{}", each=lambda data: [TITLES.get(data.found["by"], data.found["by"])]),
        Column("column", "{}", each=lambda data: [TITLES.get(data.found["across"], data.found["across"])]),
        Column("pairs", kind="count", definition=DEFINITIONS["pairs_with_all_labels"]),
        Column("kappa", "{}", "kappa", CORRECTED, each=lambda data: [corrected_name(data.question.rule)]),
        *interval(
            f"{DEFINITIONS['intervals']} Parts of {FEWEST_PAIRS} pairs or more have one, if these are"
            f" {MOST_WITH_INTERVALS} or fewer.",
            "kappa",
        ),
        Column("equal", "individual = gold", "share", DEFINITIONS["individual_equals_gold"]),
    ),
    _drawn,
    source=Kind.CELLS,
    parameters=Two,
    only_with_rows=True,
)
