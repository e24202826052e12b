"""Filters by the shape of a text: its length, its numbers, its beginning and end; entries of a bibliography; boilerplate.

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


DIGIT = re.compile(r"\d")
HEADED = re.compile(
    r"^\W*(?:references?|works cited|bibliography|further reading)\b\W+[A-Z\[]", re.IGNORECASE
)
CASE_LAW = re.compile(
    r"\b\d+ (?:U\.\s?S\.|F\. ?Supp\.|F\. ?\d ?d|Fed\. Reg\.|S\. Ct\.|Stat\.|CFR|C\. ?F\. ?R\.)|^C\. ?F\. ?R\."
)
SEE = re.compile(r"^\W*(?:see|cf\.|ibid\.?|op\. cit\.)\s.{0,80}\d", re.IGNORECASE)
ABBREVIATED = re.compile(r"\b(?:ibid|op\. cit|loc\. cit)\b\.?,?", re.IGNORECASE)

# Parts of an entry of a bibliography. A sentence that cites has one of them, rarely two.
PARTS = tuple(
    re.compile(pattern)
    for pattern in (
        # Surname, A. B.  or  Surname, First Name.  at the beginning
        r"^\W*(?:[a-z]+ )?(?:[A-Z][\w’'-]+ )?[A-Z][\w’'-]+, (?:[A-Z]\.|(?:and |& )?[A-Z][\w’'-]+(?: [A-Z]\.?)*[.,:])",
        # (1999).  1999.  , 1999a:  [1999]
        r"[(\[](?:\w+ )?(?:1[5-9]|20)\d\d[a-z]?[)\]]\s*[.,:]|[.,] (?:1[5-9]|20)\d\d[a-z]?(?:[.:;]|\)?$)",
        # pp. 3-9   vol. 12   no. 1   27 (4), 7-18   52, 11-19
        r"\b[Pp]p?\. ?\d|\b[Vv]ol(?:\.|ume) ?\d|\b[Nn]o\. ?\d|\d ?\(\d+\)|\b\d+[,:] ?\d+ ?[-–] ?\d+",
        # New York: Free Press   Norton: New York, NY
        r"\b[A-Z][a-z]+(?:, [A-Z][A-Za-z.]+)?: [A-Z][\w&'’ .]+(?:,|\.|\d|$)",
        r"\b(?:University|Univ\.|MIT|Free|Oxford|Cambridge) (?:Press|P\b)|\b(?:Press|Publishers|Verlag|& Sons)[,.]",
        r"\b(?:[Ee]ds?|[Tt]rans|[Rr]ev)\. |\b[Ee]dited by\b|\bet al\.[,;] |\bIn Proceedings of\b",
        r"\b(?:doi|DOI|arXiv|ISBN|ISSN)\b[: ]|\bRetrieved (?:from|on)\b",
        r"\b(?:Journal|Quarterly|Proceedings|Transactions|Annals|Review|Forum|Bulletin|Bull\.|Studies) (?:of |on )?"
        r"[\w&. ]*\d",
    )
)
MANY = re.compile(r"\b[A-Z][\w’'-]+,? (?:1[5-9]|20)\d\d[a-z]?\s*(?:;|$)")  # Cohen 1985; Grimes 1976


def is_reference(sentence: str) -> bool:
    """Returns whether the text is an entry of a bibliography: whether it has at least two of PARTS.

    A text with words of a clause, such as a verb, needs three: it may be a sentence that cites.
    """
    if not DIGIT.search(sentence):  # no year, page or volume: a quick test that most sentences end here
        return False
    tells = CLAUSE.search(sentence) is not None
    if HEADED.match(sentence) or (len(MANY.findall(sentence)) >= 2 and not tells):
        return True
    if not tells and (SEE.match(sentence) or ABBREVIATED.search(sentence)):
        return True
    if not tells and CASE_LAW.search(sentence) and not mostly_small(sentence):
        return True
    return sum(part.search(sentence) is not None for part in PARTS) >= (3 if tells else 2)


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
