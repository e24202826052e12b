"""Digests of texts, to find a text again without storing it."""

import hashlib

DIGEST_BYTES = 8


def digest(*texts: str) -> int:
    """Return 64 bits for the texts. White space at their ends does not count, nor does repeated white space."""
    joined = "\n".join(" ".join(text.split()) for text in texts)
    return int.from_bytes(hashlib.blake2b(joined.encode(), digest_size=DIGEST_BYTES).digest(), "big")
