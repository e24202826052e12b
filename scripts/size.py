"""Counts what a reader has before them: `python -m scripts.size`. Lines and modules of Python that git knows."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def counted(paths: list[str]) -> str:
    lines = sum(len((ROOT / path).read_bytes().splitlines()) for path in paths)
    return f"{lines:7,} lines in {len(paths):4,} modules"


def main() -> None:
    told = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    ours = [path for path in told.stdout.splitlines() if "/migrations/" not in path]
    tests = [path for path in ours if path.startswith("tests/")]
    print(f"{counted(sorted(set(ours) - set(tests)))}, without tests and migrations")
    print(f"{counted(tests)}: tests")


if __name__ == "__main__":
    main()
