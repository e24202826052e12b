"""Filters by the shape of a text: its length, its numbers, its beginning and end.

They know no language but for a few English function words, which mark a sentence that states something.
"""

import re

from collection.premise_ids import normalise
from collection.premises.filters.candidates import Candidate

SHORTEST = 8  # characters, in the normal form (MultiNLI, section 2.1)
LONGEST = 600  # characters: about a hundred words, a screen of a phone
MOST_NUMBERS = 0.45  # share of digits and signs of arithmetic in what is not white space
LONGEST_HEADING = 16  # words
WHOLE = 8  # words from which on an item of a list counts as a sentence
SMALL_WORD = 3  # letters; shorter words do not count, because titles write "of" and "the" small

OPERATOR = re.compile(r"[=<>≤≥±×÷∑∏∫√∂∇≈≠∈∀∃⇒→^]|\d ?\+ ?\d")  # transcripts use + and | for other things
LATEX = re.compile(r"\\(?:frac|sum|int|sqrt|begin|end|left|right|cdot|times|math\w+|alpha|beta|theta)\b")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

# A dash is no mark of a list, because it opens direct speech.
BULLET = re.compile(r"\s*[•·▪‣◦●■□*]\s+\S")
NUMBERED = re.compile(
    r"\s*(?:"
    r"\[?\(?(?:\d{1,3}|[ivx]{1,4}|[a-z])\)"  # (3)  iv)  b)
    r"|\d{1,3}(?:\.\d{1,3})*\."  # 3.  2.1.
    r"|\d{1,3}(?:\.\d{1,3})+"  # 2.1
    r"|[IVX]{2,5}\."  # IV.  (not "I.", which may be a person)
    r")\s+\S"
)
SENTENCE_END = re.compile(r"[.!?…。！？؟।]|[-–—,;+&]$")

# Words of a clause: with one of them, a text in capitals is a sentence all the same.
CLAUSE = re.compile(
    r"\b(?:am|is|are|was|were|be|been|has|have|had|do|does|did|will|would|can|could|should|may|might|must"
    r"|i|you|he|she|we|they|it|me|him|them|us|this|that|who|which|what|there|not|said|says)\b"
    r"|n['’]t\b|['’](?:s|re|ve|ll|m|d)\b",
    re.IGNORECASE,
)


def is_too_short(each: Candidate) -> bool:
    return len(normalise(" ".join(each.sentences))) < SHORTEST


def is_formula(sentence: str) -> bool:
    """Returns whether this is a formula or a row of numbers. Sentences that contain one stay."""
    if LATEX.search(sentence):
        return True
    operators = len(OPERATOR.findall(sentence))
    if operators and sum(len(word) >= SMALL_WORD for word in WORD.findall(sentence)) < 3 * operators:
        return True
    printed = sum(not char.isspace() for char in sentence)
    numbers = operators + sum(char.isdigit() for char in sentence)
    return numbers >= MOST_NUMBERS * printed > 0


def is_list_or_heading(sentence: str) -> bool:
    """Returns whether this is a heading, or begins with the mark of a list and is no whole sentence."""
    mark = BULLET.match(sentence) or NUMBERED.match(sentence)
    if mark is not None:
        item = sentence[mark.end() - 1 :].rstrip()
        return not (item.endswith((".", "!", "?")) and len(item.split()) >= WHOLE and CLAUSE.search(item))
    return is_heading(sentence)


def is_heading(sentence: str) -> bool:
    """Returns whether nearly all longer words have capitals, without the end of a sentence or words of a clause.

    Captions and speech without punctuation pass, because their words are small.
    """
    text = sentence.strip().rstrip(":").rstrip()
    if not text or SENTENCE_END.search(text.rstrip("\"'”’»)] ")[-1:]) or not text[0].isalnum():
        return False
    if len(text.split()) > LONGEST_HEADING or CLAUSE.search(text):
        return False
    words = words_of_weight(text)
    return len(words) > 1 and sum(word[0].isupper() for word in words) >= 0.8 * len(words)


def mostly_small(sentence: str) -> bool:
    """Returns whether most longer words begin with a small letter, as in a sentence."""
    words = words_of_weight(sentence)
    return sum(word[0].islower() for word in words) > 0.5 * len(words)


def words_of_weight(text: str) -> list[str]:
    return [word for word in WORD.findall(text) if len(word) > SMALL_WORD]
