"""Did the event happen? Decomp (Rudinger et al. 2018), UW (Lee et al. 2015), MEANTIME (Minard et al. 2016)."""

import math
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from collection.formats.lines import BadLine, Record, open_bytes
from collection.formats.tables import container_of, tsv_records
from collection.recasting import Draw, Item, Partition, PassedOver, Recipe, Unreadable
from collection.recasting.english import gerund, verb_at
from collection.recasting.readers import beside, block_records, text_of_tokens, value
from nli.lines import PARTITIONS

HYPOTHESES = {"yes": "The {event} happened", "no": "The {event} did not happen"}
ANSWERS = {"true": "yes", "false": "no"}  # what Decomp's file says; its description says yes and no


def read_decomp(path: Path) -> Iterator[Record | BadLine]:
    """Reads Decomp: a row for each predicate, with the answers of all annotators.

    The sentences are in files beside it, as in UD 1.2.
    """
    found: dict[tuple[str, str], Record] = {}
    for item in tsv_records(path):
        if isinstance(item, BadLine):
            yield item
            continue
        line, row = item
        key = row.get("Sentence.ID", ""), row.get("Pred.Token", "")
        merged = found.setdefault(key, (line, {**row, "folder": path.parent, "answers": []}))[1]
        # `Keep` is in the second version only, whose users leave out what is not kept.
        if all(
            row.get(key, "True").lower() == "true" for key in ("Is.Predicate", "Is.Understandable", "Keep")
        ):
            answer = row.get("Happened", "").lower()
            merged["answers"].append(ANSWERS.get(answer, answer))
    yield from found.values()


def decomp_items(row: dict[str, Any], draw: Draw) -> Iterator[Item]:
    sentence, lemma, token = (value(row, key) for key in ("Sentence.ID", "Pred.Lemma", "Pred.Token"))
    file, _, number = sentence.rpartition(" ")
    votes = Counter(answer for answer in row["answers"] if answer in HYPOTHESES)
    if not votes:
        raise PassedOver("no annotator took it for an understandable predicate with an answer")
    if votes["yes"] == votes["no"]:
        raise PassedOver("as many annotators say that it happened as that it did not")
    if not has_letters(lemma):
        raise PassedOver("the event has no letters")
    words = _sentences(row["folder"], file).get(int(number)) if number.isdecimal() else None
    if words is None:
        raise Unreadable(f'the sentence "{sentence}" is in no file {file} beside the source')
    yield Item(
        {"context": text_of_tokens(words), "event": gerund(lemma), "split": row.get("Split", "")},
        votes.most_common(1)[0][0],
        source_id=sentence,
        misc={"token": token},
    )


@cache
def _sentences(folder: Path, file: str) -> dict[int, list[str]]:
    path = beside(folder / "x", f"{file}.conllu", file)
    if path is None:
        return {}
    return {
        item[1]["number"]: [token[1] for token in item[1]["tokens"] if token[0].isdigit() and len(token) > 1]
        for item in block_records(path, separator="\t")
        if not isinstance(item, BadLine)
    }


def read_uw(path: Path) -> Iterator[Record | BadLine]:
    """Reads the columns of the unified corpus (Stanovsky et al. 2017): number, word, factuality from -3 to 3 or _."""
    split = path.stem if path.stem in PARTITIONS else ""
    for item in block_records(path, separator="\t"):
        yield item if isinstance(item, BadLine) else (item[0], {**item[1], "split": split})


def uw_items(row: dict[str, Any], draw: Draw) -> Iterator[Item]:
    words, events = [], []
    for at, token in enumerate(row["tokens"]):
        if len(token) < 3:
            raise Unreadable("a token has fewer than three columns: number, word, factuality")
        words.append(token[1])
        if token[2] != "_":
            try:
                factuality = float(token[2])
            except ValueError:
                factuality = math.nan
            if not -3 <= factuality <= 3:
                raise Unreadable(
                    f'the factuality of "{token[1]}" must be a number from -3 to 3 or _, not "{token[2]}"'
                )
            events.append((at, factuality))
    if not events:
        raise PassedOver("the sentence has no event")
    spoken = [(at, factuality) for at, factuality in events if has_letters(words[at])]
    if not spoken:
        raise PassedOver("the sentence has no event with letters")
    for at, factuality in spoken:
        yield _event(
            words, at, factuality > 0, source_id=f"{row['file']} {row['number']}", split=row["split"]
        )


def read_meantime(path: Path) -> Iterator[Record | BadLine]:
    """Reads the sentences of a document in CAT's XML: tokens, and the events anchored to them.

    Reads the columns of the unified corpus, too, in which MEANTIME is divided into partitions.
    """
    if container_of(path) != "xml":
        yield from read_uw(path)
        return
    try:
        with open_bytes(path) as file:
            document = ElementTree.parse(file).getroot()
    except (ElementTree.ParseError, OSError, EOFError) as problem:
        yield BadLine(1, f"not well-formed XML: {problem}")
        return
    events: dict[str, dict[str, str]] = {}
    for event in document.iter("EVENT_MENTION"):
        anchors = [anchor.get("t_id", "") for anchor in event.iter("token_anchor")]
        if len(anchors) == 1:  # an event of several words has no gerund
            events[anchors[0]] = dict(event.attrib)
    sentences: dict[str, list[tuple[str, str]]] = {}
    for token in document.iter("token"):
        sentences.setdefault(token.get("sentence", ""), []).append((token.get("t_id", ""), token.text or ""))
    for number, (name, tokens) in enumerate(sentences.items(), start=1):
        marked = {at: events[t_id] for at, (t_id, _) in enumerate(tokens) if t_id in events}
        words = [word for _, word in tokens]
        yield (
            number,
            {"words": words, "events": marked, "id": f"{document.get('doc_name', path.name)} {name}"},
        )


def meantime_items(row: dict[str, Any], draw: Draw) -> Iterator[Item]:
    if "tokens" in row:
        yield from uw_items(row, draw)
        return
    known = {
        at: event
        for at, event in row["events"].items()
        if event.get("certainty") and event.get("polarity") and has_letters(row["words"][at])
    }
    if not known:
        raise PassedOver("the sentence has no event of one word with letters, certainty and polarity")
    for at, event in known.items():
        happened = (
            event["certainty"] == "CERTAIN" and event["polarity"] == "POS" and event.get("time") != "FUTURE"
        )
        yield _event(row["words"], at, happened, source_id=row["id"])


def has_letters(word: str) -> bool:
    """Returns whether a word can have a gerund: there is none of `%` or `42`."""
    return any(map(str.isalpha, word))


def _event(words: list[str], at: int, happened: bool, *, source_id: str, split: str = "") -> Item:
    if not all(words):
        raise Unreadable("a word of the sentence is empty")
    values = {"context": text_of_tokens(words), "event": gerund(verb_at(words, at)), "split": split}
    return Item(values, "yes" if happened else "no", source_id=source_id, misc={"token": str(at + 1)})


DECOMP = Recipe(
    name="factuality-decomp",
    about="It Happened: it-happened_eng_ud1.2_07092017.tsv, with the treebank's en-ud-train.conllu, ... beside it",
    corpus="Decomp",
    phenomenon="Factuality",
    citation="Rudinger, White and Van Durme 2018, Neural models of factuality (NAACL)",
    licence="",
    read=read_decomp,
    items=decomp_items,
    partition=Partition(own="{split}"),
    hypotheses=HYPOTHESES,
)

UW = replace(
    DECOMP,
    name="factuality-uw",
    about="UW in the columns of the unified corpus: train.conll, dev.conll, test.conll",
    corpus="UW",
    citation="Lee et al. 2015, Event detection and factuality assessment with non-expert supervision (EMNLP)",
    read=read_uw,
    items=uw_items,
)

MEANTIME = replace(
    UW,
    name="factuality-meantime",
    about="MEANTIME: documents in CAT's XML, or the columns of the unified corpus",
    corpus="MeanTime",
    citation="Minard et al. 2016, MEANTIME, the NewsReader multilingual event and time corpus (LREC)",
    licence="CC BY 4.0",
    read=read_meantime,
    items=meantime_items,
)
