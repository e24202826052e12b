"""Compare the dependency trees of a hypothesis and its premise: dependencies, and paths from a word to the root.

The paths are in the manner of tree skeletons (Wang and Neumann, 2007), which compare the paths above the nouns that two
sentences share.
"""

from collections import defaultdict
from collections.abc import Iterator

from modeling.baselines.features.measures import CONTENT_TAGS, shared_shares
from modeling.baselines.features.tagged import Word, Words

TREES = 9  # how many measures a pair has


def tree_shares(premise: Words, hypothesis: Words) -> list[float]:
    """Computes shares of common dependencies, with their relation and, between content words, without it, each as
    overlap_shares has them; then, of the content words of the hypothesis, the share that the premise has with the same path
    to the root, and with other paths only; and whether a root of the hypothesis is one of the premise.
    """
    numbers = [
        number
        for edges in (dependencies, content_dependencies)
        for number in shared_shares(list(edges(hypothesis)), list(edges(premise)))
    ]
    theirs: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for lemma, path in paths(premise):
        theirs[lemma].add(path)
    ours = list(paths(hypothesis))
    same = sum(path in theirs[lemma] for lemma, path in ours if lemma in theirs)
    other = sum(lemma in theirs for lemma, _ in ours) - same
    roots = {word.lemma for word in hypothesis if not word.up} & {
        word.lemma for word in premise if not word.up
    }
    return [*numbers, same / max(1, len(ours)), other / max(1, len(ours)), float(bool(roots))]


def dependencies(words: Words) -> Iterator[str]:
    """Yields each word with its relation and the word on which it depends."""
    for word, head in _with_heads(words):
        yield f"{word.lemma} {word.relation} {head.lemma}"


def content_dependencies(words: Words) -> Iterator[str]:
    """Yields each content word with the content word on which it depends."""
    for word, head in _with_heads(words):
        if word.tag.startswith(CONTENT_TAGS) and head.tag.startswith(CONTENT_TAGS):
            yield f"{word.lemma} {head.lemma}"


def paths(words: Words) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields each content word with the relations on its way to the root."""
    for place, word in enumerate(words):
        if word.tag.startswith(CONTENT_TAGS):
            relations, above = [], place
            while words[above].up:
                relations.append(words[above].relation)
                above += words[above].up
            yield word.lemma, tuple(relations)


def _with_heads(words: Words) -> Iterator[tuple[Word, Word]]:
    return ((word, words[place + word.up]) for place, word in enumerate(words) if word.up)
