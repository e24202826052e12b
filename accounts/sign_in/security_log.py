"""Writes down what an operator needs after an incident: sign-ins, tokens, downloads, changes by researchers.

A line an event, at level INFO of the logger `quintet.security`, on standard error with the rest. Codes and addresses stand
in it, never names, passwords, tokens or a platform's ids.
"""

import logging

logger = logging.getLogger("quintet.security")


def note(event: str, **facts: object) -> None:
    """Writes one line: what happened, then `name=value` for each fact."""
    logger.info("%s %s", event, " ".join(f"{name}={value}" for name, value in facts.items()))
