"""Figures of annotation tags and of the overlap of lemmas."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from nli.labels import NO_GOLD
from schemas.published import column_of
from shared.figures import ALL, Figure, picture, rows_of, whole
from shared.findings import in_place, most_frequent
from shared.intervals import wilson
from shared.tables import Column, Table, interval
from snapshots.statistics.corpus_figures import (
    OVERLAPS,
    Data,
    all_or,
    means_drawn,
    means_found,
    overlaps,
    partitions_of,
)
from snapshots.statistics.scope import SNAPSHOT
from snapshots.statistics.tags import DEFINITIONS, MULTINLI_TABLE_6, NAMES, SUBSTRING, WORD

TAGS = "tags"
NOTES = tuple(DEFINITIONS[key] for key in ("tagged", "penn", "negation", "tense_match", "long_sentences"))


def _tags(data: Data) -> Iterator[list[Any]]:
    """Yields the tags of each partition, the most frequent first."""
    for group in data["groups"]:
        if group["partition"] not in partitions_of(data):
            continue
        by_word = {tag: counts[WORD]["pairs"] for tag, counts in group["tags"].items()}
        for tag in sorted(by_word, key=lambda tag: -by_word[tag]):
            share = by_word[tag] / group["pairs"]
            labels = group["tags"][tag][WORD]["labels"]
            with_gold = {label: number for label, number in labels.items() if label != NO_GOLD}
            top = max(sorted(with_gold), key=lambda label: with_gold[label], default=None)
            yield [
                all_or(group["partition"]),
                NAMES[tag],
                by_word[tag],
                share,
                *wilson(share, group["pairs"]),
                group["tags"][tag][SUBSTRING]["pairs"] / group["pairs"],
                top,
                with_gold[top] / sum(with_gold.values()) if top else None,
                *(None if published is None else published / 100 for published in MULTINLI_TABLE_6[tag]),
            ]


def _tags_found(table: Table) -> str:
    rows = rows_of(table, whole(table, "partition"))
    numbers = {f"“{row['tag']}”": row["pairs"] for row in rows}
    pairs = max((row["pairs"] / row["by word"] for row in rows if row["by word"]), default=0)
    few = (
        f"{max(numbers.values(), default=0):,} pairs or fewer have each tag" if pairs else "no pair has a tag"
    )
    return in_place(most_frequent("tag", numbers, pairs) or few)


def _tags_by_genre(data: Data) -> Iterator[list[Any]]:
    group = data["groups"][0]
    for tag, counts in group["tags"].items():
        ways = (WORD, SUBSTRING) if tag in data["key_words"] else (WORD,)
        for how in ways:
            found = counts[how]["genres"]
            shares = (found.get(genre, 0) / number for genre, number in group["genres"].items())
            yield [NAMES[tag], how if len(ways) > 1 else "", *shares]


def _tags_a_pair(data: Data) -> Iterator[list[Any]]:
    """Yields how many tags a pair has on average: of all pairs, then of each genre, the most first."""
    group = data["groups"][0]

    def means(number: int, genre: str = "") -> list[float]:
        found = Counter[str]()
        for how in (WORD, SUBSTRING):
            for tag, counts in group["tags"].items():
                entry = counts[how if tag in data["key_words"] else WORD]
                found[how] += entry["genres"].get(genre, 0) if genre else entry["pairs"]
        return [found[how] / number for how in (WORD, SUBSTRING)]

    if group["pairs"]:
        in_paper = sum(multinli for _, multinli in MULTINLI_TABLE_6.values()) / 100
        yield [ALL, group["pairs"], *means(group["pairs"]), in_paper]
    rows = [
        [genre, number, *means(number, genre), _published(genre)] for genre, number in group["genres"].items()
    ]
    yield from sorted(rows if len(rows) > 1 else [], key=lambda row: -row[3])


def _published(genre: str) -> float | None:
    """Returns the sum of a genre's shares in the paper's table, “<1” left out; None for genres that it does not have."""
    try:
        shares = column_of("MultiNLI", "tags-by-genre", genre).values()
    except KeyError:
        return None
    return sum(share for share in shares if not isinstance(share, str)) / 100


def _tags_a_pair_found(table: Table) -> str:
    of_all, *genres = table.rows
    ends = [f"{row['by substring']:.1f} in {row['genre']}" for row in (*genres[:1], *genres[-1:])]
    return in_place(
        f"a pair has {of_all['by substring']:.1f} tags" + (f": {', '.join(ends)}" if genres else "")
    )


FIGURES = (
    Figure(
        "tags",
        "Annotation tags (MultiNLI, Table 6)",
        SNAPSHOT,
        _tags,
        (
            Column("partition"),
            Column("tag"),
            Column("pairs", kind="count", definition=DEFINITIONS["pairs"]),
            Column(
                "by word",
                kind="share",
                definition="The share of the pairs, with its 95% interval after Wilson.",
            ),
            *interval(),
            Column("by substring", kind="share", definition=DEFINITIONS["substring"]),
            Column("most frequent label", definition=DEFINITIONS["most_frequent_label"]),
            Column("its share", kind="share"),
            Column(
                "SNLI",
                "SNLI (dev)",
                "share",
                "Values that the paper gives as “<1” are left out.",
                "MultiNLI, Table 6",
            ),
            Column("MultiNLI", "MultiNLI (dev)", "share", source="MultiNLI, Table 6"),
        ),
        picture(
            "dots",
            y="tag",
            x="by word",
            low="low",
            high="high",
            others=["SNLI", "MultiNLI"],
            whole="partition",
        ),
        _tags_found,
        TAGS,
        notes=NOTES,
    ),
    Figure(
        "tags-by-genre",
        "Annotation tags by genre (MultiNLI, Table 7)",
        SNAPSHOT,
        _tags_by_genre,
        (
            Column("tag"),
            Column("matched by", definition=DEFINITIONS["substring"]),
            Column("{}", "", "share", each=lambda data: data["groups"][0]["genres"]),
        ),
        source=TAGS,
        notes=NOTES,
    ),
    Figure(
        "tags-a-pair",
        "Annotation tags a pair by genre (MultiNLI, section 4)",
        SNAPSHOT,
        _tags_a_pair,
        (
            Column("genre"),
            Column("pairs", kind="count"),
            Column("by word", kind="number", definition="The mean number of tags of a pair."),
            Column("by substring", kind="number", definition=DEFINITIONS["substring"]),
            Column(
                "MultiNLI",
                "MultiNLI (dev)",
                "number",
                "The sum of the shares of all tags; shares below 1% are left out.",
                "MultiNLI, Tables 6 and 7",
            ),
        ),
        finding=_tags_a_pair_found,
        source=TAGS,
    ),
    Figure(
        "lemma-overlap",
        "Lemma overlap (MPE, Table 1, lemma)",
        SNAPSHOT,
        lambda data: overlaps(
            "lemma-overlap",
            (row for row in data["lemma_overlap"] if row["partition"] in partitions_of(data)),
        ),
        OVERLAPS,
        means_drawn("partition"),
        means_found("share of a hypothesis’s lemmas that are lemmas of its premise", 2),
        TAGS,
        notes=(DEFINITIONS["lemma_overlap"],),
    ),
)
