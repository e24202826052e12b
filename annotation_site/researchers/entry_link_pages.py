"""Pages: the entry links of a corpus with their funnels, and one link with all that the platform needs."""

from copy import copy
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import User
from accounts.pages.access import researcher_form
from annotation_site.researchers.funnel import REACHED, STEPS, funnels, visits_at
from collection.joining import entry_links
from collection.joining.estimates import Estimate, estimate, tasks_of
from collection.joining.returning import make_return_link
from collection.models import Corpus, EntryLink, Visit
from shared.csv_files import csv_file
from shared.figures import of_page
from shared.sorted_lists import list_as_csv, sorted_list, sorted_page, stored_as_csv
from shared.tables import Column

HEADINGS = {
    "opened": "Opened",
    "began": "Began",
    "read": "Read",
    "sent": "Sent a task",
    "finished": "Finished",
    "returned": "Went back",
}


def _step(key: str) -> Column:
    return Column(key, HEADINGS[key], "number", value=lambda row: row[1][key])


# Of rows (link, numbers of its steps).
COLUMNS = [
    Column("link", "Link", value=lambda row: row[0].name),
    Column("platform", "Platform", value=lambda row: row[0].platform),
    *(_step(key) for key, _, _ in STEPS),
    Column("closed_at", value=lambda row: row[0].closed_at, on_page=False),
]


VISITS_A_PAGE = 50
OF_VISITS = [
    Column("code", "Code", value=lambda visit: visit.user.code, field="user__code"),
    Column("visit", "Visit", "number", value=lambda visit: visit.pk, field="pk"),
    Column("began", "Began", value=lambda visit: visit.arrived_at, largest_first=True, field="arrived_at"),
    Column(
        "finished", "Finished", value=lambda visit: visit.finished_at, largest_first=True, field="finished_at"
    ),
    Column(
        "returned",
        "Went back",
        value=lambda visit: visit.returned_at,
        largest_first=True,
        field="returned_at",
    ),
    Column("texts", "Texts", "number", value=lambda visit: visit.texts, field="texts"),
    Column("answers", "Answers", "number", value=lambda visit: visit.answers, field="answers"),
    Column("skipped", "Skipped", "number", value=lambda visit: visit.skipped, field="skipped"),
    Column(
        "ended_as", "End of the visit", value=lambda visit: visit.get_ended_as_display(), field="ended_as"
    ),
]


class LinkForm(forms.ModelForm):
    """What people come for, how long it takes, and what they get at the end."""

    class Meta:
        model = EntryLink
        fields = [
            *("name", "work", "tasks_wanted", "minutes", "minutes_allowed", "completion_code"),
            *("completion_url", "screened_out_code", "timed_out_code", "no_work_code"),
        ]
        labels = {
            "name": "Name of this link, for yourself",
            "work": "What people do",
            "tasks_wanted": "Tasks in one visit",
            "minutes": "Minutes that a visit takes",
            "minutes_allowed": "Minutes allowed",
            "completion_code": "Completion code",
            "completion_url": "Address to return to",
        }
        help_texts = {
            "tasks_wanted": "A task is one text to write for, or one batch of labels; skipped pairs do not count.",
            "completion_code": "Prolific: the code of the study; the way back is made from it.",
            "completion_url": "Connect: the redirect address that its wizard shows.",
        }

    def __init__(self, *args: Any, corpus: Corpus, **more: Any) -> None:
        super().__init__(*args, **more)
        names = {work: f"{label.capitalize()}" for work, label in EntryLink.Work.choices}
        self.tasks = tasks_of(corpus.pk)
        self.fields["work"] = forms.ChoiceField(
            label="What people do",
            choices=[(work, names[work]) for work in self.tasks] or [("", names[""])],
            help_text="; ".join(
                f"{names[work]}: {task.cents} cents and about {task.seconds} seconds for a task"
                + (f", {task.reading_cents} cents once for reading" if task.reading_cents else "")
                for work, task in self.tasks.items()
            ),
        )
        self.instance.corpus = corpus

    def clean(self) -> dict[str, Any]:
        given = super().clean() or self.cleaned_data
        if not given.get("completion_code") and not given.get("completion_url"):
            self.add_error(
                "completion_code", "People need a code or an address at the end. Copy one from the platform."
            )
        return given


def _visit_as_typed(request: HttpRequest, link: EntryLink, form: LinkForm) -> Estimate | None:
    """Returns the estimate of a visit with what somebody has typed so far (`work`, `tasks_wanted`, `minutes`).

    The pages of links ask for it with each change of these fields; it stores nothing.
    """
    sent = request.POST or request.GET

    def number(name: str, otherwise: int) -> int:
        typed = sent.get(name, "").strip()
        known = typed.isascii() and typed.isdecimal() and len(typed) < 5
        return int(typed) if known and int(typed) else otherwise

    if "tasks_wanted" in sent:
        link.work = sent.get("work", "")
        link.tasks_wanted, link.minutes = number("tasks_wanted", 1), number("minutes", 0)
    return estimate(link, form.tasks)


class NewLinkForm(LinkForm):
    platform = forms.ChoiceField(
        choices=[(key, platform.name) for key, platform in entry_links.PLATFORMS.items()],
        widget=forms.RadioSelect,
        initial="prolific",
    )
    workspace = forms.CharField(
        label="Prolific workspace",
        max_length=60,
        required=False,
        help_text="its id, for the proof by Prolific",
    )
    field_order = ["platform", "name", "proof", "workspace"]

    class Meta(LinkForm.Meta):
        fields = [*LinkForm.Meta.fields, "proof", "workspace"]

    def save(self, commit: bool = True) -> EntryLink:
        chosen = self.cleaned_data["platform"]
        keys = entry_links.PLATFORMS[chosen].keys
        self.instance.platform = chosen
        self.instance.participant_key, self.instance.study_key, self.instance.session_key = keys
        return cast(EntryLink, super().save(commit))


@researcher_form
def links_page(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Lists the links of a corpus with their funnels; `as=csv`: as CSV. POST makes a link."""
    corpus = get_object_or_404(Corpus, slug=slug)
    form = NewLinkForm(request.POST or None, corpus=corpus, initial={"name": "First wave"})
    if form.is_valid():
        link = form.save()
        messages.success(request, "The link is made. Copy its address to the platform.")
        return redirect("entry-link", slug, link.pk)
    links = list(EntryLink.objects.filter(corpus=corpus).order_by("-pk"))
    found = funnels(links)
    table = sorted_list(request, [(link, found[link.pk].steps) for link in links], COLUMNS)
    if request.GET.get("as") == "csv":
        return csv_file(list_as_csv(table.rows, COLUMNS), f"{slug}-entry-links")
    visit = _visit_as_typed(request, EntryLink(corpus=corpus, work=next(iter(form.tasks), "")), form)
    context = {"corpus": corpus, "form": form, "table": table, "typed": visit}
    return render(request, "annotation_site/entry_links.html", context, status=422 if form.is_bound else 200)


@researcher_form
def link_page(request: HttpRequest, slug: str, number: int) -> HttpResponseBase:
    """Shows one link: address, pay, ends, funnel. POST changes it, closes it (`do=close`), opens it again, or makes the
    one-time link by which the person of a `visit` comes back (`do=return`), which it shows once.

    `step`: who reached this step of the funnel; with `as=csv`: as CSV.
    """
    corpus = get_object_or_404(Corpus, slug=slug)
    link = get_object_or_404(EntryLink.objects.select_related("corpus"), corpus=corpus, pk=number)
    do = request.POST.get("do", "")
    if do in ("close", "open"):
        entry_links.set_open(links=EntryLink.objects.filter(pk=link.pk), is_open=do == "open")
        return redirect("entry-link", slug, number)
    came_back, comes_back = "", None
    if do == "return":
        number_of = request.POST.get("visit", "")
        known = number_of.isascii() and number_of.isdecimal() and len(number_of) < 19
        comes_back = get_object_or_404(link.visits.select_related("user"), pk=int(number_of) if known else 0)
        token = make_return_link(visit=comes_back, by=cast(User, request.user))
        came_back = request.build_absolute_uri(reverse("come-back", args=[token]))
    form = LinkForm((request.POST or None) if not do else None, corpus=corpus, instance=link)
    if form.is_valid():
        form.save()
        messages.success(request, "Saved.")
        return redirect("entry-link", slug, number)
    stored = EntryLink.objects.select_related("corpus__consent_form").get(
        pk=number
    )  # the form writes into its instance
    step = request.GET.get("step", "began" if came_back else "")
    visits = visits_at(stored, step) if step in REACHED else None
    if visits is not None and request.GET.get("as") == "csv":
        return csv_file(stored_as_csv(visits, OF_VISITS), f"{slug}-{number}-{step}")
    funnel = funnels([stored])[stored.pk]
    query = entry_links.parameters_for_platform(stored)
    address = request.build_absolute_uri(reverse("enter", args=[stored.token]))
    invented = urlencode(
        {key: "preview" for key in (stored.participant_key, stored.study_key, stored.session_key) if key}
    )
    context = {
        "corpus": corpus,
        "link": stored,
        "form": form,
        "address": f"{address}?{query}" if query else address,
        "adds_ids": entry_links.adds_its_ids(stored),
        "is_prolific": entry_links.comes_from_prolific(stored),
        "try_address": f"{address}?{invented}",
        "estimate": estimate(stored, form.tasks),
        "typed": _visit_as_typed(request, copy(stored), form),
        "ends": [(end.label, end.name.lower(), entry_links.way_back(stored, end)) for end in Visit.End],
        "came_back": came_back,
        "comes_back": comes_back,
        "funnel": funnel,
        "charts": of_page("link", corpus, funnel.charts(), link=number),
        "step": next((title for key, title, _ in STEPS if key == step and visits is not None), ""),
        "visits": visits
        if visits is None
        else sorted_page(request, visits, OF_VISITS, "-began", VISITS_A_PAGE, "people"),
    }
    return render(request, "annotation_site/entry_link.html", context, status=422 if form.is_bound else 200)
