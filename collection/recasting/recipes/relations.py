"""Relations between two entities, from infobox triples and sentences that name both (FACC1, DBpedia).

The hypothesis comes from the triple; whether the sentence says so has to be judged by people, on a scale from 1 to 5.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collection.formats.lines import BadLine, Record
from collection.formats.tables import tsv_records
from collection.recasting import Draw, Item, Recipe, Unreadable
from collection.recasting.readers import beside, value

BESIDE = "templates.tsv"
OWN = Path(__file__).with_name("relations.tsv")


def read_templates(*paths: Path) -> tuple[dict[str, str], list[BadLine]]:
    """Returns relation -> template, and the lines that cannot be read. A later file replaces templates of earlier ones."""
    templates, bad = {}, []
    for path in paths:
        for item in tsv_records(path):
            if isinstance(item, BadLine):
                bad.append(BadLine(item.line, f"of {path.name}: {item.reason}"))
            else:
                templates[item[1].get("relation", "")] = item[1].get("template", "")
    return templates, bad


def read(path: Path) -> Iterator[Record | BadLine]:
    """Reads `entity1`, `relation`, `entity2`, `sentence`, and `annotations` (3,5,5) if people have judged already.

    A file `templates.tsv` beside it may have further templates: `relation`, and `template` with {first} and {second}.
    """
    more = beside(path, BESIDE)
    templates, bad = read_templates(OWN, *([more] if more else []))
    yield from bad
    for item in tsv_records(path):
        if isinstance(item, BadLine):
            yield item
        else:
            yield (
                item[0],
                {**item[1], "line": item[0], "template": templates.get(item[1].get("relation", ""), "")},
            )


def items(row: dict[str, Any], draw: Draw) -> Iterator[Item]:
    relation, template = value(row, "relation"), row["template"]
    if "{first}" not in template or "{second}" not in template:
        raise Unreadable(f'there is no template with {{first}} and {{second}} for the relation "{relation}"')
    first, second, sentence = value(row, "entity1"), value(row, "entity2"), value(row, "sentence")
    for entity in (first, second):
        if entity not in sentence:
            raise Unreadable(f'the sentence does not name "{entity}"')
    votes = tuple(each.strip() for each in row.get("annotations", "").split(",") if each.strip())
    agreed = votes[0] if len(set(votes)) == 1 else None
    yield Item(
        {"context": sentence, "first": first, "second": second},
        agreed,
        source_id=f"line {row['line']}",
        hypotheses={relation: template},
        labels=votes if len(votes) > 1 else (),
        misc={"relation": relation},
    )


RELATIONS = Recipe(
    name="relations",
    about="infobox triples and sentences: a table of entity1, relation, entity2, sentence, annotations",
    corpus="FACC1",
    phenomenon="KG",
    citation="Gabrilovich, Ringgaard and Subramanya 2013, FACC1: Freebase annotation of ClueWeb corpora",
    licence="",
    approach="semi-automatic",
    scheme="ordinal5",
    read=read,
    items=items,
)
