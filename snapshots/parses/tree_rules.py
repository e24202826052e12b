"""Derive a Penn-style tree by rule from a dependency parse in the CLEAR style (spaCy's English models).

The tree grows from each word outwards: its dependents join layer by layer, nearest first, and the relation decides the
layer. Such trees are not Stanford parses and are never called so. The root is S only if its verb has a subject (SQ, SBARQ
in questions), else NP or VP, and FRAG for everything else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from snapshots.files.trees import Tree, escaped, leaves

RULES = 1  # increases with every change of a rule here: trees of two versions are never mixed
# Longer or deeper sentences get a flat tree: they are lists or noise, and trees are read by recursion.
LONGEST, DEEPEST = 400, 80

SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
AUXILIARIES = frozenset({"aux", "auxpass"})
WH_TAGS = frozenset({"WDT", "WP", "WP$", "WRB"})
VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"})
FINITE_TAGS = frozenset({"VBD", "VBP", "VBZ", "MD"})
NOMINAL = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "attr"})
# Relations of words that form no phrase of their own, as long as no word depends on them.
BARE = (
    frozenset(
        {
            "det",
            "amod",
            "compound",
            "nmod",
            "nummod",
            "quantmod",
            "predet",
            "preconj",
            "cc",
            "punct",
            "neg",
            "case",
            "mark",
        }
    )
    | AUXILIARIES
)
IN_NOUN_PHRASE = frozenset({"case", "nummod", "quantmod", "nmod", "compound", "det", "predet"})
CLAUSES = frozenset({"xcomp", "ccomp", "advcl", "pcomp", "csubj", "csubjpass"})
RELATIONS = {"prep": "PP", "agent": "PP", "prt": "PRT", "advmod": "ADVP", "nummod": "QP", "intj": "INTJ"}
ROOTS = frozenset({"S", "SQ", "SBARQ", "NP", "VP"})
PHRASES = {
    **dict.fromkeys(("NN", "NNS", "NNP", "NNPS", "PRP", "PRP$", "CD", "DT", "PDT", "EX", "$"), "NP"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "ADJP"),
    **dict.fromkeys(("RB", "RBR", "RBS"), "ADVP"),
    **dict.fromkeys(("IN", "TO"), "PP"),
    **dict.fromkeys(("WDT", "WP", "WP$"), "WHNP"),
    "WRB": "WHADVP",
    "RP": "PRT",
    "UH": "INTJ",
}
KNOWN_TAGS = PHRASES.keys() | VERB_TAGS


@dataclass(frozen=True, slots=True)
class Word:
    """A token with its Penn tag, its relation to its head, and the position of the head; a root is its own head."""

    text: str
    tag: str
    relation: str
    head: int


def derive(words: Sequence[Word]) -> Tree:
    """Derives the tree of a sentence, or of a text that the parser split. Raises ValueError for an empty list."""
    if not words:
        raise ValueError("there is no word to make a tree of")
    flat = Tree("ROOT", (Tree("FRAG", tuple(map(_token, words))),))
    if len(words) > LONGEST or _depth(words) > DEEPEST:
        return flat
    sentence = _Sentence(_projective(words))
    roots = [place for place, word in enumerate(words) if word.head == place]
    tree = _rooted([_as_root(sentence.phrase(place)) for place in roots])
    # Crossing dependencies can change the order of words; then the tree is flat.
    return tree if [*leaves(tree)] == [escaped(word.text) for word in words] else flat


def together(trees: Sequence[Tree]) -> Tree:
    """Joins the trees of a premise's sentences, in order. The root is S if all roots are, else FRAG."""
    return _rooted([part for tree in trees for part in tree.parts])


def _rooted(parts: Sequence[Tree]) -> Tree:
    if len(parts) == 1:
        return Tree("ROOT", tuple(parts))
    return Tree("ROOT", (Tree("S" if all(part.label == "S" for part in parts) else "FRAG", tuple(parts)),))


def _as_root(tree: Tree) -> Tree:
    return tree if tree.label in ROOTS else Tree("FRAG", tree.parts if tree.label == "FRAG" else (tree,))


def _token(word: Word) -> Tree:
    return Tree(escaped(word.tag) or "XX", word=escaped(word.text))


def _depth(words: Sequence[Word]) -> int:
    depths: dict[int, int] = {}
    for start in range(len(words)):
        path, place = [], start
        while place not in depths and words[place].head != place:
            path.append(place)
            place = words[place].head
        depth = depths.setdefault(place, 0)
        for below, each in enumerate(reversed(path), start=1):
            depths[each] = depth + below
    return max(depths.values())


def _projective(words: Sequence[Word]) -> list[Word]:
    """Lifts crossing arcs to the next higher head, so that the words of every phrase are consecutive.

    Roots never cross: the parser starts a new sentence for each root.
    """
    words = list(words)
    while (crossing := _crossing(words)) is not None:
        above = words[words[crossing].head]
        words[crossing] = replace(words[crossing], head=above.head)
    return words


def _crossing(words: Sequence[Word]) -> int | None:
    """Returns the position of the word with the shortest crossing arc: it spans a word that is not below its head."""
    arcs = sorted(
        (abs(place - word.head), place) for place, word in enumerate(words) if abs(place - word.head) > 1
    )
    for _, place in arcs:
        head = words[place].head
        if words[head].head != head and not all(
            _is_below(words, between, head) for between in range(min(place, head) + 1, max(place, head))
        ):
            return place
    return None


def _is_below(words: Sequence[Word], place: int, head: int) -> bool:
    while place != head and words[place].head != place:
        place = words[place].head
    return place == head


class _Sentence:
    """Words with their dependents on the left and on the right, the nearest first."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words
        self.left: list[list[int]] = [[] for _ in words]
        self.right: list[list[int]] = [[] for _ in words]
        for place, word in enumerate(words):
            if place < word.head:
                self.left[word.head].insert(0, place)
            elif place > word.head:
                self.right[word.head].append(place)

    def relation(self, place: int) -> str:
        return self.words[place].relation

    def phrase(self, place: int) -> Tree:
        """Returns the phrase whose head is the word at `place`."""
        word = self.words[place]
        if self._is_bare(place):
            return _token(word)
        if word.tag in VERB_TAGS and word.relation not in ("prep", "agent"):
            return _Clause(self, place).tree()
        label = RELATIONS.get(word.relation) or PHRASES.get(word.tag, "FRAG")
        if label == "NP" or word.relation in NOMINAL:
            return self._noun_phrase(place)
        right = self.right[place]
        joined = self.coordination(right)
        if self._joins_words(right):
            return Tree(label, (*self.before(place), *(_token(self.words[each]) for each in (place, *right))))
        inner = Tree(label, (*self.before(place), _token(word), *self.parts(right[:joined])))
        return self.joined(inner, right[joined:])

    def parts(self, places: Iterable[int]) -> list[Tree]:
        return [self.phrase(place) for place in places]

    def before(self, place: int) -> list[Tree]:
        """Returns the phrases that depend on a word and precede it, from left to right."""
        return self.parts(reversed(self.left[place]))

    def is_alone(self, place: int) -> bool:
        return not self.left[place] and not self.right[place]

    def coordination(self, places: Sequence[int]) -> int:
        """Returns the index in `places` where the coordination begins, with its comma; their number without one."""
        start = next(
            (at for at, place in enumerate(places) if self.relation(place) in ("cc", "conj")), len(places)
        )
        while 0 < start < len(places) and self.relation(places[start - 1]) == "punct":
            start -= 1
        return start

    def joined(self, first: Tree, rest: Sequence[int]) -> Tree:
        return Tree(first.label, (first, *self.parts(rest))) if rest else first

    def _is_bare(self, place: int) -> bool:
        word = self.words[place]
        if not self.is_alone(place):
            return False
        # An adverb whose head is not a verb, such as `very` in `very big`, forms no phrase either.
        degree = word.relation == "advmod" and self.words[word.head].tag not in VERB_TAGS
        return degree or word.relation in BARE or word.tag in ("PRP$", "POS") or word.tag not in KNOWN_TAGS

    def _noun_phrase(self, place: int) -> Tree:
        """Builds (NP core), then (NP (NP core) modifiers), then the coordination."""
        right = self.right[place]
        core = next(
            (at for at, each in enumerate(right) if self.relation(each) not in IN_NOUN_PHRASE), len(right)
        )
        rest = right[core:]
        words = (*self.before(place), _token(self.words[place]), *self.parts(right[:core]))
        if self._joins_words(rest):
            return Tree("NP", (*words, *(_token(self.words[each]) for each in rest)))
        joined = self.coordination(rest)
        inner = Tree("NP", words)
        if rest[:joined]:
            inner = Tree("NP", (inner, *self.parts(rest[:joined])))
        return self.joined(inner, rest[joined:])

    def _joins_words(self, places: Sequence[int]) -> bool:
        """Returns whether the following words are coordinated single words: `a man and woman`, `red, white and blue`."""
        heads = {self.words[place].head for place in places}
        kinds = {self.words[place].tag[:2] for place in places if self.relation(place) == "conj"}
        kinds |= {self.words[head].tag[:2] for head in heads}
        relations = set(map(self.relation, places))
        return (
            "conj" in relations
            and relations <= {"cc", "conj", "punct"}
            and len(kinds) == 1
            and all(map(self.is_alone, places))
        )


class _Clause:
    """Builds a clause from its verb: complements, auxiliaries, subject, and the conjunction before them."""

    def __init__(self, sentence: _Sentence, place: int) -> None:
        self.sentence, self.place = sentence, place
        self.word = sentence.words[place]
        self.left = sentence.left[place]
        right = sentence.right[place]
        end = len(right)
        while end and sentence.relation(right[end - 1]) == "punct":
            end -= 1
        start = sentence.coordination(right[:end])
        self.complements, self.coordinated, self.ending = right[:start], right[start:end], right[end:]

    def tree(self) -> Tree:
        sentence = self.sentence
        tree = Tree("VP", (_token(self.word), *sentence.parts(self.complements)))
        level = self._level_of_coordination()
        if level == "verb":
            tree = sentence.joined(tree, self.coordinated)
        tree, rest = self._with_auxiliaries(tree)
        if level == "auxiliary":
            tree = sentence.joined(tree, self.coordinated)
        mark = next((at for at, each in enumerate(rest) if sentence.relation(each) == "mark"), len(rest))
        question = rest.pop() if mark == len(rest) and rest and self._asks(rest[-1]) else None
        tree = self._with_subject(tree, rest[:mark], is_asked=question is not None)
        if level == "clause":
            tree = sentence.joined(tree, self.coordinated)
        tree = Tree(tree.label, (*tree.parts, *sentence.parts(self.ending)))
        if question is not None:
            return self._asked(question, tree)
        if rest[mark:]:
            return Tree("SBAR", (*sentence.parts(reversed(rest[mark:])), _clause(tree)))
        return self._wrapped(tree)

    def _level_of_coordination(self) -> str:
        """Returns the level of a coordination: "clause", "auxiliary" (verb phrases with auxiliaries) or "verb"."""
        sentence = self.sentence
        verbs = [each for each in self.coordinated if sentence.relation(each) == "conj"]
        below = {sentence.relation(each) for verb in verbs for each in sentence.left[verb]}
        if below & SUBJECTS:
            return "clause"
        own = below & AUXILIARIES or {sentence.words[verb].tag for verb in verbs} & FINITE_TAGS
        return "auxiliary" if own and self.word.tag not in FINITE_TAGS else "verb"

    def _with_auxiliaries(self, tree: Tree) -> tuple[Tree, list[int]]:
        """Builds (VP aux (VP ...)) for each auxiliary before the verb, with its adverbs; also returns other words."""
        sentence, left = self.sentence, self.left
        relations = [sentence.relation(each) for each in left]
        subject = next((at for at, name in enumerate(relations) if name in SUBJECTS), len(left))
        last = max((at for at, name in enumerate(relations[:subject]) if name in AUXILIARIES), default=-1)
        beside: list[Tree] = []
        for place, name in zip(left[: last + 1], relations, strict=False):
            part = sentence.phrase(place)
            if name in AUXILIARIES:
                tree, beside = Tree("VP", (part, *beside, tree)), []
            else:
                beside.insert(0, part)
        return tree, left[last + 1 :]

    def _with_subject(self, tree: Tree, before: Sequence[int], *, is_asked: bool) -> Tree:
        """Builds S with the words before the verb phrase; without a subject they become a part of the verb phrase."""
        relations = {self.sentence.relation(each) for each in before}
        parts = self.sentence.parts(reversed(before))
        if relations & SUBJECTS:
            # Is he there? The auxiliary stands before the subject.
            return Tree("SQ" if relations & AUXILIARIES else "S", (*parts, tree))
        return Tree(tree.label, (*parts, *tree.parts)) if parts else tree

    def _asks(self, place: int) -> bool:
        """Returns whether a word is a wh-word such as `who`, or contains one: `in which`, `whose dog`."""
        near = (place, *self.sentence.left[place], *self.sentence.right[place])
        return any(self.sentence.words[each].tag in WH_TAGS for each in near)

    def _asked(self, question: int, tree: Tree) -> Tree:
        part = self.sentence.phrase(question)
        if part.word:
            part = Tree("WHADVP" if part.label == "WRB" else "WHNP", (part,))
        elif not part.label.startswith("WH"):
            part = replace(part, label=f"WH{part.label}")
        is_root = self.word.head == self.place
        return Tree("SBARQ" if is_root and tree.label == "SQ" else "SBAR", (part, _clause(tree)))

    def _wrapped(self, tree: Tree) -> Tree:
        """Wraps a verb phrase in S if its relation makes it a clause, and a relative or complement clause in SBAR."""
        infinitive = self.word.relation == "acl" and self.word.tag == "VB"
        if tree.label == "VP" and (infinitive or self.word.relation in CLAUSES):
            return Tree("S", (tree,))
        if tree.label == "S" and self.word.relation in ("relcl", "ccomp"):
            return Tree("SBAR", (tree,))
        return tree


def _clause(tree: Tree) -> Tree:
    return Tree("S", (tree,)) if tree.label == "VP" else tree
