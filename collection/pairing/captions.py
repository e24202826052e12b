"""Parses captions: their words, the parts that can be dropped, the phrases that can stand alone.

Positions in a sentence are bits of an integer: bit 3 is the fourth token. The parser's labels are those of spaCy's
English models: dependencies in the CLEAR style, Penn Treebank tags.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from collection.english import parser, plural
from collection.pairing.lists import ARTICLES, COLLECTIVES, KEPT_WORDS, MEASURES, MISREAD
from collection.pairing.wordnet import Nouns

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MODIFIER = "modifier"
PREPOSITIONAL_PHRASE = "prepositional_phrase"
CONJUNCT = "conjunct"
NOUN_PHRASE = "noun_phrase"
HYPERNYM = "hypernym"
RULES = (MODIFIER, PREPOSITIONAL_PHRASE, CONJUNCT, NOUN_PHRASE, HYPERNYM)

OBJECTS = frozenset({"nsubj", "nsubjpass", "dobj", "pobj", "attr", "conj", "dative"})


@dataclass(frozen=True, slots=True)
class Part:
    """Tokens that may be dropped together, and the rule that allows it."""

    tokens: int
    rule: str


@dataclass(frozen=True, slots=True)
class Caption:
    """One parsed caption.

    texts, spaced: its tokens, and whether a space follows each.
    forms: for each token its lemma and, for a noun, broader words; empty for words that a comparison ignores
        (articles, forms of `be`, punctuation): two sentences with the same lemmas are the same.
    verbs, plural, punctuation: the tokens that are verbs, plural nouns, punctuation.
    compound: for each noun its modifying nouns. As long as these stay, no broader word replaces the noun
        (of `soccer player` there is no `soccer person`).
    vocabulary: all forms.
    parts: what may be dropped. phrases: what may stand alone, the whole caption first.
    """

    texts: tuple[str, ...]
    spaced: tuple[bool, ...]
    forms: tuple[tuple[str, ...], ...]
    vocabulary: frozenset[str]
    verbs: int
    plural: int
    punctuation: int
    compound: tuple[int, ...]
    parts: tuple[Part, ...]
    phrases: tuple[int, ...]


def read_captions(sentences: Iterable[str], nouns: Nouns) -> Iterator[Caption]:
    """Parses the sentences in their order. Raises NoWordNet."""
    for doc in parser().pipe(map(_begun_small, sentences), batch_size=256):
        yield _caption(doc, nouns)


def _begun_small(sentence: str) -> str:
    """Makes the first letter small (`Group of men`), as the parser may take it for a name. Leaves `BMX rider`."""
    return (
        sentence[:1].lower() + sentence[1:] if sentence[1:2].islower() or sentence[1:2] == " " else sentence
    )


def with_used_words(captions: Sequence[Caption], at_least: int) -> list[Caption]:
    """Returns the captions without broader words that occur in fewer than `at_least` captions.

    So all broader words are words with which people describe scenes.
    """
    times = Counter(word for caption in captions for word in {forms[0] for forms in caption.forms if forms})
    used = frozenset(word for word, count in times.items() if count >= at_least)
    return [_with_forms(caption, used) for caption in captions]


def _with_forms(caption: Caption, used: frozenset[str]) -> Caption:
    forms = tuple((*each[:1], *filter(used.__contains__, each[1:])) for each in caption.forms)
    return replace(caption, forms=forms, vocabulary=frozenset(chain.from_iterable(forms)))


def _caption(doc: "Doc", nouns: Nouns) -> Caption:
    whole = (1 << len(doc)) - 1
    forms = tuple(_forms(token, nouns) for token in doc)
    return Caption(
        texts=tuple(token.text for token in doc),
        spaced=tuple(bool(token.whitespace_) for token in doc),
        forms=forms,
        vocabulary=frozenset(chain.from_iterable(forms)),
        verbs=_bits(
            token for token in doc if token.pos_ in ("VERB", "AUX") and token.dep_ not in ("amod", "compound")
        ),
        plural=_bits(token for token in doc if token.tag_ == "NNS"),
        punctuation=_bits(token for token in doc if token.is_punct),
        compound=tuple(_bits(_compound(token)) for token in doc),
        parts=tuple(part for token in doc for part in _parts(token, nouns)),
        phrases=(whole, *dict.fromkeys(_phrases(doc, whole))),
    )


def _bits(tokens: Iterable["Token"]) -> int:
    return sum(1 << token.i for token in tokens)


def _compound(token: "Token") -> list["Token"]:
    return [child for child in token.lefts if child.dep_ in ("compound", "nmod")]


def _forms(token: "Token", nouns: Nouns) -> tuple[str, ...]:
    lemma = token.lemma_.lower()
    if not any(letter.isalnum() for letter in lemma) or lemma == "be" or lemma in ARTICLES:
        return ()
    if lemma in MEASURES or lemma in MISREAD:
        return (lemma,)
    is_head = token.tag_ in ("NN", "NNS") and token.dep_ not in ("compound", "nmod", "npadvmod")
    if not is_head or (token.tag_ == "NNS" and plural(lemma) != token.lower_):
        return (
            lemma,
        )  # `people` and `clothes` have no singular whose broader word we could put into the plural
    if any(nouns.means_another_thing(f"{child.text} {lemma}", lemma) for child in token.lefts):
        return (lemma,)
    return (lemma, *nouns.broader(lemma))


def _phrases(doc: "Doc", whole: int) -> Iterator[int]:
    """Yields noun phrases that can stand alone. `his bicycle` cannot, because of its `his`."""
    for token in doc:
        if token.tag_ in ("NN", "NNS") and token.dep_ in OBJECTS and token.lemma_ not in MEASURES:
            tokens = _bits(token.subtree)
            if tokens != whole and not any(child.dep_ == "poss" for child in token.lefts):
                yield tokens


def _parts(token: "Token", nouns: Nouns) -> Iterator[Part]:
    """Yields the parts with this head that can be dropped."""
    if _is_modifier(token, nouns):
        yield Part(_bits(token.subtree), MODIFIER)
    elif _is_prepositional_phrase(token):
        yield Part(_phrase_of(token), PREPOSITIONAL_PHRASE)
    elif _is_last_conjunct(token):
        joining = [child for child in token.head.children if child.dep_ in ("cc", "preconj")]
        yield Part(_bits(token.subtree) | _bits(joining), CONJUNCT)


def _is_modifier(token: "Token", nouns: Nouns) -> bool:
    head, word = token.head, token.lower_
    if word in KEPT_WORDS:
        return False
    if token.dep_ in ("amod", "compound", "nmod"):
        plain = head.tag_ in ("NN", "NNS") and head.dep_ not in ("compound", "nmod")
        return (
            plain and token.i < head.i and not nouns.means_another_thing(f"{word} {head.lemma_}", head.lemma_)
        )
    if token.dep_ == "nummod":
        return head.tag_ == "NNS"
    if token.dep_ == "advmod":
        # `is outdoors` needs its adverb, `dark-haired` its first half.
        of_verb = head.pos_ == "VERB" and head.lemma_ != "be"
        of_word = head.pos_ in ("ADJ", "ADV") and token.i + 1 == head.i
        return token.tag_ in ("RB", "RBR") and (of_verb or of_word)
    if token.dep_ in ("acl", "relcl"):
        return head.pos_ in ("NOUN", "PROPN")
    return token.dep_ in ("advcl", "npadvmod") and head.pos_ == "VERB"


def _is_prepositional_phrase(token: "Token") -> bool:
    if token.dep_ not in ("prep", "agent") or not any(
        child.dep_ in ("pobj", "pcomp") for child in token.rights
    ):
        return False
    head = token.head
    if head.tag_ == "VBN" and head.dep_ == "acl":
        return False  # `a path surrounded by trees`: with the trees the path's surroundings go
    if head.pos_ in ("VERB", "AUX"):
        return head.lemma_ != "be" or any(child.dep_ == "expl" for child in head.children)
    if token.lower_ == "of" and head.lemma_ in MEASURES:
        return False
    return head.pos_ in ("NOUN", "ADJ", "ADV")


def _phrase_of(token: "Token") -> int:
    """Returns the tokens of a prepositional phrase. In `a group of people ...` the clause after it stays."""
    tokens = _bits(token.subtree)
    if token.lower_ == "of" and token.head.lemma_ in COLLECTIVES:
        for inside in token.rights:
            for child in inside.rights:
                if child.dep_ in ("acl", "relcl"):
                    tokens &= ~_bits(child.subtree)
    return tokens


def _is_last_conjunct(token: "Token") -> bool:
    """Returns whether the token is the last conjunct, such as `and reads` in `sits and reads`.

    Not of two subjects: without one of them, `a man and a woman are` would lose its plural.
    """
    head = token.head
    return token.dep_ == "conj" and head.dep_ not in ("conj", "nsubj", "nsubjpass")
