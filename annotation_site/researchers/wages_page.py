"""The page about hourly pay, and about the lists by which people are paid."""

from typing import Any, Self, cast

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from accounts.pages.access import researcher_form
from accounts.pages.admin_lists import is_administrator
from accounts.templatetags.money import dollars
from annotation_site.researchers import payments, wages
from annotation_site.researchers.wages_charts import counted_wages, earned, money_by_day, wage_charts
from collection.models import MOST_TOP_UP_CENTS, Corpus, PayList
from shared.csv_files import csv_file, csv_text
from shared.figures import of_page
from shared.sorted_lists import sorted_list
from shared.tables import Column
from validation.models import Question
from validation.statistics.cached import Kind, is_computed_in_request
from validation.statistics.cached_pages import cached_part, count_or_stop


class FloorForm(forms.Form):
    floor = forms.DecimalField(
        label="Lowest hourly pay, in dollars",
        required=False,
        min_value=0,
        max_value=1_000,
        decimal_places=2,
        help_text="People below it come first, with the difference.",
    )

    @classmethod
    def of(cls, data: QueryDict, corpus: Corpus) -> Self:
        """Returns the form with the floor that a request asks for; if it names none, the floor of the corpus file."""
        if "floor" in data or not corpus.hourly_floor_cents:
            return cls(data)
        return cls({"floor": f"{corpus.hourly_floor_cents / 100:.2f}"})

    def cents(self) -> int:
        return int((self.cleaned_data["floor"] or 0) * 100)


COLUMNS = [
    Column("code", "Code", value=lambda each: each.code),
    Column("pieces", "Pieces", "number", value=lambda each: each.pieces),
    Column("hours", "Hours", "number", value=lambda each: each.hours),
    Column("earned", "Earned", "number", value=lambda each: each.cents),
    Column("hourly", "Per hour", "number", value=lambda each: each.hourly_cents),
]


@researcher_form
def pay_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows hourly pay by annotator, the median, and who is below a floor (`floor`, dollars an hour); `as=csv`: as CSV.

    Hourly pay reads the times of all work: of a large corpus the page shows what a worker counted. CSV and POST count now.
    POST shows a top-up for the ticked codes (`annotator`). With `do=pay` and the sum that was shown (`cents`) it pays it.
    Other values of `do` change pay lists.
    """
    corpus = get_object_or_404(Corpus, slug=slug)
    main = Question.objects.select_related("corpus").filter(corpus=corpus, is_main=True).first()
    if main is not None and "what" in request.POST:
        count_or_stop(request, main, Kind.WAGES)
        return redirect(request.get_full_path())
    if main is not None and "part" in request.GET:
        return cached_part(request, main, Kind.WAGES)
    refused = ""
    if request.method == "POST" and request.POST.get("do") in ("approve", "export", "paid"):
        try:
            return _change_pay_list(request, corpus)
        except (wages.SumChanged, payments.WrongState) as refusal:
            refused = str(refusal)
    form = FloorForm.of(request.POST or request.GET, corpus)
    floor = form.cents() if form.is_valid() else 0
    asked = request.POST.get("do") if request.method == "POST" and form.is_valid() and floor else None
    codes = request.POST.getlist("annotator")
    error = ""
    if asked == "pay":
        seen = request.POST.get("cents", "")
        try:
            added = wages.top_up(
                corpus=corpus,
                floor_cents=floor,
                codes=codes,
                expected_cents=int(seen) if seen.isascii() and seen.isdecimal() else 0,
            )
        except wages.SumChanged as changed:
            error = str(changed)
        else:
            messages.success(request, f"{dollars(added)} were added to people's earnings.")
            if main is not None and not is_computed_in_request(main, Kind.WAGES):
                count_or_stop(request, main, Kind.WAGES)
            return redirect(f"{request.path}?floor={form.cleaned_data['floor']}")
    if request.GET.get("as") == "csv":
        return csv_file(wages.as_csv(wages.wages(corpus), floor), f"{corpus.slug}-wages")
    if request.method == "POST":
        is_counted, found, days, row = True, wages.wages(corpus), money_by_day(corpus), None
    else:
        counted, days, row = counted_wages(corpus)
        is_counted, found = counted is not None, counted or []
    missing = Column("missing", "Missing", "number", value=lambda each: each.missing_cents(floor))
    table = sorted_list(
        request,
        found,
        [*COLUMNS, missing] if floor else COLUMNS,
        "-missing" if floor else "-pieces",
        "people",
    )
    ticked = wages.chosen(found, floor, codes if asked else None)
    unapproved = payments.unapproved(corpus).total_cents()
    pay_lists: list[Any] = list(payments.pay_lists(corpus))
    context = {
        "corpus": corpus,
        "cached": row,
        "is_counted": is_counted,
        "form": form,
        "floor": floor,
        "charts": of_page("pay", corpus, wage_charts(found, days, floor), floor_cents=floor),
        "floor_text": f"{floor / 100:.2f}" if floor else "",
        "earned": earned(days),
        "owed_cents": unapproved + sum(each.cents for each in pay_lists if not each.paid_at),
        "summary": wages.summary(found, floor),
        "table": table,
        "rows": [(wage, wage.missing_cents(floor)) for wage in table.rows],
        "most": MOST_TOP_UP_CENTS,
        "ticked": {wage.code for wage in ticked},
        "chosen": [(wage, wage.missing_cents(floor)) for wage in ticked] if asked else [],
        "chosen_cents": sum(wage.missing_cents(floor) for wage in ticked),
        "asked": asked,
        "error": error,
        "meanings": wages.MEANINGS,
        "refused": refused,
        "may_export": is_administrator(request),
        "unapproved_cents": unapproved,
        "pay_lists": pay_lists,
    }
    failed = form.errors or error or refused
    return render(request, "annotation_site/pay.html", context, status=422 if failed else 200)


def _change_pay_list(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """Approves what was earned (`cents`: the sum that was shown), or exports a list (`list`), or marks it as paid."""
    by, asked, cents = cast(User, request.user), request.POST["do"], request.POST.get("cents", "")
    if asked == "approve":
        seen = int(cents) if cents.isascii() and cents.isdecimal() else 0
        payments.approve(corpus=corpus, by=by, expected_cents=seen)
        messages.success(
            request, f"{dollars(seen)} are approved. Export the list for the platform that pays."
        )
        return redirect(f"{request.path}#payments")
    number = request.POST.get("list", "")
    known = number.isascii() and number.isdecimal() and len(number) < 19
    pay_list = get_object_or_404(PayList.objects.filter(corpus=corpus), pk=int(number) if known else 0)
    if asked == "export" and not is_administrator(request):
        raise PermissionDenied("Only administrators see the ids of platforms, so only they export a list.")
    if asked == "paid":
        payments.mark_paid(pay_list=pay_list, by=by)
        messages.success(request, f"List {pay_list.pk} is marked as paid.")
        return redirect(f"{request.path}#payments")
    header = ["annotator", "platform", "participant", "cents", "dollars"]
    rows = (
        [each.annotator, each.platform, each.participant, each.cents, f"{each.cents / 100:.2f}"]
        for each in payments.export(pay_list=pay_list, by=by)
    )
    return csv_file(csv_text([header, *rows]), f"{corpus.slug}-payments-{pay_list.pk}")
