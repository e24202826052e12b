"""A corpus is changed by forms over its file: the text, the differences, a confirmation."""

import re
import tomllib

import pytest
from lxml import html

from annotation_site.intake.corpus_files import load
from annotation_site.workspace import corpus_forms as forms
from collection.corpora.corpus_file import corpus_file_in
from collection.corpus_schema import CorpusFile
from collection.joining.estimates import estimate
from collection.models import Corpus, Pair, Prompt, PromptVersion
from schemas.base import part_in
from tests.conftest import REPOSITORY
from tests.corpora import make_link
from tests.made_once import made_once
from validation.models import Question

pytestmark = pytest.mark.django_db

TEXTS = {path.parent.name: path.read_text() for path in (REPOSITORY / "examples").glob("*/corpus.toml")}
TEXT = TEXTS["captions"]
PAY = "/c/captions/settings/change/pay/"


@made_once
def captions() -> Corpus:
    load(corpus_file_in(TEXT, "file"))
    return Corpus.objects.get()


@pytest.fixture
def client(browser_of, rosa):
    return browser_of(rosa)


def fields_of(page) -> dict[str, str]:
    """What a browser sends of the form, without a button."""
    form = html.fromstring(page.content.decode()).get_element_by_id("change")
    return {name: value for name, value in form.form_values() if name != "seen"} | {
        "seen": next(iter(form.xpath(".//input[@name='seen']/@value")), "")
    }


def send(client, page, do="look", address="", **changed):
    fields = fields_of(page) | changed
    gone = [key for key, value in changed.items() if value is None]
    return client.post(
        address or page.request["PATH_INFO"], {k: v for k, v in fields.items() if k not in gone} | {"do": do}
    )


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("section", forms.SECTIONS, ids=lambda section: section.slug)
def test_a_form_that_is_sent_as_it_is_changes_nothing(section, name):
    content = tomllib.loads(TEXTS[name])
    sent = {
        each.name: "yes" if each.value is True else str(each.value).replace("\n", "\r\n")
        for each in forms.fields_in(forms.parts_of(section, content))
        if each.value is not False
    }
    assert forms.posted(section, content, sent) == content


def keys_in(kind, place=()) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for key, info in kind.model_fields.items():
        part = part_in(info.annotation)
        found |= {(*place, key)} if part is None else keys_in(part, (*place, key))
    return found


def with_all_tables(content):
    """Presses every button "Add" of the forms until each table and each list of tables is there."""
    wanted = [part for section in forms.SECTIONS for part in forms.parts_of(section, content)]
    for part in wanted:
        if isinstance(part, forms.Rows):
            wanted += part.groups
        elif part.is_there:
            wanted += part.tables
        if not (part.groups if isinstance(part, forms.Rows) else part.is_there):
            return with_all_tables(forms.added(content, part.name))
    return content


def test_every_key_of_the_schema_has_a_field():
    content = with_all_tables(tomllib.loads(TEXT))
    shown = {
        tuple(step for step in each.place if isinstance(step, str))
        for section in forms.SECTIONS
        for each in forms.fields_in(forms.parts_of(section, content))
    }
    assert keys_in(CorpusFile) - shown == set()
    for place in shown:
        assert forms.section_of(place) is not None
    fields = [
        each.name for section in forms.SECTIONS for each in forms.fields_in(forms.parts_of(section, content))
    ]
    assert len(fields) == len(set(fields))


def test_pay_is_changed_by_a_form_and_comments_stay(client, captions):
    page = client.get(PAY)
    assert "Pay an hour" in page.content.decode()
    looked = send(client, page, **{"prompts.0.pay_cents": "77"})
    assert looked.context["look"].changes.lines == [
        ("~", f"prompt captions: pay_cents: {tomllib.loads(TEXT)['prompts'][0]['pay_cents']} -> 77"),
        ("~", "prompt captions: version 1 replaced, as nobody worked under it"),
    ]
    assert PromptVersion.objects.get().pay_cents != 77
    done = send(client, looked, "load")
    assert done["Location"] == PAY
    assert PromptVersion.objects.get().pay_cents == 77
    kept = captions.texts.newest_first().first()
    assert kept.loaded_by.username == "rosa"
    assert [line for line in kept.text.splitlines() if line not in TEXT.splitlines()] == ["pay_cents = 77"]


def test_pay_an_hour_counts_reading_as_the_page_of_a_link_does(client, captions):
    told = {visit.task.cents: visit for _, _, visit in client.get(PAY).context["hourly"]}
    for work in ("writing", "labelling"):
        found = estimate(make_link(captions, work=work, tasks_wanted=10))
        visit = told[found.task.cents]
        assert (visit.hourly_cents, visit.reading_minutes) == (found.hourly_cents, found.reading_minutes)
    page = client.get(PAY).content.decode()
    assert f"in a first visit of 10 tasks ${visit.hourly_cents / 100:.2f}" in page


def test_what_is_wrong_stands_at_its_field_and_its_line(client, captions):
    answer = send(client, client.get(PAY), **{"prompts.0.pay_cents": "0.5", "prompts.0.seconds": "many"})
    assert answer.status_code == 422
    page = html.fromstring(answer.content.decode())
    field = page.get_element_by_id("prompts-0-pay_cents")
    assert field.get("value") == "0.5"
    assert page.get_element_by_id("prompts-0-pay_cents-fault").text == "Must be a whole number, not a number."
    line = page.find_class("is-wrong")[0]
    assert "pay_cents" in line.text_content()
    assert "◀ must be a whole number" in line.text_content()
    assert page.xpath("//a[@href='#prompts-0-seconds']")


def test_changes_go_along_from_part_to_part_and_are_made_together(client, captions):
    page = send(
        client, client.get(PAY), "go", "/c/captions/settings/change/genres/", **{"prompts.0.pay_cents": "61"}
    )
    page = send(client, page, "add:genres")
    assert [each["slug"] for each in tomllib.loads(page.context["look"].text)["genres"]] == ["captions", ""]
    page = send(
        client,
        page,
        **{
            "genres.1.slug": "posters",
            "genres.1.name": "Posters",
            "genres.1.prompt": "captions",
            "genres.1.in_training": None,
        },
    )
    assert page.status_code == 200
    assert send(client, page, "load").status_code == 302
    assert not captions.genres.get(slug="posters").in_training
    assert PromptVersion.objects.get().pay_cents == 61
    page = send(client, client.get("/c/captions/settings/change/genres/"), "remove:genres.1")
    assert ("-", "genre posters") in page.context["look"].changes.lines


def test_a_prompt_is_copied_as_an_arm_in_one_step_and_asked_for_its_name(client, captions):
    arms = html.fromstring(client.get("/c/captions/arms/").content.decode())
    link = arms.xpath("//a[contains(., 'Copy as an arm')]")[0].get("href")
    page = client.get(link)
    first, copy = tomllib.loads(page.context["look"].text)["prompts"]
    own = {"slug": "", "name": f"{first['name']}, arm 2", "arm_of": "captions"}
    assert copy == {**first, **own}
    assert not page.context["is_rewritten"]
    assert Prompt.objects.count() == 1, "nothing is stored yet"
    unnamed = send(client, page, "load")
    assert unnamed.status_code == 422
    page = send(client, page, **{"prompts.1.slug": "edit", "prompts.1.mode": "edit"})
    assert send(client, page, "load").status_code == 302
    arm = Prompt.objects.get(slug="edit")
    assert (arm.arm_of.slug, arm.share) == ("captions", 1)
    said = [PromptVersion.objects.get(prompt__slug=slug) for slug in ("captions", "edit")]
    assert [each.mode for each in said] == ["write", "edit"]
    assert said[0].instructions == said[1].instructions
    again = send(client, client.get("/c/captions/settings/change/prompts/"), "arm:prompts.1")
    third = tomllib.loads(again.context["look"].text)["prompts"][2]
    assert (third["arm_of"], third["mode"]) == ("captions", "edit"), "a copy of an arm is an arm of the first"
    for nonsense in ("arm:", "arm:prompts.9", "arm:genres.0", "arm:prompts.x"):
        assert send(client, page, nonsense).context["look"].text == page.context["look"].text
    assert (
        client.get("/c/captions/settings/change/prompts/?arm=nobody").context["look"].text.count("arm_of")
        == 1
    )


def test_a_part_is_added_and_taken_out(client, captions):
    consent = client.get("/c/captions/settings/change/consent/")
    page = send(client, consent, "remove:consent")
    assert "There is none." in page.content.decode()
    page = send(client, page, "add:consent")
    assert {"consent.title", "consent.text"} <= fields_of(page).keys()
    page = send(client, client.get("/c/captions/settings/change/prompts/"), "add:prompts")
    assert len(tomllib.loads(page.context["look"].text)["prompts"][1]["fields"]) == 3
    for nonsense in (
        "add:",
        "add:corpus.slug",
        "add:prompts.9.fields",
        "remove:prompts.9",
        "remove:corpus",
        "remove:",
        "add:x.y",
    ):
        assert send(client, consent, nonsense).context["look"].text == TEXT


def test_a_prompt_comes_before_the_genre_that_needs_it():
    order = [section.slug for section in forms.SECTIONS]
    assert order.index("prompts") < order.index("genres")


def test_a_new_prompt_is_wrong_only_once_somebody_asked(client, captions):
    def wrong(page):
        return len(html.fromstring(page.content.decode()).xpath("//*[@class='error' or @class='is-wrong']"))

    page = send(client, client.get("/c/captions/settings/change/prompts/"), "add:prompts")
    assert (page.status_code, wrong(page)) == (200, 0)
    assert "12 fields still have to be filled in" in page.content.decode()
    typing = {"HTTP_HX_REQUEST": "true"}
    typed = client.post(page.request["PATH_INFO"], fields_of(page) | {"do": "look"}, **typing)
    assert wrong(typed) == 0, "while one types"
    typed = client.post(
        page.request["PATH_INFO"], fields_of(page) | {"do": "look", "prompts.1.slug": "No slug"}, **typing
    )
    assert [fault.place[-1] for fault, _ in typed.context["faults"]] == ["slug"]
    asked = send(client, page)
    assert (asked.status_code, len(asked.context["faults"])) == (422, 12)
    typed = client.post(
        page.request["PATH_INFO"], fields_of(asked) | {"do": "look", "prompts.1.name": "More"}, **typing
    )
    assert len(typed.context["faults"]) == 11, "what was said stays until it is mended"
    again = send(client, send(client, typed, "remove:prompts.1"), "add:prompts")
    assert wrong(again) == 0


def test_the_file_is_reached_with_what_was_changed_and_back(client, captions):
    page = send(client, client.get(PAY), "file", **{"prompts.0.pay_cents": "88"})
    text = page.context["look"].text
    assert "pay_cents = 88" in text
    back = client.post("/c/captions/settings/change/about/", {"text": text, "do": "go"})
    assert back.context["look"].text == text
    broken = client.post("/c/captions/settings/change/about/", {"text": "no toml", "do": "go"})
    assert (broken.status_code, broken.templates[0].name) == (422, "workspace/corpus_file.html")


def test_another_text_than_the_one_that_was_seen_is_not_loaded(client, captions):
    looked = send(client, client.get(PAY), **{"prompts.0.pay_cents": "77"})
    answer = send(client, looked, "load", **{"prompts.0.pay_cents": "78"})
    assert "has changed since you looked" in answer.content.decode()
    assert PromptVersion.objects.get().pay_cents != 78
    assert 'value="load"' in answer.content.decode(), "these are the changes now, and can be made"
    send(client, answer, "load")
    assert PromptVersion.objects.newest().get().pay_cents == 78


@pytest.mark.parametrize(
    ("of", "section", "field", "said"),
    [
        ("write:prompts.0", "prompts", "prompts.0.instructions", "What you will write"),
        ("judge:question", "questions", "question.wording", "1 of 3"),
        ("read:question", "questions", "question.instructions", "Instructions"),
    ],
)
def test_a_preview_shows_what_was_typed_and_stores_nothing(client, captions, of, section, field, said):
    page = client.get(f"/c/captions/settings/change/{section}/")
    shown = client.post(
        "/c/captions/settings/preview/", {**fields_of(page), field: "Typed just **now**?", "of": of}
    )
    words = html.fromstring(shown.content.decode()).text_content()
    assert re.search(r"Typed just (\*\*)?now", words)
    assert "This is a preview." in words
    assert "Sections of" not in words
    assert not Pair.objects.exists()
    assert "Typed" not in Question.objects.get().wording + PromptVersion.objects.get().instructions


def test_a_preview_of_what_cannot_be_read_says_why(client, captions):
    page = client.get("/c/captions/settings/change/prompts/")
    answer = client.post(
        "/c/captions/settings/preview/",
        {**fields_of(page), "prompts.0.instructions": "", "of": "write:prompts.0"},
    )
    assert answer.status_code == 422
    assert "is empty; write something there" in answer.content.decode()
    for nothing in (
        "",
        "write:prompts.7",
        "write:question",
        "item:question",
        "exam:exam",
        "judge:translations.0.question",
    ):
        answer = client.post("/c/captions/settings/preview/", {**fields_of(page), "of": nothing})
        assert answer.status_code == 404


@pytest.mark.parametrize(
    "text",
    [
        "corpus = 5",
        "[corpus]\nslug = 3\n[[prompts]]\nfields = 1",
        "genres = [1, 2]",
        "prompts = {}",
        "question = []",
    ],
)
@pytest.mark.parametrize("section", forms.SECTIONS, ids=lambda section: section.slug)
def test_odd_files_are_shown_with_their_errors(client, captions, section, text):
    answer = client.post(
        f"/c/captions/settings/change/{section.slug}/", {"text": text, "section": section.slug, "do": "look"}
    )
    assert answer.status_code == 422
    assert answer.context["look"].faults


def test_a_part_with_more_fields_than_a_form_can_send_is_left_to_the_file(client, captions, monkeypatch):
    monkeypatch.setattr("annotation_site.workspace.corpus_form_pages.MOST_FIELDS", 5)
    page = client.get("/c/captions/settings/change/people/")
    assert "too long for a form" in page.content.decode()
    assert send(client, page).context["look"].text == TEXT
    assert "As a file" in page.content.decode()


def test_the_parts_are_pages_of_one_tab(client, captions):
    page = html.fromstring(client.get(PAY).content.decode())
    assert [link.text for link in page.xpath("//nav[@class='tabs']//a[@aria-current='page']")] == ["Change"]
    assert client.get("/c/captions/settings/change/nonsense/").status_code == 404


def test_an_exam_a_known_item_and_fewer_seats_are_made_by_forms(client, captions):
    page = send(client, client.get("/c/captions/settings/change/people/"), "add:question.exam")
    page = send(
        client,
        page,
        **{
            "question.pool_needs_exam": "yes",
            "question.exam.instructions": "Prove it.",
            "question.exam.pass_mark": "101",
            "question.exam.items.0.premise": "A dog runs.",
            "question.exam.items.0.hypothesis": "It moves.",
        },
    )
    (fault,) = page.context["look"].faults
    assert (fault.place, page.context["look"].text.splitlines()[fault.line - 1]) == (
        ("question", "exam", "pass_mark"),
        "pass_mark = 101",
    )
    fields = fields_of(page) | {"question.exam.pass_mark": "90", "of": "exam:question.exam"}
    seen = client.post("/c/captions/settings/preview/", fields).content.decode()
    assert "Prove it." in seen
    assert "It moves." in seen
    page = send(
        client, page, "go", "/c/captions/settings/change/questions/", **{"question.exam.pass_mark": "90"}
    )
    page = send(client, page, "add:question.calibration", **{"question.calibration_percent": "10"})
    item = {"premise": "A cat sat\r\non a mat.", "hypothesis": "A mat is there.", "label": "neutral"}
    item = {f"question.calibration.0.{key}": value for key, value in item.items()}
    seen = client.post(
        "/c/captions/settings/preview/", fields_of(page) | item | {"of": "item:question.calibration.0"}
    )
    assert "A mat is there." in seen.content.decode()
    assert "of 3" not in seen.content.decode()
    page = send(client, page, **item)
    page = send(client, page, "add:question.partitions", **{"question.gold_rule": "unanimous"})
    rule = {"partition": "train", "seats": "3", "threshold": "3"}
    page = send(client, page, **{f"question.partitions.0.{key}": value for key, value in rule.items()})
    assert page.context["look"].faults == []
    assert send(client, page, "load").status_code == 302
    question = Question.objects.get()
    assert (question.qualification.exam.pass_mark, question.qualification.exam.items.count()) == (90, 1)
    assert question.calibration.get().premise == "A cat sat\non a mat."
    assert [(each.partition, each.seats) for each in question.partitions.all()] == [("train", 3)]
    assert TEXT.splitlines()[0] in captions.texts.newest_first().first().text
    page = send(client, client.get("/c/captions/settings/change/people/"), "remove:question.exam")
    assert "exam" not in tomllib.loads(page.context["look"].text)["question"]


def test_a_translation_is_written_beside_the_texts_of_the_file(client, captions):
    page = send(client, client.get("/c/captions/settings/change/languages/"), "add:translations")
    said = tomllib.loads(TEXT)
    form = html.fromstring(page.content.decode())
    assert (
        said["question"]["wording"]
        in form.get_element_by_id("translations-0-question-wording-original").text_content()
    )
    label = form.get_element_by_id("translations-0-question-labels-1-label").value
    button = form.get_element_by_id("translations-0-question-labels-1-wording-original").text_content()
    assert next(row for row in said["question"]["labels"] if row["label"] == label)["wording"] in button
    places = [field.get("id") for field in form.xpath("//*[contains(@id, '-comments-') and @name]")]
    assert len(places) == len(said["question"]["examples"]) + len(said["prompts"][0]["examples"])
    page = send(client, page, "remove:translations.0.consent")
    page = send(
        client,
        page,
        **{
            "translations.0.language": "de",
            "translations.0.question.wording": "Wenn der Text stimmt?",
            "translations.0.question.labels.1.wording": "Stimmt",
            "translations.0.question.comments.1": "Weil.",
            "translations.0.prompts.0.instructions": "Schreibe drei Sätze.",
        },
    )
    assert page.context["look"].faults == []
    assert tomllib.loads(page.context["look"].text)["translations"][0]["question"]["comments"][:2] == [
        "",
        "Weil.",
    ]
    for of, words in (
        ("judge:translations.0.question", "Stimmt"),
        ("write:translations.0.prompts.0", "drei Sätze"),
    ):
        seen = client.post("/c/captions/settings/preview/", fields_of(page) | {"of": of}).content.decode()
        assert words in seen
        assert 'lang="de"' in seen
    assert send(client, page, "load").status_code == 302
    assert captions.translations.get().texts[said["question"]["wording"]] == "Wenn der Text stimmt?"
    page = send(
        client,
        client.get("/c/captions/settings/change/languages/"),
        **{"translations.0.question.comments.1": ""},
    )
    assert "comments" not in tomllib.loads(page.context["look"].text)["translations"][0]["question"]
    assert page.context["look"].faults == []


def test_a_prompt_becomes_an_arm_by_a_choice_of_those_that_are_none():
    prompts = [{"slug": "base"}, {"slug": "edit", "arm_of": "base"}, {"slug": ""}]
    section = next(each for each in forms.SECTIONS if each.slug == "prompts")
    fields = {each.name: each for each in forms.fields_in(forms.parts_of(section, {"prompts": prompts}))}
    offered = [[value for value, _ in fields[f"prompts.{number}.arm_of"].choices] for number in range(3)]
    assert offered == [[""], ["", "base"], ["", "base"]]
    assert fields["prompts.1.arm_of"].kind == "choice"
