"""Bracketed trees in the form of the Penn Treebank and of SNLI's binary parses. Standard library only."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Brackets of the sentence are escaped, because brackets mark the tree.
ESCAPES = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_ESCAPED = str.maketrans(ESCAPES)
_LEAF = re.compile(r"[^\s()]+(?=\s*\))")
_PIECE = re.compile(r"(\()\s*([^\s()]*)|([^\s()]+)|(\))")


@dataclass(frozen=True, slots=True)
class Tree:
    """A phrase with `parts` and no `word`, or a token with a `word` and no `parts`.

    `label` is the phrase's label (NP) or the token's Penn Treebank tag (NN).
    """

    label: str
    parts: tuple["Tree", ...] = ()
    word: str = ""


class BadTree(ValueError):
    """The brackets of a text do not form one tree."""


def escaped(word: str) -> str:
    return word.translate(_ESCAPED)


def penn(tree: Tree) -> str:
    """Writes a tree on one line, as SNLI's files do: `(ROOT (NP (DT A) (NN man)))`."""
    if tree.word:
        return f"({tree.label} {tree.word})"
    return f"({tree.label} {' '.join(map(penn, tree.parts))})"


def read(text: str) -> Tree:
    """Parses a Penn-style tree. Raises BadTree."""
    # The open brackets, each with label, parts and word. The first entry holds the finished tree.
    open_: list[tuple[str, list[Tree], list[str]]] = [("", [], [])]
    for opening, label, word, closing in _PIECE.findall(text):
        _, parts, words_ = open_[-1]
        if opening and label and not words_ and (len(open_) > 1 or not parts):
            open_.append((label, [], []))
        elif word and len(open_) > 1 and not parts and not words_:
            words_.append(word)
        elif closing and len(open_) > 1 and (parts or words_):
            label, parts, words_ = open_.pop()
            open_[-1][1].append(Tree(label, tuple(parts), "".join(words_)))
        else:
            raise BadTree(f"{(opening or word or closing)!r} is not expected here")
    if len(open_) > 1 or not open_[0][1]:
        raise BadTree("a bracket is not closed" if len(open_) > 1 else "there is no tree")
    return open_[0][1][0]


def leaves(tree: Tree) -> Iterator[str]:
    """Yields the words of a tree, in order."""
    if tree.word:
        yield tree.word
    for part in tree.parts:
        yield from leaves(part)


def root(parse: str) -> str:
    """Returns the label under ROOT of a Penn-style parse: S for `(ROOT (S (NP ...`."""
    parts = parse.replace("(", " ").split(maxsplit=2)
    return parts[1] if len(parts) > 1 and parts[0] == "ROOT" else (parts[0] if parts else "")


def words(parse: str) -> list[str]:
    """Returns the tokens of a Penn-style parse, in order, still escaped."""
    return _LEAF.findall(parse)


def binary_words(parse: str) -> list[str]:
    """Returns the tokens of a binary parse, in order."""
    return [token for token in parse.split() if token not in "()"]


def is_binary(parse: str) -> bool:
    """Returns whether a text is one binary tree, such as `( A man )`, or a single token."""
    open_: list[int] = [0]
    for token in parse.split():
        if token == "(":
            open_.append(0)
            continue
        if token == ")" and (len(open_) == 1 or open_.pop() != 2):
            return False
        open_[-1] += 1
    return open_ == [1]


def fits(sentence: str, parse: str, binary_parse: str) -> bool:
    """Returns whether both trees have exactly the tokens of the sentence. An empty tree is ignored.

    White space and the kind of quotation marks make no difference.
    """
    found = [tokens for tokens in (words(parse), binary_words(binary_parse)) if tokens]
    whole = _plain(escaped("".join(sentence.split())))
    return all(tokens == found[0] and _plain("".join(tokens)) == whole for tokens in found)


def _plain(text: str) -> str:
    return text.replace("``", '"').replace("''", '"')


# Head rules for phrases of three parts and more: the end to search from, and the labels to find. If no label matches,
# the head is the first part that is not punctuation.
_FIRST, _LAST = 1, -1
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "NX", "POS", "JJR"})
_VERBS = frozenset({"VBD", "VBZ", "VBP", "VB", "VBN", "VBG", "MD", "TO", "VP"})
_HEADS: dict[str, tuple[tuple[int, frozenset[str]], ...]] = {
    "S": ((_FIRST, frozenset({"TO", "VP"})), (_FIRST, frozenset({"S", "SBAR", "ADJP", "UCP", "NP"}))),
    "SINV": ((_FIRST, frozenset({"VBD", "VBZ", "VBP", "MD", "VP"})), (_FIRST, frozenset({"S", "SINV"}))),
    "SQ": ((_FIRST, frozenset({"VBD", "VBZ", "VBP", "MD", "VB"})), (_FIRST, frozenset({"VP", "SQ"}))),
    "SBARQ": ((_FIRST, frozenset({"SQ", "S", "SINV", "SBARQ"})),),
    "VP": ((_FIRST, _VERBS), (_FIRST, frozenset({"ADJP", "NP"}))),
    "NP": (
        (_LAST, _NOUNS),
        (_FIRST, frozenset({"NP", "PRP"})),
        (_LAST, frozenset({"ADJP", "PRN", "CD", "JJ", "JJS", "RB", "QP"})),
    ),
    "PP": ((_LAST, frozenset({"IN", "TO", "VBG", "VBN", "RP"})), (_FIRST, frozenset({"PP"}))),
    "ADVP": ((_LAST, frozenset({"RB", "RBR", "RBS", "IN", "JJ"})),),
    "QP": ((_FIRST, frozenset({"IN", "NNS", "NN", "CD"})),),
    "CONJP": ((_LAST, frozenset({"IN", "RB", "CC"})),),
}
_PUNCTUATION = frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "CC"})


def binary(tree: Tree) -> str:
    """Writes a tree in SNLI's binary form: two parts in each bracket, no labels. A phrase of one part is that part.

    The parts after the head are joined to it first, the nearest first; then the parts before it.
    """
    if tree.word:
        return tree.word
    parts = [binary(part) for part in tree.parts]
    head = _head(tree)
    made = parts[head]
    for part in parts[head + 1 :]:
        made = f"( {made} {part} )"
    for part in reversed(parts[:head]):
        made = f"( {part} {made} )"
    return made


def _head(tree: Tree) -> int:
    labels = [part.label for part in tree.parts]
    # In a coordination, the head is before the conjunction.
    places = range(labels.index("CC", 1) if "CC" in labels[1:] else len(labels))
    for direction, wanted in _HEADS.get(tree.label, ()):
        for place in places[::direction]:
            if labels[place] in wanted:
                return place
    return next((place for place in places if labels[place] not in _PUNCTUATION), 0)
