"""`{{ question.instructions|said_by:corpus }}`: a text of the corpus in the reader's language, where its file has it."""

from django import template

from collection.models import Corpus

register = template.Library()


@register.filter
def said_by(text: str, corpus: Corpus) -> str:
    return corpus.say(text)


@register.filter
def first_and_rest(text: str) -> tuple[str, str]:
    """Returns the first paragraph, and those after it."""
    first, _, rest = text.strip().partition("\n\n")
    return first, rest
