"""No app uses names such as `pair.labels` that apps above put on its models: the import linter does not see these."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings

APPS = ["accounts", "collection", "validation", "snapshots", "modeling"]
# Uses of a manager. An attribute of that name alone may be the app's own.
MANAGER_WORDS = {
    "all", "filter", "exclude", "count", "exists", "first", "last", "get", "create", "values", "values_list",
    "order_by", "aggregate", "annotate", "update", "delete", "select_related", "get_or_create", "iterator",
}  # fmt: skip


def names_from_above(app: str) -> set[str]:
    """Returns accessors and query names that apps above `app` put on its models, without names of its own."""
    above = set(APPS[APPS.index(app) + 1 :])
    names: set[str] = set()
    own: set[str] = set()
    for model in apps.get_app_config(app).get_models():
        for field in model._meta.get_fields():
            reverse = field.auto_created and not field.concrete
            if reverse and field.related_model._meta.app_label in above:
                names |= {field.name, field.get_accessor_name()} - {None}
            else:
                own.add(field.name)
    return names - own


def uses(source: str, names: set[str]) -> Iterator[str]:
    """Returns the places where code uses one of the names as a manager, in a query's keyword or in a path of names."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Attribute(attr=name), attr=word) if word in MANAGER_WORDS:
                found = {name}
            case ast.keyword(arg=str(path)) if "__" in path:
                found = {path.split("__")[0]}
            case ast.Constant(value=str(text)) if "__" in text and text.replace("__", "").isidentifier():
                found = {text.split("__")[0]}
            case _:
                continue
        yield from (f"line {node.lineno}: {name}" for name in found & names)


def files_of(app: str) -> Iterator[Path]:
    for path in sorted((settings.BASE_DIR / app).rglob("*.py")):
        if "migrations" not in path.parts and "baselines" not in path.parts:
            yield path


@pytest.mark.parametrize("app", APPS[:-1])
def test_no_app_uses_a_name_that_an_app_above_put_on_its_models(app: str) -> None:
    names = names_from_above(app)
    found = [f"{path.name}, {use}" for path in files_of(app) for use in uses(path.read_text(), names)]
    assert found == []


def test_the_names_of_labels_on_pairs_are_known_to_come_from_above() -> None:
    assert "labels" in names_from_above("collection")
    assert "adjudications" in names_from_above("collection")


@pytest.mark.parametrize(
    "code",
    ["pair.labels.all()", "Pair.objects.filter(labels__label='neutral')", "pairs.values('labels__label')"],
)
def test_a_use_from_below_is_found(code: str) -> None:
    assert list(uses(code, {"labels"})) == ["line 1: labels"]


def test_an_attribute_of_the_same_name_is_no_use() -> None:
    assert list(uses("for label in corpus.labels: print(label)", {"labels"})) == []
