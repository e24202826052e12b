"""What researchers say before the first task: the text is hashed, never changed, and published with each snapshot."""

from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from accounts.pages.access import researcher_form
from annotation_site.researchers.looks import LOOKS, comparisons_of
from collection.errors import NotPossible
from collection.models import Corpus, Preregistration, Prompt, WritingAssignment
from collection.writing.arms import arms_in, modes_of
from shared.figures import shown
from shared.sequential import LEVEL
from shared.transactions import hold_back, one_transaction
from validation.models import Assignment

LONGEST = 100_000
KINDS = {"obrien-fleming": "O’Brien and Fleming", "pocock": "Pocock"}
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


class NoPlan(NotPossible):
    """Looks cannot be planned like this. The text says why."""


@one_transaction
def preregister(
    *, corpus: Corpus, text: str, by: User | None = None, spending: str = "", planned_pairs: int | None = None
) -> Preregistration:
    """Stores the text with its hash. Raises NotPossible once somebody began a task, or where a text is there.

    spending: of SPENDING, how looks at the arms share the error rate; the text says so, with the pairs that are planned in
    each arm; raises NoPlan where it cannot. Empty: one look, at the end.
    """
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
    plan: dict[str, Any] = {}
    if spending:
        plan = {"spending": spending, "planned_pairs": planned_pairs, "comparisons": comparisons_of(corpus)}
        if not plan["comparisons"]:
            raise NoPlan("Looks compare arms, and the corpus has fewer than two open ones.")
        if not planned_pairs:
            raise NoPlan("Say how many pairs each arm is to have: each look spends by how many are there.")
        text = f"{text}\n\n## Looks\n\n{_said_of(**plan)}"
    digest = sha256(text.encode()).hexdigest()
    return Preregistration.objects.create(corpus=corpus, text=text, sha256=digest, registered_by=by, **plan)


def _said_of(spending: str, planned_pairs: int, comparisons: int) -> str:
    """Returns what the text says of the looks."""
    return (
        f"Arms are compared while pairs come in, each count by arm being a look, until each arm has {planned_pairs:,} pairs."
        f" Looks share an error rate of {LEVEL:.0%} by the spending function {KINDS[spending]} of Lan and DeMets (1983), by"
        f" the share of these pairs that is there, within Holm’s correction for {comparisons}"
        f" comparison{'' if comparisons == 1 else 's'} of each measure."
    )


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
    spending = forms.ChoiceField(
        choices=[
            ("", "Once, at the end"),
            *((name, f"Several times, error spent as by {kind}") for name, kind in KINDS.items()),
        ],
        required=False,
        label="When you look at the arms",
        help_text="O’Brien and Fleming keeps most of the error rate for the end. Pocock stops earlier, and finds less.",
    )
    planned_pairs = forms.IntegerField(
        min_value=1,
        max_value=10_000_000,
        required=False,
        label="Pairs of each arm at the end",
        help_text="Only where you look several times. Of arms of unequal size, the harmonic mean.",
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
            preregister(corpus=corpus, by=cast(User, request.user), **form.cleaned_data)
        except NotPossible as refusal:
            form.add_error("spending" if isinstance(refusal, NoPlan) else "text", str(refusal))
        else:
            messages.success(request, "Registered. Each snapshot from now on has the text and its hash.")
            return redirect("preregistration", slug=slug)
    context = {
        "corpus": corpus,
        "charts": list(shown((LOOKS,), corpus)),
        "said": Preregistration.objects.filter(corpus=corpus).first(),
        "begun": first_task(corpus),
        "form": form,
    }
    return render(request, "workspace/preregistration.html", context, status=422 if form.errors else 200)
