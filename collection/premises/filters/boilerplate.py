"""The filter of boilerplate: addresses, notices, forms of letters, output of programs."""

import re

PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # Addresses and links. They are also somebody's personal data.
        r"[\w.+-]+@[\w-]+\.\w{2,}",
        r"\bhttps? ?: ?/|\bwww ?\. ?\w",
        r"(?:\(\d{3}\) ?|\b\d{3} ?[- ] ?)\d{3} ?- ?\d{4}\b|\b1 ?[- ] ?800 ?[- ]|[☎☏✆]",
        r"\b(?:tel|fax|phone)\b[.:]{1,2} ?[+(]?\d",
        r"\bp\. ?o\. box \w",
        # Notices of rights
        r"©|\(c\) ?(?:19|20)\d\d|\bcopyright (?:\(c\) )?(?:19|20)\d\d|\ball rights reserved\b",
        r"\breprinted (?:with|by) permission\b|\bproject gutenberg\b|\breleased (?:in)?to the public domain\b",
        r"^\W*(?:privacy policy|terms of (?:use|service)|cookies? policy|table of contents|advertisement)\b",
        r"\bclick here\b|\bunsubscribe\b|\bfor immediate release\b|\blorem ipsum\b|\byour browser\b",
        # Beginnings and ends of letters
        r"^\W*dear (?:mr|mrs|ms|dr|sir|madam|friend|member|fellow|colleague)[^.!?]{0,50}[,:]?\s*$",
        r"^\W*(?:sincerely|yours (?:truly|sincerely|faithfully)|(?:best|kind|warm) regards|cordially|respectfully)"
        r"(?: yours)?,",
        # Captions of pictures and their owners
        r"^\W*(?:(?:image|photo(?:graph)?|picture|credit)s?(?::| (?:by|credit)\b)|file photo\b)",
        # What a program wrote: times to the second, pages of a printout
        r"\b\d{4}-\d\d-\d\d ?T? ?\d\d:\d\d:\d\d|\bpage \d+ of \d+\b",
    )
)
ADDRESS = re.compile(r", [A-Z]{2},? \d{5}(?: ?- ?\d{4})?\b")  # a place in the United States, with its code
FEW_WORDS = 16  # an address among many words is part of a sentence


def is_boilerplate(sentence: str) -> bool:
    if ADDRESS.search(sentence) and len(sentence.split()) <= FEW_WORDS:
        return True
    return any(pattern.search(sentence) for pattern in PATTERNS)
