"""Defines a search over settings: all trials of a grid, or a random sample of a grid or of ranges."""

import math
import random
from collections.abc import Collection, Mapping, Sequence
from itertools import product
from typing import Any

from modeling.launching.regimes import RefusedRun

MOST_TRIALS = 100
TRIES = 50  # at a draw that is not there yet
Search = Mapping[str, Sequence[object]]


def bad_search(sentence: str) -> RefusedRun:
    return RefusedRun("search", sentence)


def read_search(text: str) -> dict[str, list[str]]:
    """Reads lines like `learning_rate=0.001, 0.0003` as the values of each key. Raises RefusedRun."""
    found: dict[str, list[str]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        key, equals, values = (part.strip() for part in line.partition("="))
        listed = [value.strip() for value in values.split(",") if value.strip()]
        if not equals or not key or not listed:
            raise bad_search(
                f"“{line}” is not of the form key=value, value: give each key and the values to try."
            )
        if key in found:
            raise bad_search(f"{key} is listed twice: give all its values on one line.")
        found[key] = listed
    return found


def trials_of(
    search: Search, draws: int | None, seed: int, whole: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Returns the settings of each trial: every combination of the values, or `draws` of these, drawn by the seed.

    A value like `0.0001..0.01` is a range, from which each trial draws a number: a whole one for the keys in `whole`; else
    every power of ten is as probable as the next, or, from 0, every number. Raises RefusedRun.
    """
    values = {key: list(dict.fromkeys(each)) for key, each in search.items()}
    empty = [key for key, each in values.items() if not each]
    if empty:
        raise bad_search(f"{empty[0]} has no value: give those to try.")
    ranges = [key for key, each in values.items() if any(map(_ends, each))]
    if ranges and draws is None:
        raise bad_search(f"{ranges[0]} has a range: say how many trials to draw.")
    number = 1
    for each in values.values():
        number *= len(each)
    if draws is not None and (draws < 1 or (not ranges and draws > number)):
        raise bad_search(f"{draws} draws of {number} combinations: give a number from 1 to {number}.")
    if (draws or number) > MOST_TRIALS:
        raise bad_search(
            f"{draws or number} trials are more than {MOST_TRIALS}: list fewer values, or draw some."
        )
    if ranges and draws:
        return _drawn(values, draws, random.Random(seed), whole)
    combinations = (dict(zip(values, each, strict=True)) for each in product(*values.values()))
    if draws is None:
        return list(combinations)
    chosen = set(random.Random(seed).sample(range(number), draws))
    return [each for place, each in enumerate(combinations) if place in chosen]


def _ends(value: object) -> tuple[float, float] | None:
    """Returns the ends of a range; None for another value. Raises RefusedRun."""
    low, dots, high = str(value).partition("..")
    if not dots:
        return None
    try:
        ends = float(low), float(high)
    except ValueError:
        ends = math.nan, math.nan
    if not 0 <= ends[0] < ends[1] < math.inf:
        raise bad_search(
            f"{value} is not a range: write two numbers, the smaller first, such as 0.0001..0.01."
        )
    return ends


def _drawn(
    values: Mapping[str, Sequence[object]], draws: int, dice: random.Random, whole: Collection[str]
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for _ in range(TRIES * draws):
        trial = {key: _one_of(each, dice, key in whole) for key, each in values.items()}
        if trial not in found:
            found.append(trial)
        if len(found) == draws:
            return found
    raise bad_search(
        f"These values and ranges have fewer than {draws} combinations: draw fewer, or widen a range."
    )


def _one_of(values: Sequence[object], dice: random.Random, is_whole: bool) -> object:
    value = dice.choice(values)
    ends = _ends(value)
    if ends is None:
        return value
    low, high = ends
    if is_whole:
        return str(dice.randint(math.ceil(low), math.floor(high)))
    drawn = math.exp(dice.uniform(math.log(low), math.log(high))) if low else dice.uniform(low, high)
    return f"{min(max(float(f'{drawn:.3g}'), low), high):g}"
