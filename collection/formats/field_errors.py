"""Errors about the fields of an order. They carry the fields, and each surface names these in its own way."""

from collections.abc import Callable
from string import Formatter
from typing import Any


class FieldError(ValueError):
    """A field of an order is wrong.

    text: names fields by their keys in braces, such as {seats}; {0}, {1} stand for the values. As a text, the error names
    fields as the commands do.
    """

    def __init__(self, text: str, *values: Any) -> None:
        self.text, self.values = text, values
        super().__init__(self.said(option))

    def said(self, name: Callable[[str], str]) -> str:
        """Returns the error as a sentence. `name` turns a field into the name of its option or form field."""
        keys = {key for _, key, _, _ in Formatter().parse(self.text) if key and not key.isdecimal()}
        return self.text.format(*self.values, **{key: name(key) for key in keys})


def option(field: str) -> str:
    """Returns what a command calls a field: `label_map` --label-map."""
    return f"--{field.replace('_', '-')}"
