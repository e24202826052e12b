"""Registers exams, entry links and visits in the admin."""

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.urls import reverse
from django.utils.html import format_html

from accounts.pages.admin_lists import ReadOnlyInline, ResearcherAdmin, is_administrator, is_researcher
from collection.joining import entry_links, exams, visits
from collection.models import EntryLink, Exam, ExamAnswer, ExamAttempt, ExamItem, Visit
from shared.csv_files import csv_lines


class AnswerInline(ReadOnlyInline):
    model = ExamAnswer
    fields = readonly_fields = ["premise", "hypothesis", "wanted_label", "label"]


class JudgementForm(forms.ModelForm):
    verdict = forms.ChoiceField(
        choices=[("", "not yet"), ("yes", "passed: may write from now on"), ("no", "not passed")],
        required=False,
    )

    class Meta:
        model = ExamAttempt
        fields = ["judgement"]
        help_texts = {"judgement": "The annotator reads it beside the result."}


@admin.register(ExamAttempt)
class ExamAttemptAdmin(ResearcherAdmin):
    """Researchers judge texts here, once. Known labels were judged when the exam was submitted."""

    form = JudgementForm
    list_display = ["sent_at", "annotator", "corpus", "number", "score", "passed"]
    list_filter = ["passed", ("exam__corpus", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["annotator", "exam__corpus"]
    fields = ["annotator", "corpus", "number", "score", "passed", "judged_at", "judgement", "verdict"]
    readonly_fields = ["annotator", "corpus", "number", "score", "passed", "judged_at"]
    ordering = ["-pk"]
    inlines = [AnswerInline]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_researcher(request) and (obj is None or obj.passed is None)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return self.fields if self.has_change_permission(request, obj) else self.fields[:-1]

    def save_model(self, request: HttpRequest, attempt: ExamAttempt, form: Any, change: bool) -> None:
        verdict = form.cleaned_data["verdict"]
        if not verdict:
            messages.warning(request, "No verdict was chosen, so nothing was changed.")
        elif not exams.judge_exam(
            attempt=attempt,
            passed=verdict == "yes",
            judgement=form.cleaned_data["judgement"],
            by=request.user,  # type: ignore[arg-type]
        ):
            messages.warning(request, "Somebody else had judged this exam before. Their verdict stands.")

    @admin.display(description="corpus")
    def corpus(self, attempt: ExamAttempt) -> str:
        return attempt.exam.corpus.slug


class ItemInline(ReadOnlyInline):
    model = ExamItem
    fields = readonly_fields = ["order", "premise", "hypothesis", "label"]


@admin.register(Exam)
class ExamAdmin(ResearcherAdmin):
    """An exam is written in the corpus file."""

    list_display = ["corpus", "pass_mark", "tries"]
    list_select_related = ["corpus"]
    inlines = [ItemInline]


@admin.register(EntryLink)
class EntryLinkAdmin(ResearcherAdmin):
    list_display = ["name", "corpus", "platform", "proof", "tasks_wanted", "created_at", "closed_at"]
    list_select_related = ["corpus"]
    readonly_fields = ["address", "what_it_proves", "closed_at"]
    hidden_lookups = ("secret",)
    ordering = ["-pk"]
    actions = ["close", "reopen", "download_earnings"]

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return is_researcher(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_researcher(request)

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        """Begins the list of proofs empty. Django does where a field has no default, Unfold does not."""
        if db_field.name == "proof":
            options["choices"] = db_field.get_choices()
        return super().formfield_for_choice_field(db_field, request, **options)

    def save_model(self, request: HttpRequest, link: EntryLink, form: Any, change: bool) -> None:
        super().save_model(request, link, form, change)
        if link.proof == EntryLink.Proof.NONE:
            messages.warning(
                request,
                "This link proves nothing: whoever has its address can invent participants and label a pair several times."
                " Take a proof where the platform has one.",
            )

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Adds the whole address, because a read-only field does not see the request with the host."""
        link = super().get_object(request, object_id, from_field)
        if link is not None:
            link.entry_address = request.build_absolute_uri(reverse("enter", args=[link.token]))
        return link

    @admin.display(description="address for the platform")
    def address(self, link: Any) -> str:
        if link._state.adding:
            return "It is shown here when the link is saved."
        query = entry_links.parameters_for_platform(link)
        hint = ""
        if query and not entry_links.comes_from_prolific(link):
            hint = (
                "Replace the names in square brackets by the platform's own placeholders. If the platform adds the ids to"
                " the address by itself, give it the address up to the question mark."
            )
        return format_html("<code>{}{}</code> {}", link.entry_address, f"?{query}" if query else "", hint)

    @admin.display(description="what it proves")
    def what_it_proves(self, link: EntryLink) -> str:
        if link._state.adding:
            return "It is shown here when the link is saved."
        if link.proof == EntryLink.Proof.PROLIFIC:
            return "Prolific signs the ids. Switch the secure address on in the study."
        if link.proof == EntryLink.Proof.NONE:
            return (
                "Nothing: anybody who knows the address can come in as any participant who was not here yet, or as invented"
                " people. An id stays with the browser in which it first came, and newcomers are limited by their network"
                " address. Only a proof gives more."
            )
        return format_html(
            "Your server signs the ids: signature = hexadecimal HMAC-SHA256 of participant, study and session,"
            " each on a line, with the secret <code>{}</code>. Keep the secret on the server. Let the addresses expire, with"
            " the parameter expires (seconds since 1970) as a fourth line: until then each is as good as a password.",
            link.secret,
        )

    @admin.action(description="Close: nobody can enter", permissions=["view"])
    def close(self, request: HttpRequest, links: QuerySet[EntryLink]) -> None:
        entry_links.set_open(links=links, is_open=False)

    @admin.action(description="Open again", permissions=["view"])
    def reopen(self, request: HttpRequest, links: QuerySet[EntryLink]) -> None:
        entry_links.set_open(links=links, is_open=True)

    @admin.action(
        description="Download all earnings, paid or not (CSV, with the platform's ids)", permissions=["pay"]
    )
    def download_earnings(self, request: HttpRequest, links: QuerySet[EntryLink]) -> StreamingHttpResponse:
        visits.finish_all(Visit.objects.filter(link__in=links))  # the link may require less than before
        answer = StreamingHttpResponse(csv_lines(_earnings(links)), content_type="text/csv")
        answer["Content-Disposition"] = 'attachment; filename="earnings.csv"'
        return answer

    def has_pay_permission(self, request: HttpRequest) -> bool:
        """Platform ids are personal data: only administrators see them."""
        return is_administrator(request)


def _earnings(links: QuerySet[EntryLink]) -> Iterator[Sequence[object]]:
    yield ["link", "participant", "finished_visits", "earned_cents"]
    for link in links.order_by("pk"):
        for person in visits.earnings(link).iterator():
            yield [link.name, person.participant, person.finished, person.cents]  # type: ignore[attr-defined]


@admin.register(Visit)
class VisitAdmin(ResearcherAdmin):
    list_display = ["arrived_at", "user", "link", "finished_at"]
    list_filter = [("link", admin.RelatedOnlyFieldListFilter), ("finished_at", admin.EmptyFieldListFilter)]
    list_select_related = ["user", "link"]
    fields = ["user", "link", "arrived_at", "finished_at"]
    ordering = ["-pk"]
    hidden_lookups = ("session", "study", "browser")
