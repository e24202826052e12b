"""`python -m tests.replication.published_tags --data FOLDER`.

Prints annotation tags over published pairs beside MultiNLI's Tables 6 and 7, as Markdown. Each tag is counted by
word and, if it has key words, by substring. No database is needed.
"""

import argparse
import gzip
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schemas.published import BELOW_ONE, papers
from snapshots.statistics import tags
from snapshots.statistics.pairs import Pair
from snapshots.statistics.spacy_tagger import annotate
from snapshots.statistics.tags import MULTINLI_TABLE_6
from snapshots.statistics.words import tokens

LABELS = ("entailment", "neutral", "contradiction")
CORPORA = {
    "snli_dev": ("snli_gold/dev.jsonl.gz",),
    "multinli_dev": ("multinli_dev_matched_gold/dev_matched.jsonl.gz",),
    "multinli_dev_half": ("multinli_train_genre_sample/mnli_val.tsv.gz",),
    "multinli_train": ("multinli_train_genre_sample/mnli_train.tsv.gz",),
    "xnli": ("xnli_en/xnli_en_genre_dev.tsv", "xnli_en/xnli_en_genre_test.tsv"),
}
_TABLE_7 = next(table for table in papers()["MultiNLI"].tables if table.name == "tags-by-genre")
GENRES = _TABLE_7.columns
# Table 7: percent by genre; None: below one.
TABLE_7: dict[str, tuple[int | None, ...]] = {
    tag: tuple(None if figure == BELOW_ONE else int(figure) for figure in _TABLE_7.rows[name])
    for tag, name in tags.NAMES.items()
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.replication.published_tags", description=__doc__)
    parser.add_argument("corpora", nargs="*", metavar="CORPUS", help=", ".join(CORPORA))
    parser.add_argument("--data", type=Path, required=True, help="the published corpora, a folder each")
    options = parser.parse_args()
    if unknown := set(options.corpora) - set(CORPORA):
        parser.error(f"unknown: {', '.join(sorted(unknown))}. Known: {', '.join(CORPORA)}.")
    for name in options.corpora or CORPORA:
        began = time.process_time()
        pairs = list(read(options.data, name))
        group = tags.measure(pairs, annotate, labels=LABELS)["groups"][0]
        print(f"## {name}: {group['pairs']:,} pairs, {time.process_time() - began:.0f} s of a processor\n")
        for table in (beside_table_6(group, name), beside_table_7(group), long_sentences(pairs)):
            print(f"{table}\n", flush=True)


def read(data: Path, name: str) -> Iterator[Pair]:
    """Yields the dev pairs of a corpus; the genre is empty if the file has none."""
    for file in CORPORA[name]:
        path = data / file
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8") as lines
        ):
            records = map(json.loads, lines) if ".jsonl" in path.name else _records(lines)
            for record in records:
                premise = record.get("premise") or record["sentence1"]
                hypothesis = record.get("hypothesis") or record["sentence2"]
                yield Pair((premise,), hypothesis, record["label"], record.get("genre", ""), "dev")


def _records(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    header = next(lines).rstrip("\n").split("\t")
    for line in lines:
        yield dict(zip(header, line.rstrip("\n").split("\t"), strict=True))


def beside_table_6(group: dict[str, Any], name: str) -> str:
    """Prints the percentage of pairs by word and by substring, the published one, and the commonest label."""
    column = 0 if name == "snli_dev" else 1
    rows = []
    for tag, published in MULTINLI_TABLE_6.items():
        ways = group["tags"][tag]
        word, substring = (100 * ways[how]["pairs"] / group["pairs"] for how in (tags.WORD, tags.SUBSTRING))
        labels = {label: ways[tags.WORD]["labels"].get(label, 0) for label in LABELS}
        label = max(LABELS, key=labels.__getitem__)
        share = f"{label} {_percent(labels[label], sum(labels.values()))}"
        other = f"{substring:.1f}" if tag in tags.KEY_WORDS else ""
        rows.append([tags.NAMES[tag], f"{word:.1f}", other, _published(published[column]), share])
    return _table(["tag", "by word", "by substring", "in the paper", "most frequent label"], rows)


def beside_table_7(group: dict[str, Any]) -> str:
    """Prints percentages by genre as the paper counts them, by substrings; the published ones in brackets."""
    genres = [genre for genre in GENRES if genre in group["genres"]]
    if not genres:
        return "No genres."
    rows = []
    for tag, published in TABLE_7.items():
        how = tags.SUBSTRING if tag in tags.KEY_WORDS else tags.WORD
        found = group["tags"][tag][how]["genres"]
        paper = dict(zip(GENRES, published, strict=True))
        cells = (f"{_percent(found.get(g, 0), group['genres'][g])} ({_published(paper[g])})" for g in genres)
        rows.append([tags.NAMES[tag], *cells])
    return _table(["tag", *genres], rows)


def long_sentences(pairs: list[Pair]) -> str:
    """Counts pairs with more than twenty words in the hypothesis, in the premise, and in either."""
    counts: Counter[str] = Counter()
    for pair in pairs:
        hypothesis, premise = (len(tokens(text)) > tags.LONG for text in (pair.hypothesis, pair.premise[0]))
        counts.update(hypothesis=hypothesis, premise=premise, either=hypothesis or premise)
    told = (f"{where} {100 * number / len(pairs):.1f}%" for where, number in counts.items())
    return f"More than {tags.LONG} words: {', '.join(told)}."


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}" if whole else ""


def _published(value: int | None) -> str:
    return "<1" if value is None else str(value)


def _table(header: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, ["---"] * len(header), *rows])


if __name__ == "__main__":
    main()
