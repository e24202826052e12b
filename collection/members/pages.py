"""The page of the members of a corpus: who belongs to it in which role; owners give roles and end memberships."""

from typing import cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from accounts.pages.access import researcher_form
from collection.members.actions import MemberRefused, give_role, remove_member, researcher_named
from collection.members.gate import roles_of
from collection.models import Corpus, CorpusMember
from collection.models.querysets import CHANGES
from shared.csv_files import csv_file
from shared.sorted_lists import list_as_csv, sorted_list
from shared.tables import Column

Role = CorpusMember.Role
OF_MEMBERS = [
    Column("researcher", "Researcher", value=lambda each: each.user.username),
    Column("role", "Role", value=lambda each: each.role),
    Column("since", "Since", value=lambda each: each.since),
    Column("by", "By", value=lambda each: each.by.username if each.by else ""),
]


class MemberForm(forms.Form):
    who = forms.CharField(
        label="User name or code of a researcher",
        max_length=150,
        help_text="Whoever has an account with the role researcher. An administrator makes one.",
    )
    role = forms.ChoiceField(label="Role", choices=Role.choices, initial=Role.RESEARCHER)


@researcher_form
def members(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Shows who belongs to the corpus. POST adds somebody, changes a role, or ends a membership: owners only."""
    corpus, user = get_object_or_404(Corpus, slug=slug), cast(User, request.user)
    form = MemberForm(request.POST if request.POST.get("do") == "add" else None)
    if request.method == "POST":
        try:
            if said := _did(request, corpus, user, form):
                messages.success(request, said)
                is_in = Corpus.objects.of(user, CHANGES).filter(pk=corpus.pk).exists()
                return redirect("members", slug) if is_in else redirect("workspace")
        except MemberRefused as refusal:
            if form.is_bound:
                form.add_error("who", str(refusal))
            else:
                messages.warning(request, str(refusal))
    rows = list(corpus.members.select_related("user", "by").order_by("since", "pk"))
    table = sorted_list(request, rows, OF_MEMBERS, "since")
    if request.GET.get("as") == "csv":
        return csv_file(list_as_csv(table.rows, OF_MEMBERS), f"{slug}-members")
    roles = roles_of(user)
    context = {
        "corpus": corpus,
        "form": form,
        "table": table,
        "roles": [(role.value, role.label.partition(":")[0]) for role in Role],
        "meanings": [role.label.partition(": ")[::2] for role in Role],
        "is_owner": roles is None or roles.get(slug) == Role.OWNER,
    }
    return render(
        request, "collection/members/members.html", context, status=422 if request.method == "POST" else 200
    )


def _did(request: HttpRequest, corpus: Corpus, user: User, form: MemberForm) -> str:
    """Does what a button of the page says. Returns a sentence if something was done. Raises MemberRefused."""
    if form.is_bound:
        if not form.is_valid():
            return ""
        who, role = researcher_named(form.cleaned_data["who"]), form.cleaned_data["role"]
        give_role(corpus=corpus, user=who, role=role, by=user)
        return f"{who.username} is {role} of {corpus.name}."
    code = request.POST.get("code", "").replace("\0", "")
    member = get_object_or_404(corpus.members.select_related("user"), user__code=code)
    if request.POST.get("do") == "remove":
        remove_member(corpus=corpus, user=member.user, by=user)
        return f"{member.user.username} does not belong to {corpus.name} any more."
    give_role(corpus=corpus, user=member.user, role=request.POST.get("role", ""), by=user)
    return f"{member.user.username} has another role in {corpus.name} now."
