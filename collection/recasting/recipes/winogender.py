"""Whom a pronoun means: Winogender schemas (Rudinger et al. 2018)."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collection.formats.lines import BadLine, Record
from collection.formats.tables import tsv_records
from collection.recasting import Draw, Item, Partition, PassedOver, Recipe, Unreadable
from collection.recasting.readers import beside, value

BESIDE = "hypotheses.tsv"
NAME = re.compile(r"([^.]+)\.([^.]+)\.([01])\.(male|female|neutral)(\.txt)?")


def read(path: Path) -> Iterator[Record | BadLine]:
    """Reads `sentid` and `sentence` of all_sentences.tsv, with the hypotheses of `hypotheses.tsv` beside it.

    The DNC's authors wrote by hand what the pronoun does. The file has `occupation`, `participant`, `answer` (0 or 1)
    and `hypothesis`, such as `$NP was able to pay with cash.`
    """
    about = beside(path, BESIDE)
    if about is None:
        yield BadLine(
            1,
            f"{BESIDE} (occupation, participant, answer, hypothesis with $NP) is not beside {path.name}; write it",
        )
        return
    templates: dict[tuple[str, str, str], str] = {}
    for item in tsv_records(about):
        if isinstance(item, BadLine):
            yield BadLine(item.line, f"of {BESIDE}: {item.reason}")
        else:
            row = item[1]
            key = row.get("occupation", ""), row.get("participant", ""), row.get("answer", "")
            templates[key] = row.get("hypothesis", "")
    for item in tsv_records(path):
        if isinstance(item, BadLine):
            yield item
            continue
        name = NAME.fullmatch(item[1].get("sentid", ""))
        template = templates.get((name[1], name[2], name[3]), "") if name else ""
        yield item[0], {**item[1], "template": template}


def items(row: dict[str, Any], draw: Draw) -> Iterator[Item]:
    name = NAME.fullmatch(row.get("sentid", ""))
    if name is None:
        raise Unreadable('"sentid" must be like technician.customer.1.male.txt')
    occupation, participant, answer, gender, _ = name.groups()
    if gender == "neutral":
        raise PassedOver("the pronoun has no gender; the DNC takes he and she")
    template = row["template"]
    if "$NP" not in template:
        raise Unreadable(f"{BESIDE} has no hypothesis with $NP for {occupation}, {participant}, {answer}")
    hypotheses = {
        number: template.replace("$NP", f"The {person}", 1).replace("{", "{{").replace("}", "}}")
        for number, person in (("0", occupation), ("1", participant))
    }
    yield Item(
        {"context": value(row, "sentence"), "occupation": occupation, "participant": participant},
        answer,
        source_id=f"{occupation}.{participant}.{answer}.{gender}",
        hypotheses=hypotheses,
    )


WINOGENDER = Recipe(
    name="winogender",
    about="Winogender schemas: all_sentences.tsv, with hypotheses.tsv of your own beside it",
    corpus="winogender-schemas",
    phenomenon="gender pronoun resolution",
    citation="Rudinger et al. 2018, Gender bias in coreference resolution (NAACL)",
    licence="MIT",
    # Sentences that differ in the pronoun alone stay together.
    partition=Partition(own="test", together="{occupation} {participant}"),
    approach="manual",
    read=read,
    items=items,
)
