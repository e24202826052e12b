"""Check a value read from JSON against the shape that a TypedDict declares. Standard library only.

A class declares each key once, with its type, and `Key` beside the type says what it means. mypy reads the class, and so do
the functions here at run time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)


@dataclass(frozen=True)
class Key:
    """What a key means, in a line of the reference.

    since: the version of the file's format from which on every file has the key. Of a NotRequired key without it, files of
    any version may do without.
    """

    meaning: str
    since: int | None = None


@dataclass(frozen=True)
class Field:
    """A key of a TypedDict. since: as in Key, 1 for a key that is required."""

    name: str
    kind: Any
    since: int | None
    meaning: str


@cache
def fields_of(shape: Any) -> tuple[Field, ...]:
    """Returns the keys of a TypedDict, in its order."""
    kinds, hints = get_type_hints(shape), get_type_hints(shape, include_extras=True)
    fields = []
    for name, kind in kinds.items():
        key = _key(hints[name])
        since = 1 if name in shape.__required_keys__ else key.since
        fields.append(Field(name, kind, since, key.meaning))
    return tuple(fields)


def _key(hint: Any) -> Key:
    if get_origin(hint) is NotRequired:
        (hint,) = get_args(hint)
    beside = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((each for each in beside if isinstance(each, Key)), Key(""))


def words_for(kind: Any) -> str:
    """Returns a type as an error and the reference name it: "a text or null"."""
    inner = get_args(kind)
    if _is_union(kind):
        return " or ".join(words_for(each) for each in sorted(inner, key=lambda each: each is NoneType))
    if get_origin(kind) is list:
        return f"a list of {words_for(inner[0]).removeprefix('a ').removeprefix('an ')}s"
    if is_typeddict(kind) or get_origin(kind) is dict:
        return "an object"
    return {str: "a text", int: "a number", float: "a number", bool: "true or false", NoneType: "null"}[kind]


def object_errors(
    value: Mapping[str, Any], shape: Any, version: int, under: str = ""
) -> Iterator[tuple[str, str]]:
    """Yields the errors in a JSON object that a TypedDict describes: (key, text), where the text names the place, as 'a.b'.

    Keys of a later version of the format than `version` may be absent. under: the place of the object itself.
    """
    fields = fields_of(shape)
    for field in fields:
        place = under + field.name
        if field.name in value:
            for text in _value_errors(value[field.name], field.kind, version, place):
                yield field.name, text
        elif field.since is not None and field.since <= version:
            yield field.name, f"{place!r} is missing"
    for key in sorted(value.keys() - {field.name for field in fields}):
        yield key, f"{under + key!r} is a key that no snapshot has"


def _value_errors(value: Any, kind: Any, version: int, place: str) -> Iterator[str]:
    """Yields where a value is not of its type: a TypedDict, dict, list, text, number, bool, one of these or None; or Any."""
    wanted, inner = kind, get_args(kind)
    if kind is Any or (value is None and NoneType in inner):
        return
    if _is_union(kind):
        kind = next(each for each in inner if each is not NoneType)
        inner = get_args(kind)
    plain = dict if is_typeddict(kind) else get_origin(kind) or kind
    may_be: Any = int | float if plain is float else plain  # JSON writes 1.0 as 1, too
    if not isinstance(value, may_be) or (plain in (int, float) and isinstance(value, bool)):
        yield f"{place!r} is not {words_for(wanted)}"
    elif is_typeddict(kind):
        yield from (text for _, text in object_errors(value, kind, version, f"{place}."))
    elif inner:
        for key, each in value.items() if plain is dict else enumerate(value):
            yield from _value_errors(each, inner[-1], version, f"{place}.{key}")


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType)
