"""Records the files from which pairs and premises were read."""

from collection.models import Corpus, Source
from collection.texts import one_line

PORTION = 2000  # lines that one transaction writes


def remember_source(*, corpus: Corpus, name: str, digest: str, licence: str = "") -> Source:
    """Returns the file as a source of the corpus. A repeated file is the same source."""
    # A file name may hold bytes that are not text, and line breaks.
    name = one_line(name.encode(errors="backslashreplace").decode())[:300]
    source, _ = Source.objects.get_or_create(
        corpus=corpus, name=name, sha256=digest, defaults={"licence": licence}
    )
    return source
