"""The arms of a corpus's prompts: how their tasks stand beside their shares, and a page that opens and closes them."""

from collections.abc import Sequence
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone

from accounts.pages.access import researcher_form
from annotation_site.workspace.models_in_the_loop import LOOP, why_silent
from collection.errors import NotPossible
from collection.models import Corpus, Prompt, PromptChange
from collection.writing.arms import ArmCounts, arms_in, arms_of
from collection.writing.prompts import set_prompt_status
from shared.figures import Figure, shown
from shared.tables import Column, Row, Table
from validation.statistics.scope import CORPUS

CHANGES_SHOWN = 20


def _rows(arms: Sequence[ArmCounts]) -> list[Row]:
    shares: dict[int, int] = {}
    for each in arms:
        if each.arm.status != Prompt.Status.CLOSED:
            shares[each.arm.root.pk] = shares.get(each.arm.root.pk, 0) + each.arm.share
    return [
        {
            "arm": each.arm.slug,
            "mode": each.mode,
            "state": each.arm.status,
            "wanted": None
            if each.arm.status == Prompt.Status.CLOSED
            else each.arm.share / shares[each.arm.root.pk],
            "recent": each.recent,
            "sent": each.sent,
            "in_hand": each.in_hand,
            "skipped": each.skipped,
            "left": each.left,
            "belong": each.belong,
            "prompt": each.arm.root.name,
            "hrefs": {"arm": reverse("pilot", args=[each.arm.corpus.slug, each.arm.slug])},
        }
        for each in arms
    ]


def _found(table: Table) -> str:
    """Says how far open arms are apart, in tasks for a share, where a prompt has two or more."""
    apart = 0.0
    for prompt in {row["prompt"] for row in table.rows}:
        of = [
            row["recent"] / row["wanted"] for row in table.rows if row["prompt"] == prompt and row["wanted"]
        ]
        open_ = sum(1 for row in table.rows if row["prompt"] == prompt and row["wanted"])
        if open_ > 1:
            apart = max(apart, (max(of) - min(of)) / open_)
    if not table.rows:
        return ""
    number = round(apart, 1)
    return f"Open arms of a prompt are at most {number:g} task{'' if number == 1 else 's'} apart, weighed by their shares"


ARMS = Figure(
    "arms",
    "Tasks of each arm",
    CORPUS,
    _rows,
    (
        Column("arm"),
        Column("mode", "way of writing"),
        Column("state"),
        Column("wanted", "wanted share", "share", "Of the tasks of the prompt's open arms."),
        Column(
            "recent",
            "counted tasks",
            "count",
            "Sent or in hand, since arms were last added, opened, closed or weighted anew. The arm with the fewest for its"
            " share is drawn.",
        ),
        Column("sent", "tasks sent", "count", "Without those of pilots."),
        Column("in_hand", "in hand", "count", "Begun in the last two hours, and the text is still theirs."),
        Column("skipped", "skipped or reported", "count"),
        Column(
            "left", "given up", "count", "Begun, and neither sent nor skipped before their time was over."
        ),
        Column("belong", "writers or premises", "count", "That were drawn into the arm."),
        Column("prompt", definition="Whose arm it is."),
    ),
    finding=_found,
    only_with_rows=True,
    gather=lambda corpus: arms_of(corpus, timezone.now()),
)


@researcher_form
def arms_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows the arms of the corpus's prompts, with their history. A POST opens or closes one."""
    corpus = get_object_or_404(Corpus, slug=slug)
    if request.method == "POST":
        arm = next((each for each in arms_in(corpus) if each.slug == request.POST.get("arm")), None)
        try:
            if arm is None:
                raise NotPossible("This corpus has no such arm.")
            set_prompt_status(prompt=arm, status=request.POST.get("status", ""))
        except NotPossible as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, f"The arm {arm.slug} is {arm.status}.")
        return redirect("arms", slug=slug)
    counts = arms_of(corpus, timezone.now())
    arms = [each.arm for each in counts]
    changes = PromptChange.objects.filter(prompt__in=arms).select_related("prompt").order_by("-pk")
    context: dict[str, Any] = {
        "corpus": corpus,
        "each": next(shown([ARMS], corpus, counts), None),
        "loop": next(shown([LOOP], corpus), None),
        "silent": why_silent(corpus),
        "arms": arms,
        "prompts": corpus.prompts.filter(arm_of=None).order_by("pk"),
        "changes": cast(Any, changes[:CHANGES_SHOWN]),
    }
    return render(request, "workspace/arms.html", context)
