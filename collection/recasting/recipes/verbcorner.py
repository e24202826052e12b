"""What a verb says of its scene, by six properties that people judged: VerbCorner (Hartshorne et al. 2013)."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collection.formats.lines import BadLine, Record
from collection.formats.tables import csv_records
from collection.recasting import Draw, Item, PassedOver, Recipe, Unreadable
from collection.recasting.readers import value

PROPERTIES = {
    "movement": {
        "yes": "Someone moved from their location",
        "no": "Someone did not move from their location",
    },
    "contact": {"yes": "Something touched another thing", "no": "Nothing touched anything else"},
    "force": {
        "yes": "Someone or something applied force onto something",
        "no": "Someone or something did not apply force onto something",
    },
    "physical change": {
        "yes": "Someone or something changed physically",
        "no": "Someone or something did not change physically",
    },
    "mental change": {
        "yes": "Someone changed their thoughts, feelings, or beliefs",
        "no": "Someone did not change their thoughts, feelings, or beliefs",
    },
    "valence": {
        "good": "Something good happened",
        "neutral": "Something neutral happened",
        "bad": "Something bad happened",
    },
}
# The published tasks. Philosophical_Zombie_Hunter.csv asks about a mental state, of which the DNC has no hypothesis.
TASKS = {
    "Simon_Says_Freeze": "movement",
    "Explode_on_Contact": "contact",
    "Equilibrium": "force",
    "Entropy": "physical change",
    "Fickle_Folk": "mental change",
    "A_Good_World": "valence",
}


def read(path: Path) -> Iterator[Record | BadLine]:
    """Yields a row for each sentence and property, with the answers of all people: the file has a line for each answer.

    The published files, one for each task, call the sentence `question`; their name says the property.
    """
    task = TASKS.get(path.name.partition(".")[0], "")
    found: dict[tuple[str, str], Record] = {}
    for item in csv_records(path):
        if isinstance(item, BadLine):
            yield item
            continue
        line, row = item
        if task and "question" in row:
            row = {"sentence": row["question"], "property": task, "answer": row.get("answer", "")}
        key = row.get("sentence", ""), row.get("property", "")
        merged = found.setdefault(key, (line, {**row, "answers": []}))[1]
        merged["answers"].append(row.get("answer", "").strip().lower())
    yield from found.values()


def items(row: dict[str, Any], draw: Draw) -> Iterator[Item]:
    hypotheses = PROPERTIES.get(value(row, "property"))
    if hypotheses is None:
        raise Unreadable(f'the property "{row["property"]}" is none of {", ".join(PROPERTIES)}')
    (answer, most), *rest = Counter(row["answers"]).most_common(2)
    if rest and rest[0][1] == most:
        raise PassedOver("as many people gave one answer as another")
    if answer not in hypotheses:
        raise Unreadable(f'the answer "{answer}" is none of {", ".join(hypotheses)}')
    yield Item(
        {"context": value(row, "sentence")},
        answer,
        source_id=f"{row['property']}: {row['sentence']}"[:200],
        hypotheses=hypotheses,
        misc={"property": row["property"]},
    )


VERBCORNER = Recipe(
    name="verbcorner",
    about="VerbCorner: Simon_Says_Freeze.csv, ..., or a table of sentence, property, answer, a row an answer",
    corpus="VerbCorner",
    phenomenon="Lexicosyntactic: VerbCorner",
    citation="Hartshorne, Bonial and Palmer 2013, The VerbCorner project (EMNLP)",
    licence="CC BY 3.0 US",
    read=read,
    items=items,
)
