"""Lay statistics out as the tables of the papers: from the data of corpus.py, artifacts.py and tags.py to rows."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nli.labels import COLLAPSED, NO_GOLD, SCHEMES, in_two_classes
from nli.lines import PARTITIONS
from snapshots.statistics.artifacts import DEV, THRESHOLDS, giveaways
from snapshots.statistics.tags import NAMES, SUBSTRING, WORD

CORPUS, ARTIFACTS, TAGS = "corpus", "artifacts", "tags"
GIVEAWAYS_SHOWN = 10
Data = Mapping[str, Any]
Cell = str | int | float | None


@dataclass(frozen=True)
class Column:
    """A column of a table.

    kind: how a value is written: text, count, number (two decimals), share (in percent), z, p; pair and run are texts
    that a page links.
    """

    name: str
    kind: str = "text"

    @property
    def is_number(self) -> bool:
        return self.kind not in ("text", "pair", "run")


@dataclass(frozen=True)
class Table:
    """Rows of raw values with their definitions. Shares are from 0 to 1; an empty cell is None."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: list[list[Cell]]
    definitions: tuple[str, ...]


@dataclass(frozen=True)
class TableKind:
    """The definition of one table. source: the kind of statistics that has its data.

    defined: the keys of its definitions.

    only_with_rows: the page leaves the table out if it has no rows, as for most corpora.
    """

    title: str
    source: str
    columns: tuple[Column, ...] | Callable[[Data], tuple[Column, ...]]
    rows: Callable[[Data], Iterator[list[Cell]]]
    defined: tuple[str, ...]
    only_with_rows: bool = False


def table(name: str, data: Data) -> Table:
    """Make the table `name` from the data of its kind of statistics. Raises KeyError."""
    kind = TABLES[name]
    columns = kind.columns if isinstance(kind.columns, tuple) else kind.columns(data)
    definitions = tuple(data["definitions"][key] for key in kind.defined)
    if "token" in data["definitions"] and any("token" in text.lower() for text in definitions):
        definitions = (*definitions, f"Token: {data['definitions']['token']}")
    return Table(name, kind.title, columns, list(kind.rows(data)), definitions)


def _group(data: Data, **where: str | None) -> Data | None:
    wanted = {"partition": None, "genre": None, "label": None, **where}
    return next((group for group in data["groups"] if wanted.items() <= group.items()), None)


def _partitions(data: Data) -> list[str | None]:
    """Return the partitions in order, followed by None (all together) if there are several."""
    named = list(dict.fromkeys(group["partition"] for group in data["groups"] if group["partition"]))
    return [*named, None] if len(named) > 1 else named


def _genres(data: Data) -> list[str | None]:
    named = [g["genre"] for g in data["groups"] if g["genre"] is not None and g["partition"] is None]
    return [*named, None] if len(named) > 1 else named


def _all(name: str | None) -> str:
    return "all" if name is None else name


def _has_derived(data: Data) -> bool:
    whole = _group(data)
    return whole is not None and any(side["parses"] for side in whole["s_rooted_derived"].values())


def _genre_columns(data: Data) -> tuple[Column, ...]:
    sides = [f"S-rooted {side}" for side in ("premises", "hypotheses")]
    return (
        Column("genre"),
        *(Column(name, "count") for name in PARTITIONS),
        Column("words a premise", "number"),
        Column("words a hypothesis", "number"),
        *(Column(side, "share") for side in sides),
        *(Column(f"{side}, derived", "share") for side in sides if _has_derived(data)),
        Column("agreement", "share"),
    )


def _by_genre(data: Data) -> Iterator[list[Cell]]:
    derived = _has_derived(data)
    for genre in _genres(data):
        whole = _group(data, genre=genre)
        assert whole is not None
        sizes = [_group(data, partition=partition, genre=genre) for partition in PARTITIONS]
        yield [
            _all(genre),
            *(group["pairs"] if group else 0 for group in sizes),
            whole["premise_words"]["mean"],
            whole["hypothesis_words"]["mean"],
            *(side["share"] for side in whole["s_rooted"].values()),
            *(side["share"] for side in whole["s_rooted_derived"].values() if derived),
            whole["agreement"],
        ]


def _by_partition(data: Data, *figures: Callable[[Data], Cell]) -> Iterator[list[Cell]]:
    for partition in _partitions(data):
        group = _group(data, partition=partition)
        assert group is not None
        yield [_all(partition), *(figure(group) for figure in figures)]


def _lengths(data: Data) -> Iterator[list[Cell]]:
    sides = [
        (lambda group, side=side, key=key: group[side][key])
        for side in ("premise_words", "hypothesis_words")
        for key in ("mean", "sd", "least", "most")
    ]
    return _by_partition(data, *sides, lambda group: group["tokens"], lambda group: group["types"])


def _length_distribution(data: Data) -> Iterator[list[Cell]]:
    group = _group(data)
    if group is None:
        return
    sides = [group[side]["histogram"] for side in ("premise_words", "hypothesis_words")]
    longest = max((int(length) for side in sides for length in side), default=-1)
    for length in range(longest + 1):
        yield [length, *(side.get(str(length), 0) for side in sides)]


def _overlap(data: Data) -> Iterator[list[Cell]]:
    for partition in _partitions(data):
        for label in (None, *data["labels"]):
            if group := _group(data, partition=partition, label=label):
                figures = group["overlap"]
                yield [_all(partition), _all(label), figures["number"], figures["mean"], figures["sd"]]


def _edits(data: Data) -> Iterator[list[Cell]]:
    keys = ("pairs", "deletion", "insertion", "one_word", "substantial_overlap")
    return _by_partition(data, *((lambda group, key=key: group[key]) for key in keys))


def _label_columns(data: Data) -> tuple[Column, ...]:
    labels = (*data["labels"], NO_GOLD)
    counts = (Column(label, "count") for label in labels)
    return (Column("partition"), *counts, *(Column(f"{label}, share", "share") for label in labels))


def _labels(data: Data) -> Iterator[list[Cell]]:
    for partition in _partitions(data):
        group = _group(data, partition=partition)
        assert group is not None
        counts = [group["gold_labels"].get(label, 0) for label in (*data["labels"], NO_GOLD)]
        yield [_all(partition), *counts, *(count / group["pairs"] for count in counts)]


def _in_two_classes(data: Data) -> Iterator[list[Cell]]:
    reads = in_two_classes(data["labels"]) or {}
    for partition in _partitions(data) if reads else ():
        group = _group(data, partition=partition)
        assert group is not None
        classes = dict.fromkeys(SCHEMES[COLLAPSED], 0)
        for label, two in reads.items():
            classes[two] += group["gold_labels"].get(label, 0)
        total = sum(classes.values())
        yield [_all(partition), *classes.values(), max(classes.values()) / total if total else None]


def _votes(data: Data) -> Iterator[list[Cell]]:
    for label in (None, *data["labels"], NO_GOLD):
        group = _group(data, label=label)
        total = sum(group["votes"].values()) if group else 0
        if group is not None and total:
            for split, number in group["votes"].items():
                yield [_all(label), split, number, number / total]


def _examples(data: Data) -> Iterator[list[Cell]]:
    """Yield examples with labels as first letters, as in the papers; in full if two labels begin alike (minor, major)."""
    labels = {*data["labels"], *(label for example in data["examples"] for label in example["labels"])}
    letters = {label: label[:1].upper() for label in labels}
    if len({*letters.values()}) < len(letters):
        letters = {label: label for label in letters}
    for example in data["examples"]:
        premise = " / ".join(example["premise"])
        given = " ".join(letters[label] for label in example["labels"])
        yield [
            example["genre"], premise, example["gold_label"], given, example["hypothesis"], example["name"]
        ]  # fmt: skip


def _agreeing(data: Data) -> list[int]:
    """Return the numbers from 0 to the largest number of agreeing premises."""
    groups = data["single_premises"]["groups"]
    return list(range(max((len(group["agree"]) for group in groups), default=0)))


def _single_premise_columns(data: Data) -> tuple[Column, ...]:
    numbers = [Column(f"{number} agree", "share") for number in _agreeing(data)]
    votes = [Column("most premises agree", "share"), Column("voting scheme", "share")]
    return (Column("partition"), Column("pairs", "count"), *numbers, *votes)


def _single_premises(data: Data) -> Iterator[list[Cell]]:
    groups = data["single_premises"]["groups"]
    for group in groups if len(groups) > 2 else groups[:1]:
        shares = [group["agree"].get(str(number), 0.0) for number in _agreeing(data)]
        votes = [group["majority_of_premises"], group["more_of_premises"]]
        yield [_all(group["partition"]), group["pairs"], *shares, *votes]


def _scene_examples(data: Data) -> Iterator[list[Cell]]:
    for each in data["single_premises"]["examples"]:
        premises = " / ".join(each["premise"])
        yield [each["agree"], ", ".join(each["labels"]), premises, each["hypothesis"], each["gold_label"]]


def _whose_words(data: Data) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the words of all pairs, then those of dev, if dev is only a part of them."""
    yield _all(None), data["words"]
    if data[DEV]:
        yield DEV, data[DEV]["words"]


def _giveaways(data: Data) -> Iterator[list[Cell]]:
    for of, words in _whose_words(data):
        for threshold in THRESHOLDS:
            for label in data["labels"]:
                for entry in giveaways(words, label, threshold)[:GIVEAWAYS_SHOWN]:
                    yield [of, threshold, label, *_word(entry)]


def _words(data: Data) -> Iterator[list[Cell]]:
    for of, words in _whose_words(data):
        for entry in words:
            yield [of, entry["label"], *_word(entry)]


def _word(entry: Data) -> list[Cell]:
    return [entry[key] for key in ("word", "count", "p", "pmi", "z", "corrected_p")]


def _answerable_columns(data: Data) -> tuple[Column, ...]:
    names = [f"{label}, {which}" for which in ("all words", "frequent words") for label in data["labels"]]
    return (Column("threshold", "number"), *(Column(name, "share") for name in names))


def _answerable(data: Data) -> Iterator[list[Cell]]:
    for row in data["answerable"]:
        yield [
            row["threshold"],
            *(
                row[which][label] / data["pairs"][label] if data["pairs"][label] else None
                for which in ("all_words", "frequent_words")
                for label in data["labels"]
            ),
        ]


def _lengths_by_label(data: Data) -> Iterator[list[Cell]]:
    for row in data["lengths"]:
        yield [row[key] for key in ("by", "value", "label", "number", "mean", "sd", "least", "most")]


def _tags(data: Data) -> Iterator[list[Cell]]:
    for group in data["groups"]:
        if group["partition"] in _partitions(data):
            for tag, counts in group["tags"].items():
                word = counts[WORD]
                with_gold = {label: number for label, number in word["labels"].items() if label != NO_GOLD}
                top = max(sorted(with_gold), key=lambda label: with_gold[label], default=None)
                yield [
                    _all(group["partition"]),
                    NAMES[tag],
                    word["pairs"],
                    word["pairs"] / group["pairs"],
                    counts[SUBSTRING]["pairs"] / group["pairs"],
                    top,
                    with_gold[top] / sum(with_gold.values()) if top else None,
                ]


def _tag_genres(data: Data) -> tuple[Column, ...]:
    genres = data["groups"][0]["genres"]
    return (Column("tag"), Column("matched by"), *(Column(genre, "share") for genre in genres))


def _tags_by_genre(data: Data) -> Iterator[list[Cell]]:
    group = data["groups"][0]
    for tag, counts in group["tags"].items():
        ways = (WORD, SUBSTRING) if tag in data["key_words"] else (WORD,)
        for how in ways:
            found = counts[how]["genres"]
            yield [
                NAMES[tag],
                how if len(ways) > 1 else "",
                *(found.get(genre, 0) / number for genre, number in group["genres"].items()),
            ]


def _lemma_overlap(data: Data) -> Iterator[list[Cell]]:
    for row in data["lemma_overlap"]:
        if row["partition"] in _partitions(data):
            yield [_all(row["partition"]), _all(row["label"]), row["number"], row["mean"], row["sd"]]


_SPREAD = (Column("mean", "number"), Column("sd", "number"))
_OVERLAP = (Column("partition"), Column("gold label"), Column("pairs", "count"), *_SPREAD)
_WORD = (
    Column("word"),
    Column("count", "count"),
    Column("p(label | word)", "number"),
    Column("PMI", "number"),
    Column("z", "number"),
    Column("corrected p", "p"),
)

TABLES: dict[str, TableKind] = {
    "genres": TableKind(
        "Sizes by genre (MultiNLI, Table 3)",
        CORPUS,
        _genre_columns,
        _by_genre,
        ("pairs", "premise_words", "hypothesis_words", "s_rooted", "s_rooted_derived", "agreement"),
    ),
    "lengths": TableKind(
        "Lengths, tokens and types (SNLI, Table 2; MPE, Table 3)",
        CORPUS,
        (
            Column("partition"),
            *(
                Column(f"{side} {key}", "number" if key in ("mean", "sd") else "count")
                for side in ("premise", "hypothesis")
                for key in ("mean", "sd", "shortest", "longest")
            ),
            Column("tokens", "count"),
            Column("types", "count"),
        ),
        _lengths,
        ("premise_words", "hypothesis_words", "tokens", "types"),
    ),
    "length_distribution": TableKind(
        "How long the sentences are (SNLI and MultiNLI, Figure 2)",
        CORPUS,
        (Column("words", "count"), Column("premises", "count"), Column("hypotheses", "count")),
        _length_distribution,
        ("premise_words", "hypothesis_words"),
    ),
    "two_classes": TableKind(
        "Gold labels read as two classes: entailment, or 5 of a scale, is entailed (Diverse NLI Collection, Table 3)",
        CORPUS,
        (
            Column("partition"),
            *(Column(label, "count") for label in SCHEMES[COLLAPSED]),
            Column("share of the commoner class", "share"),
        ),
        _in_two_classes,
        ("gold_labels",),
        only_with_rows=True,
    ),
    "overlap": TableKind("Word overlap (MPE, Table 1, full)", CORPUS, _OVERLAP, _overlap, ("overlap",)),
    "edits": TableKind(
        "Deletion, insertion, much overlap (MultiNLI, section 2.2)",
        CORPUS,
        (
            Column("partition"),
            Column("pairs", "count"),
            *(Column(name, "share") for name in ("deletion", "insertion", "one word", "> 37% overlap")),
        ),
        _edits,
        ("deletion", "insertion", "one_word", "substantial_overlap"),
    ),
    "labels": TableKind("Gold labels (MPE, Table 3)", CORPUS, _label_columns, _labels, ("gold_labels",)),
    "votes": TableKind(
        "How the votes are split",
        CORPUS,
        (Column("gold label"), Column("votes"), Column("pairs", "count"), Column("share", "share")),
        _votes,
        ("votes",),
    ),
    "examples": TableKind(
        "Examples (SNLI and MultiNLI, Table 1)",
        CORPUS,
        tuple(Column(name) for name in ("genre", "premise", "gold label", "labels", "hypothesis", "pair")),
        _examples,
        ("examples",),
    ),
    "single_premises": TableKind(
        "Single premises and all of them (MPE, Table 4)",
        CORPUS,
        _single_premise_columns,
        _single_premises,
        ("single_premises", "premise_votes"),
        only_with_rows=True,
    ),
    "single_premise_examples": TableKind(
        "One pair for each number of premises that agree (MPE, Table 4)",
        CORPUS,
        (
            Column("agree", "count"),
            *(Column(name) for name in ("labels of the premises", "premises", "hypothesis", "gold label")),
        ),
        _scene_examples,
        ("scene_examples",),
        only_with_rows=True,
    ),
    "giveaways": TableKind(
        "Give-away words (Poliak et al. 2018, Figure 13)",
        ARTIFACTS,
        (Column("of"), Column("threshold", "number"), Column("label"), *_WORD),
        _giveaways,
        ("giveaways", "of", "word", "count", "p", "pmi", "z", "corrected_p"),
    ),
    "words": TableKind(
        "Words that go with a label",
        ARTIFACTS,
        (Column("of"), Column("label"), *_WORD),
        _words,
        ("of", "word", "count", "p", "pmi", "z", "corrected_p"),
    ),
    "answerable": TableKind(
        "Pairs that a single word gives away (Poliak et al. 2018, Figure 6)",
        ARTIFACTS,
        _answerable_columns,
        _answerable,
        ("answerable", "word", "p"),
    ),
    "lengths_by_label": TableKind(
        "Hypothesis length by label",
        ARTIFACTS,
        (
            Column("by"),
            Column("value"),
            Column("gold label"),
            Column("pairs", "count"),
            *_SPREAD,
            Column("shortest", "count"),
            Column("longest", "count"),
        ),
        _lengths_by_label,
        ("lengths",),
    ),
    "tags": TableKind(
        "Annotation tags (MultiNLI, Table 6)",
        TAGS,
        (
            Column("partition"),
            Column("tag"),
            Column("pairs", "count"),
            Column("by word", "share"),
            Column("by substring", "share"),
            Column("most frequent label"),
            Column("its share", "share"),
        ),
        _tags,
        ("tagged", "substring", "penn", "negation", "tense_match", "long_sentences", "most_frequent_label"),
    ),
    "tags_by_genre": TableKind(
        "Annotation tags by genre (MultiNLI, Table 7)",
        TAGS,
        _tag_genres,
        _tags_by_genre,
        ("tagged", "substring", "penn", "negation", "tense_match", "long_sentences"),
    ),
    "lemma_overlap": TableKind(
        "Lemma overlap (MPE, Table 1, lemma)", TAGS, _OVERLAP, _lemma_overlap, ("lemma_overlap",)
    ),
}
