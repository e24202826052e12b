"""Remove the words from trees before they are stored, and put them back: each word becomes its number of characters."""

import re
from collections.abc import Sequence

from snapshots.files.trees import Tree, binary, escaped, penn, root

_LENGTH = re.compile(r"(?<![^ ])\d+(?![^ )])")


def emptied(tree: Tree) -> tuple[str, str]:
    """Return the Penn-style and the binary parse of a tree without its words."""
    bare = _emptied(tree)
    return penn(bare), binary(bare)


def _emptied(tree: Tree) -> Tree:
    if tree.word:
        return Tree(tree.label, word=str(len(tree.word)))
    return Tree(tree.label, tuple(map(_emptied, tree.parts)))


def filled(parse: str, sentence: str) -> str:
    """Put the words of a sentence back into a parse from `emptied`, Penn-style or binary."""
    text, place = escaped("".join(sentence.split())), 0

    def word(length: re.Match[str]) -> str:
        nonlocal place
        start, place = place, place + int(length[0])
        return text[start:place]

    return _LENGTH.sub(word, parse)


def together(parses: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """Join the parses of a premise's sentences, in order. The root is S if all roots are, else FRAG."""
    if len(parses) == 1:
        return parses[0]
    (_, made), *others = parses
    for _, binary_parse in others:
        made = f"( {made} {binary_parse} )"
    label = "S" if all(root(parse) == "S" for parse, _ in parses) else "FRAG"
    inner = " ".join(parse.removeprefix("(ROOT ").removesuffix(")") for parse, _ in parses)
    return f"(ROOT ({label} {inner}))", made
