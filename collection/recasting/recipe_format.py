"""Turns a recipe into a format of pairs, so that its pairs are imported like those of a published file.

Finds recipes: those of Quintet, and those in a researcher's folder.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from collection.formats.lines import BadLine
from collection.formats.records import MAX_GROUP, MAX_ID, ImportedPair, Unreadable, printable, storable
from collection.formats.registry import ImportFormat
from collection.premise_ids import digest_of
from collection.recasting.recipe import ENTAILED, NAMES, NOT_ENTAILED, Draw, Item, Names, PassedOver, Recipe
from nli.lines import PARTITIONS

OWN = Path(__file__).with_name("recipes")


class RecipeFails(ValueError):
    """The recipe's own code failed. The text names the recipe, the line and the error."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a source and its result: pairs, an error, or a reason why the recipe left it out."""

    line: int
    record: dict[str, Any]
    pairs: tuple[ImportedPair, ...] = ()
    refused: BadLine | None = None
    passed_over: str = ""


@dataclass(frozen=True, kw_only=True)
class RecastFormat(ImportFormat):
    """Reads a source by a recipe. `sources`: all files, for the recipe's survey. `passed_over` counts reasons.

    `licence`, if any, is that of all pairs, instead of the rows' and the recipe's.
    """

    recipe: Recipe
    sources: Sequence[Path]
    seed: int = 0
    names: Names = NAMES
    licence: str = ""
    passed_over: Counter[str] = field(default_factory=Counter)
    rows_read: Counter[str] = field(default_factory=Counter)

    def read(self, path: Path) -> Iterator[ImportedPair | BadLine]:
        for row in self.rows(path):
            self.rows_read[path.name] += 1
            if row.refused is not None:
                yield row.refused
            elif row.passed_over:
                self.passed_over[row.passed_over] += 1
            yield from row.pairs

    def rows(self, path: Path) -> Iterator[Row]:
        """Yields every row of the file with its result."""
        for item in self.recipe.read(path):
            if isinstance(item, BadLine):
                yield Row(item.line, {}, refused=item)
                continue
            line, record = item
            try:
                yield Row(line, record, pairs=tuple(self._pairs(line, record)))
            except Unreadable as problem:
                yield Row(line, record, refused=BadLine(line, str(problem)))
            except PassedOver as why:
                yield Row(line, record, passed_over=str(why))

    @cached_property
    def known(self) -> Any:
        if self.recipe.survey is None:
            return None
        return self.recipe.survey(self._surveyed())

    def _surveyed(self) -> Iterator[dict[str, Any]]:
        for path in self.sources:
            yield from (item[1] for item in self.told(path) if not isinstance(item, BadLine))

    def _pairs(self, line: int, record: dict[str, Any]) -> Iterable[ImportedPair]:
        # A path says where the row came from, not what it is: a source gives the same pairs in any folder.
        content = {key: each for key, each in record.items() if not isinstance(each, Path)}
        row = json.dumps(content, sort_keys=True, default=str)
        draw = Draw(f"{self.seed}\n{self.recipe.name}\n{line}\n{row}", known=self.known, names=self.names)
        try:
            return [pair for item in self.recipe.items(record, draw) for pair in self._made(line, item)]
        except (Unreadable, PassedOver):
            raise
        except Exception as problem:
            there = (
                f". The row has: {', '.join(map(printable, record))}" if isinstance(problem, KeyError) else ""
            )
            raise RecipeFails(
                f"The recipe {self.recipe.name} fails at line {line}: {type(problem).__name__}: {problem}{there}"
            ) from problem

    def _made(self, line: int, item: Item) -> Iterator[ImportedPair]:
        recipe = self.recipe
        texts = {name: each for name, each in item.values.items() if isinstance(each, str)}
        own = _filled(recipe.partition.own, texts, "partition")
        if own not in (*PARTITIONS, ""):
            raise Unreadable(f'the split is "{own}"; it must be train, dev or test')
        together = _filled(recipe.partition.together, texts, "group")
        # Without what is drawn anew for each pair: a sentence stays together, whoever is made to say it.
        said = _filled(recipe.context, dict.fromkeys(item.values, "") | texts, "context")
        hypotheses = recipe.hypotheses if item.hypotheses is None else item.hypotheses
        source = f"{recipe.corpus} {item.source_id}".strip()[:MAX_GROUP]
        metadata = {
            "corpus": recipe.corpus,
            "corpus-sent-id": item.source_id,
            "corpus-license": self.licence or item.licence or recipe.licence,
            "creation-approach": recipe.approach,
            "misc": item.misc,
            **({"corpus-split": own} if own else {}),
        }
        for key, template in hypotheses.items():
            values = {name: each if isinstance(each, str) else each() for name, each in item.values.items()}
            context = _text(recipe.context, values, "context")
            yield ImportedPair(
                line=line,
                premise=(context,),
                hypothesis=_text(template, values, "hypothesis"),
                genre=recipe.phenomenon,
                group=(together or f"{recipe.name}-{digest_of((said,))[:16]}")[:MAX_GROUP],
                document=source,
                partition=own,
                labels=item.labels,
                published_label=self._label(key, item),
                has_gold=True,
                metadata=metadata,
            )

    def _label(self, key: str, item: Item) -> str | None:
        if item.answer is None or self.recipe.scheme != "entailed2":
            return item.answer
        return ENTAILED if self.recipe.true(key, item) else NOT_ENTAILED


def _filled(template: str, values: Mapping[str, str], what: str) -> str:
    try:
        return template.format_map(values)
    except KeyError as missing:
        raise RecipeFails(
            f"its {what} template names {{{missing.args[0]}}}, which the row has no value for"
        ) from None


def _text(template: str, values: Mapping[str, str], what: str) -> str:
    text = _filled(template, values, what)
    if not text.strip():
        raise Unreadable(f"the {what} is empty")
    return storable(f"the {what}", text)


def recast_format(
    recipe: Recipe,
    sources: Sequence[Path],
    *,
    seed: int = 0,
    names: Names = NAMES,
    licence: str = "",
    tell: Callable[[str], None] = lambda text: None,
) -> RecastFormat:
    """Returns the recipe as a format, which can be imported like any other."""
    return RecastFormat(
        name=f"recipe {recipe.name}"[:MAX_ID],
        about=recipe.about,
        records=recipe.read,
        scheme=recipe.scheme,
        protocol="recast",
        genre=recipe.phenomenon,
        recipe=recipe,
        sources=sources,
        seed=seed,
        names=names,
        licence=licence,
        tell=tell,
    )


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
