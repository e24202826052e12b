"""A corpus file says something else after a change, and keeps its comments and order."""

import copy
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collection.corpora.edited_text import edited
from schemas.toml_text import toml_of
from tests.conftest import REPOSITORY

FILES = [*sorted((REPOSITORY / "examples").glob("*/corpus.toml"))]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ['"""', 'two\nlines"', "a\\b", "# no comment", "tab\there", "[corpus]"]
)
VALUES = TEXTS | st.integers(-5, 2**40) | st.booleans() | st.floats(0, 1)


def comments_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.lstrip().startswith("#")]


def tables_in(value: Any) -> list[dict[str, Any]]:
    found = [value] if isinstance(value, dict) else []
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        found += tables_in(each)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
@settings(max_examples=25)
@given(data=st.data())
def test_what_is_changed_is_said_and_nothing_else(path, data):
    text = path.read_text()
    wanted = tomllib.loads(text)
    for _ in range(data.draw(st.integers(1, 4))):
        table = data.draw(st.sampled_from(tables_in(wanted)))
        key = data.draw(st.sampled_from([*table, "added"]))
        value = table.get(key)
        if isinstance(value, list) and value:
            place = data.draw(st.integers(0, len(value) - 1))
            if data.draw(st.booleans()):
                table[key] = value[:place] + value[place + 1 :]
            else:
                value.insert(data.draw(st.integers(0, len(value))), copy.deepcopy(value[place]))
            if not table[key]:
                del table[key]
        elif data.draw(st.booleans()) or isinstance(value, dict):
            table.pop(key, None)
        else:
            table[key] = data.draw(VALUES)
        if not wanted:
            wanted["added"] = 1
    changed = edited(text, wanted)
    assert tomllib.loads(changed.text) == wanted
    if not changed.is_rewritten:
        assert comments_of(changed.text) == comments_of(text)


@given(
    st.recursive(
        st.dictionaries(st.from_regex("[a-z]{1,5}", fullmatch=True), VALUES),
        lambda inner: st.dictionaries(
            st.from_regex("[a-z]{1,5}", fullmatch=True),
            inner | st.lists(inner, min_size=1, max_size=2) | VALUES,
            max_size=4,
        ),
        max_leaves=8,
    )
)
def test_what_is_written_is_read_again(table):
    assert tomllib.loads(toml_of(table)) == table


def edit(path: str, change) -> tuple[str, str]:
    text = (REPOSITORY / "examples" / path / "corpus.toml").read_text()
    wanted = tomllib.loads(text)
    change(wanted)
    changed = edited(text, wanted)
    assert not changed.is_rewritten
    return text, changed.text


def differing(old: str, new: str) -> tuple[list[str], list[str]]:
    before, after = old.splitlines(), new.splitlines()
    return [line for line in before if line not in after], [line for line in after if line not in before]


def test_one_line_changes_with_one_value_and_its_comment_stays():
    old, new = edit("captions", lambda file: file["corpus"].update(dev_pairs_per_genre=20))
    assert differing(old, new) == (
        ["dev_pairs_per_genre = 15        # SNLI: 10,000"],
        ["dev_pairs_per_genre = 20        # SNLI: 10,000"],
    )


def test_a_new_key_stands_with_its_table_and_a_new_row_behind_the_last():
    old, new = edit("demo", lambda file: file["prompts"][0].update(care="Take a break."))
    assert differing(old, new) == ([], ['care = "Take a break."'])
    at = new.splitlines().index('care = "Take a break."')
    assert new.splitlines()[at + 1] == old.splitlines()[at]
    _, new = edit("demo", lambda file: file["genres"].append({"slug": "blogs", "name": "Blogs"}))
    assert new.endswith('\n[[genres]]\nslug = "blogs"\nname = "Blogs"\n')


def test_keys_in_braces_are_written_anew_and_it_is_said():
    text = 'corpus = { slug = "a", name = "A" } # here\n'
    changed = edited(text, {"corpus": {"slug": "b", "name": "A"}})
    assert changed.is_rewritten
    assert tomllib.loads(changed.text) == {"corpus": {"slug": "b", "name": "A"}}
