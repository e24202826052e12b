"""A corpus is made and changed in the browser: differences first, then a confirmation."""

import re

import pytest
from django.conf import settings

from collection.models import Corpus

pytestmark = pytest.mark.django_db

FILE = settings.BASE_DIR / "examples" / "captions" / "corpus.toml"
SEEN = re.compile(r'name="seen" value="(\w+)"')


@pytest.fixture
def text() -> str:
    return FILE.read_text()


@pytest.fixture
def client(browser_of, rosa):
    return browser_of(rosa)


def seen_in(answer) -> str:
    return SEEN.search(answer.content.decode())[1]


def test_looking_changes_nothing_and_confirming_makes_the_corpus(client, text):
    looked = client.post("/new-corpus/", {"text": text, "do": "look"})
    slug = looked.context["look"].file.corpus.slug
    assert f"to make the corpus {slug}" in looked.content.decode()
    assert not Corpus.objects.exists()
    # A browser sends line ends in its own way.
    sent = {"text": text.replace("\n", "\r\n"), "do": "load", "seen": seen_in(looked)}
    made = client.post("/new-corpus/", sent)
    assert made["Location"] == f"/c/{slug}/"
    assert Corpus.objects.get().slug == slug
    again = client.post("/new-corpus/", {"text": text, "do": "look"})
    assert "There is nothing to change." in again.content.decode()


def test_errors_are_those_of_the_command_and_the_text_stays(client, text):
    wrong = text.replace("[corpus]", "[corpus]\nnonsense = 1", 1)
    answer = client.post("/new-corpus/", {"text": wrong, "do": "look"})
    assert answer.status_code == 422
    assert "corpus file, line" in answer.context["look"].errors[0]
    assert "nonsense" in answer.context["look"].errors[0]
    assert answer.context["look"].text == wrong
    assert client.post("/new-corpus/", {"text": "no toml", "do": "load"}).status_code == 422
    assert not Corpus.objects.exists()


def test_what_was_not_looked_at_is_not_loaded(client, text):
    looked = client.post("/new-corpus/", {"text": text, "do": "look"})
    other = re.sub(r'(?m)^name = "', 'name = "Other ', text, count=1)
    answer = client.post("/new-corpus/", {"text": other, "do": "load", "seen": seen_in(looked)})
    assert answer.status_code == 422
    assert "has changed since you looked" in answer.content.decode()
    assert not Corpus.objects.exists()
    assert (
        client.post("/new-corpus/", {"text": other, "do": "load", "seen": seen_in(answer)}).status_code == 302
    )


def test_the_page_of_a_corpus_takes_its_own_file_alone(client, text):
    Corpus.objects.create(slug="elsewhere", name="Elsewhere")
    answer = client.post("/c/elsewhere/settings/file/", {"text": text, "do": "look"})
    assert answer.status_code == 422
    assert "this page is about “elsewhere”" in answer.content.decode()


@pytest.fixture
def made(client, text) -> Corpus:
    client.post(
        "/new-corpus/",
        {
            "text": text,
            "do": "load",
            "seen": seen_in(client.post("/new-corpus/", {"text": text, "do": "look"})),
        },
    )
    return Corpus.objects.get()


def test_the_page_begins_with_the_text_that_was_loaded_and_sends_it(client, made, text):
    page = client.get("/c/captions/settings/file/")
    assert page.context["look"].text == text
    assert "by rosa" in page.content.decode()
    sent = client.get("/c/captions/settings/file.toml")
    assert (sent.content.decode(), sent["Content-Disposition"]) == (
        text,
        'attachment; filename="captions.toml"',
    )


def test_earlier_texts_can_be_read_and_loaded_again(client, made, text):
    other = text.replace("max_tasks_per_day = 150", "max_tasks_per_day = 90")
    looked = client.post("/c/captions/settings/file/", {"text": other, "do": "look"})
    client.post("/c/captions/settings/file/", {"text": other, "do": "load", "seen": seen_in(looked)})
    first, second = made.texts.order_by("pk")
    page = client.get(f"/c/captions/settings/file/{second.pk}/").content.decode()
    assert "max_tasks_per_day: 150 -&gt; 90" in page
    assert client.get(f"/c/captions/settings/file/{first.pk}.toml").content.decode() == text
    assert client.get(f"/c/captions/settings/file/?begin={first.pk}").context["look"].text == text
    assert client.get("/c/captions/settings/file/?begin=999").status_code == 404
    assert client.get(f"/c/captions/settings/file/?before={second.pk}").context["texts"] == [first]


def test_a_text_that_differs_in_comments_is_kept_by_a_button(client, made, text):
    other = f"# Ours.\n{text}"
    looked = client.post("/c/captions/settings/file/", {"text": other, "do": "look"})
    assert "Keep this text" in looked.content.decode()
    client.post("/c/captions/settings/file/", {"text": other, "do": "load", "seen": seen_in(looked)})
    assert made.texts.count() == 2
    again = client.post("/c/captions/settings/file/", {"text": other, "do": "look"})
    assert "Keep this text" not in again.content.decode()


def test_a_corpus_loaded_before_is_written_from_the_database_and_says_so(client):
    Corpus.objects.create(slug="old", name="Old")
    page = client.get("/c/old/settings/file/")
    assert "was written from the database" in page.content.decode()
    assert 'slug = "old"' in page.context["look"].text


def begin(client, **asked):
    return client.post(
        "/new-corpus/", {"do": "begin", "begin": "captions", "slug": "mine", "name": "Mine", **asked}
    )


def test_a_new_corpus_begins_with_an_example(client):
    looked = begin(client)
    assert "to make the corpus mine" in looked.content.decode()
    sent = {"text": looked.context["look"].text, "do": "load", "seen": seen_in(looked)}
    assert client.post("/new-corpus/", sent)["Location"] == "/c/mine/"
    # And another one with it.
    assert '<option value="c/mine" selected>' in client.get("/new-corpus/?begin=c/mine").content.decode()
    assert begin(client, begin="c/mine", slug="other").context["look"].file.corpus.slug == "other"


def test_a_new_corpus_is_asked_for_its_language(client):
    assert begin(client, language=" pt-BR ").context["look"].file.corpus.language == "pt-BR"
    assert begin(client, begin="empty").context["look"].file.corpus.language == "en"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"language": "Portuguese (Brazil)"}, "is no language tag"),
        ({"slug": "Not a slug"}, "must be small letters"),
        ({"slug": "", "name": "文"}, "Give it a short name"),
        ({"name": " "}, "Give the corpus the name"),
        ({"name": "n" * 201}, "at most 200"),
        ({"begin": "../pyproject"}, "no such example"),
        ({"begin": "c/none"}, "no such example"),
        ({"slug": "taken"}, "There is a corpus taken already"),
    ],
)
def test_what_is_wrong_with_a_beginning_stands_at_its_field(client, asked, said):
    Corpus.objects.create(slug="taken", name="Taken")
    answer = begin(client, **asked)
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert Corpus.objects.count() == 1


def test_an_error_of_toml_names_its_line_and_what_to_do(client, text):
    wrong = text.replace('slug = "captions"', "slug = captions", 1)
    answer = client.post("/new-corpus/", {"text": wrong, "do": "look"})
    assert answer.context["look"].faults[0].line == text[: text.index('slug = "captions"')].count("\n") + 1
    assert "A text stands in quotes" in answer.content.decode()
