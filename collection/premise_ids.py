"""What makes two premises the same, and the names that premises get. No Django in here.

The text of a premise is kept as it came. Only its digest is taken from a normal form: Unicode NFC, white
space folded to single spaces. Upper and lower case stay apart, as a reader sees them apart.
"""

import hashlib
import re
import unicodedata
from collections.abc import Sequence

SPARE = re.compile(r"~[0-9a-f]{8}\Z")


def normalise(sentence: str) -> str:
    """The normal form: NFC, every run of white space one space, none at the ends."""
    return " ".join(unicodedata.normalize("NFC", sentence).split())


def digest_of(sentences: Sequence[str]) -> str:
    """Sixty-four hex digits, the same for premises that differ in white space or composition only.

    One sentence and several with the same words have different digests, because a normal form holds no
    line break and the sentences are joined by one.
    """
    return hashlib.sha256("\n".join(map(normalise, sentences)).encode()).hexdigest()


def text_of(sentences: Sequence[str]) -> str:
    """The text to store: one sentence as it is, several one a line."""
    if len(sentences) == 1:
        return sentences[0]
    return "\n".join(" ".join(sentence.splitlines()) for sentence in sentences)


def public_id_of(genre: str, digest: str) -> str:
    """The public id of a premise that came without one. With the genre, as a text may occur in two."""
    return f"{genre}-{digest[:16]}"


def published_id(public_id: str) -> str:
    """The id that a published file gave, without the mark of `spare_public_id`."""
    return SPARE.sub("", public_id)


def spare_public_id(public_id: str, genre: str, digest: str) -> str:
    """Another id where a published file gives the same id to two premises: `123` becomes `123~0f3a9c1e`."""
    return f"{public_id[:190]}~{hashlib.sha256(f'{genre} {digest}'.encode()).hexdigest()[:8]}"
