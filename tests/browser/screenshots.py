"""Makes the pictures of the documentation: python -m tests.browser.screenshots [--only NAME ...].

It fills an empty database in a temporary folder with the demo's corpora, starts the site, and writes docs/images/*.webp with
Chromium (CHROMIUM names it). About two minutes; nothing of an installation is touched.
"""

import argparse
import base64
import io
import os
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from scripts import services

OUT = Path(__file__).parents[2] / "docs" / "images"
WIDE = {"width": 1280, "height": 860}
QUALITY = 0.82
SETTLE_MS = 900  # charts are drawn and parts of pages come by themselves
# name of the picture -> address
PAGES = {
    "home": "/admin/",
    "overview": "/c/three-weeks/",
    "premises": "/c/three-weeks/premises/",
    "prompts": "/corpora/three-weeks/pilots/",
    "writing": "/c/three-weeks/texts/",
    "pairs": "/corpora/three-weeks/pairs/?votes=split",
    "pair": "/corpora/three-weeks/pairs/{pair}/",
    "labelling-progress": "/c/three-weeks/labelling/",
    "agreement": "/corpora/three-weeks/agreement/",
    "disputes": "/corpora/three-weeks/pairs/?votes=disputed",
    "annotators": "/corpora/three-weeks/annotators/",
    "pay": "/corpora/three-weeks/pay/?floor=50",
    "snapshot": "/snapshots/{snapshot}/",
    "snapshot-statistics": "/snapshots/{snapshot}/statistics/",
    "runs": "/runs/?corpus=three-weeks",
    "settings": "/c/three-weeks/settings/",
}
ALL = ("write", "labelling", *PAGES)
TO_WEBP = """async ([data, quality]) => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", quality);
}"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=ALL, help="make these pictures alone")
    only = set(parser.parse_args().only or ALL)
    with tempfile.TemporaryDirectory(prefix="quintet-pictures-") as folder:
        os.environ |= {
            "QUINTET_VAR": folder,
            "DJANGO_SETTINGS_MODULE": "annotation_site.settings",
            # Playwright keeps an event loop in this thread, and Django refuses queries in such a thread.
            "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
        }
        for name in ("DATABASE_URL", "CELERY_BROKER_URL"):
            os.environ.pop(name, None)
        import django

        django.setup()
        with sync_playwright() as playwright:
            path = services.chromium().address
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            make_pictures(browser, only)
            browser.close()


def make_pictures(browser: Browser, only: set[str]) -> None:
    from annotation_site.management.commands.demo import PASSWORD, load_example
    from annotation_site.operation.server import site

    command("migrate", verbosity=0)
    load_example()
    places = fill()
    with site() as url:
        if "write" in only:
            page = signed_in(browser, url, "ana", PASSWORD)
            let_ana_write()
            take(browser, page, "/work/writing/demo/", "write")
        if "labelling" in only:
            page = signed_in(browser, url, "vera", PASSWORD)
            let_vera_work()
            take(browser, page, "/work/validation/demo/", "labelling")
        page = signed_in(browser, url, "rosa", PASSWORD)
        for name in [name for name in PAGES if name in only]:
            take(browser, page, PAGES[name].format(**places), name)


def command(name: str, *arguments: Any, **options: Any) -> None:
    from django.core.management import call_command

    call_command(name, *arguments, stdout=io.StringIO(), stderr=io.StringIO(), **options)


def let_ana_write() -> None:
    """Gives Ana's consent and her reading of the first prompt, so that her page begins with a premise."""
    from accounts.models import User
    from accounts.people.consents import give_consent
    from collection.models import Corpus
    from collection.writing.claiming import claim_writing
    from collection.writing.prompts import read_prompt

    ana, corpus = User.objects.get(username="ana"), Corpus.objects.get(slug="demo")
    if corpus.consent_form is not None:
        give_consent(user=ana, form=corpus.consent_form)
    version = claim_writing(corpus=corpus, annotator=ana).prompt_version
    answers = {check.order: check.label for check in version.check_questions.all()}
    read_prompt(annotator=ana, version=version, answers=answers)


def let_vera_work() -> None:
    """Gives Vera's consent and the reading of the instructions, so that her page begins with a pair."""
    from accounts.models import User
    from accounts.people.consents import give_consent
    from collection.models import Corpus
    from validation.labelling.instructions import read_instructions
    from validation.questions.lookup import main_question

    vera, corpus = User.objects.get(username="vera"), Corpus.objects.get(slug="demo")
    if corpus.consent_form is not None:
        give_consent(user=vera, form=corpus.consent_form)
    question = main_question(corpus)
    answers = {check.order: check.label for check in question.check_questions.all()}
    read_instructions(question=question, annotator=vera, answers=answers)


def fill() -> dict[str, Any]:
    """Does what workers would: counts and trains what waits in the made-up corpus. Returns the places in PAGES."""
    from django.utils.module_loading import import_string

    from annotation_site.made_up.weeks import work_for_three_weeks
    from jobs.tasks import next_job
    from snapshots.models import Snapshot
    from validation.models import Label

    corpus = work_for_three_weeks()
    for queue in ("general", "training"):
        while (row := next_job(queue, worker="here")) is not None:
            import_string(row.WORK)(row.pk, row=row)
    split = Label.objects.filter(question__corpus=corpus, label__isnull=False, position=5)
    snapshot = Snapshot.objects.filter(corpus=corpus).latest("version")
    return {"pair": split.latest("pk").pair.public_id, "snapshot": snapshot.pk}


def signed_in(browser: Browser, url: str, name: str, password: str) -> Page:
    page = browser.new_page(base_url=url, viewport=WIDE)
    page.set_default_timeout(30_000)
    page.goto("/sign-in/")
    page.get_by_label("User name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state()
    return page


def take(browser: Browser, page: Page, address: str, name: str) -> None:
    """Writes a picture of the page's first screen as WebP, which Chromium makes itself."""
    answer = page.goto(address)
    if answer is None or not answer.ok:
        raise SystemExit(f"{address} answered {answer and answer.status}.")
    page.wait_for_timeout(SETTLE_MS)
    picture = base64.b64encode(page.screenshot()).decode()
    blank = browser.new_page()
    data: str = blank.evaluate(TO_WEBP, [picture, QUALITY])
    blank.close()
    path = OUT / f"{name}.webp"
    path.write_bytes(base64.b64decode(data.partition(",")[2]))
    print(f"{path.relative_to(OUT.parents[1])}: {path.stat().st_size / 1000:.0f} kB, {address}")


if __name__ == "__main__":
    main()
