"""Sentences with and without a pun: SemEval-2017 Task 7 (Miller et al. 2017) and Yang et al. 2015."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from collection.formats.lines import BadLine, Record, read_lines
from collection.recasting import Draw, Item, Partition, Recipe, Unreadable
from collection.recasting.readers import beside, text_of_tokens, value, xml_elements

HYPOTHESES = {"1": "{name} heard a pun", "0": "{name} did not hear a pun"}


def read_semeval(path: Path) -> Iterator[Record | BadLine]:
    """Reads the texts of `...xml` with their answers from `...gold` beside it."""
    gold = beside(path, f"{path.stem}.gold")
    if gold is None:
        yield BadLine(1, f"{path.stem}.gold, which has the answers, is not beside {path.name}")
        return
    answers = dict(
        item[1].split("\t", 1)
        for item in read_lines(gold)
        if not isinstance(item, BadLine) and "\t" in item[1]
    )
    for item in xml_elements(path, "text"):
        if isinstance(item, BadLine):
            yield item
        else:
            number, text = item
            name = text.get("id", "")
            words = [word.text or "" for word in text.iter("word")]
            yield number, {"id": name, "text": text_of_tokens(words), "label": answers.get(name, "")}


def read_yang(path: Path) -> Iterator[Record | BadLine]:
    """Reads `label,text` under a header; the text may contain commas and be in quotes."""
    for item in read_lines(path):
        if isinstance(item, BadLine):
            yield item
        elif item[0] > 1 and item[1].strip():
            label, _, text = item[1].partition(",")
            if text.endswith('"') and text[:1] == '"':
                text = text[1:-1].replace('""', '"')
            yield item[0], {"id": f"line {item[0]}", "text": text, "label": label.strip()}


def items(row: dict[str, Any], draw: Draw) -> Iterator[Item]:
    answer = {"-1": "0"}.get(row["label"], row["label"])
    if answer not in HYPOTHESES:
        raise Unreadable(f'"{row["id"]}" has no answer 1 (pun) or 0 (none)')
    pun = value(row, "text").lower().removesuffix(".").rstrip()
    yield Item({"pun": pun, "name": draw.name}, answer, source_id=row["id"])


SEMEVAL = Recipe(
    name="puns-semeval",
    about="SemEval-2017 Task 7: subtask1-homographic-test.xml, -heterographic-, with .gold beside it",
    corpus="SemEval17-Task7",
    phenomenon="Pun",
    citation="Miller et al. 2017, SemEval-2017 Task 7: Detection and interpretation of English puns",
    licence="CC BY-NC",
    read=read_semeval,
    items=items,
    context="{name} heard that {pun}",
    partition=Partition(together="pun {pun}"),  # whoever heard it
    hypotheses=HYPOTHESES,
)

YANG = replace(
    SEMEVAL,
    name="puns-yang",
    about="puns of the day, proverbs and news: puns_pos_neg_data.csv",
    corpus="Yang et. al. 2015",
    citation="Yang et al. 2015, Humor recognition and humor anchor extraction (EMNLP)",
    licence="",
    read=read_yang,
)
