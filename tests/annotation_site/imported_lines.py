"""Lines of pairs for imports, and the command that imports them."""

import pytest

from tests.commands import run, write_jsonl

E, N, C = "entailment", "neutral", "contradiction"


def record(n: int = 1, **fields: object) -> dict[str, object]:
    return {"id": f"p{n}", "premise": "A dog runs.", "hypothesis": f"Sentence {n}.", **fields}


@pytest.fixture(name="bring")
def bring_lines(tmp_path):
    """`bring([record, ...], option=value)`: imports a file of these records into the corpus `new`."""

    def import_records(records, *, into="new", name="pairs.jsonl", **options):
        path = write_jsonl(tmp_path / name, records)
        return run(
            "import_pairs",
            into,
            path,
            **{"format": "jsonl", "json": True, "unlabelled": True, "partly": True, **options},
        )

    return import_records


def snli(n: int = 1, **fields: object) -> dict[str, object]:
    return {
        "annotator_labels": [N, E, N, N, C],
        "captionID": "24.jpg#1",
        "gold_label": N,
        "pairID": f"24.jpg#1r{n}n",
        "sentence1": "A man stands.",
        "sentence1_parse": "(ROOT)",
        "sentence1_binary_parse": "( A )",
        "sentence2": f"A man paints {n}.",
        "sentence2_parse": "(ROOT 2)",
        "sentence2_binary_parse": "( B )",
        **fields,
    }
