"""Compares the number of queries of a page with `query_counts.json`, which says how many there may be.

`UPDATE_QUERY_COUNTS=1 make test ARGS=...` writes the present numbers. Look at the diff before you commit it.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection
from django.test.utils import CaptureQueriesContext

FILE = Path(__file__).with_suffix(".json")


@contextmanager
def query_count(name: str) -> Iterator[None]:
    """Fails if the block makes more queries than `query_counts.json` says under this name."""
    with CaptureQueriesContext(connection) as captured:
        yield
    asked = "\n".join(query["sql"] for query in captured.captured_queries)
    compare({name: len(captured)}, asked)


def compare(found: dict[str, int], asked: str = "", all_of: str | None = None) -> None:
    """Fails if a number is above that of `query_counts.json`, or if the file has other names that begin with `all_of`."""
    counts = json.loads(FILE.read_text())
    gone = {name for name in counts if all_of and name.startswith(all_of)} - found.keys()
    if os.environ.get("UPDATE_QUERY_COUNTS") == "1":
        kept = {name: n for name, n in counts.items() if name not in gone}
        FILE.write_text(json.dumps(kept | found, indent=2, sort_keys=True) + "\n")
        return
    others = [
        f"“{name}” asked {n} queries; {counts.get(name, 'none')} are allowed"
        for name, n in found.items()
        if n > counts.get(name, -1)
    ]
    others += [f"“{name}” was not asked for" for name in sorted(gone)]
    assert not others, "\n".join([*others, asked])
