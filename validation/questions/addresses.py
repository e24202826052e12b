"""Addresses of the pages about a question, and what these pages read from a request."""

from typing import Any, TypeVar

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import urlencode

from accounts.pages.error_pages import UnknownFilter
from schemas.base import SchemaErrors, checked
from shared.figures import Parameters
from validation.models import Question


def asked_question(request: HttpRequest, slug: str) -> Question:
    """Returns the question that the address names by `?question=SLUG`, else the corpus's main question."""
    questions = Question.objects.select_related("corpus").prefetch_related(
        "label_wordings", "corpus__questions"
    )
    name = request.GET.get("question", "")
    which: dict[str, Any] = {"slug": name} if name else {"is_main": True}
    return get_object_or_404(questions, corpus__slug=slug, **which)


def address_in(name: str, question: Question, *more: str, **query: str | int) -> str:
    """Returns the address of a researcher's page about this question. Only other questions than the main one are named."""
    asked = query if question.is_main else {"question": question.slug, **query}
    address = reverse(name, args=[question.corpus.slug, *more])
    return f"{address}?{urlencode(asked)}" if asked else address


def also(question: Question | None) -> str:
    """Returns the beginning of a query that names the question; empty for the main question."""
    return "" if question is None or question.is_main else f"question={question.slug}&"


def address_of(name: str, question: Question) -> str:
    """Returns the address of an annotator's page about this question. It names the question unless it is the main one."""
    more = [] if question.is_main else [question.slug]
    return reverse(name, args=[question.corpus.slug, *more])


def refuse_others(request: HttpRequest, *known: str) -> None:
    """Raises UnknownFilter where the address has a filter that the page would ignore."""
    unknown = sorted(request.GET.keys() - set(known))
    if unknown:
        raise UnknownFilter(f"This page has no filter “{unknown[0]}”. It knows: {', '.join(known)}.")


Asked = TypeVar("Asked", bound=Parameters)


def asked_parameters(request: HttpRequest, kind: type[Asked]) -> Asked:
    """Reads the parameters of a figure from the address. Raises UnknownFilter where a value is not known."""
    given = {name: request.GET[name] for name in kind.model_fields if name in request.GET}
    try:
        return checked(kind, given)
    except SchemaErrors as wrong:
        raise UnknownFilter(wrong.sentences("The address")) from None


def text_in(request: HttpRequest, name: str) -> str:
    """Reads a posted field, without NUL characters: PostgreSQL does not store them."""
    return request.POST.get(name, "").replace("\0", "")


def number_in(request: HttpRequest, name: str, usual: int, most: int) -> int:
    """Reads an integer from the form or the address, at most `most`; returns `usual` for anything else."""
    text = request.POST.get(name) or request.GET.get(name, "")
    return min(int(text), most) if text.isdecimal() and len(text) < 12 else usual


def back_from(request: HttpRequest, question: Question, name: str) -> str:
    """Returns the address of the pair from whose page a form was sent (`from_pair`), else that of the page `name`."""
    pair = text_in(request, "from_pair")
    return address_in("pair", question, pair) if pair else address_in(name, question)
