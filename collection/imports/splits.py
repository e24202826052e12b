"""Draws partitions for pairs whose source has none. Imports no Django.

The partition of a group follows from the seed and the group's name alone. So a source may be imported in parts and in
any order, and an interrupted import continues consistently. The shares are approximate; they are more exact with more
groups.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from collection.formats.field_errors import FieldError
from collection.formats.records import ImportedPair
from collection.premise_ids import digest_of
from nli.lines import PARTITIONS

WHOLE = 2**64
DEFAULT = "80:10:10"


@dataclass(frozen=True)
class Split:
    """Shares of train, dev and test in percent."""

    shares: Sequence[int] = (80, 10, 10)
    seed: int = 0

    def partition_of(self, group: str) -> str:
        at = int.from_bytes(sha256(f"{self.seed}\n{group}".encode()).digest()[:8]) * 100 / WHOLE
        train, dev, _ = self.shares
        return PARTITIONS[(at >= train) + (at >= train + dev)]

    def placed(self, item: ImportedPair) -> ImportedPair:
        """Returns the pair with a partition. A partition from the source stays."""
        if item.partition:
            return item
        group = item.group or item.document or item.premise_id or digest_of(item.premise)
        return replace(item, partition=self.partition_of(group), drawn=True)


def split_of(text: str, seed: int) -> Split | None:
    """Reads `80:10:10`, or `none`. Raises FieldError that says how to write it."""
    if text == "none":
        return None
    try:
        shares = tuple(map(int, text.split(":")))
    except ValueError:
        shares = ()
    if len(shares) != 3 or sum(shares) != 100 or min(shares) < 0:
        raise FieldError(
            f"{text}: write the percent of train, dev and test, which make 100 together, such as {DEFAULT}, or none.",
            "split",
        )
    return Split(shares, seed)
