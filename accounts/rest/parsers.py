"""Reads JSON requests and refuses what a database cannot store."""

import json
import re
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

# No text of PostgreSQL holds NUL, and half a surrogate pair cannot even be written into an error message.
NOT_STORABLE = re.compile("[\0\ud800-\udfff]")
DEPTH = 50


class StorableJSONParser(JSONParser):
    """Reads JSON in UTF-8. Refuses deep nesting, NUL characters and half surrogate pairs."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """Raises ParseError (400)."""
        try:
            found = super().parse(stream, media_type, parser_context)
            _check(found, DEPTH)
        except RecursionError:
            raise ParseError(f"This JSON is nested too deeply: send at most {DEPTH} levels.") from None
        return found


def _check(found: Any, depth: int) -> None:
    """Raises ParseError for a key or a text that cannot be stored."""
    if isinstance(found, str):
        if NOT_STORABLE.search(found):
            quoted = json.dumps(found[:40])
            raise ParseError(
                f"{quoted} contains a character that cannot be stored (NUL, or half a surrogate pair): remove it."
            )
    elif isinstance(found, float):
        if found in (float("inf"), float("-inf")):
            raise ParseError("A number is too large to be stored: send a smaller one.")
    elif isinstance(found, dict | list):
        if not depth:
            raise ParseError(f"This JSON is nested too deeply: send at most {DEPTH} levels.")
        for each in found if isinstance(found, list) else (*found, *found.values()):
            _check(each, depth - 1)
