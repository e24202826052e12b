"""Makes the pictures of the documentation: python -m tests.browser.screenshots [--only NAME ...].

It fills an empty database in a temporary folder with the demo corpus, a crowd and made-up dates, starts the site, and
writes docs/images/*.webp with Chromium (CHROMIUM names it). About four minutes; nothing of an installation is touched.
"""

import argparse
import base64
import io
import os
import random
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from scripts import services

OUT = Path(__file__).parents[2] / "docs" / "images"
WIDE = {"width": 1280, "height": 860}
DAYS = 21
QUALITY = 0.82
SETTLE_MS = 900  # charts are drawn and parts of pages come by themselves
# name of the picture -> address
PAGES = {
    "home": "/admin/",
    "overview": "/c/demo/",
    "premises": "/c/demo/premises/",
    "prompts": "/corpora/demo/pilots/",
    "writing": "/c/demo/texts/",
    "pairs": "/corpora/demo/pairs/?votes=split",
    "pair": "/corpora/demo/pairs/{pair}/",
    "labelling-progress": "/c/demo/labelling/",
    "agreement": "/corpora/charted/agreement/",
    "disputes": "/corpora/demo/pairs/?votes=disputed",
    "annotators": "/corpora/charted/annotators/",
    "pay": "/corpora/charted/pay/?floor=50",
    "snapshot": "/snapshots/{snapshot}/",
    "snapshot-statistics": "/snapshots/{snapshot}/statistics/",
    "runs": "/runs/?corpus=demo",
    "settings": "/c/demo/settings/",
}
# What the made-up writers write: texts that fit many premises.
LABELS = ("entailment", "neutral", "contradiction")
WRITTEN = [
    dict(zip(LABELS, texts, strict=True))
    for texts in (
        ("There is something to tell here.", "It was told in the morning.", "There is nothing to tell here."),
        (
            "This is about something.",
            "The matter will be settled by Friday.",
            "This is about nothing at all.",
        ),
        ("Words are used here.", "A second person disagrees with this.", "Not one word is used here."),
        ("A statement is made.", "The statement surprised everybody.", "Nobody makes a statement."),
        ("Somebody put this into words.", "It took them an hour.", "This was never put into words."),
        ("There is more than one word here.", "It was written with a pencil.", "This is a single word."),
        ("It can be read.", "It has been read aloud twice.", "It cannot be read by anybody."),
        ("It is in English.", "It was translated from French.", "It is in Latin."),
    )
]
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
    parser.add_argument("--only", nargs="+", choices=["labelling", *PAGES], help="make these pictures alone")
    only = set(parser.parse_args().only or ["labelling", *PAGES])
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
    with site() as url:
        if "labelling" in only:
            page = signed_in(browser, url, "vera", PASSWORD)
            let_vera_work()
            take(browser, page, "/work/validation/demo/", "labelling")
        places = fill(url)
        page = signed_in(browser, url, "rosa", PASSWORD)
        for name in [name for name in PAGES if name in only]:
            take(browser, page, PAGES[name].format(**places), name)


def command(name: str, *arguments: Any, **options: Any) -> None:
    from django.core.management import call_command

    call_command(name, *arguments, stdout=io.StringIO(), stderr=io.StringIO(), **options)


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


def fill(url: str) -> dict[str, Any]:
    """Has a crowd label, spreads its labels over three weeks, freezes, counts and trains. Returns the places in PAGES."""
    from collection.models import Corpus
    from snapshots.models import Snapshot
    from snapshots.statistics.job import compute_statistics, request_statistics
    from tests.charted import charted_corpus
    from validation.models import Label
    from validation.statistics import cached

    command("simulate", "demo", annotators=12, at_once=4, url=url)
    have_texts_written()
    charted_corpus()
    Corpus.objects.filter(slug="charted").update(name="Three genres")
    spread_dates()
    command("freeze_snapshot", "demo")
    snapshot = Snapshot.objects.get(corpus__slug="demo")
    for kind in ("corpus", "artifacts"):
        compute_statistics(statistics_id=request_statistics(snapshot=snapshot, kind=kind).pk)
    for seed in (1, 2, 3):
        command("train", str(snapshot), "--baseline", "cbow", "--seed", str(seed), "--set", "epochs=4")
    command("train", str(snapshot), "--baseline", "majority")
    for corpus in Corpus.objects.all():
        row = cached.request_statistics(question=corpus.questions.get(is_main=True), kind="annotators")
        cached.carry_out(statistics_id=row.pk)
    split = Label.objects.filter(question__corpus__slug="demo", label__isnull=False, position=5)
    return {"pair": split.latest("pk").pair.public_id, "snapshot": snapshot.pk}


def have_texts_written() -> None:
    """Has four of the crowd write a text for each label, so that the list of texts is not empty."""
    from accounts.models import User
    from collection.models import Corpus, WritingAssignment
    from collection.writing.claiming import claim_writing
    from collection.writing.submitting import submit_writing

    corpus, dice = Corpus.objects.get(slug="demo"), random.Random(15)
    for number, writer in enumerate(User.objects.filter(kind="simulated").order_by("pk")[:4]):
        for texts in WRITTEN[number::4]:
            task = claim_writing(corpus=corpus, annotator=writer)
            submit_writing(annotator=writer, token=task.token, texts=dict(texts), key=task.token)
            began = WritingAssignment.objects.get(pk=task.pk)
            began.created_at -= timedelta(seconds=dice.randint(40, 150))
            began.save(update_fields=["created_at"])


def spread_dates() -> None:
    """Gives labels and earnings of the crowd made-up dates in the last three weeks."""
    from django.utils import timezone

    from collection.models import LedgerEntry
    from validation.models import BatchItem, Label

    dice, now = random.Random(15), timezone.now()
    labels = list(Label.objects.filter(question__corpus__slug="demo", origin="cast", label__isnull=False))
    for label in labels:
        label.cast_at = now - timedelta(days=dice.triangular(0, DAYS, 3))
    Label.objects.bulk_update(labels, ["cast_at"])
    entries = list(LedgerEntry.objects.filter(corpus__slug="demo"))
    for entry in entries:
        entry.created_at = now - timedelta(days=dice.triangular(0, DAYS, 3))
    LedgerEntry.objects.bulk_update(entries, ["created_at"])
    items = list(BatchItem.objects.filter(assignment__question__corpus__slug="demo"))
    for item in items:
        item.active_ms = dice.randint(4000, 14000)
    BatchItem.objects.bulk_update(items, ["active_ms"])


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
