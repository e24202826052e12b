"""For every format: lines in are lines in pairs, refused, skipped; answers in are labels or told; a key is kept or named."""

import csv
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pytest

from collection.formats.lines import BadLine
from collection.formats.records import ImportedPair, leaves
from collection.formats.registry import FORMATS
from tests.commands import run, write_jsonl

pytestmark = pytest.mark.django_db

E, N, C = "entailment", "neutral", "contradiction"
THREE, TWO = (E, N, C), ("entailed", "not-entailed")
PAIRS = 30
GATHERED = {"livenli", "mega-veridicality", "litex"}
# Not looked for word by word: labels in the words of the file.
LABELS = {"Responses", "multilabel"}

Raw = dict[str, Any]


def texts(n: int, premise: str = "premise", hypothesis: str = "hypothesis") -> Raw:
    return {premise: f"Premise {n} is here.", hypothesis: f"Hypothesis {n} is here."}


def of_three(n: int) -> str:
    return THREE[n % 3]


def snli(n: int) -> Raw:
    votes = [of_three(n + k) for k in range(n % 6)]
    return {
        **texts(n, "sentence1", "sentence2"),
        **{"captionID": f"{n}.jpg#1", "pairID": f"{n}.jpg#1r1", "gold_label": of_three(n)},
        **{"annotator_labels": votes, "sentence1_parse": f"(ROOT {n})"},
    }


def votes_in(key: str) -> Callable[[Raw], int]:
    return lambda record: sum(each not in (None, "", "-") for each in record[key])


def votes_or_gold(key: str) -> Callable[[Raw], int]:
    return lambda record: max(1, votes_in(key)(record))


def one_in(*keys: str) -> Callable[[Raw], int]:
    return lambda record: sum(record.get(key) not in (None, "", "-") for key in keys)


def as_jsonl(path: Path, records: list[Raw]) -> None:
    write_jsonl(path, records)


def as_json(path: Path, records: list[Raw]) -> None:
    path.write_text("[" + ",\n".join(map(json.dumps, records)) + "]")


def as_table(separator: str) -> Callable[[Path, list[Raw]], None]:
    def write(path: Path, records: list[Raw]) -> None:
        keys = list(dict.fromkeys(key for record in records for key in record))
        quoting = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
        with path.open("w", newline="") as file:
            lines = csv.DictWriter(file, keys, delimiter=separator, quoting=quoting, lineterminator="\n")
            lines.writerow(dict(zip(keys, keys, strict=True)))
            lines.writerows(records)

    return write


def as_xml(tag: str, attributes: set[str]) -> Callable[[Path, list[Raw]], None]:
    def write(path: Path, records: list[Raw]) -> None:
        def element(record: Raw) -> str:
            given = "".join(f" {key}={quoteattr(record[key])}" for key in record if key in attributes)
            inner = "".join(
                f"<{key}>{escape(record[key])}</{key}>" for key in record if key not in attributes
            )
            return f"<{tag}{given}>{inner}</{tag}>"

        path.write_text("<set>\n" + "\n".join(map(element, records)) + "\n</set>")

    return write


def as_blocks(path: Path, records: list[Raw]) -> None:
    path.write_text("\n\n".join("\n".join(f"{k}: {v}" for k, v in record.items()) for record in records))


def as_cells(path: Path, records: list[Raw]) -> None:
    path.write_text("".join("\t".join(map(str, record.values())) + "\n" for record in records))


@dataclass(frozen=True)
class Layout:
    """How a format's file looks. make: a record by number; answers: how many labels are in one."""

    make: Callable[[int], Raw]
    answers: Callable[[Raw], int]
    write: Callable[[Path, list[Raw]], None] = as_jsonl
    hypothesis: str = "hypothesis"


def plain(n: int) -> Raw:
    five = {f"label{k}": of_three(n + k) if n % 3 else "" for k in range(1, 6)}
    return {**texts(n), "label": of_three(n), "id": f"id {n}", "genre": f"genre {n % 2}", **five}


def listed(n: int) -> Raw:
    votes = [of_three(n + k) for k in range(n % 5)]
    return {**texts(n), "label": of_three(n), "labels": votes, "id": f"id {n}", "group": f"group {n}"}


def dnc(labels: tuple[str, ...]) -> Callable[[int], Raw]:
    return lambda n: {
        **texts(n, "context"),
        **{"label": labels[n % len(labels)], "pair-id": n, "split": "train", "binary-label": True},
        **{"corpus-sent-id": f"sent {n}", "misc": {"key": f"misc {n}"}},
    }


def varierr(n: int) -> Raw:
    reason = {
        "annotator": n % 4,
        "reason": f"reason {n}",
        "judgments": [{"annotator": 1, "makes_sense": True}],
    }
    both = [{"annotator": 3, "reason": f"other {n}"}]
    return {
        **{"id": f"id {n}", "context": f"Premise {n}.", "statement": f"Hypothesis {n}."},
        **{E: [reason], N: both if n % 2 else [], C: both if n % 2 else [], "idk": [2] if n % 3 else []},
        **{"label_set_round_1": [E], "error_labels": []},
    }


def varierr_answers(record: Raw) -> int:
    people = {each["annotator"] for label in THREE for each in record[label]}
    return len(people) + len(record["idk"])


LAYOUTS: dict[str, Layout] = {
    "snli": Layout(snli, votes_or_gold("annotator_labels"), hypothesis="sentence2"),
    "multinli": Layout(
        lambda n: {**snli(n), "promptID": f"p {n}", "genre": "fiction"},
        votes_or_gold("annotator_labels"),
        hypothesis="sentence2",
    ),
    **{
        name: Layout(
            lambda n: {
                **texts(n, "sentence1", "sentence2"),
                **{"gold_label": of_three(n), "pairID": f"id {n}", "captionID": f"{n}#1"},
                **{f"label{k}": of_three(n + k) if k <= n % 6 else "" for k in range(1, 6)},
            },
            lambda record: max(1, one_in(*(f"label{k}" for k in range(1, 6)))(record)),
            as_table("\t"),
            "sentence2",
        )
        for name in ("snli_txt", "multinli_txt")
    },
    "mpe": Layout(
        lambda n: {
            **{"ID": f"id {n}", "hypothesis": f"Hypothesis {n}.", "gold_label": of_three(n)},
            **{f"premise{k}": f"{n}.jpg#{k}/Caption {n} {k}." for k in range(1, 5)},
            **{f"{label}_judgments": str(k) for k, label in enumerate(THREE)},
        },
        lambda record: sum(int(record[f"{label}_judgments"]) for label in THREE),
        as_table("\t"),
    ),
    "lingnli": Layout(
        lambda n: {
            **texts(n),
            **{"label": of_three(n), "annotator_labels": [of_three(n + k) for k in range(n % 5)]},
            **{"annotator_ids": [f"w{k}" for k in range(n % 5)], "pairID": f"id {n}", "promptID": f"p {n}"},
            "round": f"round {n}",
        },
        votes_or_gold("annotator_labels"),
    ),
    "chaosnli": Layout(
        lambda n: {
            **{"uid": f"id {n}", "example": {**texts(n), "source": "mnli_m", "uid": f"inner {n}"}},
            **{"old_labels": [of_three(n + k) for k in range(5)], "old_label": "enc"[n % 3]},
            **{
                "label_count": [n, 0, 3],
                "label_dist": [0.9, 0, 0.1],
                "majority_label": "e",
                "entropy": 0.1 + n,
            },
        },
        lambda record: len(record["old_labels"]) + sum(record["label_count"]),
    ),
    "klue": Layout(
        lambda n: {
            **texts(n),
            **{"gold_label": of_three(n), "author": of_three(n), "guid": f"id {n}", "source": "wikinews"},
            **{f"label{k}": of_three(n + k) for k in range(2, 6)},
        },
        one_in("author", *(f"label{k}" for k in range(2, 6))),
        as_json,
    ),
    "semi-automatic-nli": Layout(
        lambda n: {
            **texts(n),
            **{"label": "encx"[n % 4], "id": f"id {n}", "hid": f"h {n}", "annId": f"w {n}"},
            **({f"label{k}": "encx"[(n + k) % 4] for k in range(1, 4)} if n % 2 else {}),
            **({f"annId{k}": f"v {k}" if k > 1 else f"w {n}" for k in range(1, 4)} if n % 2 else {}),
        },
        lambda record: 3 + (record["label"] == "x") if "label1" in record else 1,
    ),
    "new-protocols": Layout(
        lambda n: {
            **texts(n, "sentence1", "sentence2"),
            **{"gold_label": of_three(n), "annotator_labels": [of_three(n)], "sentence1_source": f"page {n}"},
            **{
                "pairID": f"id {n}",
                "promptID": f"p {n}",
                "collection_protocol": "base",
                "sentence2_author": f"w {n}",
            },
        },
        votes_in("annotator_labels"),
        hypothesis="sentence2",
    ),
    "anli": Layout(
        lambda n: {
            **texts(n, "context"),
            **{"uid": f"id {n}", "gold_label": "enc"[n % 3], "verifier_labels": [of_three(n)] * (n % 4)},
            **{"reason": f"reason {n}", "emturk": f"emturk {n}"},
        },
        lambda record: 1 + len(record["verifier_labels"]),
    ),
    "sick": Layout(
        lambda n: {
            **{
                "pair_ID": f"id {n}",
                **texts(n, "sentence_A", "sentence_B"),
                "entailment_label": of_three(n).upper(),
            },
            **{"relatedness_score": f"4.{n}", "sentence_A_original": f"before {n}", "SemEval_set": "TRAIN"},
        },
        one_in("entailment_label"),
        as_table("\t"),
        "sentence_B",
    ),
    "joci": Layout(
        lambda n: {
            **texts(n, "CONTEXT", "HYPOTHESIS"),
            "LABEL": n % 5 + 1,
            "SUBSET": "AGCI",
            "CONTEXT_FROM": f"from {n}",
        },
        one_in("LABEL"),
        as_table(","),
        "HYPOTHESIS",
    ),
    "rte": Layout(
        lambda n: {
            "id": f"id {n}",
            "task": "IE",
            "value": ("TRUE", "FALSE")[n % 2],
            **texts(n, "t", "h"),
            "note": f"note {n}",
        },
        one_in("value"),
        as_xml("pair", {"id", "task", "value"}),
        "h",
    ),
    "rte-glue": Layout(
        lambda n: {
            **texts(n),
            "label": ("entailment", "not_entailment")[n % 2],
            "tag": "train",
            "idx": f"idx {n}",
        },
        one_in("label"),
    ),
    "scitail": Layout(
        lambda n: {
            **texts(n, "sentence1", "sentence2"),
            **{
                "gold_label": ("entails", "neutral", "not_entailment", "entailment")[n % 4],
                "question": f"why {n}",
            },
            "annotator_labels": [f"kept out {n}"],
        },
        one_in("gold_label"),
        hypothesis="sentence2",
    ),
    "add-one": Layout(
        lambda n: {
            "rating": ("2.0", "4.5", "3.5")[n % 3 if n < 3 else n % 2],
            "noun": f"noun {n}",
            "premise": f"Premise {n}.",
            "hypothesis": f"Hypothesis {n}.",
        },
        one_in("rating"),
        as_cells,
    ),
    "recast-blocks": Layout(
        lambda n: {
            **{
                "provenance": f"from {n}",
                "index": f"id {n}",
                "text": f"Premise {n}.",
                "hypothesis": f"Hypothesis {n}.",
            },
            **{"entailed": ("true", "false")[n % 2], "partof": "train", "extra": f"extra {n}"},
        },
        one_in("entailed"),
        as_blocks,
    ),
    "hans": Layout(
        lambda n: {
            **texts(n, "sentence1", "sentence2"),
            **{
                "gold_label": ("entailment", "non-entailment")[n % 2],
                "pairID": f"id {n}",
                "heuristic": "subsequence",
            },
            **{"subcase": f"case {n}", "sentence1_parse": f"(ROOT {n})"},
        },
        one_in("gold_label"),
        as_table("\t"),
        "sentence2",
    ),
    "breaking-nli": Layout(
        lambda n: {
            **texts(n, "sentence1", "sentence2"),
            **{"gold_label": of_three(n), "annotator_labels": [of_three(n)] * 3, "pairID": f"id {n}"},
            **{"category": f"category {n}", "captionID": f"caption {n}"},
        },
        votes_in("annotator_labels"),
        hypothesis="sentence2",
    ),
    "mega-veridicality": Layout(
        lambda n: {
            **{
                "participant": f"w{n % 3}",
                "sentence": f"Somebody said that {n // 3} wasn\\'t here.",
                "verb": f"verb {n // 3}",
            },
            **{"frame": "that_S", "polarity": "positive", "conditional": "no", "voice": "active"},
            **{
                "veridicality": ("yes", "no", "maybe", "NA")[n % 4],
                "exclude": str(n % 10 == 9),
                "acceptability": n + 0.25,
            },
        },
        one_in("veridicality"),
        as_table(","),
        "sentence",
    ),
    "conj-nli": Layout(
        lambda n: {**texts(n, "Premise", "Hypothesis"), "Label": of_three(n), "idx": f"idx {n}"},
        one_in("Label"),
        as_table("\t"),
        "Hypothesis",
    ),
    "med": Layout(
        lambda n: {
            **texts(n, "sentence1", "sentence2"),
            **{
                "gold_label": of_three(n),
                "genre": f"upward_monotone {n}",
                "promptID": f"p {n}",
                "pairID": f"id {n}",
            },
        },
        one_in("gold_label"),
        as_table("\t"),
        "sentence2",
    ),
    "fracas": Layout(
        lambda n: {
            **{
                "id": f"id {n}",
                "fracas_answer": ("yes", "no", "unknown", "undef")[n % 4 if n < 4 else n % 3],
            },
            **{"p": f"Premise {n}.", "h": f"Hypothesis {n}.", "q": f"Question {n}?", "odd": f"odd {n}"},
        },
        one_in("fracas_answer"),
        as_xml("problem", {"id", "fracas_answer"}),
        "h",
    ),
    "commitmentbank": Layout(
        lambda n: {
            **{
                "uID": f"id {n}",
                "Context": f"Context {n}.",
                "Target": f"Target {n}.",
                "Prompt": f"Prompt {n}.",
            },
            **{
                "Responses": ", ".join(str(k % 7 - 3) for k in range(n % 9)),
                "genre": "BNC",
                "Verb": f"verb {n}",
            },
            "ModalType": f"modal {n}",
        },
        lambda record: len(record["Responses"].split(", ")) if record["Responses"] else 0,
        as_table(","),
        "Prompt",
    ),
    "nli-variation": Layout(
        lambda n: {
            **texts(n),
            **{
                "labels": [k - n for k in range(n % 8)],
                "id": f"id {n}",
                "task": "rte",
                "normed-labels": [n + 0.125],
            },
        },
        votes_in("labels"),
    ),
    **{
        name: Layout(
            lambda n: {
                **texts(n, "sentence1", "sentence2"),
                **{"gold_label_log": of_three(n), "gold_label_prag": of_three(n + 1), "trigger": "some"},
                **{"item_type": f"type {n}", "control_item": f"control {n}"},
            },
            one_in("gold_label_log"),
            hypothesis="sentence2",
        )
        for name in ("imppres", "imppres-pragmatic")
    },
    "varierr": Layout(varierr, varierr_answers, hypothesis="statement"),
    "livenli": Layout(
        lambda n: {
            **texts(n // 3),
            **{"uid": f"id {n // 3}", "worker_id": f"w {n % 3}", "explanation": f"why {n}"},
            "multilabel": ("true", "either", "false", "true | either")[n % 4],
        },
        one_in("multilabel"),
        as_table(","),
    ),
    "litex": Layout(
        lambda n: {
            **texts(n // 3),
            **{"pairID": f"id {n // 3}", "explanation": f"why {n}", "explanation_category": f"kind {n}"},
            "gold_label": of_three(n // 3 if n % 2 else n // 9),
        },
        one_in("gold_label"),
    ),
    "ambient": Layout(
        lambda n: {
            **texts(n),
            **{
                "id": n,
                "labels": (E, f"{E}, {N}", C)[n % 3],
                "premise_ambiguous": True,
                "disambiguations": [{"p": f"p {n}"}],
            },
        },
        one_in("labels"),
    ),
    "ambient-crowd": Layout(
        lambda n: {
            **texts(n),
            "id": f"id {n}",
            "q0_gold": [of_three(k) for k in range(n % 9)],
            "q1_gold": [f"q1 {n}"],
        },
        votes_in("q0_gold"),
    ),
    "ambient-linguists": Layout(
        lambda n: {
            **texts(n),
            **{
                "id": f"id {n}",
                "annotations": [E, f"{E}|{N}", C][: n % 4],
                "worker_ids": ["w1", "w2", "w3"][: n % 4],
            },
            "note": f"note {n}",
        },
        votes_in("annotations"),
    ),
    "dnc": Layout(dnc(TWO), one_in("label"), as_json),
    "dnc-relations": Layout(dnc(("1", "2", "3", "4", "5")), one_in("label"), as_json),
    "dnc-function-words": Layout(dnc(THREE), one_in("label"), as_json),
    "json": Layout(
        listed, lambda r: votes_in("labels")(r) if len(r["labels"]) > 1 else max(1, len(r["labels"])), as_json
    ),
    "jsonl": Layout(
        listed, lambda r: votes_in("labels")(r) if len(r["labels"]) > 1 else max(1, len(r["labels"]))
    ),
    "tsv": Layout(plain, lambda r: 5 if r["label1"] else 1, as_table("\t")),
    "csv": Layout(plain, lambda r: 5 if r["label1"] else 1, as_table(",")),
}
ELSEWHERE = {"snapshot", "snapshot-parquet"}  # what comes back is compared as a whole


def test_every_format_has_a_layout_here() -> None:
    assert set(LAYOUTS) == set(FORMATS) - ELSEWHERE


def spoilt(layout: Layout, form: str, seed: int) -> list[Raw]:
    """Returns records of the format; some say a pair once more, lack a hypothesis, or have a key that nobody knows."""
    chance = random.Random(seed)
    records = [layout.make(n) for n in range(PAIRS)]
    for record in chance.sample(records, 6):
        if form not in ("add-one", "recast-blocks"):
            record["zz-unknown"] = f"unknown {chance.random()}"
    if form not in GATHERED:
        records += chance.sample(records, 3)
        if layout.write is as_jsonl:
            records += [{key: value for key, value in layout.make(99).items() if key != layout.hypothesis}]
    return records


@pytest.mark.parametrize("form", sorted(LAYOUTS))
@pytest.mark.parametrize("seed", [1, 2])
def test_lines_answers_and_keys_add_up(tmp_path: Path, form: str, seed: int) -> None:
    layout = LAYOUTS[form]
    records = spoilt(layout, form, seed)
    path = tmp_path / "file"
    layout.write(path, records)
    done = run("import_pairs", "new", path, format=form, json=True, split="none", unlabelled=True)
    assert not done.failure
    told = done.json
    assert told["pairs"] > 0
    assert told["rows"] == len(records)
    went = ("rows_in_pairs", "rows_skipped", "rows_of_other_genres", "refused_count")
    assert told["rows"] == sum(told[key] for key in went)
    found = [*FORMATS[form].read(path)]
    bad = {item.line for item in found if isinstance(item, BadLine)}
    places = dict(zip(lines_of(layout, len(records)), records, strict=True))
    good = [record for line, record in places.items() if line not in bad]
    once = list({json.dumps(each): each for each in good}.values())
    given = sum(map(layout.answers, once if told["skipped"] else good))
    named = sum(told[key] for key in ("answers_left_out", "answers_without_label", "dont_know"))
    labels = told["labels"]
    if form == "litex":
        labels, given = told["published_labels"] + told["labels_disagree"], told["pairs"]
    else:
        labels += labels_without_votes(found)
    assert labels + named == given
    kept = json.dumps([vars_of(item) for item in found if isinstance(item, ImportedPair)])
    for record in good:
        for name, value in (leaf for key in record for leaf in leaves(key, record[key])):
            if name in LABELS or value in (None, "", [], {}):
                continue
            marks = [each for each in (value if isinstance(value, list) else [value]) if " " in str(each)]
            is_kept = all(shown(each) in kept for each in marks)
            assert is_kept or {name, name.partition(".")[0], "cell 2"} & told["keys_not_read"].keys(), (
                name,
                value,
            )


def shown(value: object) -> str:
    text = str(value).partition("/")[2] or str(value)
    return json.dumps(text.replace("\\'", "'"))[1:-1]


def vars_of(pair: ImportedPair) -> str:
    return repr(pair).replace('"', "'")


def labels_without_votes(found: list[ImportedPair | BadLine]) -> int:
    """Returns how many pairs have a single label of the author or a published one, and no votes."""
    from collection.models import Pair
    from validation.models import Label

    voted = Label.objects.values("pair")
    alone = Pair.objects.exclude(pk__in=voted)
    return alone.exclude(author_label=None, published_label=None).count()


def lines_of(layout: Layout, number: int) -> list[int]:
    """Returns the line on which each record of the file begins."""
    if layout.write is as_blocks:
        width = len(layout.make(0)) + 1
        return [1 + width * n for n in range(number)]
    has_head = layout.write not in (as_jsonl, as_json, as_cells)
    return [n + 1 + has_head for n in range(number)]
