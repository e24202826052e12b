"""Attach parse trees that were made elsewhere, such as by the Stanford parser, to the pairs of a corpus.

A file names pairs by their public id and has trees in SNLI's fields. They are stored like those that are derived here: by
sentence and without words. A freeze that names the file takes them for sentences without a tree.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from django.db.models import QuerySet

from collection.formats.lines import BadLine, sha256_of
from collection.formats.tables import any_records
from collection.models import Corpus, Pair, Source
from shared.portions import portions
from shared.transactions import one_transaction
from snapshots.errors import SnapshotError
from snapshots.files.trees import BadTree, Tree, binary, binary_words, escaped, is_binary, leaves, penn, read
from snapshots.models import DerivedTree, Parser
from snapshots.parses.stored_trees import SHIPPED, digest_of

PORTION = 1000
SHOWN = 20
IDS = ("pairID", "pair_id")
QUOTES = ("``", "''")


class NoSuchTrees(SnapshotError):
    """The trees that a freeze asks for cannot be used. The message says why."""


class BadTrees(SnapshotError):
    """Lines of a file of trees are wrong. The message names the first ones."""


@dataclass
class Attached:
    """What a file gave: its pairs and sentences with trees, and the lines that were left out, with reasons."""

    parser: Parser
    pairs: int = 0
    sentences: int = 0
    wrong: list[str] = field(default_factory=list)


def attached_to(corpus: Corpus) -> QuerySet[Parser]:
    """Returns the files of trees of a corpus, the newest first."""
    return Parser.objects.filter(source__corpus=corpus).select_related("source").order_by("-pk")


def trees_named(corpus: Corpus, name: str, *, derived_parses: bool = False) -> Parser | None:
    """Returns the newest file of trees with this name; None for "". Raises NoSuchTrees."""
    if not name:
        return None
    if derived_parses:
        raise NoSuchTrees("Trees are derived, or come from a file: choose one of the two.")
    files = {str(each.source): each for each in reversed(attached_to(corpus))}
    if name not in files:
        known = ", ".join(sorted(files)) or "none"
        raise NoSuchTrees(
            f"{corpus.slug} has no file of trees {name!r}. Files that attach_trees read: {known}."
        )
    return files[name]


@one_transaction
def attach_trees(*, corpus: Corpus, path: Path, made_by: str, partly: bool = False) -> Attached:
    """Stores the trees of a file. `partly`: wrong lines are left out, else nothing is stored. Raises BadTrees."""
    digest = sha256_of(path)
    if any(each.source and each.source.sha256 == digest for each in attached_to(corpus)):
        raise BadTrees(f"The trees of {path.name} are attached to {corpus.slug} already.")
    source, _ = Source.objects.get_or_create(corpus=corpus, name=path.name, sha256=digest)
    found = Attached(Parser.objects.create(model=made_by, source=source))
    line_of: dict[bytes, tuple[int, tuple[str, str]]] = {}
    for portion in portions(any_records(path), PORTION):
        records = [item for item in portion if not isinstance(item, BadLine)]
        found.wrong += [f"line {item.line}: {item.reason}" for item in portion if isinstance(item, BadLine)]
        pairs = Pair.objects.filter(corpus=corpus, public_id__in=[_id_in(record) for _, record in records])
        known = {pair.public_id: pair for pair in pairs.select_related("premise", "parse")}
        new: list[DerivedTree] = []
        for number, record in records:
            try:
                made = list(_trees_in(record, known))
                for text, parses in made:
                    key = digest_of(text)
                    if line_of.setdefault(key, (number, parses))[1] != parses:
                        raise BadTree(f"line {line_of[key][0]} has another tree for the same sentence")
            except BadTree as error:
                found.wrong.append(f"line {number}: {error}")
                continue
            found.pairs += 1
            for text, parses in made:
                if line_of[digest_of(text)][0] == number:
                    new.append(
                        DerivedTree(
                            parser=found.parser,
                            digest=digest_of(text),
                            parse=parses[0],
                            binary_parse=parses[1],
                        )
                    )
        # A sentence may stand twice in one line, as premise and hypothesis.
        DerivedTree.objects.bulk_create(new, ignore_conflicts=True)
    found.sentences = found.parser.trees.count()
    if found.wrong and not partly:
        more = len(found.wrong) - SHOWN
        shown = found.wrong[:SHOWN] + ([f"and {more:,} lines more"] if more > 0 else [])
        raise BadTrees("Nothing was attached.\n" + "\n".join(shown))
    if not found.sentences:
        raise BadTrees("\n".join([f"{path.name} has no tree.", *found.wrong[:SHOWN]]))
    return found


def _id_in(record: dict[str, Any]) -> str:
    return next((str(record[key]) for key in IDS if record.get(key)), "")


def _trees_in(record: dict[str, Any], known: dict[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yields the sentences of a record with their trees, Penn-style and binary, as they are stored. Raises BadTree."""
    name = _id_in(record)
    if not name:
        raise BadTree(f"it names no pair in {' or '.join(IDS)}")
    if name not in known:
        raise BadTree(f"the corpus has no pair {name!r}")
    pair = known[name]
    any_tree = False
    for side, sentences in (("sentence1", pair.premise.sentences), ("sentence2", [pair.hypothesis])):
        text, binary_parse = (
            str(record.get(f"{side}{part}") or "").strip() for part in ("_parse", "_binary_parse")
        )
        if not text:
            continue
        any_tree = True
        if hasattr(pair, "parse") and any(
            getattr(pair.parse, column.rpartition("__")[2]) for column in SHIPPED[side]
        ):
            raise BadTree(f"{side} has a tree that came with the corpus, which stays")
        try:
            trees = _each_tree(text)
            if len(trees) != len(sentences):
                raise BadTree(f"{len(trees)} trees for {len(sentences)} sentences")
            if len(trees) > 1 and binary_parse:
                raise BadTree("leave the binary parse of several sentences out: it is derived from the trees")
            for sentence, one in zip(sentences, trees, strict=True):
                yield sentence, _stored(one, binary_parse, sentence)
        except BadTree as error:
            raise BadTree(f"{side}: {error}") from None
    if not any_tree:
        raise BadTree("it has neither sentence1_parse nor sentence2_parse")


def _each_tree(text: str) -> list[Tree]:
    """Reads one tree, or one for each sentence of a premise of several."""
    trees, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and depth == 0:
            trees.append(read(text[start : place + 1]))
            start = place + 1
    if text[start:].strip() or not trees:
        raise BadTree("its brackets form no tree")
    return trees


def _stored(tree: Tree, binary_parse: str, sentence: str) -> tuple[str, str]:
    """Returns a tree and its binary form without words. Raises BadTree if their words are not those of the sentence."""
    words = list(leaves(tree))
    bare = _refilled(tree, iter(list(_lengths(words, sentence))))
    if not binary_parse:
        return penn(bare), binary(bare)
    if not is_binary(binary_parse) or binary_words(binary_parse) != words:
        raise BadTree("the binary parse is no binary tree of the same words")
    of_binary = iter(leaves(bare))
    pieces = (piece if piece in "()" else next(of_binary) for piece in binary_parse.split())
    return penn(bare), " ".join(pieces)


def _refilled(tree: Tree, words: Iterator[str]) -> Tree:
    if tree.word:
        return replace(tree, word=next(words))
    return replace(tree, parts=tuple(_refilled(part, words) for part in tree.parts))


def _lengths(words: Sequence[str], sentence: str) -> Iterator[str]:
    """Yields what stands for each word: its length in the sentence, or the quotation mark that Penn trees write for \"."""
    whole, place = escaped("".join(sentence.split())), 0
    for word in words:
        if whole.startswith(word, place):
            yield str(len(word))
            place += len(word)
        elif word in QUOTES and whole.startswith('"', place):
            yield word
            place += 1
        else:
            raise BadTree(
                f"the tree has {word!r} where the sentence has {whole[place : place + len(word)]!r}"
            )
    if place < len(whole):
        raise BadTree(f"the tree ends before {whole[place : place + 20]!r}")
