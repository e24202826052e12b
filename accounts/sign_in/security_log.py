"""Logs what an operator needs after an incident: sign-ins, tokens, downloads, changes by researchers.

One line for each event, at level INFO of the logger `quintet.security`. Lines contain codes and addresses, never names,
passwords, tokens or a platform's ids.
"""

import logging

logger = logging.getLogger("quintet.security")


def note(event: str, **facts: object) -> None:
    """Logs one event, with `name=value` for each fact."""
    logger.info("%s %s", event, " ".join(f"{name}={value}" for name, value in facts.items()))
