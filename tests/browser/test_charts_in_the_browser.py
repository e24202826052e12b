"""Charts in Chromium: each is drawn under the policy, and can be read on a phone, in dark and by keyboard."""

import re

import pytest
from django.utils import timezone
from lxml import etree
from playwright.sync_api import Page, expect

from accounts.models import User
from collection.models import Pair
from collection.models.withdrawal import VETTED
from modeling.launching.actions import request_sweep
from modeling.models import RunProgress
from snapshots.statistics.job import compute_statistics, request_statistics
from tests.browser.looks import LOOKS, PHONE, chart_faults, complaints, width_of
from tests.browser.waiting import wait_until
from tests.cast import person
from tests.charted import charted_corpus
from tests.modeling.material import done_run, small_snapshot
from tests.modeling.test_run_charts import broken_down
from tests.snapshots.material import freeze
from validation.models import Label


def look_at(page: Page, address: str) -> None:
    """Opens a page and checks the rules for all pages with charts."""
    said: list[str] = []
    page.on(
        "console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None
    )
    page.goto(address)
    expect(page.locator("figure[data-chart]").first).to_be_attached()
    assert chart_faults(page) == []
    assert width_of(page) <= page.evaluate("innerWidth"), "wider than the screen"
    assert complaints(page, address) == []
    assert said == []


@pytest.mark.thorough
@LOOKS
def test_the_statistics_of_a_snapshot(live_server, watched, rosa, look):
    snapshot = freeze(charted_corpus(extra=False))
    for kind in ("corpus", "artifacts"):
        compute_statistics(statistics_id=request_statistics(snapshot=snapshot, kind=kind).pk)
    page = watched(rosa, **look)
    look_at(page, f"/snapshots/{snapshot.pk}/statistics/")

    votes = page.locator("figure[data-chart=votes]")
    expect(votes.locator("table")).to_be_hidden()
    votes.locator(".chart-more > summary").focus()
    page.keyboard.press("Enter")
    expect(votes.get_by_role("columnheader", name="2-2-1", exact=True)).to_be_visible()
    with page.expect_download() as download:
        votes.get_by_role("button", name="SVG").press("Enter")
    assert download.value.suggested_filename == "votes.svg"
    picture = etree.parse(download.value.path()).getroot()
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    text = etree.tostring(picture, encoding="unicode")
    assert not re.search(r"var\(|<script|<style", text), "it stands by itself"
    with page.expect_download() as download:
        votes.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "charted-1-votes.csv"


@LOOKS
def test_the_pages_of_a_corpus(live_server, watched, rosa, look):
    charted_corpus()
    User.objects.filter(pk=person("guesser").pk).update(code="wmwmwmwmww")  # as wide as a code can be
    page = watched(rosa, **look)
    look_at(page, "/corpora/charted/pool/wmwmwmwmww/")
    look_at(page, "/corpora/charted/pay/?floor=4")
    look_at(page, "/corpora/charted/annotators/")
    page.get_by_role("link", name="Seconds a label", exact=True).press("Enter")
    by_seconds = page.get_by_role("columnheader", name="Seconds a label", exact=True)
    expect(by_seconds).to_have_attribute("aria-sort", "descending")
    look_at(page, "/corpora/charted/agreement/")
    points = page.locator("figure[data-chart=agreement-groups] svg a")
    points.first.focus()
    expect(points.first).to_be_focused()
    expect(points.first).to_have_attribute("aria-label", re.compile("genre: Letters, pairs: 15"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/corpora/charted/pairs/\?genre=letters"))
    expect(page.locator("table.list-table tbody tr")).to_have_count(15)


@pytest.mark.thorough
@LOOKS
def test_the_overview_draws_its_charts_again_when_it_loads_itself(live_server, watched, rosa, look):
    charted_corpus(extra=False)
    page = watched(rosa, **look)
    page.clock.install()
    look_at(page, "/c/charted/")
    figures = page.locator("#live figure[data-chart]")
    expect(figures).to_have_count(4)
    figures.last.evaluate("figure => { figure.dataset.before = 'yes' }")
    with page.expect_response("**/c/charted/"):
        page.clock.run_for(21_000)
    expect(page.locator("[data-before]")).to_have_count(0)
    expect(figures.locator("svg.chart-svg")).to_have_count(4)
    for number in range(4):
        expect(figures.nth(number).locator("svg.chart-svg")).to_be_visible()
        expect(figures.nth(number).locator("table")).to_be_hidden()


@pytest.mark.thorough
@LOOKS
def test_runs_and_the_seeds_of_a_sweep(live_server, watched, rosa, look):
    snapshot = small_snapshot()
    for baseline, accuracy in (("hypothesis_only", 0.5), ("cbow", 0.7)):
        for seed in (1, 2):
            run = done_run(snapshot, baseline, seed=seed, accuracy=accuracy + 0.01 * seed)
            broken_down(run, {"entailment": 80, "neutral": 30, "fiction": 55})
    sweep = request_sweep(snapshot=snapshot, baseline="cbow", seeds=[1, 2])
    for child in sweep.children.all():
        for epoch in (1, 2, 3):
            RunProgress.objects.create(run=child, step=epoch, epoch=epoch, dev_accuracy=0.4 + 0.1 * epoch)
    page = watched(rosa, **look)
    look_at(page, "/runs/")
    look_at(page, f"/runs/{sweep.pk}/")
    # The page loads its part again while the sweep is under way: a table that is open stays open, and is drawn again.
    seeds = page.locator("figure[data-chart=dev-by-epoch]")
    # No epoch is between two.
    epochs = seeds.locator("svg.chart-svg text", has_text=re.compile(r"^[\d.]+$"))
    expect(epochs).to_have_text(["1", "2", "3"])
    table = seeds.locator("table")

    def opened() -> bool:
        """Opens the table; a part that is loaded between the focus and the key swallows the key."""
        if not table.is_visible():
            seeds.locator("summary").first.press("Enter")
        return table.is_visible()

    wait_until(page, opened)
    with page.expect_response(lambda answer: answer.request.headers.get("hx-request") == "true"):
        pass
    expect(seeds.locator("svg.chart-svg")).to_be_visible()
    expect(table).to_be_visible()


def test_without_scripts_the_tables_stand_there(live_server, window_of, rosa):
    snapshot = freeze(charted_corpus(extra=False))
    compute_statistics(statistics_id=request_statistics(snapshot=snapshot, kind="corpus").pk)
    page = window_of(rosa, java_script_enabled=False).new_page()
    page.goto(f"/snapshots/{snapshot.pk}/statistics/")
    figures = page.locator("figure[data-chart]")
    assert figures.count() > 4
    for number in range(figures.count()):
        expect(figures.nth(number).locator("table")).to_be_visible()
        expect(figures.nth(number).get_by_role("button")).to_have_count(0)


@pytest.mark.thorough
@LOOKS
def test_home_draws_small_charts_and_works_without_scripts(live_server, watched, window_of, rosa, look):
    charted_corpus(extra=False)
    page = watched(rosa, **look)
    look_at(page, "/admin/")
    pace = page.locator("figure[data-chart=pace-labels-charted]")
    expect(pace.locator("svg.chart-svg")).to_be_visible()
    expect(pace.locator("table")).to_be_hidden()
    pace.locator("summary").press("Enter")
    expect(pace.get_by_role("link", name="CSV")).to_be_visible()
    # The bars of the stages are as high as the style says: Chromium draws its own meter lower.
    bar = page.locator(".pipeline meter").first
    assert bar.bounding_box()["height"] > 5
    plain = window_of(rosa, java_script_enabled=False, **look).new_page()
    plain.goto("/admin/")
    expect(plain.locator("figure[data-chart] table")).to_have_count(2)
    expect(plain.locator("figure[data-chart=agreement-charted] table")).to_be_visible()


@pytest.mark.thorough
def test_the_pace_is_drawn_over_the_days_that_one_chooses_and_stays_so(live_server, watched, rosa):
    charted_corpus(extra=False)
    page = watched(rosa, **PHONE)
    page.clock.install()
    page.goto("/c/charted/")
    days = page.get_by_role("navigation", name="Days of the charts")
    days.get_by_role("link", name="30 days").click()
    caption = page.locator("figure[data-chart=pace-labels] figcaption")
    expect(caption).to_have_text(re.compile(" in 30 days, "))
    with page.expect_response("**/c/charted/?days=30"):
        page.clock.run_for(21_000)
    expect(caption).to_have_text(re.compile(" in 30 days, "))
    expect(days.locator("[aria-current]")).to_have_text("30 days")


@pytest.mark.thorough
def test_counts_queues_and_curves_refresh_by_themselves(live_server, watched, rosa):
    """On all corpora and on labelling; the overview's charts are another test."""
    corpus = charted_corpus(extra=False)
    page = watched(rosa)
    page.clock.install()
    cast = Label.objects.filled_by_validators().filter(question__corpus=corpus)
    for address, caption in (
        ("/c/charted/labelling/", page.locator("figure[data-chart=seats] figcaption")),
        ("/admin/", page.locator("figure[data-chart=pace-labels-charted] figcaption")),
    ):
        page.goto(address)
        picture = page.locator("figure[data-chart] svg.chart-svg").first
        expect(picture).to_be_visible()
        before = caption.text_content() or ""
        gone = cast.order_by("-cast_at").values("pair")[:1]
        Pair.objects.filter(pk__in=gone).update(withdrawn_at=timezone.now(), withdrawn_because=VETTED)
        page.clock.run_for(31_000)
        expect(caption).not_to_have_text(before)
        expect(picture).to_be_visible()


# Draws the scatter plot of a page again, with all points named and close to each other; returns the places of the names.
NAMES_CLOSE_TOGETHER = """figure => {
    const chart = structuredClone(figure.chart);
    chart.rows.forEach((row, k) => Object.assign(row, {named: true, seconds: 8 + k / 50, agreement: 0.8 + k / 500}));
    const { legend, ...options } = chartKinds.KINDS.scatter(chart, chartKinds.reader(chart), 300);
    const drawn = Plot.plot({width: 300, marginRight: 24, marginBottom: 40, ...options});
    document.body.append(drawn);
    const codes = new Set(chart.rows.map(row => row.code)), frame = drawn.getBoundingClientRect();
    const names = [...drawn.querySelectorAll("text")].filter(text => codes.has(text.textContent));
    return [chart.rows.length, names.map(name => {
        const box = name.getBoundingClientRect();
        return [box.left - frame.left, box.right - frame.left, box.top, box.bottom];
    })];
}"""


def test_names_in_a_scatter_plot_never_overlap(live_server, watched, rosa):
    charted_corpus(extra=False)
    page = watched(rosa, **PHONE)
    page.goto("/corpora/charted/annotators/")
    figure = page.locator("figure[data-chart=annotators-speed]")
    expect(figure.locator("svg.chart-svg")).to_be_visible()
    points, names = figure.evaluate(NAMES_CLOSE_TOGETHER)
    assert 2 <= len(names) < points, "those without room are left out"
    for place, one in enumerate(names):
        assert one[0] > 0
        assert one[1] < 300
        for other in names[place + 1 :]:
            assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]


@pytest.mark.thorough
@LOOKS
def test_a_bar_of_a_histogram_filters_the_pairs(live_server, watched, rosa, look):
    charted_corpus(extra=False)
    page = watched(rosa, **look)
    page.goto("/corpora/charted/pairs/")
    filters = page.locator(".list-filters > details")
    if not filters.evaluate("each => each.open"):
        filters.locator("summary").first.click()
    bar = page.locator("svg[aria-labelledby=chart-agreement] a").nth(2)
    number = (bar.get_attribute("aria-label") or "").rpartition(": ")[2]
    bar.click()
    page.wait_for_url(re.compile(r"/pairs/\?agreement=60$"))
    expect(page.get_by_text(f"{number}.")).to_be_visible()
    assert complaints(page, "chosen bar") == []
    page.goto("/c/charted/")
    page.locator("figure[data-chart=seats-now] svg a").first.click()
    page.wait_for_url(re.compile(r"/pairs/\?votes=complete$"))


def test_a_picture_that_is_saved_has_its_legend(live_server, watched, rosa):
    charted_corpus(extra=False)
    page = watched(rosa)
    page.goto("/c/charted/")
    figure = page.locator("figure[data-chart=seats-now]")
    with page.expect_download() as download:
        figure.locator(".chart-more > summary").click()
        figure.get_by_role("button", name="SVG").click()
    picture = etree.parse(download.value.path()).getroot()
    texts = picture.xpath("//*[local-name()='text']/text()")
    assert {"filled", "in hand", "free"} <= set(texts)
    shown = figure.locator("svg.chart-svg").get_attribute("height")
    assert float(picture.get("height", 0)) > float(shown or 0)
    with page.expect_download() as download:
        page.goto("/api/v1/corpora/charted/figures/overview-seats-now?as=svg")
    saved = etree.parse(download.value.path()).getroot()
    assert set(texts) <= set(saved.xpath("//*[local-name()='text']/text()")), "an address saves it, too"


def test_many_rows_are_drawn_when_asked_for_and_stand_in_table_and_file(live_server, watched, rosa):
    charted_corpus(extra=False)
    writers = [person(f"writer{number}") for number in range(30)]
    for number, pair in enumerate(Pair.objects.order_by("pk")):
        Pair.objects.filter(pk=pair.pk).update(author=writers[number % 30])
    page = watched(rosa)
    page.goto("/corpora/charted/agreement/?by=author")
    figure = page.locator("figure[data-chart=agreement-groups]")
    points = figure.locator("svg.chart-svg a")
    expect(points).to_have_count(20)
    expect(figure.get_by_text("The first 20 of 30 rows are drawn.")).to_be_visible()
    assert figure.locator("tbody tr").count() >= 30
    figure.locator(".chart-more > summary").press("Enter")
    with page.expect_download() as download:
        figure.get_by_role("button", name="SVG").press("Enter")
    assert len(etree.parse(download.value.path()).getroot().findall(".//{*}a")) == 30
    expect(points).to_have_count(20)
    short = figure.locator("svg.chart-svg").bounding_box()["height"]
    figure.get_by_role("button", name="Draw all 30").press("Enter")
    expect(points).to_have_count(30)
    expect(figure.get_by_role("button", name="Draw the first 20")).to_be_focused()
    assert figure.locator("svg.chart-svg").bounding_box()["height"] > short
    assert complaints(page, "many rows") == []
