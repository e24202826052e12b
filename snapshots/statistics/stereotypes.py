"""Which words of hypotheses go with terms of their premises, such as those for women and men (Rudinger et al. 2017).

A high figure says that writers bring the word to mind where the premise has the term. Whether that is a stereotype, the
pairs behind it show: they are named beside each word.
"""

import math
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from shared.intervals import wilson
from shared.tables import Column, Table, plain
from snapshots.statistics.pairs import Pair
from snapshots.statistics.words import STOP_WORDS, is_word, tokens

AT_LEAST, MOST, SHOWN = 5, 10, 3
COLUMNS = (
    Column("group"),
    Column("premises", "pairs with a term", "count", "Pairs whose premise has a term of the group."),
    Column("word", "word of the hypothesis"),
    Column("pairs", "of them with the word", "count"),
    Column("elsewhere", "other pairs with the word", "count"),
    Column("pmi", "PMI", "kappa", "log2 of p(word | term) / p(word), over pairs, in bits."),
    Column(
        "low", "from", "kappa", "The 95% interval of p(word | term) after Wilson, p(word) taken as it is."
    ),
    Column("high", "to", "kappa"),
    Column("names", "pairs behind it", definition=f"The first {SHOWN} by their ids."),
)
NOTES = (
    "Words in small letters, once a pair; function words and the group's own terms are left out. Words whose interval"
    " includes 0 are left out, too: chance may make them so frequent.",
    "Many words are looked at, so some stand here by chance: read the pairs.",
)


class BadTerms(ValueError):
    """The file of terms is wrong. The message says where."""


def read_terms(path: Path) -> dict[str, frozenset[str]]:
    """Reads {group: terms} from a TOML file. Raises BadTerms."""
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadTerms(f"{path.name}: {error}") from None
    for group, terms in given.items():
        if not isinstance(terms, list) or not terms:
            raise BadTerms(
                f'{path.name}: {group} is not a list of terms, such as {group} = ["woman", "girl"].'
            )
        for term in terms:
            if not isinstance(term, str) or term != term.lower() or len(term.split()) != 1:
                raise BadTerms(
                    f"{path.name}: {group} has {term!r}, which is no single word in small letters."
                )
    if not given:
        raise BadTerms(f"{path.name} has no group of terms.")
    return {group: frozenset(terms) for group, terms in given.items()}


def stereotypes(
    pairs: Iterable[Pair],
    groups: Mapping[str, frozenset[str]],
    *,
    language: str = "en",
    label: str = "",
    at_least: int = AT_LEAST,
    most: int = MOST,
) -> Table:
    """Returns the words of hypotheses that go most surely with each group of terms: by the lower end of the interval.

    label: only pairs with this gold label.
    """
    total, words = 0, Counter[str]()
    of_group, together = Counter[str](), {group: Counter[str]() for group in groups}
    names: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for pair in pairs:
        if label and pair.label != label:
            continue
        total += 1
        said = {token.lower() for token in tokens(pair.hypothesis, language) if is_word(token)} - STOP_WORDS
        words.update(said)
        premise = {token.lower() for sentence in pair.premise for token in tokens(sentence, language)}
        for group, terms in groups.items():
            if terms & premise:
                of_group[group] += 1
                together[group].update(said - terms)
                for word in said - terms:
                    if len(names[group, word]) < SHOWN:
                        names[group, word].append(pair.name)

    def rows() -> Iterator[list[str | int | float | None]]:
        for group, counts in together.items():
            found = []
            for word, both in counts.items():
                share, expected = both / of_group[group], words[word] / total
                low, high = (math.log2(end / expected) for end in wilson(share, of_group[group]) if end)
                if both >= at_least and low > 0:
                    found.append((math.log2(share / expected), word, both, low, high))
            for pmi, word, both, low, high in sorted(found, key=lambda one: (-one[3], one[1]))[:most]:
                behind = " ".join(names[group, word])
                yield [group, of_group[group], word, both, words[word] - both, pmi, low, high, behind]

    caption = "Words of hypotheses that go with terms of premises (Rudinger et al. 2017)"
    of = (f"Pairs: {total:,}" + (f" with the gold label {label}." if label else "."),)
    return plain("stereotypes", caption, COLUMNS, rows(), (*of, *NOTES))
