"""Read our Markdown pages: anchors, sections, tables, code."""

import re
from pathlib import Path

from django.conf import settings

ROOT: Path = settings.BASE_DIR
REFERENCE = ROOT / "docs" / "reference"
NOT_OURS = {"var", "node_modules"}
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```[^\n]*$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Returns every Markdown file of the repository, except those in hidden folders and in `var/`."""
    found = [path for path in ROOT.rglob("*.md") if not _is_foreign(path.relative_to(ROOT))]
    return sorted(found)


def _is_foreign(path: Path) -> bool:
    return any(part.startswith(".") or part in NOT_OURS for part in path.parts[:-1])


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def anchors(text: str) -> set[str]:
    """Returns the anchors of a page's headings, as code hosts make them."""
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in HEADING.findall(FENCE.sub("", text))
    }


def sections(text: str) -> dict[str, str]:
    """Returns heading of the second level -> the text under it."""
    parts = re.split(r"^## +(.+?) *$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(text: str) -> list[list[str]]:
    """Returns the cells of every table row, without heads and rules."""
    lines = text.splitlines()
    return [
        [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        for line, after in zip(lines, [*lines[1:], ""], strict=True)
        if line.startswith("|") and not line.startswith("|--") and not after.startswith("|--")
    ]


def ticked(cell: str) -> list[str]:
    """Returns the texts in backticks."""
    return re.findall(r"`([^`]+)`", cell)
