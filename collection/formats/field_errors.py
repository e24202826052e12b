"""The error about a field of an order, which a page and a command name in their own words."""


class FieldError(ValueError):
    """A field of an order is wrong. The text says what to do; `field`: the key of the field, "" where it is none alone."""

    def __init__(self, text: str, field: str = "") -> None:
        super().__init__(text)
        self.field = field


def option(field: str) -> str:
    """Returns what a command calls a field: `label_map` --label-map."""
    return f"--{field.replace('_', '-')}"


def said_by_command(problem: Exception) -> str:
    """Returns an error as a command prints it."""
    field = getattr(problem, "field", "")
    return f"{option(field)}: {problem}" if field else str(problem)
