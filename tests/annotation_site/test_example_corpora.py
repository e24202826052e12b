"""The corpora in `examples/` load without a change, and have everything that people need to work."""

import json
import re
from pathlib import Path

import pytest

from collection.corpora.corpus_file import read_corpus_file
from collection.models import Corpus, Premise, PromptVersion, WritingSeat
from nli.labels import SCHEMES
from tests.commands import run
from tests.conftest import REPOSITORY

EXAMPLES = REPOSITORY / "examples"
FILES = {path.parent.name: path for path in sorted(EXAMPLES.glob("*/corpus.toml"))}
PREMISES = sorted(EXAMPLES.glob("*/premises/*.txt"))

every_example = pytest.mark.parametrize("name", FILES)


def test_every_example_is_known() -> None:
    assert set(FILES) == {"demo", "empty", "multinli-like", "captions", "scenes"}


@every_example
@pytest.mark.django_db
def test_an_example_loads_and_a_second_load_changes_nothing(name: str) -> None:
    first = run("load_corpus", FILES[name])
    assert first.failure == ""
    # The demo is complete; in the others, the consent text lacks the name of the group.
    warned = first.err.splitlines()
    assert warned == [] if name == "demo" else [line.count("[name and address") for line in warned] == [1]
    assert first.out.startswith(f"+ corpus {name}\n")
    second = run("load_corpus", FILES[name])
    assert second.out.strip() == f"{name} is as the file says; nothing to change."


@every_example
def test_an_example_says_what_people_need_to_know(name: str) -> None:
    file = read_corpus_file(FILES[name])
    assert file.corpus.licence == "CC0-1.0"
    assert file.consent is not None
    assert file.question.pay_cents > 0
    assert file.question.instructions
    assert len(file.question.faq) >= 5
    assert {example.label for example in file.question.examples} == set(SCHEMES[file.corpus.scheme])
    if not file.prompts:
        assert {check.label for check in file.question.check} == set(SCHEMES[file.corpus.scheme])
    for prompt in file.prompts:
        asked = {field.label for field in prompt.fields}
        assert prompt.pay_cents > 0
        assert {example.label for example in prompt.examples} == asked
        assert sorted(check.label for check in prompt.check) == sorted(asked)
        assert len(prompt.faq) >= 5


@pytest.mark.parametrize(
    ("name", "wording", "slug"),
    [
        ("captions", "snli", "snli-2015"),
        ("multinli-like", "multinli", "multinli-2018"),
        ("scenes", "mpe", "mpe-2017"),
    ],
)
@pytest.mark.django_db
def test_a_published_wording_can_be_appended_and_named_by_a_genre(
    name: str, wording: str, slug: str, tmp_path: Path
) -> None:
    ours = FILES[name].read_text()
    published = (EXAMPLES / "published-wordings" / f"{wording}.toml").read_text()
    file = tmp_path / "corpus.toml"
    file.write_text(re.sub(r'(?m)^prompt = ".*"$', f'prompt = "{slug}"', ours) + "\n" + published)
    assert run("load_corpus", file).failure == ""
    corpus = Corpus.objects.get(slug=name)
    if wording == "mpe":
        asked = list(corpus.questions.get(slug=slug).label_wordings.values_list("label", flat=True))
    else:
        version = PromptVersion.objects.get(prompt__genre=corpus.genres.first())
        assert version.prompt.slug == slug
        asked = list(version.fields.values_list("label", flat=True))
    assert tuple(asked) == SCHEMES["nli3"]


@every_example
def test_a_check_asks_about_sentences_that_no_worked_example_gives_away(name: str) -> None:
    for prompt in read_corpus_file(FILES[name]).prompts:
        shown = {example.premise for example in prompt.examples}
        assert not shown & {check.premise for check in prompt.check}


def test_texts_that_may_upset_come_with_care_and_a_skip_that_costs_nothing() -> None:
    for name, slug in (("demo", "nineeleven"), ("multinli-like", "disaster")):
        (prompt,) = [prompt for prompt in read_corpus_file(FILES[name]).prompts if prompt.slug == slug]
        assert prompt.care
        assert prompt.skip_pay_cents == prompt.pay_cents
        assert prompt.paid_skips_per_day >= 5


def test_the_multinli_like_corpus_has_its_genres_five_of_them_in_training_and_five_prompts() -> None:
    file = read_corpus_file(FILES["multinli-like"])
    trained = {genre.slug for genre in file.genres if genre.in_training}
    assert trained == {"fiction", "government", "magazine", "telephone", "travel"}
    assert len(file.genres) == 10
    assert {genre.slug for genre in file.genres if genre.register == "spoken"} == {"telephone", "facetoface"}
    assert {prompt.slug for prompt in file.prompts} == {genre.prompt for genre in file.genres}
    assert len(file.prompts) == 5


def test_the_scenes_are_judged_by_five_people_and_have_no_author() -> None:
    file = read_corpus_file(FILES["scenes"])
    assert (file.corpus.protocol, file.question.seats, file.prompts) == ("judged", 5, ())
    assert [label.wording for label in file.question.labels] == ["Yes", "Unknown", "No"]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["multinli-like", "captions"])
def test_every_premise_of_an_example_is_taken_and_opened_for_writing(name: str) -> None:
    run("load_corpus", FILES[name])
    corpus = Corpus.objects.get(slug=name)
    files = [path for path in PREMISES if path.parent.parent.name == name]
    assert {path.stem for path in files} == set(corpus.genres.values_list("slug", flat=True))
    for path in files:
        report = run("import_premises", name, path, genre=path.stem, licence="CC0-1.0", json=True).json
        assert [rule["examples"] for rule in report["dropped"].values() if rule["count"]] == []
        assert report["premises"] == len(path.read_text().splitlines()) >= (30 if name == "captions" else 12)
    assert WritingSeat.objects.count() == Premise.objects.count()


def test_no_premise_stands_in_two_files_or_in_an_example_of_a_prompt() -> None:
    lines = [line for path in PREMISES for line in path.read_text().splitlines()]
    scenes = (EXAMPLES / "scenes" / "scenes.jsonl").read_text().splitlines()
    lines += [caption for scene in scenes for caption in json.loads(scene)["captions"]]
    assert len(lines) == len(set(lines))
    shown = {
        pair.premise
        for path in FILES.values()
        for prompt in read_corpus_file(Path(path)).prompts
        for pair in (*prompt.examples, *prompt.check)
    }
    assert not shown & set(lines)
