"""`{% question_page 'pairs' question votes="split" %}` writes the address of a researcher's page about a question."""

from django import template

from validation.models import Question
from validation.questions.addresses import address_in

register = template.Library()


@register.simple_tag
def question_page(name: str, question: Question, *more: str, **query: str) -> str:
    return address_in(name, question, *more, **query)
