"""The filter of foreign languages, by py3langid (naive Bayes over byte n-grams, 140 languages, offline).

One sentence is little evidence. So a candidate is dropped only if another language is likely and the corpus's
language is nearly ruled out: names, numbers and short exclamations stay.
"""

from functools import cache
from typing import Any

from collection.premises.filters.candidates import Candidate

# Probabilities. A text is dropped if the best language is LIKELY and the corpus's UNLIKELY, or if the corpus's is
# RULED_OUT (several languages of another script may share the rest).
LIKELY, UNLIKELY, RULED_OUT = 0.5, 0.05, 0.001
FEW_LETTERS = 10  # "Yes, yes." looks like many languages
OTHER_NAMES = {"nb": "no", "fil": "tl", "iw": "he", "in": "id"}  # the library's codes


@cache
def identifier() -> Any:
    """Loads the model, 100 MB, in most of a second.

    A web process calls this when it starts. Otherwise several threads might load it at the same time.
    """
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def detected_language(tag: str) -> str | None:
    """Returns the library's code for a BCP 47 tag such as `en-GB`; None for a language that it does not know."""
    code = tag.split("-")[0].lower()
    known = identifier().labels
    return next((name for name in (code, OTHER_NAMES.get(code, "")) if name in known), None)


class ForeignLanguage:
    """The filter of texts that are surely not in `language` (a code of `detected_language`)."""

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
