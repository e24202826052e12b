"""Writes the table of the slowest tests into CONTRIBUTING.md: `python -m scripts.slowest_tests`, after `make test`.

The times are those of the last run of all tests of a grade on this machine.
"""

import re
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

from scripts.test import ROOT, TIMES

PAGE = ROOT / "CONTRIBUTING.md"
TABLE = re.compile(r"(?<=<!-- slowest tests -->\n).*?(?=<!-- end -->)", re.DOTALL)
MOST = 20


def main() -> int:
    if not TIMES.exists():
        print("No times are stored yet: run `make test` first.", file=sys.stderr)
        return 1
    files = seconds_by_file(TIMES)
    PAGE.write_text(TABLE.sub(lambda _: table(files), PAGE.read_text()))
    print(f"{PAGE.name} lists the {MOST} slowest of {len(files)} files.")
    return 0


def seconds_by_file(path: Path) -> dict[str, tuple[int, float]]:
    """Returns for each file of tests how many tests it has and how long they took, their setup included."""
    found: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    for case in ET.parse(path).getroot().iter("testcase"):
        name = case.get("classname", "").replace(".", "/")
        # A class of tests stands behind the name of its file.
        name = re.sub(r"/[A-Z]\w*$", "", name) + ".py"
        tests, seconds = found[name]
        found[name] = tests + 1, seconds + float(case.get("time", 0))
    return dict(found)


def table(files: dict[str, tuple[int, float]]) -> str:
    slowest = sorted(files.items(), key=lambda item: -item[1][1])[:MOST]
    rows = [f"| `{name}` | {tests} | {seconds:.0f} |" for name, (tests, seconds) in slowest]
    return "\n".join(["", "| file | tests | seconds |", "|---|---|---|", *rows, "", ""])


if __name__ == "__main__":
    sys.exit(main())
