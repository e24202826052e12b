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
    slug = looked.context["file"].corpus.slug
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
    assert "corpus file, line" in answer.context["errors"][0]
    assert "nonsense" in answer.context["errors"][0]
    assert answer.context["text"] == wrong
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
