"""Researchers import and recast by pages: first rows, a proposed map, a preview, then the import as a job."""

import gzip
import json
import os
import re
import shutil
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from annotation_site.intake.jobs import work
from annotation_site.intake.orders import ImportForm
from collection.models import Corpus, Pair, PairImportJob, Premise
from jobs import claims
from tests.annotation_site.test_recast import EXAMPLES, REVIEWS, TWO_LICENCES
from tests.cast import person, vera
from tests.collection.pairing_material import SCENES
from tests.commands import run, write_jsonl
from tests.corpora import make_corpus
from validation.models import Label
from validation.statistics.cached import carry_out

pytestmark = pytest.mark.django_db
COMMANDS_OPTION = re.compile(r"--[a-z]")


@pytest.fixture
def incoming(settings) -> Path:
    settings.INCOMING_ROOT.mkdir(parents=True, exist_ok=True)
    return settings.INCOMING_ROOT


@pytest.fixture
def judged(incoming) -> Path:
    rows = [
        {
            "context": f"Text {n}.",
            "sentence2": "So.",
            "judgment": ("yes", "no", "what?")[n % 3 if n < 6 else n % 2],
        }
        for n in range(10)
    ]
    return write_jsonl(incoming / "judged.jsonl", map(json.dumps, rows))


def carried_out(browser, sent: list[int], address: str, form: dict) -> PairImportJob:
    answer = browser.post(address, form)
    assert answer.status_code == 302, answer.text
    job = PairImportJob.objects.get(pk=sent.pop())
    assert answer["Location"] == f"/imports/{job.pk}/"
    work(job.pk)
    job.refresh_from_db()
    return job


def test_only_what_lies_in_the_folder_is_offered_and_only_to_researchers(
    browser, browser_of, incoming, tmp_path
):
    (incoming / "part").mkdir()
    write_jsonl(incoming / "part/a.jsonl", ["{}"])
    (incoming / ".hidden").write_text("x")
    (incoming / "link.jsonl").symlink_to(tmp_path)
    page = browser.get("/imports/").text
    assert "part/a.jsonl" in page
    assert ".hidden" not in page
    assert "link.jsonl" not in page
    for name in ("../secret-key", "/etc/passwd", "link.jsonl", "none"):
        answer = browser.get("/imports/new/", {"file": name})
        assert answer.status_code == 422
        assert "is not among the files that were sent" in answer.text
    assert browser_of(vera()).get("/imports/").status_code in (302, 403)


def test_pages_of_imports_keep_the_corpus_from_which_they_were_reached(browser, judged, sent):
    make_corpus(slug="weather")
    Corpus.objects.update(name="Weather talk")
    frame = 'aria-label="Sections of Weather talk"'
    page = browser.get("/imports/?corpus=weather").text
    for link in (
        "/imports/send/?corpus=weather&amp;to=pairs",
        '<input type="hidden" name="corpus" value="weather">',
    ):
        assert link in page
    sending = browser.post(
        "/imports/send/?corpus=weather&to=pairs", {"corpus": "weather", "to": "pairs", "text": "a"}
    )
    assert sending["Location"].startswith("/imports/new/?")
    assert sending["Location"].endswith("&corpus=weather")
    form = {"file": "judged.jsonl", "corpus": "weather", "how": "auto", "do": "look"}
    job = PairImportJob.objects.create(corpus_slug="weather", files=["a"], by=person("rosa"), options={})
    other = PairImportJob.objects.create(corpus_slug="other", files=["a"], by=person("rosa"), options={})
    for address in (
        "",
        "new/?file=judged.jsonl&corpus=weather",
        "send/?corpus=weather&to=pairs",
        f"{job.pk}/",
    ):
        page = browser.get(f"/imports/{address or '?corpus=weather'}").text
        assert frame in page
        assert "Weather talk" in re.search("<title>(.*)</title>", page)[1]
    assert 'value="weather"' in browser.get("/imports/new/?file=judged.jsonl&corpus=weather").text
    assert f"/imports/{other.pk}/" not in browser.get("/imports/?corpus=weather").text
    assert f"/imports/{other.pk}/" in browser.get("/imports/").text
    assert browser.post("/imports/new/", {**form, "how": "nonsense"}).text.count(frame) == 1


def test_the_first_rows_and_a_map_are_proposed_then_looked_at_then_imported(browser, judged, sent):
    page = browser.get("/imports/new/", {"file": "judged.jsonl"}).text
    assert '<th scope="col">judgment</th>' in page
    assert "what?" in page
    assert "premise=context,hypothesis=sentence2,label=judgment" in page, (
        "columns are proposed where labels are not known"
    )
    form = {
        **{
            "file": "judged.jsonl",
            "corpus": "judged",
            "how": "jsonl",
            "split": "80:10:10",
            "seed": "1",
            "do": "look",
        },
        "columns": "premise=context,hypothesis=sentence2,label=judgment",
        "label_map": "yes=entailed,no=not-entailed",
        "scheme": "entailed2",
    }
    seen = carried_out(browser, sent, "/imports/new/", form)
    assert (seen.status, seen.report["pairs"], seen.report["refused_count"]) == ("done", 8, 2)
    assert not Corpus.objects.exists()
    page = browser.get(f"/imports/{seen.pk}/").text
    assert "8 pairs would be imported; nothing was written" in page
    assert "80:10:10, drawn by group with seed 1" in page
    assert "label &quot;what?&quot; is none of entailed, not-entailed" in page
    before = "judged.jsonl was imported into this corpus before"
    assert before not in page
    assert "All 2 lines with the label what? are refused, so nothing is imported" in page
    assert "Import these files" not in page
    stopped = carried_out(browser, sent, "/imports/new/", {**form, "do": "import"})
    assert (stopped.status, Pair.objects.count()) == ("failed", 0)
    form["partly"] = "yes"
    seen = carried_out(browser, sent, "/imports/new/", form)
    assert "so nothing is imported" not in browser.get(f"/imports/{seen.pk}/").text
    done = carried_out(browser, sent, f"/imports/{seen.pk}/", {"do": "import"})
    assert (done.status, done.report["pairs"], Pair.objects.count()) == ("done", 8, 8)
    seen = carried_out(browser, sent, "/imports/new/", form)
    assert before in browser.get(f"/imports/{seen.pk}/").text
    again = carried_out(browser, sent, f"/imports/{done.pk}/", {"do": "import"})
    assert (again.report["pairs"], again.report["skipped"]) == (0, 8)
    assert "8 pairs existed already and were skipped" in browser.get(f"/imports/{again.pk}/").text


def test_one_genre_of_a_file_is_imported_and_the_form_can_be_changed_afterwards(browser, incoming, sent):
    rows = [
        {"premise": f"Text {n}.", "hypothesis": "So.", "label": "neutral", "genre": "ab"[n % 2], "of": n}
        for n in range(5)
    ]
    write_jsonl(incoming / "genres.jsonl", map(json.dumps, rows))
    form = {"file": "genres.jsonl", "corpus": "half", "how": "jsonl", "only_genre": "a", "do": "look"}
    form |= {"columns": "id=of", "split": "60:20:20", "seed": "7", "open": "yes"}
    seen = carried_out(browser, sent, "/imports/new/", form)
    assert (seen.report["pairs"], seen.report["other_genres"]) == (3, 2)
    assert [(row["passed_over"], len(row["pairs"])) for row in seen.report["sample"][:2]] == [
        ("", 1),
        ("its genre is b", 0),
    ]
    page = browser.get(f"/imports/{seen.pk}/").text
    assert "<li>2 pairs of other genres were left out</li>" in page
    change = unescape(re.search(r'href="([^"]*)">Change the form', page)[1])
    again = browser.get(change).text
    for name in ("corpus", "only_genre", "columns", "split", "seed"):
        assert re.search(f'name="{name}"[^>]* value="{form[name]}"', again), name
    assert '<option value="jsonl" selected>' in again
    assert re.search('name="open"[^>]* checked', again)


def test_a_recasting_can_be_changed_afterwards_with_its_recipe(browser, incoming, sent):
    name = Path(shutil.copy(REVIEWS[0], incoming)).name
    form = {"file": name, "corpus": "reviews", "how": "recipe:sentiment", "licence": "CC0", "do": "look"}
    seen = carried_out(browser, sent, "/imports/new/", form)
    page = browser.get(f"/imports/{seen.pk}/").text
    again = browser.get(unescape(re.search(r'href="([^"]*)">Change the form', page)[1])).text
    assert '<option value="recipe:sentiment" selected>' in again
    assert 'name="licence" value="CC0"' in again


def test_a_recipe_refuses_what_only_formats_take(browser, incoming):
    name = Path(shutil.copy(REVIEWS[0], incoming)).name
    form = {"file": name, "corpus": "reviews", "how": "recipe:sentiment", "do": "look"}
    for field, value in (("partition", "test"), ("genre", "x"), ("only_genre", "x"), ("seats", "3")):
        answer = browser.post("/imports/new/", {**form, field: value})
        assert (answer.status_code, PairImportJob.objects.count()) == (422, 0)
        assert f"With a recipe, leave empty: “{ImportForm.base_fields[field].label}”." in answer.text


def test_a_file_that_is_no_text_says_so_and_offers_no_import_after_a_preview(browser, incoming, sent):
    (incoming / "picture.png").write_bytes(bytes(range(128, 256)) * 9)
    page = browser.get("/imports/new/", {"file": "picture.png"}).text
    assert (
        "picture.png holds no table and no JSON that can be read: line 1: byte 1 (0x80) is not UTF-8" in page
    )
    form = {"file": "picture.png", "corpus": "new", "how": "csv", "do": "look"}
    seen = carried_out(browser, sent, "/imports/new/", form)
    page = browser.get(f"/imports/{seen.pk}/").text
    assert "Change the form" in page
    assert "Import these files" not in page


def test_keys_that_were_not_read_are_named(browser, incoming, sent):
    row = {"premise": "A.", "hypothesis": "B.", "label": "neutral", "remark": "odd"}
    write_jsonl(incoming / "more.jsonl", [json.dumps(row)])
    form = {"file": "more.jsonl", "corpus": "more", "how": "jsonl", "do": "import"}
    done = carried_out(browser, sent, "/imports/new/", form)
    assert "<li>Not kept: <code>remark</code> (1)</li>" in browser.get(f"/imports/{done.pk}/").text


def test_a_recipe_shows_source_rows_beside_what_they_become(browser, incoming, sent):
    names = [shutil.copy(path, incoming) and path.name for path in REVIEWS]
    form = {"file": names, "corpus": "reviews", "how": "recipe:sentiment", "do": "look"}
    job = carried_out(browser, sent, "/imports/new/", form)
    assert "all other pairs 80:10:10, drawn by group" in browser.get(f"/imports/{job.pk}/").text
    assert (job.recipe, job.report["pairs"], job.report["rows"]) == ("sentiment", 16, 8)
    page = browser.get(f"/imports/{job.pk}/").text
    assert "recast by sentiment" in page
    assert "<dt>review</dt>" in page
    assert "liked the" in page


def test_the_page_shows_what_is_dropped_and_why_and_the_command_says_the_same(browser, incoming, sent):
    """A row for each of what can become of one: pairs, a refusal, a sound row that the recipe leaves out."""
    name = "it-happened_eng_ud1.2_07092017.tsv"
    for path in (EXAMPLES / "factuality").iterdir():
        shutil.copy(path, incoming)
    form = {"file": name, "corpus": "events", "how": "recipe:factuality-decomp", "do": "look", "seed": "3"}
    job = carried_out(browser, sent, "/imports/new/", form)
    told = run(
        "recast", "events", "factuality-decomp", incoming / name, dry_run=True, sample=5, seed=3, json=True
    )
    same = ("pairs", "rows", "sample", "refused", "reasons", "passed_over", "labels_by_name", "partitions")
    assert {key: job.report[key] for key in same} == {key: told.json[key] for key in same}
    kinds = [
        "pairs" if each["pairs"] else "passed_over" if each["passed_over"] else "refused"
        for each in job.report["sample"]
    ]
    assert set(kinds) == {"pairs", "passed_over", "refused"}
    page = unescape(browser.get(f"/imports/{job.pk}/").text)
    sections = page.split('<section class="beside">')[1:]
    assert len(sections) == len(kinds)
    for section, shown in zip(sections, job.report["sample"], strict=True):
        assert f"{shown['file']}, line {shown['line']}" in section
        assert all(f"<dt>{key}</dt>" in section for key in shown["row"])
        assert (f"No pair: {shown['refused'] or shown['passed_over']}." in section) != bool(shown["pairs"])
        assert all(pair["hypothesis"] in section for pair in shown["pairs"])
    (why,) = job.report["passed_over"]
    assert f"{why} (1)" in page
    assert all(f"line {each['line']}: {each['reason']}" in page for each in job.report["refused"])
    assert not Corpus.objects.exists()


def test_recipes_of_the_folder_that_the_operator_named_are_offered_shown_and_run(
    browser, incoming, sent, settings, tmp_path
):
    settings.RECIPES_FOLDER = tmp_path / "recipes"
    settings.RECIPES_FOLDER.mkdir()
    mine = settings.RECIPES_FOLDER / "mine.py"
    mine.write_text(TWO_LICENCES)
    write_jsonl(incoming / "texts.jsonl", ['{"text": "One."}'])
    (incoming / "sent.py").write_text(TWO_LICENCES.replace('"mine"', '"smuggled"'))
    page = browser.get("/imports/new/", {"file": "texts.jsonl"}).text
    assert '<option value="recipe:mine">mine: texts</option>' in page
    assert "smuggled" not in page, "what lies among the incoming files is never run"
    form = {"file": "texts.jsonl", "corpus": "texts", "how": "recipe:mine", "do": "look"}
    seen = carried_out(browser, sent, "/imports/new/", form)
    assert (seen.report["pairs"], seen.report["sample"][0]["pairs"][0]["hypothesis"]) == (1, "So.")
    done = carried_out(browser, sent, f"/imports/{seen.pk}/", {"do": "import"})
    assert (done.status, done.report["pairs"]) == ("done", 1)
    again = run("recast", "texts", "mine", incoming / "texts.jsonl", json=True).json
    assert (again["pairs"], again["skipped"]) == (0, 1), "the command finds the same recipe"

    mine.write_text("x = 1 +\n")
    page = browser.get("/imports/new/", {"file": "texts.jsonl"}).text
    assert "The site’s own recipes are left out" in page
    assert "mine.py cannot be loaded: SyntaxError" in page
    assert "recipe:sentiment" in page
    answer = browser.post("/imports/new/", form)
    assert (answer.status_code, "mine.py cannot be loaded" in answer.text) == (422, True)


def test_what_is_wrong_is_said_before_a_job_is_made(browser, judged):
    form = {"file": "judged.jsonl", "corpus": "a b", "how": "jsonl", "split": "none"}
    for change, words in (
        ({}, "cannot name a corpus"),
        ({"corpus": "a", "split": "1:2"}, "write the percent"),
        ({"corpus": "a", "columns": "text=context"}, "there is no field &quot;text&quot;"),
        ({"corpus": "a", "how": "recipe:none"}, "There is no recipe"),
        (
            {"corpus": "a", "how": "word"},
            "“Format, or recipe”: it cannot be &quot;word&quot;. Choose one of: add-one, ",
        ),
        (
            {"corpus": "a", "seed": "one"},
            "“Seed of names, choices and partitions”: it must be a whole number",
        ),
        ({"corpus": "a", "seats": "-1"}, "“Labels for each pair (seats)”: it must be a whole number"),
        (
            {"corpus": "a", "seats": "4", "threshold": "2"},
            "“Equal labels that make a gold label (threshold)”: 2 does not fit 4 seats",
        ),
        ({"corpus": "a", "language": "Deutsch!"}, "“Language”: this is not a language tag"),
        ({"corpus": "a", "protocol": "x"}, "Choose one of: elicited, judged, recast."),
        ({"corpus": "a", "labels": "x"}, "Choose one of: all, author."),
        ({"corpus": "a", "partition": "x"}, "Choose one of: train, dev, test."),
        ({"corpus": "a", "names": "judged.jsonl"}, "With a format, leave empty: “Names to draw from”."),
        ({"corpus": "a", "how": "recipe:sentiment", "names": "none.txt"}, "none.txt is not among the files"),
        ({"corpus": "a", "how": "recipe:sentiment", "names": "judged.jsonl"}, "is not a number"),
    ):
        answer = browser.post("/imports/new/", {**form, **change})
        assert answer.status_code == 422
        assert words in answer.text
        assert not COMMANDS_OPTION.search(answer.text.partition('role="alert"')[2].partition("</div>")[0])
    assert not PairImportJob.objects.exists()


def changed_form(browser, job: PairImportJob) -> str:
    """Returns the page that "Change the form" leads to."""
    page = browser.get(f"/imports/{job.pk}/").text
    return browser.get(unescape(re.search(r'href="([^"]*)">Change the form', page)[1])).text


def test_a_corpus_is_made_with_the_options_that_are_folded(browser, incoming, sent):
    rows = [{"premise": f"Text {n}.", "hypothesis": "So.", "labels": ["neutral"] * 3} for n in range(4)]
    write_jsonl(incoming / "three.jsonl", map(json.dumps, rows))
    page = browser.get("/imports/new/", {"file": "three.jsonl"}).text
    assert "<details open><summary>More options</summary>" in page, (
        "nothing says that the first vote is an author's"
    )
    assert '<option value="judged" selected>' in page
    form = {"file": "three.jsonl", "corpus": "three", "how": "jsonl", "do": "import"}
    form |= {"protocol": "judged", "language": "de", "seats": "3", "threshold": "3", "strict": "yes"}
    done = carried_out(browser, sent, "/imports/new/", form)
    corpus = Corpus.objects.get()
    question = corpus.questions.get(is_main=True)
    assert (corpus.protocol, corpus.language, question.seats, question.threshold) == ("judged", "de", 3, 3)
    again = changed_form(browser, done)
    assert "<details open><summary>More options</summary>" in again
    assert '<option value="judged" selected>' in again
    assert re.search('name="strict"[^>]* checked', again)
    for name in ("language", "seats", "threshold"):
        assert re.search(f'name="{name}"[^>]* value="{form[name]}"', again), name


def test_a_preview_refuses_what_the_import_would_refuse(browser, incoming, sent):
    make_corpus()
    write_jsonl(incoming / "bare.jsonl", ['{"premise": "A dog.", "hypothesis": "An animal."}'])
    form = {"file": "bare.jsonl", "corpus": "small", "how": "jsonl"}
    for change, words in (
        ({}, "none of the first 1 pairs has a label"),
        (
            {"scheme": "entailed2"},
            '“Scheme: labels of a corpus to be made”: small has the scheme "nli3". Omit entailed2',
        ),
        ({"seats": "3"}, '“Labels for each pair (seats)”: small has the seats "5". Omit 3'),
        ({"language": "de"}, '“Language”: small has the language "en". Omit de'),
        ({"label_map": "x=entailed"}, 'The label map gives "entailed"'),
    ):
        for do in ("look", "import"):
            job = carried_out(browser, sent, "/imports/new/", {**form, **change, "do": do})
            assert (job.status, words in job.error) == ("failed", True), (change, do, job.error)
            assert not COMMANDS_OPTION.search(job.error)


def test_a_preview_says_how_many_pairs_are_new_and_how_many_are_there(browser, incoming, sent):
    rows = [{"premise": f"Text {n}.", "hypothesis": "So.", "label": "neutral"} for n in range(5)]
    write_jsonl(incoming / "some.jsonl", map(json.dumps, rows[:3]))
    write_jsonl(incoming / "all.jsonl", map(json.dumps, [*rows, rows[0]]))
    form = {"corpus": "grown", "how": "jsonl", "do": "look"}

    def told(*files: str) -> tuple[int, int, str]:
        job = carried_out(browser, sent, "/imports/new/", {**form, "file": list(files)})
        page = browser.get(f"/imports/{job.pk}/").text
        assert "existed already" not in page
        return job.report["pairs"], job.report["skipped"], page

    assert told("some.jsonl")[:2] == (3, 0)
    # Every file gives the second of two equal pairs an id of its own; those of the other file are the same pairs.
    assert told("some.jsonl", "all.jsonl")[:2] == (6, 3)
    assert not Corpus.objects.exists(), "a look writes nothing"
    carried_out(browser, sent, "/imports/new/", {**form, "file": "some.jsonl", "do": "import"})
    new, there, page = told("all.jsonl")
    assert (new, there) == (3, 3)
    assert "3 pairs would be imported, and 3 are there already; nothing was written." in page
    done = carried_out(browser, sent, "/imports/new/", {**form, "file": "all.jsonl", "do": "import"})
    assert (done.report["pairs"], done.report["skipped"]) == (3, 3), "as the preview said"


def test_only_the_authors_labels_are_imported_and_the_pairs_opened(browser, incoming, sent):
    row = {"premise": "A dog.", "hypothesis": "An animal.", "labels": ["entailment", "neutral", "neutral"]}
    write_jsonl(incoming / "voted.jsonl", [json.dumps(row)])
    form = {"file": "voted.jsonl", "corpus": "again", "how": "jsonl", "labels": "author", "do": "import"}
    done = carried_out(browser, sent, "/imports/new/", form)
    assert (done.report["labels"], done.report["opened"]) == (0, 0)
    assert Pair.objects.get().author_label == "entailment"
    assert "This import left its pairs closed" in browser.get(f"/imports/{done.pk}/").text
    carry_out(statistics_id=sent.pop())
    door = browser.get("/corpora/again/open/").text
    assert "What the hypotheses give away, as of" in door
    browser.post("/corpora/again/open/", {"number": 1})
    assert Label.objects.seats().exists()
    assert '<option value="author" selected>' in changed_form(browser, done)


def test_a_strict_import_writes_nothing_and_names_the_lines(browser, judged, sent):
    form = {"file": "judged.jsonl", "corpus": "judged", "how": "jsonl", "do": "import", "strict": "yes"}
    form |= {"columns": "premise=context,hypothesis=sentence2,label=judgment", "scheme": "entailed2"}
    form |= {"label_map": "yes=entailed,no=not-entailed"}
    job = carried_out(browser, sent, "/imports/new/", form)
    assert not Corpus.objects.exists()
    assert job.status == "failed"
    page = unescape(browser.get(f"/imports/{job.pk}/").text)
    assert "2 lines were refused, so nothing was written (strict)" in page
    assert 'judged.jsonl, line 3: label "what?" is none of entailed, not-entailed' in page


def test_files_without_labels_are_accepted_when_the_form_says_so(browser, incoming, sent):
    write_jsonl(incoming / "bare.jsonl", ['{"premise": "A dog.", "hypothesis": "An animal."}'])
    form = {"file": "bare.jsonl", "corpus": "bare", "how": "jsonl", "do": "import"}
    failed = carried_out(browser, sent, "/imports/new/", form)
    assert "none of the first 1 pairs has a label" in failed.error
    done = carried_out(browser, sent, "/imports/new/", {**form, "unlabelled": "yes"})
    assert (done.report["pairs"], done.report["opened"]) == (1, 0)


def test_names_are_drawn_from_a_file_of_the_folder(browser, incoming, sent):
    name = Path(shutil.copy(REVIEWS[0], incoming)).name
    (incoming / "names.txt").write_text("Odile,3\n")
    form = {"file": name, "corpus": "reviews", "how": "recipe:sentiment", "names": "names.txt"}
    job = carried_out(browser, sent, "/imports/new/", {**form, "do": "import"})
    assert job.status == "done"
    assert all(" Odile said" in pair.premise.text for pair in Pair.objects.select_related("premise"))
    assert '<option value="names.txt" selected>names.txt</option>' in changed_form(browser, job)


def test_an_import_that_fails_says_why_and_one_is_stopped_between_portions(
    browser, judged, sent, monkeypatch
):
    form = {"file": "judged.jsonl", "corpus": "judged", "how": "jsonl", "split": "none", "do": "import"}
    form |= {"columns": "premise=context,hypothesis=sentence2,label=judgment", "scheme": "nli3"}
    browser.post("/imports/new/", form)
    waiting = PairImportJob.objects.get(pk=sent.pop())
    part = browser.get(f"/imports/{waiting.pk}/", headers={"HX-Request": "true"}).text
    assert part.startswith(f'<div id="state" hx-get="/imports/{waiting.pk}/" hx-trigger="every 2s"')
    assert browser.post(f"/imports/{waiting.pk}/", {"do": "stop"}).status_code == 302
    work(waiting.pk)
    waiting.refresh_from_db()
    assert (waiting.status, waiting.error) == (
        "failed",
        "Stopped. What was written stays; started again, it goes on.",
    )
    form |= {"label_map": "yes=entailment,no=neutral,what?="}
    browser.post("/imports/new/", form)
    job = PairImportJob.objects.get(pk=sent.pop())

    def asked_to_stop(*args: object, **kwargs: object) -> list:
        PairImportJob.objects.filter(pk=job.pk).update(stop_requested=True)
        return []

    with monkeypatch.context() as patch:
        patch.setattr("annotation_site.intake.jobs.samples", asked_to_stop)
        work(job.pk)
    job.refresh_from_db()
    assert job.error.startswith("Stopped. What was written stays")
    assert "every 2s" not in browser.get(f"/imports/{job.pk}/", headers={"HX-Request": "true"}).text
    assert "What was written stays" in browser.get(f"/imports/{job.pk}/").text
    judged.unlink()
    assert browser.post(f"/imports/{job.pk}/", {"do": "import"}).status_code == 422


def test_a_table_whose_columns_say_too_little_is_offered_as_the_table_that_it_is(browser, incoming):
    (incoming / "rows.csv").write_text("context,claim,r1\nThe kettle is on.,Water is heated.,5\n")
    page = browser.get("/imports/new/?file=rows.csv").text
    assert '<option value="csv" selected>' in page
    assert '<th scope="col">claim</th>' in page
    assert "none of them is named like hypothesis" in page


def test_premises_are_looked_at_then_imported(browser, incoming, sent):
    make_corpus()
    (incoming / "lines.txt").write_text(
        "The harbour was quiet before the first ferry came.\nGo on.\nThe harbour was quiet before the first ferry came.\n"
    )
    address = "/c/small/premises/import/"
    assert "lines.txt" in browser.get(address).text
    job = carried_out(browser, sent, address, {"file": "lines.txt", "genre": "fiction", "licence": "CC0-1.0"})
    assert (job.status, job.dry_run, job.report["premises"]) == ("done", True, 1)
    assert not Premise.objects.exists()
    page = browser.get(f"/imports/{job.pk}/").text
    assert "1 premise would be imported into fiction; nothing was written. 3 lines were read" in page
    assert "Go on." in page
    job = carried_out(browser, sent, f"/imports/{job.pk}/", {"do": "import"})
    assert (job.dry_run, job.report["premises"]) == (False, 1)
    premise = Premise.objects.get()
    assert (premise.genre.slug, premise.source.licence) == ("fiction", "CC0-1.0")
    assert "1 premise was imported into fiction." in browser.get(f"/imports/{job.pk}/").text


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"file": "nowhere.txt", "genre": "fiction"}, "nowhere.txt is not among the files"),
        ({"genre": "fiction"}, "No file is chosen."),
        ({"file": "lines.txt", "genre": "odd"}, "odd"),
    ],
)
def test_an_order_of_premises_that_is_not_possible_says_why(browser, incoming, sent, form, said):
    make_corpus()
    (incoming / "lines.txt").write_text("The harbour was quiet before the first ferry came.\n")
    answer = browser.post("/c/small/premises/import/", form)
    assert answer.status_code == 422
    assert said in answer.text
    assert not PairImportJob.objects.exists()


def test_a_small_file_is_sent_as_text_looked_at_and_imported(browser, incoming, sent):
    make_corpus()
    text = "The harbour was quiet before the first ferry came.\r\nGo on.\r\n"
    form = {"corpus": "small", "name": "C:\\My texts\\lines (1).txt", "text": text}
    answer = browser.post("/imports/send/", form)
    (stored,) = (path for path in (incoming / "sent").rglob("*") if path.is_file())
    name = stored.relative_to(incoming).as_posix()
    assert name.startswith("sent/")
    assert name.endswith("/lines (1).txt")
    assert stored.read_bytes() == text.replace("\r\n", "\n").encode()
    page = browser.get(answer["Location"]).text
    assert answer["Location"].startswith("/c/small/premises/import/?file=")
    assert f'<option value="{name}" selected>' in page
    job = carried_out(browser, sent, "/c/small/premises/import/", {"file": name, "genre": "fiction"})
    assert (job.dry_run, job.report["premises"]) == (True, 1)
    browser.post("/imports/send/", form)
    assert sum(path.is_file() for path in (incoming / "sent").rglob("*")) == 1


@pytest.mark.parametrize(
    ("name", "folder", "stored"),
    [
        ("eng.testa", "", "sent/8714ccab/eng.testa"),
        ("RTE 1 (dev).XML", "", "sent/8714ccab/RTE 1 (dev).XML"),
        ("en.tags", "p00/d0018", "sent/p00/d0018/en.tags"),
        ("/etc/../.hidden\x07.txt", "../../.a/./b", "sent/a/b/hidden.txt"),
        ("C:\\x\\数据.tsv", "C:\\x", "sent/C:/x/数据.tsv"),
    ],
)
def test_a_sent_file_keeps_its_name_and_never_leaves_its_folder(browser, incoming, name, folder, stored):
    answer = browser.post("/imports/send/", {"name": name, "folder": folder, "text": "A line."})
    assert answer.status_code == 302
    assert [
        path.relative_to(incoming).as_posix() for path in (incoming / "sent").rglob("*") if path.is_file()
    ] == [stored]
    assert browser.get("/imports/new/", {"file": stored}).status_code == 200


@pytest.mark.thorough
def test_files_of_one_folder_are_read_together_and_none_replaces_another(browser, incoming, sent):
    pair = {"pair-id": 1, "context": "A.", "hypothesis": "B.", "label": "entailed", "split": "dev"}
    about = {"pair-id": 1, "corpus": "Reviews", "corpus-sent-id": "7"}
    for name, row in (("recast_a_data.json", pair), ("recast_a_metadata.json", about)):
        form = {"name": name, "folder": "mine", "text": json.dumps([row])}
        assert browser.post("/imports/send/", form).status_code == 302
    taken = browser.post("/imports/send/", {**form, "text": "[]"})
    assert (taken.status_code, "Another file is stored as sent/mine/" in taken.text) == (422, True)
    order = {"file": "sent/mine/recast_a_data.json", "corpus": "here", "how": "dnc", "do": "import"}
    assert carried_out(browser, sent, "/imports/new/", order).report["pairs"] == 1
    assert Pair.objects.get().metadata["corpus-sent-id"] == "7"
    text = (REVIEWS[0].parents[1] / "entities/eng.train").read_text()
    browser.post("/imports/send/", {"name": "eng.testa", "text": text})
    (stored,) = incoming.rglob("eng.testa")
    order = {
        "file": stored.relative_to(incoming).as_posix(),
        "corpus": "names",
        "how": "recipe:entities-conll",
    }
    job = carried_out(browser, sent, "/imports/new/", {**order, "do": "look"})
    assert (job.status, set(job.report["partitions"])) == ("done", {"dev"})


def test_a_small_file_of_pairs_leads_to_the_form_of_pairs(browser, incoming):
    make_corpus()
    text = json.dumps({"sentence1": "A dog runs.", "sentence2": "It moves.", "gold_label": "entailment"})
    answer = browser.post("/imports/send/", {"name": "pairs.jsonl", "text": text})
    assert answer["Location"].startswith("/imports/new/?file=sent")
    assert "It moves." in browser.get(answer["Location"]).text


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"name": "lines.txt.gz", "text": "A line."}, "lines.txt.gz is packed"),
        ({"name": "../..", "text": "A line."}, "needs a name"),
        ({"name": "a" * 201, "text": "A line."}, "longer than 200 bytes"),
        ({"name": "a", "folder": "a/b/c/d", "text": "A line."}, "at most 3 folders"),
        ({"name": "lines.txt", "text": " "}, "The text is empty."),
        ({"name": "lines.txt", "text": "A" * 2_000_001}, "more than 2,000,000 characters"),
    ],
)
def test_a_text_that_cannot_be_stored_says_why_and_stores_nothing(browser, incoming, form, said):
    answer = browser.post("/imports/send/", form)
    assert (answer.status_code, said in answer.text) == (422, True)
    assert not any(path.is_file() for path in incoming.rglob("*"))


def portion(browser, content: bytes, at: int, size: int, name: str = "lines.txt", **more):
    """Sends a portion as the page's script does."""
    query = {"at": at, "size": size, "changed": "7", "name": name, **more}
    return browser.post(
        f"/imports/send/?{urlencode(query)}", content, content_type="application/octet-stream"
    )


def test_a_file_of_any_length_comes_in_portions_goes_on_after_a_break_and_is_imported(
    browser, browser_of, incoming, sent
):
    make_corpus()
    lines = [f"The ferry number {n} came late to the harbour that morning." for n in range(40_000)]
    lines[30_000] = "Der letzte Kutter kam an jenem Abend sp\xe4t in den Hafen."
    content = "\r\n".join(lines).encode("latin-1")
    size, step = len(content), 2 * 2**20
    assert size > 2_000_000
    first = portion(browser, content[:step], 0, size, corpus="small")
    assert first.json() == {"at": step, "next": ""}
    assert not browser.get("/imports/").context["files"], "a part of a file is not offered"
    again = portion(browser, content[:step], 0, size, corpus="small")
    assert again.json()["at"] == step, "the page goes on where the line broke"
    other = portion(browser_of(person("rita", role="researcher")), content[:5], 0, size)
    assert other.json()["at"] == 5, "files of others are others"
    answer = portion(browser, content[step:], step, size, corpus="small").json()
    assert answer["at"] == size
    name = parse_qs(urlsplit(answer["next"]).query)["file"][0]
    assert (incoming / name).read_bytes() == content
    assert f'<option value="{name}" selected>' in browser.get(answer["next"]).text
    form = {"file": name, "genre": "fiction", "do": "import"}
    job = carried_out(browser, sent, "/c/small/premises/import/", form)
    assert (job.report["premises"], job.report["lines_read"]) == (Premise.objects.count(), 40_000)
    assert [each["line"] for each in job.report["refused"]] == [30_001]
    assert f"{Path(name).name}, line 30001: " in browser.get(f"/imports/{job.pk}/").text


def test_a_packed_file_is_sent_and_read_and_none_replaces_another(browser, incoming, sent):
    row = {"sentence1": "A dog runs.", "sentence2": "It moves.", "gold_label": "entailment"}
    content = gzip.compress(json.dumps(row).encode())
    sent_file = portion(browser, content, 0, len(content), "pairs.jsonl.gz", folder="mine").json()
    assert "It moves." in browser.get(sent_file["next"]).text
    same = portion(browser, content, 0, len(content), "pairs.jsonl.gz", folder="mine")
    assert same.json()["next"] == sent_file["next"]
    other = portion(browser, b"another", 0, 7, "pairs.jsonl.gz", folder="mine", changed="8")
    assert (other.status_code, "Name another folder" in other.json()["error"]) == (422, True)
    assert [path.name for path in incoming.rglob("*.gz")] == ["pairs.jsonl.gz"]


def test_portions_that_cannot_be_stored_say_why(browser, browser_of, incoming, ana, settings):
    for given, said in (
        ({"size": 0}, "A file has at least one"),
        ({"size": 2**40}, "at most 4,294,967,296"),
        ({"size": 9, "name": "../.."}, "needs a name"),
        ({"size": 9, "folder": "a/b/c/d"}, "at most 3 folders"),
    ):
        answer = portion(browser, b"x", 0, **given)
        assert (answer.status_code, said in answer.json()["error"]) == (422, True)
    assert portion(browser_of(ana), b"x", 0, 1).status_code == 403
    assert not any(path.is_file() for path in incoming.rglob("*"))
    portion(browser, b"x", 0, 2, "old.txt")
    (part,) = (incoming / ".portions").iterdir()
    os.utime(part, (1, 1))
    portion(browser, b"x", 0, 2, "new.txt")
    assert not part.exists(), "what nobody goes on with is removed after a day"


def test_no_page_names_a_folder_of_the_server(browser, incoming):
    corpus = make_corpus()
    for address in ("/imports/", f"/c/{corpus.slug}/premises/import/", "/imports/send/", "/imports/new/"):
        assert str(incoming) not in browser.get(address).text


def test_the_look_through_a_source_is_stopped_like_the_import(browser, incoming, sent, monkeypatch):
    monkeypatch.setattr("collection.formats.registry.PORTION", 1)
    shutil.copy(REVIEWS[0].parents[1] / "entities/eng.train", incoming)
    form = {"file": "eng.train", "corpus": "names", "how": "recipe:entities-conll", "do": "look"}
    browser.post("/imports/new/", form)
    job = PairImportJob.objects.get(pk=sent.pop())
    heard = []

    def asked(claim) -> bool:
        claim.row.refresh_from_db()
        heard.append(claim.row.progress)
        return len(heard) == 2

    monkeypatch.setattr("jobs.claims.Claim.stop_asked", asked)
    work(job.pk)
    job.refresh_from_db()
    assert (job.status, job.error) == ("failed", "Stopped. Nothing was written.")
    assert all("looked through before the first pair" in text for text in heard)


def test_scenes_are_paired_by_a_page_as_by_the_command(browser, incoming, sent):
    make_corpus(protocol="judged")
    rows = SCENES.read_text().splitlines()[:8]
    write_jsonl(incoming / "scenes.jsonl", [*rows, '{"id": "odd"}'])
    address = "/c/small/premises/pair/"
    assert address in browser.get("/c/small/premises/import/").text
    form = {"file": "scenes.jsonl", "genre": "fiction", "seed": "1", "captions": "1", "licence": "CC0"}
    job = carried_out(browser, sent, address, form)
    assert (job.kind, job.status, job.dry_run, Pair.objects.count()) == ("scenes", "done", True, 0)
    page = browser.get(f"/imports/{job.pk}/").text
    assert f"{job.report['pairs']} pairs would be made of 8 scenes of scenes.jsonl, with seed 1." in page
    assert "scenes.jsonl, line 9: " in page
    job = carried_out(browser, sent, f"/imports/{job.pk}/", {"do": "import"})
    assert (job.dry_run, job.report["pairs"]) == (False, Pair.objects.count())
    assert Premise.objects.first().source.licence == "CC0"
    made = set(Pair.objects.values_list("public_id", "hypothesis"))
    assert made
    again = run(
        *("pair_premises", "small", incoming / "scenes.jsonl"), genre="fiction", seed=1, captions=1, json=True
    )
    assert (again.json["pairs"], again.json["passed_over"]) == (0, again.json["scenes"])
    assert set(Pair.objects.values_list("public_id", "hypothesis")) == made


def test_a_pairing_goes_on_where_it_was_stopped(browser, incoming, sent, monkeypatch):
    make_corpus(protocol="judged")
    write_jsonl(incoming / "scenes.jsonl", SCENES.read_text().splitlines()[:8])
    form = {"file": "scenes.jsonl", "genre": "fiction", "captions": "1", "do": "import"}
    browser.post("/c/small/premises/pair/", form)
    job, asked = PairImportJob.objects.get(), claims.Claim.stop_asked

    def stop_asked(claim):
        if Pair.objects.exists():
            browser.post(f"/imports/{job.pk}/", {"do": "stop"})
        return asked(claim)

    with monkeypatch.context() as patch:
        patch.setattr("annotation_site.intake.machine_pairs.SCENES_AT_ONCE", 3)
        patch.setattr(claims.Claim, "stop_asked", stop_asked)
        work(job.pk)
    job.refresh_from_db()
    assert job.error == "Stopped. What was written stays; started again, it goes on."
    some = Premise.objects.count()
    assert 0 < some <= 3
    sent.clear()
    job = carried_out(browser, sent, f"/imports/{job.pk}/", {"do": "import"})
    assert job.report["scenes"] == 8
    assert Premise.objects.count() == some + job.report["premises"] > some


@pytest.mark.parametrize(
    ("protocol", "form", "said"),
    [
        ("elicited", {}, "has the protocol &quot;elicited&quot;"),
        ("judged", {"overlap": "2"}, "“Overlap”: it must be a number from 0 to 1."),
        ("judged", {"each": "0"}, "“Hypotheses from each of the two captions”: it must be a whole number"),
        ("judged", {"genre": "odd"}, "has no genre &quot;odd&quot;"),
        ("judged", {"file": ""}, "No file is chosen."),
    ],
)
def test_a_pairing_that_is_not_possible_says_why(browser, incoming, protocol, form, said):
    make_corpus(protocol=protocol)
    write_jsonl(incoming / "scenes.jsonl", ["{}"])
    answer = browser.post("/c/small/premises/pair/", {"file": "scenes.jsonl", "genre": "fiction", **form})
    assert (answer.status_code, said in answer.text) == (422, True)
    assert not PairImportJob.objects.exists()


def test_scenes_are_sent_from_their_page_and_lead_back_to_it(browser, incoming):
    make_corpus(protocol="judged")
    assert "/imports/send/?corpus=small&amp;to=scenes" in browser.get("/c/small/premises/pair/").text
    form = {"corpus": "small", "to": "scenes", "name": "scenes.jsonl", "text": SCENES.read_text()}
    assert browser.post("/imports/send/", form)["Location"].startswith("/c/small/premises/pair/?file=sent")
