"""Named entities: which kind of thing a phrase names (Groningen Meaning Bank; CoNLL-2003).

The wrong label is drawn from the other labels that the phrase has in the sources, or from those of all phrases if it
has no other.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collection.formats.lines import BadLine, Record
from collection.recasting import Draw, Item, Partition, PassedOver, Recipe, Unreadable
from collection.recasting.english import capitalised, is_a
from collection.recasting.readers import block_records, text_of_tokens

CONLL = {"PER": "person", "LOC": "location", "ORG": "organization", "MISC": "miscellaneous entity"}
GMB = {
    **{"geo": "location", "org": "organization", "per": "person", "gpe": "geopolitical entity"},
    **{"tim": "time", "art": "artifact", "eve": "event", "nat": "natural phenomenon"},
    "tit": "person's title",
}
DOCUMENT = re.compile(r"p\d+/d\d+")
SPLITS = {"eng.train": "train", "eng.testa": "dev", "eng.testb": "test"}
HYPOTHESES = {"right": "{right}", "wrong": "{wrong}"}


@dataclass(frozen=True, slots=True)
class Entity:
    phrase: str
    label: str
    many: bool


def read_conll(path: Path) -> Iterator[Record | BadLine]:
    """Reads `word tag chunk entity`, the layout of the shared task, with entities in IOB1 or IOB2."""
    split = SPLITS.get(path.name.removesuffix(".gz"), "")
    for item in block_records(path, comments=False):
        yield item if isinstance(item, BadLine) else (item[0], {**item[1], "split": split, "kind": "conll"})


def read_gmb(path: Path) -> Iterator[Record | BadLine]:
    """Reads `word tag lemma entity ...` in tabs, as in a document's `en.tags`; an entity is such as `geo-nam` or O."""
    for item in block_records(path, separator="\t", comments=False):
        yield (
            item
            if isinstance(item, BadLine)
            else (
                item[0],
                {**item[1], "split": "", "kind": "gmb", "path": path},
            )
        )


def name_of(row: dict[str, Any]) -> str:
    """Returns the file's name, with its document (`p00/d0018/en.tags`) where its folders name one."""
    path: Path | None = row.get("path")
    if path is None or DOCUMENT.fullmatch("/".join(path.parts[-3:-1])) is None:
        return str(row["file"])
    return "/".join(path.parts[-3:])


def entities(row: dict[str, Any]) -> list[Entity]:
    """Returns the phrases of a sentence with their labels. Raises Unreadable."""
    labels = CONLL if row["kind"] == "conll" else GMB
    found: list[tuple[int, int, str]] = []
    before = ""
    for at, token in enumerate(row["tokens"]):
        if len(token) < 4:
            raise Unreadable("a token has fewer than four columns")
        begins, kind = _kind(token[3], row["kind"])
        if kind and kind not in labels:
            raise Unreadable(f'the entity "{token[3]}" is none of {", ".join(labels)}')
        if kind and kind == before and not begins:
            found[-1] = (found[-1][0], at + 1, kind)
        elif kind:
            found.append((at, at + 1, kind))
        before = kind
    words = [token[0] for token in row["tokens"]]
    return [
        Entity(
            phrase=text_of_tokens([*_article(words, first), *words[first:last]]),
            label=labels[kind],
            many=row["tokens"][last - 1][1] in ("NNS", "NNPS"),
        )
        for first, last, kind in found
    ]


def _kind(tag: str, source: str) -> tuple[bool, str]:
    """Returns whether this tag begins a new entity, and of which kind; empty for none."""
    if tag == "O":
        return False, ""
    if source == "conll":
        begin, _, kind = tag.partition("-")
        return begin == "B", kind
    return False, tag.partition("-")[0]


def _article(words: list[str], first: int) -> list[str]:
    return ["the"] if first and words[first - 1].lower() == "the" else []


def survey(rows: Iterable[dict[str, Any]]) -> tuple[dict[str, Counter[str]], Counter[str]]:
    """Counts the labels of each phrase, and of all."""
    priors: dict[str, Counter[str]] = {}
    for row in rows:
        try:
            for each in entities(row):
                priors.setdefault(each.phrase, Counter())[each.label] += 1
        except Unreadable:
            continue  # refused when its turn comes
    return priors, sum(priors.values(), Counter())


def items(row: dict[str, Any], draw: Draw) -> Iterator[Item]:
    words = text_of_tokens([token[0] for token in row["tokens"]])
    if words == "-DOCSTART-":
        raise PassedOver("the mark of a document's beginning")
    found = entities(row)
    if not found:
        raise PassedOver("the sentence has no named entity")
    priors, everywhere = draw.known
    for each in dict.fromkeys(found):
        others = {label: number for label, number in priors[each.phrase].items() if label != each.label}
        others = others or {label: number for label, number in everywhere.items() if label != each.label}
        if not others:
            raise PassedOver("the sources know only one label, so there is no wrong one")
        phrase = capitalised(each.phrase)
        values = {
            "context": words,
            "split": row["split"],
            "right": is_a(phrase, each.label, many=each.many),
            "wrong": is_a(phrase, draw.by_share(others), many=each.many),
        }
        source = f"{name_of(row)} {row['number']}"
        yield Item(values, "right", source_id=source)


CONLL_2003 = Recipe(
    name="entities-conll",
    about="CoNLL-2003: eng.train, eng.testa, eng.testb",
    corpus="CoNLL-2003",
    phenomenon="Named Entity Recognition",
    citation="Tjong Kim Sang and De Meulder 2003, Introduction to the CoNLL-2003 shared task",
    licence="",
    read=read_conll,
    items=items,
    partition=Partition(own="{split}"),
    survey=survey,
    hypotheses=HYPOTHESES,
)

GRONINGEN = Recipe(
    name="entities-gmb",
    about="Groningen Meaning Bank: en.tags of its documents",
    corpus="Groningen Meaning Bank",
    phenomenon="Named Entity Recognition",
    citation="Bos et al. 2017, The Groningen Meaning Bank (Handbook of Linguistic Annotation)",
    licence="",
    read=read_gmb,
    items=items,
    survey=survey,
    hypotheses=HYPOTHESES,
)
