"""Simplifies captions by named rules, and decides whether a caption can be simplified to a given sentence.

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

from collection.english import plural, with_article
from collection.pairing.captions import HYPERNYM, NOUN_PHRASE, Caption, Part

# A hypothesis keeps few optional parts, because longer ones fit only one scene.
MOST_PARTS_KEPT = 3
MOST_NOUNS_REPLACED = 2

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Simplification:
    """A sentence made from a caption, with its lemmas (`key`) and the rules that made it."""

    text: str
    key: Key
    rules: tuple[str, ...]
    has_verb: bool


def simplifications(caption: Caption) -> list[Simplification]:
    """Returns all simplifications of a caption, the shortest first, without repeated keys and the caption itself.

    A sentence keeps at most three optional parts, and has at most two replaced nouns.
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
    """Returns whether the rules make these lemmas of the caption, with any number of parts and replaced nouns.

    The caption's own lemmas count, too.
    """
    if not caption.vocabulary.issuperset(key):
        return False
    return any(_gives(caption, phrase, key) for phrase in caption.phrases)


def _shortened(caption: Caption, phrase: int) -> Iterator[tuple[int, list[Part]]]:
    """Yields the kept tokens and the dropped parts, for each choice of parts to keep."""
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
    """Yields replacements of none, one or two nouns without compound by broader words."""
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
    """Returns the kept tokens as a sentence, with capital, full stop, and the right `a` or `an`."""
    sentence = ""
    before = -1
    for at, text in enumerate(caption.texts):
        if not kept >> at & 1 or (caption.punctuation >> at & 1 and not _between(kept, at)):
            continue
        if at in replaced:
            text = plural(replaced[at]) if caption.plural >> at & 1 else replaced[at]
        if (
            before >= 0
            and caption.texts[before].lower() in ("a", "an")
            and (at in replaced or before < at - 1)
        ):
            sentence = sentence[: -len(caption.texts[before])] + with_article(text).partition(" ")[0]
        if sentence and (before < at - 1 or caption.spaced[before]):
            sentence += " "
        sentence += text
        before = at
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _between(kept: int, at: int) -> bool:
    """Returns whether both neighbours are kept; otherwise a comma or full stop is dropped."""
    return bool(at and kept >> (at - 1) & kept >> (at + 1) & 1)


def _gives(caption: Caption, phrase: int, key: Key) -> bool:
    forms = caption.forms
    over: list[list[int]] = [[] for _ in forms]  # the parts of each token
    for part in _parts_within(caption, phrase):
        for at in range(len(forms)):
            if part.tokens >> at & 1:
                over[at].append(part.tokens)

    def fits(at: int, place: int, kept: int, dropped: int) -> bool:
        """Returns whether the tokens from `at` can be reduced to the lemmas from `place`."""
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
