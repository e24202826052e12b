"""What a verb says of its scene, by six properties that people judged: VerbCorner (Hartshorne et al. 2013)."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collection.formats.lines import BadLine, Record, csv_records
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


def read(path: Path) -> Iterator[Record | BadLine]:
    """Yields a row for each sentence and property, with the answers of all people: the file has a line for each answer."""
    found: dict[tuple[str, str], Record] = {}
    for item in csv_records(path):
        if isinstance(item, BadLine):
            yield item
            continue
        line, row = item
        key = row.get("sentence", ""), row.get("property", "")
        found.setdefault(key, (line, {**row, "answers": []}))[1]["answers"].append(row.get("answer", ""))
    yield from found.values()


def items(row: dict[str, Any], draw: Draw) -> Iterator[Item]:
    hypotheses = PROPERTIES.get(value(row, "property"))
    if hypotheses is None:
        raise Unreadable(f'the property "{row["property"]}" is none of {", ".join(PROPERTIES)}')
    wrong = sorted(set(row["answers"]) - hypotheses.keys())
    if wrong:
        raise Unreadable(f'the answer "{wrong[0]}" is none of {", ".join(hypotheses)}')
    (answer, most), *rest = Counter(row["answers"]).most_common(2)
    if rest and rest[0][1] == most:
        raise PassedOver("as many people gave one answer as another")
    yield Item(
        {"context": value(row, "sentence")},
        answer,
        source_id=f"{row['property']}: {row['sentence']}"[:200],
        hypotheses=hypotheses,
        misc={"property": row["property"]},
    )


VERBCORNER = Recipe(
    name="verbcorner",
    about="VerbCorner: a table of sentence, property, answer, a row an answer",
    corpus="VerbCorner",
    phenomenon="Lexicosyntactic: VerbCorner",
    citation="Hartshorne, Bonial and Palmer 2013, The VerbCorner project (EMNLP)",
    licence="CC BY 3.0 US",
    read=read,
    items=items,
)
