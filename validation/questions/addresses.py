"""Addresses of pages about a question, and what such a page reads from its request."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import urlencode

from validation.models import Question


def asked_question(request: HttpRequest, slug: str) -> Question:
    """The corpus's main question, or the one that the address names: `?question=SLUG`."""
    questions = Question.objects.select_related("corpus").prefetch_related(
        "label_wordings", "corpus__questions"
    )
    name = request.GET.get("question", "")
    which: dict[str, Any] = {"slug": name} if name else {"is_main": True}
    return get_object_or_404(questions, corpus__slug=slug, **which)


def address_in(name: str, question: Question, *more: str, **query: str | int) -> str:
    """A researcher's page about this question: the main one is known by its corpus alone."""
    asked = query if question.is_main else {"question": question.slug, **query}
    address = reverse(name, args=[question.corpus.slug, *more])
    return f"{address}?{urlencode(asked)}" if asked else address


def address_of(name: str, question: Question) -> str:
    """A page of the question: the main one is known by its corpus alone."""
    more = [] if question.is_main else [question.slug]
    return reverse(name, args=[question.corpus.slug, *more])


def text_in(request: HttpRequest, name: str) -> str:
    """A posted field; PostgreSQL takes no NUL character."""
    return request.POST.get(name, "").replace("\0", "")


def number_in(request: HttpRequest, name: str, usual: int, most: int) -> int:
    """A whole number of the form or the address, from 0 to `most`; anything else is the usual one."""
    text = request.POST.get(name) or request.GET.get(name, "")
    return min(int(text), most) if text.isdecimal() and len(text) < 12 else usual
