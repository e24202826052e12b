"""The pages of people who write and label, in the languages that the site offers."""

import ast
import gettext
import re

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import translation
from django.utils.translation.template import templatize

from accounts.models import User
from scripts.messages import (
    APPS,
    DOMAINS,
    KEYWORDS,
    LANGUAGES,
    ROOT,
    compiled,
    forms,
    messages,
    po_file,
    translations,
    worker_templates,
)
from tests.corpora import make_corpus, make_link

MARK = re.compile(r"%\(\w+\)s|\{\w+\}|%%|</?(?:bdi|code|strong|a|kbd)\b")
COUNTS = {"%(number)s", "%(count)s", "{count}"}
PLACE = re.compile(r"(?:%\(|\{)(\w+)(?:\)s(?!\0)|\})")
# Places that hold no number, or one that nothing is counted by: the third of five, a percentage with its sign, a range.
NO_COUNTS = {
    *(
        "name",
        "platform",
        "chosen",
        "title",
        "prompt",
        "code",
        "slots",
        "label",
        "reason",
        "word",
        "answer",
        "known",
        "meaning",
        "key",
        "why",
    ),
    *("day", "zone", "given", "withdrawn", "time", "first", "last", "link", "visit"),
    *("money", "once", "each", "most", "wage", "share", "address", "mine", "api", "status"),
    *("place", "total", "done", "wanted", "least", "countdown"),
}
# Strings of scripts that nobody reads: selectors, classes, headers.
NO_TEXTS = {"use strict", "Quintet-Poll", ".choices label", "#dots li", "#answers button", "choices buttons"}
# Templates of people who write and label that have words in them, and folders of such templates.
WORKERS = (
    *("400", "403", "403_csrf", "404", "503", "base", "accounts/_mine_menu", "accounts/background"),
    *("accounts/consent", "accounts/mine", "accounts/password", "annotation_site/erase_me"),
    *(
        f"accounts/{name}"
        for name in ("sign_in", "email", "forgotten_password", "link_over", "new_password", "second_step")
    ),
    *("collection/joining/", "validation/labelling/", "validation/start_page/"),
    *(
        f"collection/writing/{name}"
        for name in ("_care", "_check", "_faq", "_premise", "_unsent", "faq", "unsaved")
    ),
    *(f"collection/writing/{name}" for name in ("my_reports", "my_writing", "nothing", "prompt", "writing")),
)


def templates():
    everything = sorted((ROOT / "templates").rglob("*.html"))
    names = {
        path.relative_to(ROOT / "templates").as_posix().removesuffix(".html"): path for path in everything
    }
    return {
        name: path
        for name, path in names.items()
        if name in WORKERS or any(name.startswith(folder) for folder in WORKERS if folder.endswith("/"))
    }


def words_outside(source):
    """Returns texts and attributes for screen readers that a template does not translate."""
    source = re.sub(r"{% blocktranslate.*?{% endblocktranslate %}", "", source, flags=re.DOTALL)
    source = re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}", "\0", source, flags=re.DOTALL)
    source = re.sub(r"<(script|style|svg)\b.*?</\1>", "", source, flags=re.DOTALL)
    spoken = re.findall(r'(?:aria-label|placeholder|alt|title)="([^"]*)"', source)
    texts = re.split(r"<[^<>]*>?", source)
    found = [re.sub(r"\0|Quintet", " ", text).strip() for text in [*texts, *spoken]]
    return [text for text in found if re.search(r"[^\W\d_]{2}", text)]


def collected():
    return [message for domain in DOMAINS for message in messages(domain) if message.id]


def first_form(message):
    return message.id[0] if message.pluralizable else message.id


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_of_the_workers_pages_is_translated(language, domain):
    """Runs `python -m scripts.messages`, which lists new texts in the .po files, and translate them there."""
    known = translations(language, domain)
    found = {message.id: known.get(message.id, message.context) for message in messages(domain) if message.id}
    assert [text for text, message in found.items() if message is None or not all(forms(message))] == []


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_places_of_its_text(language, domain):
    wrong = []
    for message in translations(language, domain):
        wanted = set(MARK.findall(message.id[1] if message.pluralizable else message.id))
        # A form for one or two things may name them by a word instead of their number.
        needed = wanted - COUNTS if message.pluralizable else wanted
        if message.id:
            wrong += [text for text in forms(message) if not needed <= set(MARK.findall(text)) <= wanted]
    assert wrong == []


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_file_is_of_the_translations_beside_it(language, domain):
    known, path = translations(language, domain), po_file(language, domain)
    assert path.with_suffix(".mo").read_bytes() == compiled(known), "run python -m scripts.messages"
    with path.with_suffix(".mo").open("rb") as file:
        found = gettext.GNUTranslations(file)  # Python's own reader reads it
    text = {"django": "Begin", "djangojs": "Send"}[domain]
    assert found.gettext(text) == known.get(text).string != text
    minutes = {
        "django": ("about %(number)s minute", "about %(number)s minutes"),
        "djangojs": ("{count} character left.", "{count} characters left."),
    }[domain]
    assert {found.ngettext(*minutes, number) for number in range(120)} == set(forms(known.get(minutes)))


def test_a_text_with_a_number_has_a_plural_form():
    """Gives it one ({% blocktranslate count %}, ngettext, countInWords), or names its place in NO_COUNTS."""
    assert [message.id for message in collected() if not message.pluralizable and counts_in(message.id)] == []
    for message in collected():
        if message.pluralizable:  # one text cannot agree with two numbers
            assert len(counts_in(message.id[1])) <= 1, message.id


def counts_in(text):
    """Returns the places of a text that may hold a number; a share of a hundred is none."""
    return set(PLACE.findall(text.replace("%%", "\0"))) - NO_COUNTS


def test_a_place_for_a_number_is_found():
    assert counts_in("%(count)s labels") == {"count"}
    assert counts_in("{seconds} seconds, %(place)s of %(total)s") == {"seconds"}
    assert counts_in("%(level)s%% of them") == set()


def test_every_call_in_python_is_collected():
    """Inside of an f-string, for example, a call is not found."""
    known = {first_form(message) for message in collected()}
    missing = []
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in KEYWORDS:
                    texts = [each.value for each in node.args if isinstance(each, ast.Constant)]
                    if texts and not known & set(texts):
                        missing.append((path.name, texts))
    assert missing == []


def test_every_tag_of_a_template_is_collected():
    """A {% translate %} over two lines, for example, is not found: {% blocktranslate trimmed %} is."""
    for path in worker_templates():
        tags = len(
            re.findall(
                r"{%\s*(?:blocktranslate|translate)\b(?![^%]*\bas\b)|:_\(\"", path.read_text(), re.DOTALL
            )
        )
        read = re.findall(r"(?<![\w.])(?:n?p?gettext|_)\(", templatize(path.read_text()))
        assert len(read) >= tags, path
        assert not re.search(r"{%\s*translate [^%]*\n", path.read_text()), path


def test_the_templates_of_workers_have_no_text_outside_of_translations():
    found = {name: words_outside(path.read_text()) for name, path in templates().items()}
    assert {name: texts for name, texts in found.items() if texts} == {}
    assert set(templates().values()) >= {
        path for path in worker_templates() if "collection/joining" in path.as_posix()
    }


def test_a_text_outside_of_translations_is_found():
    assert words_outside("<p>Hello</p>") == ["Hello"]
    assert words_outside('<p aria-label="Your answers">{% translate "Hello" %}</p>') == ["Your answers"]
    assert words_outside("{% if one %}Hello{% endif %}") == ["Hello"]


def test_the_scripts_of_workers_have_no_text_outside_of_translations():
    for name in ("site", "check", "labelling", "writing"):
        source = (ROOT / "static" / "js" / f"{name}.js").read_text()
        source = re.sub(r"(?:inWords|countInWords)\((?:\"[^\"]*\",? ?)+|//.*", "", source)
        texts = re.findall(r"\"([^\"\n]*)\"|`([^`]*)`", source)
        found = {one or other for one, other in texts} - NO_TEXTS
        assert {text for text in found if re.search(r"[a-z]{2} [a-z]{2}|^[A-Z][a-z]+\b.", text)} == set()


def test_every_language_that_is_offered_has_a_file():
    offered = {translation.to_locale(code) for code, _ in settings.LANGUAGES} - {"en"}
    assert offered == set(LANGUAGES)


@pytest.mark.django_db
def test_pages_are_in_the_language_of_the_browser_or_the_chosen_one(browser_of, ana, rosa):
    german = {"Accept-Language": "de-DE,de;q=0.9,en;q=0.5"}
    client = browser_of(ana)
    page = client.get(reverse("start"), headers=german)
    assert 'lang="de" dir="ltr"' in page.content.decode()
    assert "Was möchten Sie tun?" in page.content.decode()
    assert (page["Content-Language"], "Accept-Language" in page["Vary"]) == ("de", True)
    client.post(reverse("choose-language"), {"language": "ar"}, headers=german)
    page = client.get(reverse("mine"), headers=german).content.decode()
    assert 'lang="ar" dir="rtl"' in page
    assert '<script id="words" type="application/json">' in page
    client.post(reverse("choose-language"), {"language": "xx"})
    assert User.objects.get(pk=ana.pk).language == "ar"
    client.post(reverse("choose-language"), {"language": ""})
    assert 'lang="de"' in client.get(reverse("mine"), headers=german).content.decode()
    assert 'lang="en"' in browser_of(rosa).get(reverse("mine"), headers=german).content.decode()
    assert 'lang="en"' in client.get(reverse("mine"), headers={"Accept-Language": "tlh"}).content.decode()
    assert "Content-Language" not in client.get("/api/v1/corpora/", headers=german)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "begin"),
    [("de", "Beginnen"), ("es", "Empezar"), ("ar", "ابدأ"), ("ja", "始める"), ("zh-hans", "开始")],
)
def test_the_welcome_of_a_visit_is_translated(language, begin):
    link = make_link(make_corpus(), work="writing")
    client = Client(headers={"Accept-Language": language})
    address = f"{reverse('enter', args=[link.token])}?PROLIFIC_PID=p&STUDY_ID=s&SESSION_ID=x"
    page = client.get(address).content.decode()
    assert f">{begin}</button>" in page
    assert "<bdi>$0.30</bdi>" in page
    refused = client.get(reverse("enter", args=[link.token])).content.decode()
    assert "This link is not complete" not in refused


@pytest.mark.django_db
def test_the_days_of_a_person_begin_at_their_midnight(browser_of, ana):
    client = browser_of(ana)
    client.cookies["quintet-zone"] = "Asia/Tokyo"
    assert "Asia/Tokyo" in client.get(reverse("my-work")).content.decode()
    client.cookies["quintet-zone"] = "../../etc/passwd"
    page = client.get(reverse("my-work"))
    assert "UTC" in page.content.decode()
