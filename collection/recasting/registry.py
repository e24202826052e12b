"""Finds recipes: those of Quintet, and those in a researcher's folder."""

from pathlib import Path
from typing import Any

from collection.recasting.recipe import Recipe

OWN = Path(__file__).with_name("recipes")


class BadRecipe(ValueError):
    """A file of recipes cannot be used. The text says which and why."""


def recipes(folder: Path | None = None) -> dict[str, Recipe]:
    """Returns the recipes by name: ours, and those of every .py file in `folder`. Raises BadRecipe.

    A recipe of the folder may not have the name of another one.
    """
    if folder is not None and not folder.is_dir():
        raise BadRecipe(f"{folder} is not a folder; name a folder of recipes (.py files) after --recipes.")
    found: dict[str, Recipe] = {}
    for place in (OWN, folder) if folder else (OWN,):
        for path in sorted(place.glob("[!_]*.py")):
            for recipe in _recipes_of(path):
                if recipe.name in found:
                    raise BadRecipe(
                        f'{path}: there is a recipe named "{recipe.name}" already; give yours another name.'
                    )
                found[recipe.name] = recipe
    return found


def _recipes_of(path: Path) -> list[Recipe]:
    names: dict[str, Any] = {"__name__": f"recipes_of_{path.stem}", "__file__": str(path)}
    try:
        # Compiled here: Python's own cache would return the old code of a file that was changed within the same second.
        exec(compile(path.read_bytes(), str(path), "exec"), names)
    except Exception as problem:
        raise BadRecipe(f"{path} cannot be loaded: {type(problem).__name__}: {problem}") from problem
    found = [value for value in names.values() if isinstance(value, Recipe)]
    if not found:
        raise BadRecipe(f"{path} holds no Recipe: it must define one at its top level.")
    return found
