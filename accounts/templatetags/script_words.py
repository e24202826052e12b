"""The words of the workers' scripts (static/js), for `inWords` there, in the reader's language."""

from django import template
from django.utils.html import json_script
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext, gettext_noop

register = template.Library()

WORDS = (
    gettext_noop("Copied"),
    gettext_noop("Marked: now press Ctrl C, or hold it and choose Copy"),
    gettext_noop(
        "The server could not be reached. What you typed is still here. Please try again in a moment."
    ),
    gettext_noop(
        "You are signed out. Sign in, then come back to this tab and send again. Your work is still here."
    ),
    gettext_noop("Sign in in a new tab"),
    gettext_noop(
        "This belongs to another account, or is not there any more. Are you signed in as somebody else?"
    ),
    gettext_noop("Go to the start page in a new tab"),
    gettext_noop(
        "The server could not do this ({status}). What you typed is still here. Please try again in a moment."
    ),
    gettext_noop("Right. One moment …"),
    gettext_noop("Right. Question {number}:"),
    gettext_noop("Checking …"),
    gettext_noop("Not right yet. {why} Please choose again."),
    gettext_noop(
        "The answer could not be checked. Please choose it again in a moment, or sign in again in another tab."
    ),
    gettext_noop("Your answer"),
    gettext_noop("Your answers"),
    gettext_noop("Send"),
    gettext_noop("Send now ({seconds})"),
    gettext_noop("Your answers will be sent in {seconds} seconds"),
    gettext_noop("Sending your answers …"),
    gettext_noop("Sending …"),
    gettext_noop("Your connection is slow. Nothing is lost: your answers are stored on this device."),
    gettext_noop("skipped"),
    gettext_noop("no answer yet"),
    gettext_noop("Change"),
    gettext_noop("Two answers have the same key. Nothing was changed."),
    gettext_noop("S skips a pair and ? opens the instructions. Choose another key."),
    gettext_noop("Change the answer for pair {number}"),
    gettext_noop("Your answer for pair {number}"),
    gettext_noop("Back"),
    gettext_noop("Your answers are not sent yet"),
    gettext_noop(
        "You are signed out, or you withdrew your consent. Sign in or agree again in a new tab, then press Send here."
    ),
    gettext_noop("This task was given to another account. Are you signed in as somebody else?"),
    gettext_noop("You sent this text before, and that version counts."),
    gettext_noop("Next text"),
    gettext_noop("This browser cannot save drafts. Please send before you close the page."),
    gettext_noop("Draft saved on this device {time}"),
    gettext_noop("This is your saved draft."),
    gettext_noop("Draft saved on this device and on the server {time}"),
    gettext_noop("All fields are empty there."),
    gettext_noop("About {minutes} minutes left for this text."),
    gettext_noop("Less than a minute left for this text."),
    gettext_noop("The time for this text is over."),
    gettext_noop("If somebody else gets this text meanwhile, yours is still saved and paid."),
    gettext_noop("Report and skip"),
    gettext_noop("Skip this text"),
    gettext_noop("Saving …"),
    gettext_noop(
        "The server could not be reached. Your text is still here. Please send it again in a moment."
    ),
    gettext_noop("The server could not save it ({status}). Please send it again in a moment."),
    gettext_noop("Your text is still here."),
    gettext_noop("Send draft"),
    gettext_noop("Delete draft"),
    gettext_noop("Saved on this device {time}"),
)


@register.simple_tag
def script_words() -> SafeString:
    """Returns the words as a JSON element; nothing in English."""
    if get_language() in (None, "en"):
        return mark_safe("")
    return json_script({text: gettext(text) for text in WORDS}, "words")
