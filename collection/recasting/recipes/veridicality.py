"""Does what is reported follow? MegaVeridicality (White and Rawlins 2018): verbs in frames, judged by ten people.

People use a scale of three answers differently. A cumulative logit model, with a bias for each person and a value for
each sentence, predicts the answer of a person without bias; that answer becomes the sentence's.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from collection.formats.answer_lines import shown_sentence
from collection.formats.lines import BadLine, Record
from collection.formats.registry import FORMATS
from collection.formats.tables import any_records
from collection.recasting import Draw, Item, PassedOver, Recipe, Unreadable
from collection.recasting.readers import value

ANSWERS = ("no", "maybe", "yes")
# The importer's map says which label each spelling of an answer means.
IMPORTED = FORMATS["mega-veridicality"].fields
assert IMPORTED is not None
MEANT = {"contradiction": "no", "neutral": "maybe", "entailment": "yes"}
SPELLINGS = {text: MEANT[label] for text, label in IMPORTED.labels.words.items() if label}
THING = {
    "yes": "That thing happened",
    "maybe": "That thing might or might not have happened",
    "no": "That thing didn't happen",
}
DEED = {
    "yes": "That person did that thing",
    "maybe": "That person might or might not have done that thing",
    "no": "That person didn't do that thing",
}
OWNED = {
    "yes": "That person had that thing",
    "maybe": "That person might or might not have had that thing",
    "no": "That person didn't have that thing",
}
# The end of the sentence decides: each frame ends in one of these verb phrases.
HYPOTHESES = {
    "do a particular thing": DEED,
    "have a particular thing": OWNED,
    "happen": THING,
    "a particular thing happened": THING,
}
STEPS = 300
RATE = 0.1
FIRMNESS = 0.05  # how strongly leanings and values are held near 0


def read(path: Path) -> Iterator[Record | BadLine]:
    """Yields a row for each sentence, with the answers of all people: the file has a row for each answer."""
    found: dict[str, Record] = {}
    for item in any_records(path):
        if isinstance(item, BadLine):
            yield item
            continue
        line, row = item
        if "sentence" not in row:
            yield BadLine(line, 'there is no "sentence"; version 1 has none, so take version 2')
            continue
        row["sentence"] = shown_sentence(row["sentence"])
        merged = found.setdefault(row["sentence"], (line, {**row, "answers": []}))[1]
        if row.get("exclude", "False").lower() == "true":
            continue
        answer = row.get("veridicality", "").strip()
        if answer in SPELLINGS:
            merged["answers"].append([row.get("participant", ""), SPELLINGS[answer]])
        else:
            yield BadLine(line, f'"veridicality" is "{answer}"; it must be one of: {", ".join(SPELLINGS)}')
    yield from found.values()


def survey(rows: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Returns the normalised answer of each sentence."""
    import numpy as np

    given = [(row.get("sentence", ""), person, answer) for row in rows for person, answer in row["answers"]]
    if not given:
        return {}
    sentences, people = (sorted({each[at] for each in given}) for at in (0, 1))
    place = {name: at for at, name in enumerate(sentences)}
    seat = {name: at for at, name in enumerate(people)}
    which = np.array([place[each[0]] for each in given])
    who = np.array([seat[each[1]] for each in given])
    answer = np.array([ANSWERS.index(each[2]) for each in given])
    values, leanings = np.zeros(len(sentences)), np.zeros(len(people))
    cuts = np.array([-1.0, 1.0])
    moments = [(np.zeros_like(each), np.zeros_like(each)) for each in (values, leanings, cuts)]
    rows_ = np.arange(len(given))

    def below(at: Any) -> Any:
        """Returns the probability of an answer up to each cut, with 0 before the first and 1 after the last."""
        inner = 1 / (1 + np.exp(-(cuts[None, :] - at[:, None])))
        return np.hstack([np.zeros((len(at), 1)), inner, np.ones((len(at), 1))])

    for step in range(1, STEPS + 1):
        sums = below(values[which] + leanings[who])
        upper, lower = sums[rows_, answer + 1], sums[rows_, answer]
        likely = np.maximum(upper - lower, 1e-9)
        up, down = upper * (1 - upper) / likely, lower * (1 - lower) / likely
        slope = down - up  # of the log-likelihood, by the place on the scale
        by_cut = np.array([(up[answer == at]).sum() - (down[answer == at + 1]).sum() for at in (0, 1)])
        slopes = (
            np.bincount(which, slope, len(values)) - FIRMNESS * values,
            np.bincount(who, slope, len(leanings)) - FIRMNESS * leanings,
            by_cut / len(given),
        )
        for part, rise, (mean, square) in zip((values, leanings, cuts), slopes, moments, strict=True):
            mean += (rise - mean) * 0.1
            square += (rise**2 - square) * 0.001
            part += RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        leanings -= leanings.mean()
        cuts.sort()
    shares = np.diff(below(values), axis=1)
    return {name: ANSWERS[int(shares[at].argmax())] for name, at in place.items()}


def items(row: dict[str, Any], draw: Draw) -> Iterator[Item]:
    sentence = value(row, "sentence")
    if not row["answers"]:
        raise PassedOver("nobody whose answers count has answered")
    plain = sentence.rstrip(" .?")
    if row.get("conditional", "False").lower() == "true" or sentence.endswith("?"):
        raise PassedOver("the sentence is a condition")
    hypotheses = next((each for end, each in HYPOTHESES.items() if plain.endswith(end)), None)
    if hypotheses is None:
        raise Unreadable(f"the sentence must end in one of: {', '.join(HYPOTHESES)}")
    yield Item(
        {"context": sentence},
        draw.known[row["sentence"]],
        source_id=" ".join(row.get(key, "") for key in ("verb", "frame", "voice", "polarity")),
        hypotheses=hypotheses,
        misc={"answers": [answer for _, answer in row["answers"]]},
    )


MEGAVERIDICALITY = Recipe(
    name="megaveridicality",
    about="MegaVeridicality 2: mega-veridicality-v2.csv or -v2.1.tsv, a row an answer",
    corpus="MegaVeridicality",
    phenomenon="Lexicosyntactic: MegaVeridicality",
    citation="White and Rawlins 2018, The role of veridicality and factivity in clause selection (NELS)",
    licence="",
    read=read,
    items=items,
    survey=survey,
)
