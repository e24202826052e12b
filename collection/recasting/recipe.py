"""The form of a recipe: how to read a source, the templates for its rows, and given names for them.

Names are our own list, or a file with counts such as the US Social Security's.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

from collection.formats.lines import BadLine, Record, read_lines


@dataclass(frozen=True)
class Names:
    names: tuple[str, ...]
    sums: tuple[float, ...]  # cumulative weights

    def drawn(self, chance: random.Random) -> str:
        return chance.choices(self.names, cum_weights=self.sums)[0]


def weighted(counts: dict[str, float]) -> Names:
    return Names(tuple(counts), tuple(accumulate(counts.values())))


def read_names(path: Path) -> Names:
    """Reads lines of `name,sex,count`, `name,count` or `name`. Raises ValueError that names the line."""
    counts: dict[str, float] = {}
    for item in read_lines(path):
        if isinstance(item, BadLine):
            raise ValueError(f"{path.name}, line {item.line}: {item.reason}.")
        number, line = item
        name, *rest = (cell.strip() for cell in line.split(","))
        if not name:
            continue
        try:
            counts[name] = counts.get(name, 0) + (float(rest[-1]) if rest else 1)
        except ValueError:
            raise ValueError(
                f'{path.name}, line {number}: "{rest[-1]}" is not a number; write on each line name, or name,count'
                " or name,sex,count."
            ) from None
    if not counts or min(counts.values()) < 0 or not sum(counts.values()):
        raise ValueError(f"{path.name} holds no names with counts above 0.")
    return weighted(counts)


OURS = """
Ada Adam Agnes Ahmed Alice Alma Amara Amir Ana Andre Anna Anton Arthur Asha Ben Bella Boris Bruno Carla
Carlos Cecilia Chen Clara Conrad Cora Daniel Daria David Dina Dora Edgar Edith Elena Eli Elsa Emil Emma
Eric Esther Ethan Eva Fatima Felix Fiona Frank Frida George Gina Grace Greta Hana Harold Hassan Helen
Henry Hugo Ida Igor Ines Irene Isaac Ivan Jack Jada James Jane Jorge Joseph Julia Karim Kate Keisha Kim
Lara Laura Lena Leo Lewis Lily Linda Lucas Lucy Maria Mark Martha Max Mia Miguel Mira Moses Nadia Naomi
Nina Noah Nora Olga Oscar Omar Paula Peter Priya Quinn Rachel Ravi Rosa Ruth Sam Sara Selma Simon Sofia
Stella Tara Theo Thomas Tina Uma Vera Victor Wanda Walter Xavier Yara Yusuf Zara Zoe
"""
NAMES = weighted(dict.fromkeys(OURS.split(), 1))


ENTAILED, NOT_ENTAILED = "entailed", "not-entailed"
T = TypeVar("T")


class PassedOver(Exception):
    """The row is valid, but the recipe makes no pair of it. The text says why."""


class Draw:
    """Draws for one row: the same seed, recipe, line and row give the same choices, independent of other rows.

    `known` is the result of the recipe's survey of all sources.
    """

    def __init__(self, key: str, *, known: Any = None, names: Names = NAMES) -> None:
        self.key, self.known, self.names = key, known, names

    @cached_property
    def _chance(self) -> random.Random:
        return random.Random(self.key)

    def name(self) -> str:
        """Returns a person's name from the list of names."""
        return self.names.drawn(self._chance)

    def one_of(self, values: Sequence[T]) -> T:
        return self._chance.choice(values)

    def by_share(self, counts: Mapping[str, float]) -> str:
        """Returns one of the keys, each as probable as its count says."""
        keys = sorted(counts)
        return self._chance.choices(keys, [counts[key] for key in keys])[0]


@dataclass(frozen=True, slots=True)
class Item:
    """The content of one row: the values for the templates, and which hypothesis is entailed.

    values: by the templates' fields; a function (such as `draw.name`) is called for each pair.
    answer: the key of the entailed hypothesis; None if it is unknown (the pairs then have no label).
    source_id: the source's id of the row. hypotheses, licence: instead of the recipe's.
    labels: the source's judgements about the pair, of the recipe's scheme. misc: stored in the pair's metadata.
    """

    values: Mapping[str, Any]
    answer: str | None = None
    source_id: str = ""
    hypotheses: Mapping[str, str] | None = None
    licence: str = ""
    labels: tuple[str, ...] = ()
    misc: Any = None


@dataclass(frozen=True, kw_only=True)
class Partition:
    """Which partition a row's pairs are in: the one that the source names, else one drawn for their whole group.

    own: a template of the source's own partition (train, dev, test); empty if it has none.
    together: a template of what stays in one partition; empty: all pairs of the same context, whatever is drawn in it.
    shares: percent of train, dev and test in what is drawn, as `--split` takes them, which goes before it; empty: the
    default of all imports.
    """

    own: str = ""
    together: str = ""
    shares: str = ""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How to make pairs from the rows of a source.

    read: yields the rows of a file with their lines. items: returns the content of a row; raises Unreadable for an
    invalid row, and PassedOver for one that the recipe leaves out. survey: reads all rows of all sources before the
    first is recast.
    context, hypotheses: templates. The key of a hypothesis is the answer that entails it: its label is `entailed`
    for that answer, and `not-entailed` for every other. `true` replaces this rule where it is too simple.
    partition: which partition the pairs are in. Its templates take the values that are texts, not drawn names.
    corpus, phenomenon, licence, citation, approach: go into the metadata of each pair, as the DNC's do.
    """

    name: str
    about: str
    corpus: str
    phenomenon: str
    citation: str
    licence: str
    read: Callable[[Path], Iterator[Record | BadLine]]
    items: Callable[[dict[str, Any], Draw], Iterable[Item]]
    hypotheses: Mapping[str, str] = field(default_factory=dict)
    context: str = "{context}"
    partition: Partition = field(default_factory=Partition)
    approach: str = "automatic"
    scheme: str = "entailed2"
    survey: Callable[[Iterable[dict[str, Any]]], Any] | None = None
    true: Callable[[str, Item], bool] = lambda key, item: key == item.answer
