"""The page about hourly pay."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.pages.access import researcher_required
from accounts.pages.chart_files import chart_file
from accounts.templatetags.money import dollars
from annotation_site.researchers import wages
from annotation_site.researchers.forms import FloorForm
from annotation_site.researchers.wages_charts import money_by_day, owed, wage_charts
from collection.models import MOST_TOP_UP_CENTS, Corpus


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def pay_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Shows hourly pay by annotator, the median, and who is below a floor (`floor`, dollars an hour); `as=csv`: as CSV;
    `chart`: one chart as CSV.

    POST shows a top-up for the ticked codes (`annotator`). With `do=pay` and the sum that was shown (`cents`) it pays it.
    """
    corpus = get_object_or_404(Corpus, slug=slug)
    form = FloorForm(request.POST or request.GET)
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
            return redirect(f"{request.path}?floor={form.cleaned_data['floor']}")
    found = wages.wages(corpus)
    if request.GET.get("as") == "csv":
        answer = HttpResponse(wages.as_csv(found, floor), content_type="text/csv; charset=utf-8")
        answer["Content-Disposition"] = f'attachment; filename="{corpus.slug}-wages.csv"'
        return answer
    days = money_by_day(corpus)
    charts = wage_charts(found, days, floor)
    if "chart" in request.GET:
        return chart_file(charts, request.GET["chart"], f"{corpus.slug}-pay")
    ticked = wages.chosen(found, floor, codes if asked else None)
    context = {
        "corpus": corpus,
        "form": form,
        "floor": floor,
        "charts": charts,
        "floor_text": f"{floor / 100:.2f}" if floor else "",
        "owed": owed(days),
        "owed_cents": sum(cents for _, _, cents in days),
        "summary": wages.summary(found, floor),
        "rows": [(wage, wage.missing_cents(floor)) for wage in found],
        "most": MOST_TOP_UP_CENTS,
        "ticked": {wage.code for wage in ticked},
        "chosen": [(wage, wage.missing_cents(floor)) for wage in ticked] if asked else [],
        "chosen_cents": sum(wage.missing_cents(floor) for wage in ticked),
        "asked": asked,
        "error": error,
        "meanings": wages.MEANINGS,
    }
    return render(request, "annotation_site/pay.html", context, status=422 if form.errors or error else 200)
