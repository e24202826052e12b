"""The filter of entries of a bibliography. Sentences that cite pass."""

import re

from collection.premises.filters.shape import CLAUSE, mostly_small

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
