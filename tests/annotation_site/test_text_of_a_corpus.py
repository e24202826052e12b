"""The text of a corpus's file is kept with its date, and can be written from the database."""

import tomllib

import pytest

from annotation_site.intake.corpus_files import load
from annotation_site.intake.corpus_text import BEGINNINGS, beginning, begun, text_of
from collection.corpora.corpus_file import corpus_file_in
from collection.models import Corpus, CorpusText, Prompt
from collection.writing.prompts import set_prompt_status
from schemas.toml_text import toml_of
from tests.commands import run
from tests.conftest import REPOSITORY
from tests.corpora import make_corpus

pytestmark = pytest.mark.django_db

FILE = REPOSITORY / "examples" / "captions" / "corpus.toml"


def loaded(text: str, **more) -> Corpus:
    file = corpus_file_in(text, "file")
    load(file, **more)
    return Corpus.objects.get(slug=file.corpus.slug)


@pytest.mark.parametrize("name", BEGINNINGS)
def test_what_is_written_from_the_database_changes_nothing(name):
    corpus = loaded(beginning(name))
    CorpusText.objects.all().delete()
    written = text_of(corpus)
    assert written.kept is None
    assert load(corpus_file_in(written.text, "file"), dry_run=True).lines == []


def test_a_corpus_without_a_question_is_written_as_far_as_it_goes():
    corpus = Corpus.objects.create(slug="bare", name="Bare")
    assert tomllib.loads(text_of(corpus).text) == {"corpus": {"slug": "bare", "name": "Bare"}}
    assert "[[prompts]]" in text_of(make_corpus(with_consent=True)).text


def test_a_command_keeps_the_text_and_only_other_texts_later():
    assert not run("load_corpus", FILE).failure
    corpus = Corpus.objects.get()
    (kept,) = corpus.texts.all()
    assert (kept.text, kept.loaded_by) == (FILE.read_text(), None)
    assert ["+", "corpus captions"] in kept.changes
    assert not run("load_corpus", FILE).failure
    assert not run("load_corpus", FILE, "--dry-run").failure
    assert corpus.texts.count() == 1


def test_other_comments_are_kept_without_a_change(tmp_path, rosa):
    text = FILE.read_text()
    corpus = loaded(text)
    loaded(f"# Ours since May.\n{text}", by=rosa)
    newest = corpus.texts.newest_first().first()
    assert (newest.changes, newest.loaded_by) == ([], rosa)
    assert text_of(corpus).text.startswith("# Ours since May.")
    loaded(f"# No.\n{text}", dry_run=True)
    assert corpus.texts.count() == 2


def test_the_state_of_a_prompt_that_a_page_changed_is_in_the_text():
    corpus = loaded(FILE.read_text())
    set_prompt_status(prompt=Prompt.objects.get(corpus=corpus), status="closed")
    text = text_of(corpus).text
    assert tomllib.loads(text)["prompts"][0]["status"] == "closed"
    assert text.startswith("# A corpus of captions")
    assert load(corpus_file_in(text, "file"), dry_run=True).lines == []


@pytest.mark.parametrize("name", BEGINNINGS)
def test_an_example_begins_another_corpus_with_its_comments(name):
    text = begun(beginning(name), slug="weather", name='Talk of "weather"')
    file = corpus_file_in(text, "file")
    assert (file.corpus.slug, file.corpus.name, file.corpus.made_for_demo) == (
        "weather",
        'Talk of "weather"',
        False,
    )
    assert text.startswith(beginning(name).splitlines()[0])
    assert "+" in {sign for sign, _ in load(file, dry_run=True).lines}


def test_a_corpus_of_ones_own_begins_another():
    loaded(FILE.read_text())
    assert "# SNLI: 10,000" in begun(beginning("c/captions"), slug="more", name="More")
    assert beginning("c/none") is None
    assert beginning("../pyproject") is None
    assert toml_of({"corpus": {"slug": "bare"}}) == '[corpus]\nslug = "bare"\n'
