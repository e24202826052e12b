"""Finds near duplicates among texts, by MinHash.

Broder, "On the resemblance and containment of documents", 1997; bands as in Leskovec, Rajaraman and Ullman, "Mining of
Massive Datasets", section 3.4. Every candidate is confirmed by the exact Jaccard similarity. It uses numpy, which
computes all signatures of a part at once; the library `datasketch` would be a further package, and computes them text
by text in Python.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

SIMILAR = 0.8  # Jaccard similarity of the sets of shingles
SHINGLE = 3  # words
BANDS, ROWS = 16, 4  # finds 99.98% of what has a similarity of 0.8
MOST_CANDIDATES = 50  # for a text and band: templates would have thousands
TEXTS_AT_ONCE = 20_000  # whose hashes are in memory
Numbers = npt.NDArray[np.uint32]
Keys = npt.NDArray[np.uint64]
WORD = re.compile(r"\w+")

_dice = np.random.default_rng(1997)
_FACTORS, _SUMMANDS = (
    _dice.integers(1, 2**63, size=BANDS * ROWS, dtype=np.uint64) | np.uint64(1) for _ in range(2)
)
_MIX = _dice.integers(1, 2**63, size=ROWS, dtype=np.uint64) | np.uint64(1)


@dataclass(frozen=True)
class Shingles:
    """The concatenated shingles of texts, sorted within each: text i has those from `starts[i]` to `starts[i + 1]`."""

    numbers: Numbers
    starts: npt.NDArray[np.int64]

    def of(self, text: int) -> Numbers:
        return self.numbers[self.starts[text] : self.starts[text + 1]]

    def band(self, band: int) -> Keys:
        """Returns a number for the band of each text's signature; equal ones make a candidate."""
        texts = len(self.starts) - 1
        keys = np.zeros(texts, dtype=np.uint64)
        for first in range(0, texts, TEXTS_AT_ONCE):
            starts = self.starts[first : first + TEXTS_AT_ONCE + 1]
            numbers = self.numbers[starts[0] : starts[-1]].astype(np.uint64)
            places = starts[:-1] - starts[0]
            with np.errstate(over="ignore"):  # products of 64 bits wrap around, as a hash should
                for row in range(ROWS):
                    place = band * ROWS + row
                    hashed = (numbers * _FACTORS[place] + _SUMMANDS[place]) >> np.uint64(32)
                    keys[first : first + len(places)] += np.minimum.reduceat(hashed, places) * _MIX[row]
        return keys


def words_of(text: str) -> list[str]:
    """Returns the words of a text in lower case, without punctuation."""
    return WORD.findall(text.casefold())


def shingles_of(texts: Iterable[Sequence[str]], cut: Callable[[str], Sequence[str]] = words_of) -> Shingles:
    """Cuts texts into sets of shingles.

    Each text is a list of parts, such as premise and hypothesis; no shingle spans two parts.
    """
    found, starts = array("I"), array("q", [0])
    for parts in texts:
        found.extend(
            sorted({number for place, part in enumerate(parts) for number in _shingles(place, cut(part))})
        )
        starts.append(len(found))
    return Shingles(np.array(found, dtype=np.uint32), np.array(starts, dtype=np.int64))


def _shingles(place: int, words: Sequence[str]) -> Iterator[int]:
    for start in range(max(1, len(words) - SHINGLE + 1)):
        yield crc32(f"{place} {' '.join(words[start : start + SHINGLE])}".encode())


def near_duplicates(
    ours: Shingles, theirs: Shingles, progress: Callable[[float], None] = lambda share: None
) -> dict[int, int]:
    """Returns, for each of our texts with a near duplicate among theirs: text -> the first one found.

    Calls `progress` with the share that is done, from 0 to 1.
    """
    found: dict[int, int] = {}
    for band in range(BANDS):
        progress(band / BANDS)
        our_keys, keys = ours.band(band), theirs.band(band)
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        first = np.searchsorted(keys, our_keys, side="left")
        last = np.searchsorted(keys, our_keys, side="right")
        for text in np.flatnonzero(last > first).tolist():
            if text in found:
                continue
            for candidate in order[first[text] : min(last[text], first[text] + MOST_CANDIDATES)].tolist():
                if jaccard(ours.of(text), theirs.of(candidate)) >= SIMILAR:
                    found[text] = candidate
                    break
    return found


def jaccard(one: Numbers, other: Numbers) -> float:
    """Computes the share of the shingles of two texts that both have."""
    common = len(np.intersect1d(one, other, assume_unique=True))
    return common / (len(one) + len(other) - common)
