"""Decides when two premises are the same, and makes ids for premises. Imports no Django.

The text of a premise is stored as it came. Only its digest is computed from a normal form: Unicode NFC, white
space folded to single spaces. Upper and lower case stay different, as they are for a reader.
"""

import hashlib
import re
import unicodedata
from collections.abc import Sequence

SPARE = re.compile(r"~[0-9a-f]{8}\Z")


def normalise(sentence: str) -> str:
    """Returns the normal form: NFC, single spaces, no white space at the ends."""
    return " ".join(unicodedata.normalize("NFC", sentence).split())


def digest_of(sentences: Sequence[str]) -> str:
    """Returns 64 hex digits, equal for premises that differ only in white space or Unicode composition.

    Two sentences have another digest than one sentence with the same words: a line break is put between sentences, and
    normalised sentences have none.
    """
    return hashlib.sha256("\n".join(map(normalise, sentences)).encode()).hexdigest()


def text_of(sentences: Sequence[str]) -> str:
    """Returns the text to store: a single sentence as it is, several with a line for each."""
    if len(sentences) == 1:
        return sentences[0]
    return "\n".join(" ".join(sentence.splitlines()) for sentence in sentences)


def public_id_of(genre: str, digest: str) -> str:
    """Returns a public id for a premise that came without one. Two genres may have the same text, so it names the genre."""
    return f"{genre}-{digest[:16]}"


def published_id(public_id: str) -> str:
    """Returns the id as the published file gave it, without the mark of `spare_public_id`."""
    return SPARE.sub("", public_id)


def spare_public_id(public_id: str, genre: str, digest: str) -> str:
    """Returns another id for a premise whose id is taken: `123` becomes `123~0f3a9c1e`."""
    return f"{public_id[:190]}~{hashlib.sha256(f'{genre} {digest}'.encode()).hexdigest()[:8]}"
