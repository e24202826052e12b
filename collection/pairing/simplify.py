"""Simplifying a caption by named rules, and asking whether a caption can be simplified to a given sentence.

modifier               an adjective, adverb, number, modifying noun, relative or adverbial clause is dropped
prepositional_phrase   is dropped
conjunct               the rest of an enumeration is dropped
noun_phrase            a noun phrase stands for the caption
hypernym               a broader word takes the place of a noun (WordNet's first sense)
lemma                  not a change: sentences are compared by their lemmas, without articles and forms of `be`
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

from collection.pairing.captions import HYPERNYM, NOUN_PHRASE, Caption, Part, article_before, plural_of

# A hypothesis keeps few of the parts that it could do without: longer ones fit one scene only.
MOST_PARTS_KEPT = 3
MOST_NOUNS_REPLACED = 2

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Simplification:
    """A sentence made from a caption; `key` are its lemmas, `rules` the names of what was done."""

    text: str
    key: Key
    rules: tuple[str, ...]
    has_verb: bool


def simplifications(caption: Caption) -> list[Simplification]:
    """What the rules make of a caption, the shortest first, each key once; the caption itself is not among them.

    At most three parts that could go are kept in one sentence, and at most two nouns replaced.
    """
    found: dict[Key, Simplification] = {}
    for phrase in caption.phrases:
        for kept, dropped in _shortened(caption, phrase):
            for forms in _replaced(caption, kept):
                rules = {part.rule for part in dropped}
                if phrase != caption.phrases[0]:
                    rules.add(NOUN_PHRASE)
                if any(forms.values()):
                    rules.add(HYPERNYM)
                key = _key(caption, kept, forms)
                if rules and key and key not in found:
                    found[key] = Simplification(
                        _sentence(caption, kept, forms), key, tuple(sorted(rules)), bool(caption.verbs & kept)
                    )
    found.pop(_key(caption, caption.phrases[0], {}), None)
    return list(found.values())


def gives(caption: Caption, key: Key) -> bool:
    """Can the rules make these lemmas of the caption, with any number of parts kept and nouns replaced?

    The caption's own lemmas count as made of it.
    """
    if not caption.vocabulary.issuperset(key):
        return False
    return any(_gives(caption, phrase, key) for phrase in caption.phrases)


def _shortened(caption: Caption, phrase: int) -> Iterator[tuple[int, list[Part]]]:
    """The tokens that stay and the parts that go, for each choice of parts to keep."""
    parts = _parts_within(caption, phrase)
    inside = [
        [outer for outer, other in enumerate(parts) if other.tokens != part.tokens and _within(part, other)]
        for part in parts
    ]
    for count in range(min(MOST_PARTS_KEPT, len(parts)) + 1):
        for chosen in combinations(range(len(parts)), count):
            if all(outer in chosen for part in chosen for outer in inside[part]):
                dropped = [part for number, part in enumerate(parts) if number not in chosen]
                kept = phrase
                for part in dropped:
                    kept &= ~part.tokens
                yield kept, dropped


def _parts_within(caption: Caption, phrase: int) -> list[Part]:
    return [part for part in caption.parts if part.tokens & ~phrase == 0 and part.tokens != phrase]


def _within(part: Part, other: Part) -> bool:
    return part.tokens & ~other.tokens == 0


def _replaced(caption: Caption, kept: int) -> Iterator[dict[int, str]]:
    """Which nouns give way to which broader word: none, one or two of those that stand without a compound."""
    nouns = [
        at
        for at, forms in enumerate(caption.forms)
        if kept >> at & 1 and len(forms) > 1 and not caption.compound[at] & kept
    ]
    for count in range(min(MOST_NOUNS_REPLACED, len(nouns)) + 1):
        for chosen in combinations(nouns, count):
            for words in product(*(caption.forms[at][1:] for at in chosen)):
                yield dict(zip(chosen, words, strict=True))


def _key(caption: Caption, kept: int, replaced: dict[int, str]) -> Key:
    return tuple(
        replaced.get(at, forms[0]) for at, forms in enumerate(caption.forms) if forms and kept >> at & 1
    )


def _sentence(caption: Caption, kept: int, replaced: dict[int, str]) -> str:
    """The tokens that stay as a sentence: capital, full stop, `a` or `an` as the next word wants it."""
    said = ""
    before = -1
    for at, text in enumerate(caption.texts):
        if not kept >> at & 1 or (caption.punctuation >> at & 1 and not _between(kept, at)):
            continue
        if at in replaced:
            text = plural_of(replaced[at]) if caption.plural >> at & 1 else replaced[at]
        if (
            before >= 0
            and caption.texts[before].lower() in ("a", "an")
            and (at in replaced or before < at - 1)
        ):
            said = said[: -len(caption.texts[before])] + article_before(text)
        if said and (before < at - 1 or caption.spaced[before]):
            said += " "
        said += text
        before = at
    return f"{said[:1].upper()}{said[1:]}."


def _between(kept: int, at: int) -> bool:
    """Do both neighbours stay: a comma with a side missing goes, and so does the last full stop."""
    return bool(at and kept >> (at - 1) & kept >> (at + 1) & 1)


def _gives(caption: Caption, phrase: int, key: Key) -> bool:
    forms = caption.forms
    over: list[list[int]] = [[] for _ in forms]  # the parts that each token belongs to
    for part in _parts_within(caption, phrase):
        for at in range(len(forms)):
            if part.tokens >> at & 1:
                over[at].append(part.tokens)

    def fits(at: int, place: int, kept: int, dropped: int) -> bool:
        """From token `at` on: can what stays be the lemmas from `place` on?"""
        while at < len(forms) and (dropped >> at & 1 or not phrase >> at & 1):
            at += 1
        if at == len(forms):
            return place == len(key)
        if any(not tokens & kept and fits(at + 1, place, kept, dropped | tokens) for tokens in over[at]):
            return True
        if not forms[at]:
            return fits(at + 1, place, kept | 1 << at, dropped)
        fitting = place < len(key) and key[place] in forms[at]
        return fitting and fits(at + 1, place + 1, kept | 1 << at, dropped)

    return fits(0, 0, 0, 0)
