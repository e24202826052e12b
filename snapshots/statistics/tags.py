"""Find the fifteen annotation tags of MultiNLI (section 4, Tables 6 and 7), from Penn tags and key words.

The paper names the classes of key words and gives examples; the complete lists are ours. Its frequencies fit only if a key
word is also matched inside other words ("if" in "different"), so both ways of matching are counted.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.published import column_of
from shared.portions import portions
from snapshots.statistics.artifacts import TRIPLES, Counts
from snapshots.statistics.corpus import overlap, partition_order
from snapshots.statistics.distributions import spread
from snapshots.statistics.pairs import Pair
from snapshots.statistics.words import is_word, stop_words, tokens

EDITION = 3
LONG = 20
PAIRS_AT_ONCE = 500
WORD, SUBSTRING = "word", "substring"

# Tags of single tokens.
PENN = {
    "pronouns": frozenset({"PRP", "PRP$"}),
    "modals": frozenset({"MD"}),
    "wh_words": frozenset({"WDT", "WP", "WP$", "WRB"}),
    "comparatives_superlatives": frozenset({"JJR", "JJS", "RBR", "RBS"}),
    "interjections": frozenset({"UH"}),
    "existentials": frozenset({"EX"}),
}
TENSES = {"VBD": "past", "VBP": "present", "VBZ": "present"}


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NEGATIONS = frozenset(_words("no not n't never none nothing nobody nowhere neither nor cannot without"))

NOT = "n't"
KEY_WORDS = {
    "quantifiers": _words(
        "many all few some most much several every each any enough both half no none more less lot lots"
    ),
    "belief_verbs": _words(
        "know knows knew known knowing believe believes believed believing think thinks thought thinking "
        "contemplate contemplates contemplated contemplating suppose supposes supposed supposing doubt doubts "
        "doubted doubting understand understands understood understanding assume assumes assumed assuming "
        "suspect suspects suspected imagine imagines imagined imagining guess guesses guessed realize realizes "
        "realized remember remembers remembered forget forgets forgot forgotten consider considers considered "
        "feel feels felt expect expects expected"
    ),
    "time_terms": _words(
        "then today tomorrow yesterday now tonight later before after soon early ago during always never often "
        "sometimes year years month months week weeks day days hour hours minute minutes morning afternoon "
        "evening night january february march april june july august september october november december "
        "monday tuesday wednesday thursday friday saturday sunday"
    ),
    "conversational_pivots": _words(
        "yet but thus despite however although though nevertheless nonetheless therefore hence moreover "
        "furthermore meanwhile instead otherwise anyway besides still"
    ),
    "presupposition_triggers": _words(
        "again too anymore also still even only stop stops stopped start starts started begin begins began "
        "continue continues continued another return returns returned"
    ),
    "conditionals": ("if",),
}

DEFINITIONS = {
    "pairs": "All pairs of the snapshot, or of the partition named.",
    "tagged": (
        "Pairs whose premise or hypothesis has the phenomenon, by word: a key word is a token of its own,"
        " case ignored."
    ),
    "substring": (
        "The same with key words matched anywhere, also inside other words (if in different): only this "
        "fits the paper's frequencies."
    ),
    "penn": (
        "Tags marked (Penn) come from the Penn Treebank tags of spaCy's small English model: pronouns PRP"
        " PRP$, modals MD, wh-words WDT WP WP$ WRB, comparatives and superlatives JJR JJS RBR RBS, "
        "interjections UH, existentials EX."
    ),
    "negation": (
        "A token that negates (not, n't, no, never, none, nothing, nobody, nowhere, neither, nor, cannot,"
        " without)."
    ),
    "tense_match": "Premise and hypothesis share a tense: past (VBD) or present (VBP, VBZ).",
    "long_sentences": (
        "The hypothesis has more than 20 Penn Treebank tokens. The paper's frequency fits hypotheses, not"
        " premises."
    ),
    "most_frequent_label": (
        "The gold label that most tagged pairs have, and its share among tagged pairs with a gold label."
    ),
    "lemma_overlap": (
        "The share of a hypothesis's lemmas, without stop words and punctuation, that are lemmas of its "
        "premise; lemmas and tokens are spaCy's."
    ),
}

NAMES = {
    "pronouns": "Pronouns (Penn)",
    "quantifiers": "Quantifiers",
    "modals": "Modals (Penn)",
    "negation": "Negation (words)",
    "wh_words": "Wh-words (Penn)",
    "belief_verbs": "Belief verbs",
    "time_terms": "Time terms",
    "conversational_pivots": "Conversational pivots",
    "presupposition_triggers": "Presupposition triggers",
    "comparatives_superlatives": "Comparatives, superlatives (Penn)",
    "conditionals": "Conditionals",
    "tense_match": "Tense match (Penn)",
    "interjections": "Interjections (Penn)",
    "long_sentences": "More than 20 words",
    "existentials": "Existentials (Penn)",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A token with its Penn Treebank tag, its lemma, and where it was parsed its relation to the token at `head`."""

    text: str
    tag: str
    lemma: str
    relation: str = ""
    head: int = -1


Sentence = Sequence[Token]
Annotate = Callable[[Iterable[str]], Iterable[Sentence]]


def negates(word: str) -> bool:
    """Returns whether a word, in small letters, is a negation by itself or ends in one: in a sentence without tags."""
    return word in NEGATIONS or word.replace("’", "'").endswith(NOT)


def tags_of(premise: Sequence[Sentence], hypothesis: Sentence, hypothesis_words: int) -> frozenset[str]:
    """Returns the tags of one pair, key words matched as whole words."""
    found: set[str] = set()
    everything = [token for sentence in (*premise, hypothesis) for token in sentence]
    used = {token.tag for token in everything}
    found.update(name for name, tags in PENN.items() if used & tags)
    words = {token.text.lower() for token in everything}
    found.update(name for name, keys in KEY_WORDS.items() if not words.isdisjoint(keys))
    if words & NEGATIONS:
        found.add("negation")
    if tenses(token for sentence in premise for token in sentence) & tenses(hypothesis):
        found.add("tense_match")
    if hypothesis_words > LONG:
        found.add("long_sentences")
    return frozenset(found)


def triples_of(sentence: Sentence) -> Iterator[str]:
    """Yields head lemma, relation and dependent lemma of each word but the root of a parsed sentence."""
    for place, token in enumerate(sentence):
        if token.relation and token.head != place and is_word(token.text):
            head = sentence[token.head]
            if is_word(head.text):
                yield f"{head.lemma.lower()} {token.relation} {token.lemma.lower()}"


def measure(
    pairs: Iterable[Pair],
    annotate: Annotate,
    *,
    labels: Sequence[str],
    parse: Annotate | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[str, Any]:
    """Counts the pairs with each tag by partition, genre and gold label, and the overlap of lemmas by label.

    annotate: a function from sentences to annotated sentences, in the same order; parse: one that parses them too, for the
    hypotheses' triples, which are counted by gold label. English only.
    """
    sizes: Counter[tuple[str, str]] = Counter()
    tagged: Counter[tuple[str, str, str, str, str]] = Counter()
    lemmas: defaultdict[tuple[str, str], Counter[float]] = defaultdict(Counter)
    stops, triples, known_labels = stop_words("en"), Counts(labels), frozenset(labels)
    for done, (pair, premise, hypothesis) in enumerate(annotated(pairs, annotate, parse), start=1):
        if pair.label in known_labels:
            triples.add(pair, triples_of(hypothesis))
        sizes[pair.partition, pair.genre] += 1
        by_word = tags_of(premise, hypothesis, len(tokens(pair.hypothesis)))
        by_substring = (by_word - KEY_WORDS.keys()) | substring_tags(pair.premise, pair.hypothesis)
        for how, found in ((WORD, by_word), (SUBSTRING, by_substring)):
            for tag in found:
                tagged[tag, how, pair.partition, pair.genre, pair.label] += 1
        known = {token.lemma.lower() for sentence in premise for token in sentence}
        value = overlap((token.lemma.lower() for token in hypothesis), known, stops)
        if value is not None:
            lemmas[pair.partition, pair.label][value] += 1
        if done % PAIRS_AT_ONCE == 0:
            progress(done)
    partitions = sorted({partition for partition, _ in sizes}, key=partition_order)
    return {
        "edition": EDITION,
        "definitions": DEFINITIONS,
        "key_words": {name: list(keys) for name, keys in KEY_WORDS.items()},
        "labels": list(labels),
        "groups": [_group(sizes, tagged, partition) for partition in (None, *partitions)],
        TRIPLES: triples.figures(),
        "lemma_overlap": [
            {"partition": partition, "label": label, **spread(_lemmas(lemmas, partition, label))}
            for partition in (None, *partitions)
            for label in (None, *labels)
        ],
    }


def annotated(
    pairs: Iterable[Pair], annotate: Annotate, parse: Annotate | None = None
) -> Iterator[tuple[Pair, list[Sentence], Sentence]]:
    """Yields pairs with their annotated sentences, hypotheses also parsed. Annotates five hundred pairs at a time."""
    for portion in portions(pairs, PAIRS_AT_ONCE):
        premises = dict.fromkeys(text for pair in portion for text in pair.premise)
        known = dict(zip(premises, annotate(premises), strict=True))
        hypotheses = dict.fromkeys(pair.hypothesis for pair in portion)
        parsed = dict(zip(hypotheses, (parse or annotate)(hypotheses), strict=True))
        for pair in portion:
            yield pair, [known[sentence] for sentence in pair.premise], parsed[pair.hypothesis]


def _group(
    sizes: Counter[tuple[str, str]],
    tagged: Counter[tuple[str, str, str, str, str]],
    partition: str | None,
) -> dict[str, Any]:
    genres: Counter[str] = Counter()
    for (where, genre), number in sizes.items():
        if partition in (None, where):
            genres[genre] += number
    found: dict[str, dict[str, Any]] = {
        tag: {how: {"pairs": 0, "genres": Counter(), "labels": Counter()} for how in (WORD, SUBSTRING)}
        for tag in NAMES
    }
    for (tag, how, where, genre, label), number in sorted(tagged.items()):
        if partition in (None, where):
            entry = found[tag][how]
            entry["pairs"] += number
            entry["genres"][genre] += number
            entry["labels"][label] += number
    return {
        "partition": partition,
        "pairs": genres.total(),
        "genres": dict(sorted(genres.items())),
        "tags": found,
    }


def _lemmas(
    lemmas: Mapping[tuple[str, str], Counter[float]], partition: str | None, label: str | None
) -> Counter[float]:
    together: Counter[float] = Counter()
    for (where, gold), values in lemmas.items():
        if partition in (None, where) and label in (None, gold):
            together.update(values)
    return together


def tenses(sentence: Iterable[Token]) -> set[str]:
    return {TENSES[token.tag] for token in sentence if token.tag in TENSES}


def substring_tags(premise: Iterable[str], hypothesis: str) -> frozenset[str]:
    """Returns the key-word tags of one pair, key words matched anywhere, also inside other words."""
    text = "\n".join((*premise, hypothesis)).lower()
    return frozenset(name for name, keys in KEY_WORDS.items() if any(key in text for key in keys))


def _table_6(column: str) -> dict[str, int | None]:
    shares = column_of("MultiNLI", "multinli-6", column)
    return {
        tag: None if isinstance(shares[name], str) else int(float(shares[name]))
        for tag, name in NAMES.items()
    }


# MultiNLI, Table 6: the share of dev pairs with a tag, in percent; SNLI's, then MultiNLI's. None: "<1".
MULTINLI_TABLE_6: dict[str, tuple[int | None, int]] = {
    tag: (snli, _table_6("frequency")[tag] or 0) for tag, snli in _table_6("frequency in SNLI").items()
}
