"""No English is left on the pages of people who write and label, whatever happens to them.

The pages are read in Arabic. There a Latin word outside of names, texts of the corpus, codes and keys is something that
no language can translate; test_translations.py looks after the other languages. Names and such are marked: by `bdi`,
`dir="auto"`, `lang`, `code` or `kbd`, or as `isolated` does, which a page from right to left needs anyway.
"""

import re
from datetime import timedelta
from typing import Any

import lxml.html
import pytest
from django.core import mail
from django.db import transaction
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.passwords import confirmation_of, reset_link
from collection.models import Corpus, EntryLink, LedgerEntry, PromptVersion, Visit
from collection.models.pay import REASONS
from collection.pay import reason_for
from collection.premises.writing_seats import make_seats
from tests.addresses import addresses, finish, sample_site
from tests.architecture.test_authorization import people_of
from tests.cast import ana, person, signed_in, vera
from tests.corpora import make_corpus, make_link, make_pair, make_premises, pay
from validation.models import Question
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db

DATA = "//title|//script|//style|//svg|//bdi|//code|//kbd|//pre|//*[@dir='auto']|//body//*[@lang]|//*[@class='site-name']"
SPOKEN = ("aria-label", "title", "placeholder", "alt")
# Words that every language writes so.
COMMON = re.compile(r"\u2068[^\u2069]*\u2069|Quintet|REST|JSON Lines|UUID|Ctrl|Enter|Cookie|ID|[\w.]+@[\w.]+")
# Nothing here is for people who write and label.
NOT_WORKERS = re.compile(r"(?!enter/|join/|sign-in|forgotten|new-password|consent/|mine/|start/|work/)")


def english_on(page: Any) -> set[str]:
    """Returns the texts of a page with a Latin word outside of data."""
    if not page.get("Content-Type", "").startswith("text/html") or not page.content:
        return set()
    root = lxml.html.fromstring(page.content)
    for element in root.xpath(DATA):
        element.drop_tree()
    texts = [*root.itertext(), *(element.get(name, "") for element in root.iter() for name in SPOKEN)]
    return {text.strip() for text in texts if re.search(r"[A-Za-z]{2}", COMMON.sub("", text))}


def test_english_is_found_and_data_are_not():
    page = {"Content-Type": "text/html"}

    class Page(dict[str, str]):
        content = b'<main lang="ar"><p title="A title">Not now <bdi>Ana</bdi> REST</p><p dir="auto">A text</p></main>'

    assert english_on(Page(page)) == {"Not now  REST", "A title"}


@pytest.mark.parametrize(
    "roles",
    [
        ("annotator",),
        pytest.param(("annotator", "excluded", "elsewhere", "nobody"), marks=pytest.mark.thorough),
    ],
    ids=["who works", "everybody"],
)
def test_no_page_has_english_on_it(roles):
    """In the first grade as somebody who may work; what others read is refusals, and one of them is on the way below."""
    site = sample_site()
    people = people_of(site) | {"nobody": None}
    found: dict[str, set[str]] = {}
    for address in addresses(site):
        if NOT_WORKERS.match(address.route):
            continue
        for role in roles:
            for method in ("get", "post"):
                client = Client(headers={"Accept-Language": "ar"})
                if people[role]:
                    client.force_login(people[role])
                with transaction.atomic():
                    page = getattr(client, method)(address.url, follow=True)
                    finish(page)
                    transaction.set_rollback(True)
                if page.redirect_chain and page.redirect_chain[-1][0] == "/":
                    continue  # the home page describes the project to researchers
                if left := english_on(page):
                    found[f"{method} {address.route} as {role}: {page.status_code}"] = left
    assert not found, "\n".join(f"{where}: {left}" for where, left in found.items())


def test_nothing_that_happens_on_the_way_is_told_in_english(settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    found = {what: left for what, page in way() if (left := english_on(page))}
    assert not found, "\n".join(f"{what}: {left}" for what, left in found.items())


def way():
    """Yields (what happens, page) along the way of a worker, with what can go wrong."""

    def browser(user: User | None = None) -> Client:
        client = Client(headers={"Accept-Language": "ar"})
        if user:
            client.force_login(user)
        return client

    corpus = make_corpus(with_consent=True, sign_up=True, max_hypothesis_chars=60, min_hypothesis_chars=5)
    make_seats(premises=make_premises(corpus, ["A cat sleeps.", "Two dogs run outside.", "It rains."]))
    writer, out = ana(), browser()

    for given in ({"username": "ana", "password": "x"}, {}):
        yield "a failed sign-in", out.post("/sign-in/", given)
    for _ in range(6):
        locked = out.post("/sign-in/", {"username": "ana", "password": "x"})
    yield "too many sign-ins", locked
    for given in (
        {"username": "ana", "new": "short", "again": "other"},
        {"username": "ana", "new": "a good long password", "again": "a good long password"},
        {"username": "a b", "new": "123456789012", "again": "123456789012"},
    ):
        yield "an account that cannot be made", out.post("/join/small/", given)
    yield "a mail for no address", browser().post("/forgotten-password/", {"email": "x"})
    yield "a mail", browser().post("/forgotten-password/", {"email": "a@example.org"}, follow=True)
    yield "a link that is over", browser().get("/new-password/x/y/")
    writer.set_password("a good long password")
    writer.save()
    page = "/".join(reset_link(writer))
    yield "a bad new password", browser().post(f"/new-password/{page}/", {"new": "1", "again": "2"})
    good = {"new": "another long password", "again": "another long password"}
    yield "a new password", browser().post(f"/new-password/{page}/", good, follow=True)

    writer.refresh_from_db()
    client = browser(writer)
    yield "work before consent", client.get("/work/writing/small/", follow=True)
    yield "consent", client.post(f"/consent/{corpus.consent_form_id}/", follow=True)
    yield "consent again", client.get(f"/consent/{corpus.consent_form_id}/")
    prompt = f"/work/writing/small/prompt/{PromptVersion.objects.get().pk}/"
    yield "instructions", client.get(prompt)
    task = client.post(prompt, {"agree": "yes"}, follow=True)
    yield "a task", task
    form = task.context["form"]
    sent = {"token": form["token"].value(), "key": form["key"].value(), "base": ""}
    texts = ("text-entailment", "text-contradiction", "text-neutral")
    premise = task.context["premise"].text
    for words in (("", "ab", "x" * 80), (premise, "Same here now.", "same here now"), ("\0", "", "")):
        yield (
            f"texts {words}",
            client.post("/work/writing/small/", sent | dict(zip(texts, words, strict=True))),
        )
    yield (
        "a report that is too long",
        client.post("/work/writing/small/skip/", sent | {"problem": "x" * 3000}),
    )
    yield (
        "a draft",
        client.post("/work/writing/small/draft/", sent | {texts[0]: "A first idea."}, follow=True),
    )
    yield (
        "another device",
        client.post("/work/writing/small/draft/", sent | {texts[0]: "A second.", "base": "old"}),
    )
    yield "a skip of typed texts", client.post("/work/writing/small/skip/", sent | {texts[0]: "Typed."})
    yield "somebody else's task", browser(vera()).post("/work/writing/small/", sent | {texts[0]: "Mine."})
    yield "signed out while writing", browser().post("/work/writing/small/", sent | {texts[0]: "Mine."})
    done = dict(zip(texts, ("It is so here.", "It is not so.", "It may be so."), strict=True))
    yield "a sent task", client.post("/work/writing/small/", sent | done, follow=True)
    yield "a task sent twice", client.post("/work/writing/small/", sent | done | {texts[0]: "Changed."})
    task = client.get("/work/writing/small/")
    skipped = {
        "token": task.context["form"]["token"].value(),
        "problem": "It is cut off.",
        "reason": "upsetting",
    }
    yield "a skip", client.post("/work/writing/small/skip/", skipped, follow=True)
    task = client.get("/work/writing/small/")
    client.post("/work/writing/small/skip/", {"token": task.context["form"]["token"].value()})
    yield "nothing to write", client.get("/work/writing/small/")
    Corpus.objects.update(max_tasks_per_day=1)
    yield "enough for today", client.get("/work/writing/small/")

    for kind in LedgerEntry.Kind:
        values = {"count": 2, "name": corpus.name, "prompt": "Fiction", "wage": "$9.00"}
        LedgerEntry.objects.create(
            user=writer, corpus=corpus, kind=kind, cents=7, reason=reason_for(kind, **values), key=kind
        )
    assert set(REASONS) == set(LedgerEntry.Kind)
    for address in (
        "/mine/",
        "/work/mine/",
        "/work/mine/writing/",
        "/work/reports/",
        "/start/",
        "/mine/?before=1",
    ):
        yield address, client.get(address)
    yield (
        "a token",
        client.post("/mine/tokens/", {"name": "x", "days": 0, "password": "another long password"}),
    )
    yield "a token without a purpose", client.post("/mine/tokens/", {"days": 7, "password": "wrong"})
    yield "a wrong password", client.post("/mine/password/", {"old": "wrong"} | good)
    yield "no address", client.post("/mine/email/", {"email": "x", "password": "wrong"})
    answer = client.post(
        "/mine/email/", {"email": "a@example.org", "password": "another long password"}, follow=True
    )
    yield "a new address", answer
    confirm = confirmation_of(writer, "a@example.org")
    yield "an address to confirm", client.get("/mine/email/", {"confirm": confirm})
    yield "an address confirmed", client.post("/mine/email/", {"confirm": confirm}, follow=True)
    yield "the background", client.post("/mine/background/", {"age": "18-24", "region": "x"})
    yield "the background saved", client.post("/mine/background/", {"age": "18-24"}, follow=True)
    yield "erasure without the code", client.post("/mine/erase/", {"code": "x", "password": "wrong"})
    yield "a page that is not there", client.get("/work/nowhere/")
    yield "an address without its slash", client.post("/work/writing/small")
    yield "a NUL", client.get("/start/?a=%00")
    yield "a researcher's page", client.get("/corpora/small/agreement/")
    yield (
        "no token of the form",
        Client(enforce_csrf_checks=True, headers={"Accept-Language": "ar"}).post("/sign-in/"),
    )

    question = Question.objects.get(corpus=corpus)
    for number, premise in enumerate(corpus.premises.all()):
        make_pair(corpus, premise, f"Hypothesis {number}.", author=writer, author_label="neutral")
    open_for_validation(question=question, pairs=corpus.pairs.exclude(author=None))
    client = browser(vera())
    yield "labelling before consent", client.get("/work/validation/small/", follow=True)
    client.post(f"/consent/{corpus.consent_form_id}/")
    yield "instructions of labelling", client.get("/work/validation/small/", follow=True)
    yield "agreed", client.post("/work/validation/small/instructions/", {"agree": "yes"}, follow=True)
    batch = client.get("/work/validation/small/")
    yield "a batch", batch
    slots = re.findall(r'data-slot="([^"]+)"', batch.content.decode())
    token = re.search(r'name="assignment" value="([^"]+)"', batch.content.decode())[1]
    sent = {"assignment": token, "key": "first"}
    for given in (
        {},
        {f"label-{slots[0]}": "x"},
        {"label-none": "neutral"},
        {f"skip-{slots[0]}": "x"},
        {"key": ""},
    ):
        yield f"answers {given}", client.post("/work/validation/small/", sent | given, follow=True)
    yield (
        "one answer",
        client.post("/work/validation/small/", sent | {f"label-{slots[0]}": "neutral"}, follow=True),
    )
    yield "an own label", client.get("/work/mine/")
    rest = {f"skip-{slot}": "unclear" for slot in slots[1:]}
    yield (
        "the rest skipped",
        client.post("/work/validation/small/", sent | rest | {"key": "second"}, follow=True),
    )
    yield "nothing to label", client.get("/work/validation/small/")
    Question.objects.update(pool_is_open=False)
    yield "not invited", browser(person("ben")).get("/work/validation/small/", follow=True)

    link = make_link(corpus, work="writing", minutes_allowed=5)
    ids = {"PROLIFIC_PID": "p", "STUDY_ID": "s", "SESSION_ID": "x"}
    where = f"/enter/{link.token}/"
    yield "a link without ids", browser().get(where)
    yield "a link with a bad id", browser().get(where, ids | {"PROLIFIC_PID": "ü" * 300})
    visitor = browser()
    yield "the welcome", visitor.get(where, ids)
    query = "&".join(f"{name}={value}" for name, value in ids.items())
    agree = {"agree": corpus.consent_form.digest}
    yield "the first page of a visit", visitor.post(f"{where}?{query}", agree, follow=True)
    yield "the same id in another browser", browser().post(f"{where}?{query}", agree)
    yield "the visit", visitor.get("/work/visit/")
    yield "another study", visitor.get("/work/writing/small/", follow=True)
    Visit.objects.update(arrived_at=timezone.now() - timedelta(hours=2))
    yield "time over", visitor.get("/work/visit/")
    Visit.objects.update(finished_at=timezone.now())
    yield "a finished visit", visitor.get("/work/visit/")
    pay(Visit.objects.get().user, cents=20, key="v", corpus=corpus)
    yield "earned in the visit", visitor.get("/work/visit/")
    EntryLink.objects.update(closed_at=timezone.now())
    yield "a closed link", browser().get(where, ids)
    yield "consent withdrawn", visitor.post(f"/mine/consents/{corpus.consent_form_id}/withdraw/", follow=True)


def test_mails_are_in_the_language_of_their_reader(settings, monkeypatch):
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    monkeypatch.setattr("threading.Thread.start", lambda thread: thread.run())
    writer = ana()
    writer.set_password("a good long password")
    writer.email, writer.language = "a@example.org", "ar"
    writer.save()
    Client(headers={"Accept-Language": "en"}).post("/forgotten-password/", {"email": writer.email})
    client = signed_in(writer)
    client.post("/mine/email/", {"email": "b@example.org", "password": "a good long password"})
    assert len(mail.outbox) == 2
    for each in mail.outbox:
        words = re.sub(r"https?://\S+|ana", "", f"{each.subject} {each.body}")
        assert not re.search(r"[A-Za-z]{2}", COMMON.sub("", words)), words
