"""Strict models of files that people and programs write, and their errors as sentences.

A file with errors is checked twice: strictly, for the errors of each key; then leniently, with blanks in place of
invalid keys, so that rules about several keys are checked as well and all errors come at once.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError, core_schema

Place = tuple[str | int, ...]  # the path to a value: keys, and positions in lists
LENIENT = {"lenient": True}
BLANKS: Mapping[type, Any] = {str: "", int: 0, float: 0.0, bool: False}
KINDS = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "path_type": "a path",
}
NAMES = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
}


@dataclass(frozen=True)
class SchemaError:
    """An error at a place of a file, without a full stop: "is missing; add it"."""

    place: Place
    what: str


class SchemaErrors(Exception):
    """A value does not fit its schema; `errors` are all its errors."""

    def __init__(self, errors: Sequence[SchemaError]) -> None:
        super().__init__("; ".join(f"{dotted(wrong.place)}: {wrong.what}" for wrong in errors))
        self.errors = list(errors)

    def sentences(self, what: str) -> str:
        """Returns all errors as sentences that begin with `what`."""
        return " ".join(
            f"{what}: {': '.join(filter(None, (dotted(wrong.place), wrong.what)))}." for wrong in self.errors
        )


@dataclass(frozen=True)
class OneOf:
    """In an annotation: the text must be one of these. An empty text among them is accepted and not listed."""

    choices: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def check(self, text: str) -> str:
        if text not in self.choices:
            listed = ", ".join(filter(None, self.choices))
            refuse(f'"{text}" is none of {listed}')
        return text


class Part(BaseModel):
    """A table of a file, or an object in one. Strict: refuses other types and unknown keys."""

    # Its validator is built when the first file is read: every process imports the schemas, and few read a file.
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    container: ClassVar[str] = "a table"  # what a value with keys is called

    @model_validator(mode="wrap")
    @classmethod
    def _with_blanks(cls, value: Any, handler: Any, info: ValidationInfo) -> Self:
        if info.context is LENIENT and not isinstance(value, cls):
            given = value if isinstance(value, dict) else {}
            needed = {name for name, field in cls.model_fields.items() if field.is_required()}
            value = {name: given.get(name) for name in cls.model_fields if name in given or name in needed}
        made: Self = handler(value)
        return made

    @field_validator("*", mode="wrap")
    @classmethod
    def _or_blank(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        try:
            return handler(value)
        except ValidationError:
            if info.context is not LENIENT or info.field_name is None:
                raise
            return _blank(cls.model_fields[info.field_name])


def _blank(field: FieldInfo) -> Any:
    """Returns the replacement of an invalid value: its default, else an empty value of its type."""
    if not field.is_required():
        return field.get_default(call_default_factory=True)
    part = part_in(field.annotation)
    if part is not None and not is_list(field):
        return part.model_validate({}, context=LENIENT)
    kind: Any = field.annotation
    return () if is_list(field) else BLANKS.get(kind)


def refuse(what: str) -> None:
    """For validators: raises this error for the value."""
    raise PydanticCustomError("wrong", "{what}", {"what": what})


Model = TypeVar("Model", bound=Part)


def part_of(kind: type[Model], value: object) -> Model:
    """For validators of a key whose schema depends on another key: return its value as this model."""
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise ValidationError.from_exception_data(
            kind.__name__,
            [
                {
                    "type": PydanticCustomError("wrong", "{what}", {"what": wrong.what}),
                    "loc": wrong.place,
                    "input": value,
                }
                for wrong in errors_of(error, kind)
            ],
        ) from None


def checked(
    model: type[Model], value: object, beyond: Callable[[Model], Iterable[SchemaError]] = lambda made: ()
) -> Model:
    """Returns the value as a model. Raises SchemaErrors with all errors.

    beyond: takes the model and returns the errors that concern several keys together.
    """
    errors: list[SchemaError] = []
    try:
        made = model.model_validate(value)
    except ValidationError as error:
        errors = errors_of(error, model)
        try:
            made = model.model_validate(value, context=LENIENT)
        except ValidationError:  # the whole value is refused, which is reported already
            raise SchemaErrors(errors) from None
    errors += beyond(made)
    if errors:
        raise SchemaErrors(errors)
    return made


def errors_of(error: ValidationError, model: type[Part]) -> list[SchemaError]:
    """Returns every error of a failed check in plain words."""
    return [SchemaError(each["loc"], _what(each, model)) for each in error.errors()]


def _what(error: Any, model: type[Part]) -> str:
    kind, value, place = error["type"], error["input"], error["loc"]
    if kind == "wrong":
        return str(error["msg"])
    if kind == "missing":
        return "is missing; add it"
    if kind == "extra_forbidden":
        keys = keys_at(model, place[:-1])
        guess = meant(str(place[-1]), keys, "did you mean {}? ")
        return f"unknown key; {guess}{'T' if guess else 't'}he keys here are: {', '.join(keys) or 'none'}"
    if kind == "string_too_short":
        return "is empty; write something there"
    if kind == "string_too_long":
        return f"is {len(value):,} characters long; at most {error['ctx']['max_length']:,} are possible"
    if kind == "finite_number":
        return f"is {value}; it must be a finite number"
    keyed = f"{model.container} with {', '.join(keys_at(model, place))}"
    kinds = {**KINDS, "dict_type": model.container, "model_type": keyed}
    if kind in kinds:
        names = {**NAMES, dict: model.container}
        given = names.get(type(value), "nothing" if value is None else "a date or time")
        shown = f' ("{value}")' if isinstance(value, str) and len(value) < 40 else ""
        return f"must be {kinds[kind]}, not {given}{shown}"
    field = field_at(model, place)
    # The field has all of its limits, the error only the one that was exceeded.
    limits = (limits_of(field) if field else "") or limits_in(error.get("ctx", {}))
    return f"is {value}; it must be {limits}" if limits else str(error["msg"])


def meant(text: str, known: Iterable[str], sentence: str) -> str:
    """Returns `sentence` with the known word that is most similar to `text`; "" if none is similar."""
    close = difflib.get_close_matches(text, [word for word in known if word], n=1)
    return sentence.format(f'"{close[0]}"') if close else ""


def limit_of(field: FieldInfo, name: str) -> Any:
    """Returns one of a number's limits ("ge", "gt", "le", "lt"), or None."""
    return next((limit for one in field.metadata if (limit := getattr(one, name, None)) is not None), None)


def limits_of(field: FieldInfo) -> str:
    """Returns a number's limits in words, such as "from 1 to 100" or "at least 1"; "" without any."""
    return limits_in({name: limit_of(field, name) for name in ("ge", "gt", "le", "lt")})


def limits_in(limits: Mapping[str, Any]) -> str:
    """Returns limits, given by their names, in words."""
    found = {
        name: f"{limit:,}" if isinstance(limit, int) and limit > 99_999 else f"{limit:.15g}"
        for name in ("ge", "gt", "le", "lt")
        if (limit := limits.get(name)) is not None
    }
    if set(found) == {"ge", "le"}:
        return f"from {found['ge']} to {found['le']}"
    words = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    return " and ".join(f"{words[name]} {limit}" for name, limit in found.items())


def choices_of(field: FieldInfo) -> tuple[str, ...]:
    """Returns the values that a text may have; none if it may be any."""
    return next((one.choices for one in field.metadata if isinstance(one, OneOf)), ())


def default_of(model: type[BaseModel], key: str) -> Any:
    """Returns the default of a key; other code gets it here."""
    return model.model_fields[key].default


def dotted(place: Place) -> str:
    """Returns a place as people write it: `mixed[0].share`."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def part_in(annotation: Any) -> type[BaseModel] | None:
    """Returns the model in an annotation such as `Model | None` or `tuple[Model, ...]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((part for each in get_args(annotation) if (part := part_in(each))), None)


def is_list(field: FieldInfo) -> bool:
    """Returns whether the key contains a list."""
    return getattr(field.annotation, "__origin__", None) is tuple


def steps(model: type[BaseModel], place: Place) -> Iterator[FieldInfo | None]:
    """Returns the field of each step of a place; None for positions in lists and for unknown keys."""
    part: type[BaseModel] | None = model
    for step in place:
        if isinstance(step, int):
            yield None
            continue
        field = part.model_fields.get(step) if part else None
        part = part_in(field.annotation) if field else None
        yield field


def field_at(model: type[BaseModel], place: Place) -> FieldInfo | None:
    """Returns the field at a place; None for positions in lists and for unknown keys."""
    return list(steps(model, place))[-1] if place else None


def keys_at(model: type[BaseModel], place: Place) -> list[str]:
    """Returns the keys of the table at a place."""
    last = [field for field in steps(model, place) if field is not None]
    part = part_in(last[-1].annotation) if last else model
    return list(part.model_fields) if part else []
