"""Recipes make pairs of their sources, here of small files in each published layout. No database."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from collection.formats.lines import BadLine
from collection.imports.splits import Split, split_of
from collection.recasting.recipe import read_names, weighted
from collection.recasting.recipe_format import BadRecipe, RecipeFails, recast_format, recipes
from tests.collection.recast import EXAMPLES, RECIPES, SOURCES, made, recast_text, told

# Recipes that read their source for a second or more.
LONG = {"megaveridicality", "verbnet", "factuality-decomp", "factuality-uw"}


def test_bad_rows_are_refused_with_their_line_and_a_reason(tmp_path) -> None:
    path = tmp_path / "amazon_cells_labelled.txt"
    path.write_text("Fine.\t1\nno tab here\nSoso.\t2\n \t1\n")
    form = recast_format(RECIPES["sentiment"], [path])
    refused = [item for item in form.read(path) if isinstance(item, BadLine)]
    assert [(item.line, item.reason) for item in refused] == [
        (2, "the line has 1 columns instead of 2: review, sentiment"),
        (3, "the second column must be 1 (positive) or 0 (negative)"),
        (4, '"review" is empty'),
    ]
    other = tmp_path / "reviews.txt"
    other.write_text("Fine.\t1\n")
    (only,) = recast_format(RECIPES["sentiment"], [other]).read(other)
    assert only.reason == (
        "reviews.txt does not say what is reviewed: its name must begin with amazon, imdb, yelp"
    )


@pytest.mark.parametrize("most", [2, pytest.param(4, marks=pytest.mark.thorough)], ids=["two lines", "four"])
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.thorough) if name in LONG else name for name in RECIPES],
)
def test_no_row_of_any_source_ends_the_run(name: str, most: int, tmp_path) -> None:
    """Each of the first lines is tried with each of its columns empty or other, and without its last one."""
    folder = tmp_path / "x"
    shutil.copytree((EXAMPLES / SOURCES[name]).parent, folder)
    path = folder / Path(SOURCES[name]).name
    whole = path.read_text()
    lines = whole.splitlines()
    separator = next((each for each in ("\t", ",", " ") if each in lines[0]), "\t")
    if path.suffix == ".xml":
        separator = '"'
    number = min(len(lines), most)
    changes = [
        [*lines[:at], separator.join(cells), *lines[at + 1 :]]
        for at in range(number)
        for cells in _damaged(lines[at].split(separator))
    ]
    for changed in changes:
        recast_text(name, path, "\n".join(changed))  # RecipeFails, if it cannot go on


def _damaged(cells: list[str]) -> Iterator[list[str]]:
    for at in range(len(cells)):
        for other in ("", "%", "\u00b2"):
            yield [*cells[:at], other, *cells[at + 1 :]]
    yield cells[:-1]


def test_the_same_seed_gives_the_same_pairs_in_any_order_of_the_files() -> None:
    files = ["sentiment/imdb_labelled.txt", "sentiment/yelp_labelled.txt"]
    first = made("sentiment", *files, seed=7)[0]
    assert made("sentiment", *files, seed=7)[0] == first
    assert sorted(told(made("sentiment", *reversed(files), seed=7)[0])) == sorted(told(first))
    assert told(made("sentiment", *files, seed=8)[0]) != told(first)


@pytest.mark.parametrize("name", RECIPES)
def test_the_same_source_in_another_folder_gives_the_same_bytes(name: str, tmp_path) -> None:
    texts, keys = set(), set()
    for folder in (tmp_path / "a", tmp_path / "b/c"):
        shutil.copytree((EXAMPLES / SOURCES[name]).parent, folder)
        path = folder / Path(SOURCES[name]).name
        recipe = RECIPES[name]

        def noted(row, draw, items=recipe.items):
            keys.add(draw.key)
            return items(row, draw)

        form = recast_format(replace(recipe, items=noted), [path], seed=5)
        texts.add(repr(list(form.read(path))))
        assert str(folder) not in "".join(keys)
        rows = len(keys)
    assert len(texts) == 1
    assert len(keys) == rows > 0  # what is drawn, even where the example leaves no choice


def test_names_are_drawn_by_their_counts(tmp_path) -> None:
    path = tmp_path / "yob.txt"
    path.write_text("Ann,F,3\nBo,M,0\nAnn,M,1\n")
    assert read_names(path) == weighted({"Ann": 4.0, "Bo": 0.0})
    form = recast_format(
        RECIPES["sentiment"], [EXAMPLES / "sentiment/yelp_labelled.txt"], names=read_names(path)
    )
    assert {item.hypothesis.partition(" ")[0] for item in form.read(form.sources[0])} == {"Ann"}
    path.write_text("Ann,many\n")
    with pytest.raises(ValueError, match=r'yob\.txt, line 1: "many" is not a number'):
        read_names(path)


def test_a_split_keeps_groups_whole_follows_the_seed_and_leaves_the_sources_own() -> None:
    pairs, _, _ = made("puns-semeval", "puns/subtask1-homographic-test.xml")
    split = Split((34, 33, 33), seed=1)
    placed = [split.placed(pair) for pair in pairs]
    assert [each.partition for each in placed[::2]] == [each.partition for each in placed[1::2]]
    shares = Counter(Split(seed=3).partition_of(f"group {n}") for n in range(5000))
    assert abs(shares["train"] - 4000) < 120
    assert abs(shares["dev"] - 500) < 90
    own = made("factuality-uw", "factuality/dev.conll")[0][0]
    assert split.placed(own) is own
    assert split_of("none", 0) is None
    for wrong in ("80:20", "50:40:20", "a:b:c", "120:-10:-10"):
        with pytest.raises(ValueError, match=f"{wrong}: write the percent"):
            split_of(wrong, 0)


STRANGE = """
from collection.formats.lines import json_records
from collection.recasting import Item, Recipe

def items(row, draw):
    yield Item({"context": row["text"], "thing": row["thing"]}, "yes", source_id=row["id"])

MINE = Recipe(name="mine", about="things", corpus="Things", phenomenon="Things", citation="me", licence="CC0",
              read=json_records, items=items, hypotheses={"yes": "There is a {thing}.", "no": "There is no {THING}."})
"""


def test_a_recipe_in_a_folder_of_ones_own_is_found_and_its_faults_are_told(tmp_path) -> None:
    source = tmp_path / "things.jsonl"
    source.write_text('{"id": "1", "text": "A cat sat.", "thing": "cat"}\n')
    path = tmp_path / "mine.py"
    path.write_text(STRANGE.replace("{THING}", "{thing}"))
    mine = recipes(tmp_path)["mine"]
    found = recast_format(mine, [source])
    assert [item.hypothesis for item in found.read(source)] == ["There is a cat.", "There is no cat."]

    path.write_text(STRANGE)
    broken = recast_format(recipes(tmp_path)["mine"], [source])
    with pytest.raises(RecipeFails, match=r"mine.*line 1.*\{THING\}, which the row has no value for"):
        list(broken.read(source))
    source.write_text('{"id": "1", "text": "A cat sat."}\n')
    with pytest.raises(RecipeFails, match=r"fails at line 1: KeyError: 'thing'\. The row has: id, text"):
        list(recast_format(recipes(tmp_path)["mine"], [source]).read(source))
    path.write_text(STRANGE.replace('"mine"', '"sentiment"'))
    with pytest.raises(BadRecipe, match='a recipe named "sentiment" already'):
        recipes(tmp_path)
    path.write_text("x = 1 +\n")
    with pytest.raises(BadRecipe, match=r"mine\.py cannot be loaded: SyntaxError"):
        recipes(tmp_path)
    path.write_text("x = 1\n")
    with pytest.raises(BadRecipe, match="holds no Recipe"):
        recipes(tmp_path)


def test_every_recipe_says_where_its_source_comes_from() -> None:
    for recipe in RECIPES.values():
        assert all((recipe.corpus, recipe.phenomenon, recipe.citation, recipe.about))


def test_the_recipe_on_the_page_works_as_it_stands(tmp_path) -> None:
    page = (EXAMPLES.parents[1] / "docs/how-to/recast.md").read_text()
    (tmp_path / "moods.py").write_text(page.split("```python\n")[1].split("```")[0])
    source = tmp_path / "diaries.jsonl"
    source.write_text('{"id": "7", "text": "Rain all day.", "mood": "sad"}\n{"id": "8", "text": "Sun!"}\n')
    *pairs, refused = recast_format(recipes(tmp_path)["moods"], [source]).read(source)
    assert [pair.published_label for pair in pairs] == ["not-entailed", "entailed"]
    assert pairs[1].hypothesis.endswith(" was sad.")
    assert pairs[0].premise != pairs[1].premise, "each pair has a name of its own"
    assert pairs[0].group == pairs[1].group, "and the same diary is never in two partitions"
    assert refused.reason == '"mood" must be glad or sad'


def test_there_is_a_recipe_for_each_of_the_thirteen_data_sets() -> None:
    page = (EXAMPLES.parents[1] / "docs/how-to/recast.md").read_text()
    assert len(RECIPES) == 13
    assert all(f"| `{name}` |" in page for name in RECIPES)


AGAIN = """
import sys
from pathlib import Path
from collection.recasting.recipe_format import recast_format
from collection.recasting.recipe_format import recipes
for name, path in zip(sys.argv[1::2], sys.argv[2::2]):
    for item in recast_format(recipes()[name], [Path(path)], seed=5).read(Path(path)):
        sys.stdout.write(repr(item))
"""


@pytest.mark.thorough
def test_the_same_seed_gives_the_same_bytes_in_another_process() -> None:
    named = [text for name, path in SOURCES.items() for text in (name, str(EXAMPLES / path))]
    found = {
        subprocess.run(
            [sys.executable, "-c", AGAIN, *named],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=EXAMPLES.parents[1],
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
    assert len(found.pop()) > 1000
