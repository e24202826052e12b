"""What researchers say before the first task: the text is hashed, never changed, and published with each snapshot."""

from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from accounts.pages.access import researcher_form
from collection.errors import NotPossible
from collection.models import Corpus, Preregistration, Prompt, WritingAssignment
from collection.writing.arms import arms_in, modes_of
from shared.transactions import hold_back, one_transaction
from validation.models import Assignment

LONGEST = 100_000
TO_SAY = (
    ("Question", "What do you want to know?"),
    (
        "Measures",
        "Which figures decide, such as the share upheld, or hypothesis-only accuracy with folds by writer?",
    ),
    ("Tests", "Which test, of which difference, at which level, corrected for how many?"),
    ("Stopping", "After how many texts do you stop, and how often do you look before?"),
    ("Left out", "Which texts and writers do you leave out, by which rule?"),
)


@one_transaction
def preregister(*, corpus: Corpus, text: str, by: User | None = None) -> Preregistration:
    """Stores the text with its hash. Raises NotPossible once somebody began a task, or where a text is there."""
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    hold_back(WritingAssignment, Assignment)
    text = text.replace("\r\n", "\n").strip()
    if not text or "\0" in text or len(text) > LONGEST:
        raise NotPossible(
            f"The text is empty, holds a NUL character, or is longer than {LONGEST:,} characters."
        )
    if open_ := ", ".join(heading for heading, question in TO_SAY if question in text):
        raise NotPossible(f"Put your answer in place of each question: {open_}.")
    if Preregistration.objects.filter(corpus=corpus).exists():
        raise NotPossible("A preregistration is there, and is not changed.")
    if begun := first_task(corpus):
        raise NotPossible(
            f"The first task was begun on {begun:%Y-%m-%d}: it is too late to say what comes before it."
        )
    digest = sha256(text.encode()).hexdigest()
    return Preregistration.objects.create(corpus=corpus, text=text, sha256=digest, registered_by=by)


def first_task(corpus: Corpus) -> datetime | None:
    """Returns when the first text or batch was claimed, other than by pilots; None if none was."""
    tasks = WritingAssignment.objects.filter(corpus=corpus, seat__is_pilot=False)
    texts = tasks.order_by("pk").values_list("created_at", flat=True)
    batches = (
        Assignment.objects.filter(question__corpus=corpus).order_by("pk").values_list("created_at", flat=True)
    )
    return min(filter(None, (texts.first(), batches.first())), default=None)


def draft_of(corpus: Corpus) -> str:
    """Returns a text to begin with: the arms as they are, and what is to be said."""
    arms = [arm for arm in arms_in(corpus) if arm.status != Prompt.Status.CLOSED]
    modes = modes_of(arms)
    said = [f"- {arm.slug}: {modes.get(arm.pk, '')}, share {arm.share}" for arm in arms]
    parts = [("Arms", "\n".join(said) or "There are no arms."), *TO_SAY]
    return "\n\n".join([f"# {corpus.name}", *(f"## {heading}\n\n{text}" for heading, text in parts)])


class PreregistrationForm(forms.Form):
    text = forms.CharField(
        max_length=LONGEST,
        label="What you say before the first task",
        widget=forms.Textarea(attrs={"rows": 30}),
    )


@researcher_form
def preregistration_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows the preregistration, or a form with a draft of it. A POST registers the text."""
    corpus = get_object_or_404(Corpus, slug=slug)
    form = PreregistrationForm(
        request.POST or None, initial={"text": partial(draft_of, corpus)}, label_suffix=""
    )
    if form.is_valid():
        try:
            preregister(corpus=corpus, text=form.cleaned_data["text"], by=cast(User, request.user))
        except NotPossible as refusal:
            form.add_error("text", str(refusal))
        else:
            messages.success(request, "Registered. Each snapshot from now on has the text and its hash.")
            return redirect("preregistration", slug=slug)
    context = {
        "corpus": corpus,
        "said": Preregistration.objects.filter(corpus=corpus).first(),
        "begun": first_task(corpus),
        "form": form,
    }
    return render(request, "workspace/preregistration.html", context, status=422 if form.errors else 200)
