"""What a corpus says to people who write and label, in the language in which they read the pages."""

import tomllib

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Consent
from annotation_site.intake.corpus_files import load
from annotation_site.intake.corpus_text import text_of
from collection.corpora.corpus_file import BadCorpusFile, corpus_file_in
from collection.models import Corpus, CorpusText, EntryLink, Pair
from collection.premises.writing_seats import make_seats
from tests.conftest import REPOSITORY
from tests.corpora import make_pair, make_premise
from tests.made_once import made_once
from validation.pairs.opening import open_for_validation

pytestmark = pytest.mark.django_db

FILE = (
    (REPOSITORY / "examples" / "captions" / "corpus.toml")
    .read_text()
    .replace("[name and address", "(name and")
)
ARABIC = """
[[translations]]
language = "ar"
name = "تعليقات"

[translations.consent]
title = "الموافقة"
language_models = "لا تستخدم أي نموذج لغوي."

[[translations.consent.facts]]
fact = "تقرأ تعليقات على صور."
more = "يمكنك التوقف."

[translations.question]
wording = "إذا كان النص صحيحًا؟"
instructions = "اقرأ النص."

[[translations.question.labels]]
label = "entailment"
wording = "صحيح قطعًا"

[[translations.prompts]]
slug = "SLUG"
instructions = "اكتب ثلاث جمل."

[[translations.prompts.fields]]
label = "entailment"
wording = "جملة صحيحة."
reminder = "صحيحة دائمًا."
""".replace("SLUG", tomllib.loads(FILE)["prompts"][0]["slug"])


@made_once
def corpus() -> Corpus:
    load(corpus_file_in(FILE + ARABIC, "file"))
    corpus = Corpus.objects.get()
    genre = corpus.genres.first()
    premise = make_premise(corpus, "A dog runs.", genre=genre.slug)
    make_pair(corpus, premise, "It moves.")
    make_seats(premises=[make_premise(corpus, "A cat sleeps on a chair.", genre=genre.slug)])
    open_for_validation(question=corpus.questions.get(), pairs=Pair.objects.all())
    return corpus


def visitor(corpus: Corpus, language: str, work: str) -> Client:
    """Returns the browser of somebody who agreed on the welcome of a visit."""
    link, _ = EntryLink.objects.get_or_create(
        corpus=corpus, platform="prolific", proof="none", name=work, work=work, completion_code="C"
    )
    client = Client(headers={"Accept-Language": language})
    page = (
        reverse("enter", args=[link.token])
        + f"?PROLIFIC_PID={language}{work}&STUDY_ID=s&SESSION_ID={language}{work}"
    )
    client.welcome = client.get(page).text
    form = client.get(page).context["form"]
    client.post(page, {"agree": form.digest, "read_language": form.read_language})
    return client


def test_a_labeller_reads_consent_question_and_answers_in_their_language(corpus):
    arabic = visitor(corpus, "ar", "labelling")
    assert all(
        words in arabic.welcome
        for words in ("الموافقة", "تقرأ تعليقات", "يمكنك التوقف", "لا تستخدم", "تعليقات")
    )
    assert "What you do" not in arabic.welcome
    consent = Consent.objects.get()
    assert (consent.language, consent.form) == ("ar", corpus.consent_form)
    page = arabic.get(f"/work/validation/{corpus.slug}/", follow=True).text
    assert all(words in page for words in ("إذا كان النص صحيحًا؟", "اقرأ النص.", "صحيح قطعًا"))
    german = visitor(corpus, "de", "labelling")
    assert "What you do" in german.welcome
    assert Consent.objects.latest("pk").language == ""
    assert "صحيح" not in german.get(f"/work/validation/{corpus.slug}/", follow=True).text


def test_a_writer_reads_instructions_and_fields_in_their_language(corpus):
    page = visitor(corpus, "ar", "writing").get(f"/work/writing/{corpus.slug}/", follow=True).text
    assert all(words in page for words in ("اكتب ثلاث جمل.", "جملة صحيحة.", "صحيحة دائمًا.", "صحيح قطعًا"))


def test_an_exam_is_read_in_their_language():
    exam = (
        '[exam]\ninstructions = "Read it twice."\n[[exam.items]]\npremise = "It rains."\nlabel = "neutral"\n'
    )
    with_exam = FILE.replace('writing = "open"', 'writing = "exam"') + exam
    said = '[translations.exam]\ninstructions = "اقرأ مرتين."\n'
    with pytest.raises(BadCorpusFile, match="translates the table of an exam, and there is none"):
        corpus_file_in(FILE + ARABIC + said, "file")
    file = corpus_file_in(with_exam + ARABIC + said, "file")
    load(file)
    corpus = Corpus.objects.get()
    page = visitor(corpus, "ar", "writing").get(reverse("exam", args=[corpus.slug])).text
    assert "اقرأ مرتين." in page
    assert "Read it twice." not in page
    assert "تعليقات" in page


def test_the_consent_page_records_the_language_that_it_showed(corpus, ana, browser_of):
    browser, page = browser_of(ana), reverse("consent", args=[corpus.consent_form_id])
    arabic = {"Accept-Language": "ar"}
    assert 'name="read_language" value="ar"' in browser.get(page, headers=arabic).text
    browser.post(page, {"read_language": "xx"})
    assert Consent.objects.get().language == ""


def test_a_translated_consent_is_a_part_of_the_form(corpus):
    old = corpus.consent_form
    assert load(corpus_file_in(FILE + ARABIC, "file")).lines == []
    load(corpus_file_in(FILE + ARABIC.replace("يمكنك التوقف", "لك أن تتوقف"), "file"))
    corpus.refresh_from_db()
    assert corpus.consent_form != old
    load(corpus_file_in(FILE, "file"))
    assert not corpus.translations.exists()


def test_translations_are_in_the_text_that_is_written_from_the_database(corpus):
    CorpusText.objects.all().delete()
    assert load(corpus_file_in(text_of(corpus).text, "file"), dry_run=True).lines == []


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        (
            'label = "entailment"',
            'label = "entailed"',
            '"entailed" is none of entailment, neutral, contradiction',
        ),
        ('[[translations.prompts]]\nslug = "', '[[translations.prompts]]\nslug = "x', "is none of"),
        ('language_models = "لا تستخدم أي نموذج لغوي."\n', "", "since our words for it are English"),
        ("[translations.question]\n", '[translations.question]\nslug = "main"\n', "unknown key"),
        ('instructions = "اقرأ النص."', 'comments = ["One."]', "as many as in the file, in the same order"),
    ],
)
def test_what_does_not_fit_the_file_is_told(old, new, error):
    assert old in ARABIC
    with pytest.raises(BadCorpusFile) as caught:
        corpus_file_in(FILE + ARABIC.replace(old, new), "file")
    assert error in " ".join(caught.value.errors)
