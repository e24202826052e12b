"""Runs many people at once, each in a thread, and records how long their requests took."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass
class Timings:
    """The seconds that each request took, and what the site acknowledged."""

    claims: list[float] = field(default_factory=list)
    submits: list[float] = field(default_factory=list)
    acknowledged: int = 0

    def add(self, other: "Timings") -> None:
        self.claims += other.claims
        self.submits += other.submits
        self.acknowledged += other.acknowledged


def all_at_once(works: Sequence[Callable[[Timings], None]]) -> tuple[Timings, float]:
    """Runs every callable of `works` in a thread; returns their combined timings and the seconds used.

    Raises RuntimeError with the first error of any thread.
    """
    errors: list[Exception] = []
    notes = [Timings() for _ in works]

    def run(work: Callable[[Timings], None], own: Timings) -> None:
        try:
            work(own)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=job) for job in zip(works, notes, strict=True)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    used = time.monotonic() - start
    if errors:
        raise RuntimeError(f"{len(errors)} of {len(works)} met an error; the first: {errors[0]!r}")
    together = Timings()
    for own in notes:
        together.add(own)
    return together, used
