"""Checks that no migration that databases may have was changed or removed: `python -m scripts.migrations`.

`add` after it: adds the new ones to the list, scripts/migrations.txt, when they are finished.
"""

import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(*words: str, root: Path = ROOT) -> int:
    """Prints what is wrong and what to do. Returns 1 if anything is."""
    recorded = root / "scripts" / "migrations.txt"
    listed = dict(line.split() for line in recorded.read_text().splitlines())
    files = sorted(root.glob("*/migrations/0*.py"))
    found = {path.relative_to(root).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}
    wrong = [
        f"{name} was {'changed' if name in found else 'removed'}"
        for name in listed
        if found.get(name) != listed[name]
    ]
    new = [name for name in found if name not in listed]
    for line in wrong:
        print(f"{line}: databases may have it. Restore it, and write a new migration.")
    if words == ("add",) and not wrong:
        recorded.write_text("".join(f"{name} {digest}\n" for name, digest in found.items()))
    elif new:
        print(f"{', '.join(new)}: new. Once finished, run `python -m scripts.migrations add`.")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
