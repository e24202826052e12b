"""Broader words for nouns, from WordNet's files `index.noun`, `data.noun` and `cntlist.rev`."""

from collections import Counter
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path

from collection.pairing.lists import TOO_GENERAL
from nli.wordnet_files import synsets, wordnet_folder, wordnet_lines

# WordNet's files of nouns for what can be seen: tops (person, animal, ...), animals, artifacts, bodies, food, places,
# natural objects, people, plants. Not groups: there a table is an array of data.
VISIBLE = frozenset({"03", "05", "06", "08", "13", "15", "17", "18", "20"})
SENSES = 2  # of a noun are considered: `snow` is also a drug, and nobody photographs that
OFTEN = 5  # times that a word stands in WordNet's tagged texts, so that a reader knows it


@cache
def load_nouns() -> "Nouns":
    """Returns WordNet's nouns, read once. Raises NoWordNet."""
    return Nouns()


class Nouns:
    """WordNet's nouns with their hypernyms, read on first use (about half a second, 60 MiB)."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or wordnet_folder()

    @cached_property
    def senses(self) -> dict[str, str]:
        """Returns noun -> its sense in captions, by its name in data.noun: of the first two senses the first visible one.

        WordNet's first sense of "table" is a set of data; in a caption it is a piece of furniture.
        """
        first = {}
        for line in wordnet_lines(self.folder / "index.noun"):
            lemma, _, rest = line.partition(" ")
            fields = rest.split()
            senses = fields[-int(fields[1]) :]
            visible = (sense for sense in senses[:SENSES] if sense in self.visible)
            if sense := next(visible, ""):
                first[lemma] = sense
        return first

    @property
    def synsets(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """Returns sense -> its words and its hypernyms."""
        return self._data[0]

    @property
    def visible(self) -> frozenset[str]:
        return self._data[1]

    @cached_property
    def _data(self) -> tuple[dict[str, tuple[tuple[str, ...], tuple[str, ...]]], frozenset[str]]:
        found, visible = {}, set()
        for each in synsets(self.folder / "data.noun"):
            above = tuple(offset for symbol, offset, _ in each.pointers if symbol == "@")
            found[each.offset] = (each.words, above)
            # No names: Snow was a writer.
            if each.kind in VISIBLE and all(symbol != "@i" for symbol, _, _ in each.pointers):
                visible.add(each.offset)
        return found, frozenset(visible)

    @cache  # noqa: B019 one object a run
    def broader(self, noun: str) -> tuple[str, ...]:
        """Returns plain hypernyms of the noun in its first visible sense, the nearest first.

        Of each sense only its first word is used, if the word is common and this is the word's own first sense:
        WordNet's `canine` is the tooth before it is the dog's family, and a reader understands it so.
        """
        words = (self._word(sense) for sense in self._above(self.senses.get(noun.lower())))
        return tuple(dict.fromkeys(word for word in words if word and word != noun.lower()))

    def _word(self, sense: str) -> str:
        """Returns the word for a sense; empty if it has none that people would use."""
        word = self.synsets[sense][0][0]
        plain = word.isalpha() and word in self.common and word not in TOO_GENERAL
        return word if plain and self.senses.get(word) == sense else ""

    @cached_property
    def common(self) -> frozenset[str]:
        """Returns nouns that occur often enough in the texts that WordNet's authors tagged."""
        times: Counter[str] = Counter()
        for line in wordnet_lines(self.folder / "cntlist.rev"):
            key, _, count = line.split()
            lemma, _, kind = key.partition("%")
            if kind.startswith("1:"):  # a noun
                times[lemma] += int(count)
        return frozenset(lemma for lemma, count in times.items() if count >= OFTEN)

    @cache  # noqa: B019
    def means_another_thing(self, phrase: str, head: str) -> bool:
        """Returns whether the phrase is a word of its own, and not a kind of its head: a hot dog is no dog."""
        spellings = (phrase.lower().replace(" ", joint) for joint in ("_", "-", ""))
        sense = next((self.senses[each] for each in spellings if each in self.senses), None)
        if sense is None:
            return False
        return not any(head in self.synsets[each][0] for each in (sense, *self._above(sense)))

    def _above(self, sense: str | None) -> Iterator[str]:
        """Yields all hypernyms, step by step."""
        seen: set[str] = set()
        level = list(self.synsets[sense][1]) if sense else []
        while level:
            yield from (each for each in level if each not in seen)
            seen.update(level)
            level = list(
                dict.fromkeys(up for each in level for up in self.synsets[each][1] if up not in seen)
            )
