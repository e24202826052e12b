"""The questions that the overview of a corpus answers by a link each, to the page that begins with the answer."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode

from collection.models import Corpus
from snapshots.models import Snapshot
from validation.models import Question
from validation.questions.addresses import address_in


@dataclass(frozen=True)
class Asked:
    question: str
    link: str


def questions_of(
    corpus: Corpus, main: Question | None, newest: Snapshot | None, *, has_prompt: bool
) -> list[Asked]:
    """Returns the questions whose parts the corpus has. main: its main question. newest: its newest frozen snapshot."""
    return [Asked(question, link) for question, link in _asked(corpus, main, newest, has_prompt)]


def _asked(
    corpus: Corpus, main: Question | None, newest: Snapshot | None, has_prompt: bool
) -> Iterator[tuple[str, str]]:
    of_corpus = f"?{urlencode({'corpus': corpus.slug})}"
    if main:
        yield "Which genre lags?", address_in("finished", main)
        yield "Who guesses?", address_in("annotators", main)
    yield "What does it cost until it is done?", f"{reverse('corpus-overview', args=[corpus.slug])}#money"
    if main:
        yield "Which prompt gives labels away?", address_in("bias", main, by="version")
        yield "Why did agreement fall this week?", address_in("agreement-why", main)
    if has_prompt:
        yield (
            "What did the newest version of a prompt change?",
            reverse("compare-prompts", args=[corpus.slug]),
        )
    if main:
        yield "Which pairs for the paper?", address_in("paper-pairs", main)
    if newest:
        yield (
            "Does the hypothesis alone tell the label?",
            f"{reverse('corpus-overview', args=[corpus.slug])}#newest",
        )
        yield "Which run is best, and why?", f"{reverse('runs')}{of_corpus}"
        yield "What changed since the last snapshot?", reverse("snapshot-changes", args=[newest.pk])
    yield "Whom do we owe what?", reverse("pay", args=[corpus.slug])
    if newest:
        yield "Is it ready to be released?", reverse("snapshot", args=[newest.pk])
