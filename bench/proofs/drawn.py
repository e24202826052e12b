"""Draws learning curves as a file, by the script that draws them on the site, in Chromium."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

STATIC = Path(__file__).parents[2] / "static"
STYLES = ("css/site.css", "css/charts.css")
SCRIPTS = (
    "vendor/d3-7.9.0/d3.min.js",
    "vendor/observable-plot-0.6.17/plot.umd.min.js",
    "js/chart-kinds.js",
    "js/charts.js",
)
SIZE = {"width": 760, "height": 700}


def drawn_curves(lines: Mapping[str, Mapping[int, float | None]]) -> str:
    """Returns {name: {training pairs: accuracy in percent}} as SVG; "" if no line has two points. None is left out."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
    import django

    django.setup()
    from django.template.loader import render_to_string
    from playwright.sync_api import sync_playwright

    from modeling.reports.curves import Point, curve_chart

    points = {
        name: [Point(size, mean / 100, None, []) for size, mean in sorted(line.items()) if mean is not None]
        for name, line in lines.items()
    }
    chart = curve_chart(points)
    if chart is None:
        return ""
    with sync_playwright() as playwright:
        chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        page.set_content(render_to_string("charts/_figure.html", {"chart": chart}))
        for name in STYLES:
            page.add_style_tag(path=STATIC / name)
        for name in SCRIPTS:
            page.add_script_tag(path=STATIC / name)
        with page.expect_download() as download:
            page.get_by_role("button", name="Download as SVG").click()
        return download.value.path().read_text()
