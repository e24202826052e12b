"""Marks texts that pages translate later, also in modules that run without Django. `scripts/messages.py` collects them."""


def gettext_noop(text: str) -> str:
    return text


def ngettext_noop(one: str, many: str) -> tuple[str, str]:
    """Marks a text with a number, `%(count)s`, in its two English forms."""
    return one, many
