"""Reads VerbOcean, a file of relations between verbs (Chklovski and Pantel, 2004), and compares verbs by it.

Its lines are `verb1 [relation] verb2 :: score`; those that begin with # are comments.
"""

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from modeling.baselines.errors import BaselineError
from modeling.baselines.features.tagged import Words

RELATIONS = ("similar", "stronger-than", "opposite-of", "can-result-in", "happens-before")
VERB_OCEAN = 2 * len(RELATIONS)  # how many measures a pair has
LINE = re.compile(r"(\S.*?) \[([^\[\]]+)\] (\S.*?) :: (\d+(?:\.\d+)?)")

Related = dict[tuple[str, str], set[str]]  # (relation, verb) -> the verbs to which it has that relation


@cache
def load_verb_ocean(path: Path) -> Related:
    """Reads the file. Raises BaselineError that names the line which is not one of VerbOcean's."""
    related: Related = defaultdict(set)
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, start=1):
                if line.startswith("#") or not line.strip():
                    continue
                found = LINE.fullmatch(line.strip())
                if found is None:
                    raise BaselineError(
                        f"verb_ocean: {path.name}, line {number}, {line.strip()[:60]!r}, is not of the form"
                        " `verb1 [relation] verb2 :: score`: name VerbOcean's file, unpacked."
                    )
                first, relation, second = found.group(1, 2, 3)
                related[relation, first].add(second)
    except OSError as error:
        raise BaselineError(
            f"verb_ocean: the file {path} cannot be read ({error.strerror}): correct the path, or leave it out."
        ) from error
    if not any(relation in RELATIONS for relation, _ in related):
        raise BaselineError(
            f"verb_ocean: {path.name} has none of the relations {', '.join(RELATIONS)}: name VerbOcean's file."
        )
    return dict(related)


def verb_ocean_shares(premise: Words, hypothesis: Words, path: Path) -> list[float]:
    """Computes, of the verbs of the hypothesis, for each relation, the share to which a verb of the premise has it, and the
    share that has it to a verb of the premise.
    """
    related = load_verb_ocean(path)
    ours, theirs = (
        [word.lemma for word in words if word.tag.startswith("V")] for words in (hypothesis, premise)
    )
    numbers = []
    for relation in RELATIONS:
        above = {to for verb in theirs for to in related.get((relation, verb), ())}
        numbers += [
            sum(verb in above for verb in ours) / max(1, len(ours)),
            sum(not related.get((relation, verb), set()).isdisjoint(theirs) for verb in ours)
            / max(1, len(ours)),
        ]
    return numbers
