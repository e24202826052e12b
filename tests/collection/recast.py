"""Recasts the example sources."""

from collections import Counter
from pathlib import Path

from collection.formats.lines import BadLine
from collection.formats.records import ImportedPair
from collection.recasting.recipe import NAMES
from collection.recasting.recipe_format import RecastFormat, recast_format, recipes

EXAMPLES = Path(__file__).parents[2] / "examples/recasting"
RECIPES = recipes()
SOURCES = {
    "sentiment": "sentiment/yelp_labelled.txt",
    "puns-semeval": "puns/subtask1-homographic-test.xml",
    "puns-yang": "puns/puns_pos_neg_data.csv",
    "factuality-decomp": "factuality/it-happened_eng_ud1.2_07092017.tsv",
    "factuality-uw": "factuality/dev.conll",
    "factuality-meantime": "factuality/meantime.xml",
    "entities-conll": "entities/eng.train",
    "entities-gmb": "entities/en.tags",
    "winogender": "winogender/all_sentences.tsv",
    "megaveridicality": "veridicality/megaveridicality-v2.csv",
    "verbnet": "verbnet/inform-98.xml",
    "verbcorner": "verbcorner/verbcorner.csv",
    "relations": "relations/triples.tsv",
}


def form_of(recipe: str, *files: str, seed: int = 0) -> RecastFormat:
    return recast_format(RECIPES[recipe], [EXAMPLES / file for file in files], seed=seed)


def made(recipe: str, *files: str, seed: int = 0) -> tuple[list[ImportedPair], list[BadLine], Counter[str]]:
    form = form_of(recipe, *files, seed=seed)
    found = [item for path in form.sources for item in form.read(path)]
    pairs = [item for item in found if not isinstance(item, BadLine)]
    return pairs, [item for item in found if isinstance(item, BadLine)], form.passed_over


def told(pairs: list[ImportedPair]) -> list[tuple[str, str, str | None]]:
    return [(pair.premise[0], pair.hypothesis, pair.published_label) for pair in pairs]


def named(pairs: list[ImportedPair]) -> list[tuple[str, str, str | None]]:
    """The pairs with NAME for the first word of the hypothesis, which the context must hold too."""
    found = []
    for context, hypothesis, label in told(pairs):
        name = hypothesis.partition(" ")[0]
        assert name in NAMES.names
        found.append((context.replace(name, "NAME", 1), hypothesis.replace(name, "NAME", 1), label))
    return found


def recast_text(recipe: str, path: Path, text: str) -> tuple[list[ImportedPair | BadLine], Counter[str]]:
    path.write_text(text)
    form = recast_format(RECIPES[recipe], [path])
    return list(form.read(path)), form.passed_over
