"""The pages of people who write and label, in the languages that the site offers."""

import gettext
import re

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.models import User
from accounts.templatetags.script_words import WORDS
from collection.models import EntryLink
from scripts.messages import PLURALS, ROOT, Message, compiled, messages, po_file, read_po, worker_templates
from tests.corpora import make_corpus

LANGUAGES = list(PLURALS)
MARK = re.compile(r"%\(\w+\)s|\{\w+\}|%%|</?(?:bdi|code|strong|a|kbd)\b")
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
        for name in ("_care", "_check", "_faq", "_premise", "_unsent", "faq", "kept")
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_of_the_workers_pages_is_translated(language):
    """Run `python -m scripts.messages`, which lists new texts in the .po files, and translate them there."""
    known = read_po(po_file(language))
    missing = [message.text for message in messages() if not all(known.get(message, [""]))]
    assert missing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_places_of_its_text(language):
    wrong = []
    for message, said in read_po(po_file(language)).items():
        wanted = set(MARK.findall(message.plural or message.text))
        # A form for one or two things may name them by a word instead of their number.
        needed = wanted - {"%(number)s", "%(count)s"} if message.plural else wanted
        wrong += [text for text in said if not needed <= set(MARK.findall(text)) <= wanted]
    assert wrong == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_file_is_of_the_translations_beside_it(language):
    path = po_file(language)
    known = read_po(path)
    wanted = [message for message in messages() if message in known]
    assert path.with_suffix(".mo").read_bytes() == compiled(
        language, {each: known[each] for each in wanted}
    ), "run python -m scripts.messages"
    with path.with_suffix(".mo").open("rb") as file:
        found = gettext.GNUTranslations(file)  # Python's own reader reads it
    assert found.gettext("Begin") == known[Message("Begin")][0] != "Begin"
    tasks = Message("%(number)s task", "%(number)s tasks")
    assert {found.ngettext(tasks.text, tasks.plural, number) for number in range(120)} <= set(known[tasks])


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


def test_the_words_of_the_workers_scripts_are_all_listed():
    said = set()
    for name in ("site", "check", "labelling", "writing"):
        source = (ROOT / "static" / "js" / f"{name}.js").read_text()
        said |= set(re.findall(r'inWords\("([^"]+)"', source))
        assert not re.search(r'(?:textContent =|say\(|tell\(|ask\() *["`][A-Z]', source), name
    assert said == set(WORDS)


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
    link = EntryLink.objects.create(
        corpus=make_corpus(), platform="prolific", name="wave", work="writing", completion_code="C"
    )
    client = Client(headers={"Accept-Language": language})
    address = f"{reverse('enter', args=[link.token])}?PROLIFIC_PID=p&STUDY_ID=s&SESSION_ID=x"
    page = client.get(address).content.decode()
    assert f">{begin}</button>" in page
    assert "<bdi>$0.30</bdi>" in page
    refused = client.get(reverse("enter", args=[link.token])).content.decode()
    assert "The address has no participant id" not in refused


@pytest.mark.django_db
def test_the_days_of_a_person_begin_at_their_midnight(browser_of, ana):
    client = browser_of(ana)
    client.cookies["quintet-zone"] = "Asia/Tokyo"
    assert "Asia/Tokyo" in client.get(reverse("my-work")).content.decode()
    client.cookies["quintet-zone"] = "../../etc/passwd"
    page = client.get(reverse("my-work"))
    assert "UTC" in page.content.decode()
