"""A recipe for a data set outside the DNC, written from docs/how-to/recast.md alone: CommitmentBank as factuality."""

import json
from collections import Counter

import pytest

from collection.models import Pair
from tests.commands import run

pytestmark = pytest.mark.django_db

RECIPE = """
from collection.recasting import Item, PassedOver, Recipe, Unreadable
from collection.formats.tables import csv_records


def items(row, draw):
    try:
        mean = float(row["Mean"])
    except ValueError:
        raise Unreadable(f'"Mean" is {row["Mean"]}, which is no number')
    if abs(mean) < 1:
        raise PassedOver("people are not sure of it (mean between -1 and 1)")
    values = {"context": f"{row['Context']} {row['Target']}".strip(), "prompt": row["Prompt"].rstrip(".")}
    yield Item(
        values,
        answer="true" if mean > 0 else "false",
        source_id=row["uID"],
        misc={"verb": row["Verb"], "embedding": row["Embedding~1"]},
    )


COMMITMENT = Recipe(
    name="commitment",
    about="CommitmentBank: a row an item, with the mean of its judgements",
    corpus="CommitmentBank",
    phenomenon="Event Factuality",
    citation="de Marneffe et al. 2019",
    licence="research only",
    read=csv_records,
    items=items,
    hypotheses={"true": "It is true that {prompt}.", "false": "It is not true that {prompt}."},
)
"""


def test_a_strangers_recipe_for_commitmentbank(shared_data, tmp_path):
    (tmp_path / "mine.py").write_text(RECIPE)
    source = shared_data / "commitmentbank" / "CommitmentBank-items.csv"
    seen = run("recast", "commitment", "commitment", source, recipes=tmp_path, dry_run=True, json=True).json
    assert seen["rows"] == 1200
    assert seen["refused_count"] == 0
    (why,) = seen["passed_over"]
    assert why.startswith("people are not sure")
    assert seen["pairs"] == 2 * (1200 - seen["passed_over"][why])
    assert seen["labels_by_name"] == dict.fromkeys(("entailed", "not-entailed"), seen["pairs"] // 2)
    done = run("recast", "commitment", "commitment", source, recipes=tmp_path, json=True).json
    assert done["pairs"] == seen["pairs"]
    pair = Pair.objects.get(hypothesis="It is true that Polly was not an experienced ocean sailor.")
    assert (pair.published_label, pair.metadata["misc"]["verb"]) == ("entailed", "admit")
    assert pair.metadata["corpus-license"] == "research only"
    groups = Counter(Pair.objects.values_list("premise__group", "published_partition").distinct())
    assert len({group for group, _ in groups}) == len(groups)
    told = run("bias", "commitment", json=True).json
    assert json.dumps(told["giveaway_pairs"]["entailed"])
    whole = told["groups"][0]
    assert (whole["pairs"], whole["commonest"]) == (seen["pairs"], 0.5)
