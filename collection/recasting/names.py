"""Given names for templates: our own list, or a file with counts such as the US Social Security's."""

import random
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from collection.formats.lines import BadLine, read_lines


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
