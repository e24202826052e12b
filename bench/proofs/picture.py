"""Draws learning curves as SVG: a picture of a few lines needs no library."""

import math
from collections.abc import Mapping
from html import escape
from pathlib import Path

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 56, 150, 16, 48
NAME_HEIGHT = 15
LOWEST, HIGHEST = 30, 70  # percent; chance is a third
COLOURS = ("#0b5fa5", "#b3410e", "#2e7d32", "#6a1b9a")
DASHES = ("none", "8 4", "2 3", "10 3 2 3")  # told apart without colours too
FRAME = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"
  font-family="sans-serif" font-size="13">
<title>Test accuracy on SNLI by the number of training pairs</title>
<rect width="{width}" height="{height}" fill="white"/>
{parts}
</svg>
"""


def write_curve(path: Path, lines: Mapping[str, Mapping[int, float | None]]) -> Path:
    """Draws {name: {training pairs: accuracy in percent}} on a logarithmic axis. None is left out."""
    sizes = [size for line in lines.values() for size in line]
    first, last = math.floor(math.log10(min(sizes))), math.ceil(math.log10(max(sizes)))

    def x(size: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(size) - first) / (last - first), 1)

    def y(percent: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (percent - LOWEST) / (HIGHEST - LOWEST), 1)

    parts = [text(LEFT - 8, y(value) + 4, f"{value}%", "end") for value in range(LOWEST, HIGHEST + 1, 10)]
    parts += [
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value)}" y2="{y(value)}" stroke="#ddd"/>'
        for value in range(LOWEST, HIGHEST + 1, 10)
    ]
    parts += [
        text(x(10**power), HEIGHT - BOTTOM + 20, f"{10**power:,}", "middle")
        for power in range(first, last + 1)
    ]
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "training pairs", "middle"))
    taken: list[tuple[float, float]] = []
    for number, (name, line) in enumerate(lines.items()):
        points = [(x(size), y(value)) for size, value in sorted(line.items()) if value is not None]
        if points:
            taken.append(free_place(points[-1], taken))
            parts += one_line(name, points, taken[-1], COLOURS[number], DASHES[number])
    path.write_text(FRAME.format(width=WIDTH, height=HEIGHT, parts="\n".join(parts)), encoding="utf-8")
    return path


def free_place(end: tuple[float, float], taken: list[tuple[float, float]]) -> tuple[float, float]:
    """Returns the place of a line's name: at its end, above or below the names of other lines there."""
    x, y = end[0] + 8, end[1] + 4
    free = (y + step * sign for step in range(0, HEIGHT, 2) for sign in (-1, 1))
    near = [other for place, other in taken if abs(place - x) < RIGHT]
    return x, next(one for one in free if all(abs(one - other) >= NAME_HEIGHT for other in near))


def one_line(
    name: str, points: list[tuple[float, float]], place: tuple[float, float], colour: str, dash: str
) -> list[str]:
    """Returns the line, its points and its name at the given place."""
    path = " ".join(f"{x},{y}" for x, y in points)
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>',
        *(f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>' for x, y in points),
        text(*place, name, "start", colour),
    ]


def text(x: float, y: float, said: str, anchor: str, colour: str = "#333") -> str:
    """Returns a text at a place, in units of the picture."""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}">{escape(said)}</text>'
