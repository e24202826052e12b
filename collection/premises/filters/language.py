"""The filter of foreign languages, by py3langid (naive Bayes over byte n-grams, 140 languages, offline).

One sentence is little to go by. So a candidate is dropped only where another language is likely and the
corpus's own is nearly ruled out: names, numbers and short exclamations stay.
"""

from functools import cache
from typing import Any

from collection.premises.filters.candidates import Candidate

# Probabilities. Dropped: the best is LIKELY and the own one UNLIKELY, or the own one is RULED_OUT, as where
# several languages of another script share the rest.
LIKELY, UNLIKELY, RULED_OUT = 0.5, 0.05, 0.001
FEW_LETTERS = 10  # "Yes, yes." looks like many languages
OTHER_NAMES = {"nb": "no", "fil": "tl", "iw": "he", "in": "id"}  # what the library calls them


@cache
def identifier() -> Any:
    """The model, 100 MB. Loading takes most of a second, so a web process asks for it when it starts: threads
    that ask for it first at one moment would each load their own, and their writers wait."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def detected_language(tag: str) -> str | None:
    """The library's code for a BCP 47 tag such as `en-GB`; None where it does not know the language."""
    code = tag.split("-")[0].lower()
    known = identifier().labels
    return next((name for name in (code, OTHER_NAMES.get(code, "")) if name in known), None)


class ForeignLanguage:
    """Is this text surely in another language than `language` (a code of `detected_language`)?"""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, each: Candidate) -> bool:
        text = " ".join(each.sentences)
        if sum(map(str.isalpha, text)) < FEW_LETTERS:
            return False
        best, likely = identifier().classify(text)
        if best == self.language:
            return False
        own = dict(identifier().rank(text))[self.language]
        return bool(own <= (UNLIKELY if likely >= LIKELY else RULED_OUT))
