"""The filters for new premises, in their order. Imports no Django.

A filter returns whether it drops a candidate. The report counts the first filter that does.
To add a filter, write the function and add it to `filters_for` and `NAMES`.
"""

from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from collection.premises.filters import shape
from collection.premises.filters.candidates import Candidate, PremiseFilter, any_sentence
from collection.premises.filters.language import ForeignLanguage, detected_language
from collection.premises.filters.shape import is_boilerplate, is_reference

VERSION = 1  # raise it when a filter changes: a file that was imported before may then be imported anew

# This filter cannot be left out: the database has each text once in a genre.
DUPLICATE = PremiseFilter("duplicate", "the genre has this text already", lambda each: False)
NAMES = (
    DUPLICATE.name,
    "too_short",
    "too_long",
    "formula",
    "reference",
    "list_or_heading",
    "foreign_language",
    "boilerplate",
)


def filters_for(
    language: str, *, longest: int = shape.LONGEST, without: Collection[str] = ()
) -> tuple[PremiseFilter, ...]:
    """Returns the filters that look at one text, in their order.

    language: of the corpus, as BCP 47; without a detector for it, the filter of languages is left out.
    longest: characters of a sentence. without: names of filters to leave out.
    """
    found = [
        PremiseFilter("too_short", f"under {shape.SHORTEST} characters", shape.is_too_short),
        PremiseFilter(
            "too_long",
            f"a sentence over {longest:,} characters",
            any_sentence(lambda sentence: len(sentence) > longest),
        ),
        PremiseFilter("formula", "a formula, or a row of numbers", any_sentence(shape.is_formula)),
        PremiseFilter("reference", "a bibliographic reference", any_sentence(is_reference)),
        PremiseFilter(
            "list_or_heading", "an item of a list, or a heading", any_sentence(shape.is_list_or_heading)
        ),
    ]
    if "foreign_language" not in without and (code := detected_language(language)):
        found.append(
            PremiseFilter(
                "foreign_language", f"surely not in the corpus's language ({language})", ForeignLanguage(code)
            )
        )
    found.append(
        PremiseFilter("boilerplate", "an address, a link, a notice or a form", any_sentence(is_boilerplate))
    )
    return tuple(each for each in found if each.name not in without)


@dataclass(frozen=True)
class Sifted:
    """The candidates that stay, and the dropped ones with the filter that dropped each."""

    kept: list[Candidate] = field(default_factory=list)
    dropped: list[tuple[Candidate, PremiseFilter]] = field(default_factory=list)


def sift(
    candidates: Iterable[Candidate], known: AbstractSet[str], filters: Iterable[PremiseFilter]
) -> Sifted:
    """Applies the filters in order. `known`: the digests that the genre has already.

    It also drops repetitions among the candidates. It does not change `known`.
    """
    filters, seen, sifted = tuple(filters), set(known), Sifted()
    for each in candidates:
        if each.digest in seen:
            sifted.dropped.append((each, DUPLICATE))
        elif dropping := next((rule for rule in filters if rule.drops(each)), None):
            sifted.dropped.append((each, dropping))
        else:
            seen.add(each.digest)
            sifted.kept.append(each)
    return sifted
