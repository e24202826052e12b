"""Sends mails outside the request, so that the time of a response does not reveal whether a mail was sent."""

import logging
import threading

from django.core.mail import EmailMessage

logger = logging.getLogger(__name__)


def send_soon(subject: str, text: str, to: str) -> None:
    """Sends one mail from a thread. A failure is logged, without the address."""
    message = EmailMessage(subject, text, to=[to])
    threading.Thread(target=_send, args=[message], name="mail", daemon=True).start()


def _send(message: EmailMessage) -> None:
    try:
        message.send()
    except Exception as error:  # whatever the mail server does
        logger.error(
            "A mail could not be sent (%s). Look at EMAIL_URL; docs/how-to/production.md describes it.",
            type(error).__name__,
        )
