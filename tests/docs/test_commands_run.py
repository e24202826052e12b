"""Every command line on our pages runs, in the order of its page, on files and corpora like those that the page names."""

import gzip
import importlib.util
import re
import shlex
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.totp.internal import auth as totp

from collection.models import Corpus, Pair, Prompt
from collection.premises.writing_seats import make_seats
from snapshots.files.datasheet import QUESTIONS
from snapshots.publishing.actions import answer_datasheet
from snapshots.withholding.actions import withhold
from tests import cast
from tests.commands import run, write_jsonl
from tests.corpora import ask, make_arm
from tests.docs.pages import ROOT, named, pages
from tests.docs.test_examples_in_pages import shown
from tests.modeling.conftest import programs_start_at_once, torch_is_loaded  # noqa: F401  (fixtures)
from tests.snapshots.material import LETTERS, add_premise, corpus_of, freeze
from tests.snapshots.test_every_answer import give

pytestmark = [pytest.mark.django_db(transaction=True, reset_sequences=True), pytest.mark.thorough]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/how-to").glob("*.md")),
]
# A command as a line of its own, or in the text with what follows its name. A name alone, in the text, is no line.
CALL = re.compile(r"^ {4}(.*?)manage\.py ((?:[^\n\\]|\\\n)+)|`manage\.py ([a-z_]+\s[^`]+)`", re.MULTILINE)
ELSEWHERE = {
    "docker compose exec web python ": "there are no containers here",
}
NOT_RUN = {
    **dict.fromkeys(
        (
            "reproduce mpe --data FOLDER --seeds 3",
            "reproduce snli --data FOLDER --scale published",
            "reproduce snli --data FOLDER --scale published --plan",
        ),
        "trains for hours: tests/annotation_site/test_reproduce.py runs it on a tiny corpus",
    ),
    **dict.fromkeys(
        (
            "backup backups/tuesday --age age1...",
            "restore backups/monday",
            "move_to postgres://user:password@host/new_database",
        ),
        "another installation, or a program that is not there: tests/annotation_site/test_backup.py runs it",
    ),
    "createsuperuser": "asks for a name and a password",
    "collectstatic --noinput": "fills a folder beside the code; tests of the containers run it",
}
LABELS = tuple(LETTERS.values())
CAPITALS = {
    "FILE.toml": "weather/corpus.toml",
    "GENRE": "talk",
    "G": "talk",
    "CORPUS@VERSION": "weather@1",
    "CORPUS": "weather",
    "FILE": "weather/premises.txt",
    "NAME": "genres",
    "A@1": "weather@1",
    "B@1": "other@1",
    "DIR": "var/snapshots/weather/1",
    "USER_NAME": "rosa",
}
# The README goes on with the published corpus that it imports instead.
PUBLISHED = {"CORPUS@VERSION": "snli-dev@1", "CORPUS": "snli-dev", "FILE": "snli_1.0_dev.jsonl"}


def calls(page: Path) -> list[tuple[int, str, str]]:
    """Returns the commands of a page: number of the line, what stands before `manage.py`, what stands after it."""
    text = page.read_text()
    return [
        (text.count("\n", 0, match.start()) + 1, match[1] or "", (match[2] or match[3]).replace("\\\n", " "))
        for match in CALL.finditer(text)
    ]


def words_of(page: Path, call: str) -> list[str]:
    words = shlex.split(call, comments=True)
    of_page = PUBLISHED if page.name == "README.md" and words[0] != "import_premises" else {}
    return [(CAPITALS | of_page).get(word, word) for word in words]


def pairs(number: int, *, labels: int = 5, first: str = "entailment") -> list[dict[str, Any]]:
    return [
        {"premise": f"Line {k} of a story.", "hypothesis": f"{label} of line {k}.", "label": label, "id": f"{k}{label[0]}",
         "labels": [label] * labels}
        for k in range(number)
        for label in LABELS
    ]  # fmt: skip


def as_in_snli(number: int, labels: int = 5) -> list[dict[str, Any]]:
    return [
        {"gold_label": each["label"], "annotator_labels": each["labels"], "sentence1": each["premise"],
         "sentence2": each["hypothesis"], "captionID": f"{k // 3}.jpg#0", "pairID": f"{k // 3}.jpg#{k % 3}"}
        for k, each in enumerate(pairs(number, labels=labels))
    ]  # fmt: skip


def write(name: str, records: list[dict[str, Any]]) -> None:
    path = write_jsonl(Path(name.removesuffix(".gz")), records)
    if name.endswith(".gz"):
        Path(name).write_bytes(gzip.compress(path.read_bytes()))


def weather_files() -> None:
    Path("weather").mkdir()
    Path("weather/corpus.toml").write_text(shown("make-a-corpus.md", "toml"))
    Path("weather/premises.txt").write_text(shown("make-a-corpus.md", "text"))


def weather_loaded() -> None:
    weather_files()
    run("load_corpus", "weather/corpus.toml")


def weather_labelled() -> Corpus:
    return corpus_of(slug="weather")


def weather_frozen() -> None:
    freeze(weather_labelled())


def published() -> None:
    """Most pairs have their author's label alone, as in SNLI's and MultiNLI's training files."""
    more = [{**each, "pairID": f"b{each['pairID']}", "captionID": f"b{each['captionID']}",
             "sentence1": f"Another {each['sentence1']}"} for each in as_in_snli(12, labels=1)]  # fmt: skip
    write("snli_1.0_dev.jsonl", as_in_snli(6) + more)


def of_readme() -> None:
    weather_files()
    published()


def of_freezing() -> None:
    corpus = weather_labelled()
    answer_datasheet(corpus=corpus, answers=dict.fromkeys(QUESTIONS, "Known."), by=cast.rosa())
    pair = corpus.pairs.order_by("pk")[0]
    tree = f"(ROOT {' '.join(f'(X {word})' for word in pair.hypothesis.split())})"
    write("trees.jsonl", [{"pairID": pair.public_id, "sentence2_parse": tree}])
    write(
        "train.jsonl", [{key: each[key] for key in ("premise", "hypothesis", "label")} for each in pairs(310)]
    )
    run("import_pairs", "snli-small", "train.jsonl", format="jsonl", partition="train")


def of_baselines() -> None:
    for name in ("dev", "test"):
        write(f"{name}.jsonl.gz", [{**each, "id": name + each["id"]} for each in pairs(320, labels=0)])


def of_imports() -> None:
    published()
    Path("rows.csv").write_text(
        "context,claim,r1,r2,r3\nIt rains.,It is wet.,5,5,4\nIt rains.,It is dry.,1,1,2\n"
    )
    write("data.jsonl", pairs(3, labels=3))
    write(
        "items.jsonl", pairs(3, labels=18) + [{**each, "id": f"b{each['id']}"} for each in pairs(3, labels=7)]
    )
    for name in ("train", "dev", "test"):
        write(f"{name}.jsonl.gz", [{**each, "pairID": name + each["pairID"]} for each in as_in_snli(3)])


def of_making() -> None:
    weather_files()
    Path("almanac.txt").write_text(
        "The winter of that year was mild. In March the river rose over its banks.\n"
    )


def of_recasting() -> None:
    for path in (ROOT / "examples/recasting/sentiment").iterdir():
        shutil.copy(path, ".")
    run("recast", "puns", "puns-yang", ROOT / "examples/recasting/puns/puns_pos_neg_data.csv")
    run("recast", "verbcorner", "verbcorner", ROOT / "examples/recasting/verbcorner/verbcorner.csv")


def of_labelling() -> None:
    weather_loaded()
    corpus = Corpus.objects.get(slug="weather")
    run("import_premises", "weather", "weather/premises.txt", genre="talk")
    add_premise(corpus, "It has rained since Monday.", genre="talk")
    add_premise(corpus, "The wind took the tent.", genre="talk", validated=False)
    relations = corpus_of(3, slug="relations")
    cast.rosa()
    grammar = ask(relations, "grammar", scheme="grammar3", seats=3, hides_premise=True)
    pair = Pair.objects.filter(corpus=relations).first()
    for position in (1, 2, 3):
        give(pair, grammar, "major", f"g{position}", position=position)


def of_runs() -> None:
    weather_frozen()
    freeze(corpus_of(slug="other"))


def of_protocols() -> None:
    corpus = weather_labelled()
    Prompt.objects.filter(corpus=corpus).update(slug="base")
    make_arm(corpus, "edit", root="base")
    make_seats(
        premises=[add_premise(corpus, f"Line {number} of it.", validated=False) for number in range(6)]
    )
    premise = corpus.premises.order_by("pk")[0]
    write("drafts.jsonl", [{"premise": premise.public_id, "label": "neutral", "text": "The dog is old."}])


def of_second_factors() -> None:
    totp.TOTP.activate(cast.rosa(), totp.generate_totp_secret())


def of_training() -> None:
    freeze(corpus_of(slug="demo"))
    freeze(corpus_of(6, slug="other"))
    run("train", "demo@1", "--baseline", "majority")  # the tutorial's run


def of_withholding() -> None:
    corpus = weather_labelled()
    withhold(corpus=corpus, partition="test", by=cast.rosa())
    ids = freeze(corpus).pairs.filter(partition="test").values_list("pair__public_id", flat=True)
    write("predictions.jsonl", [{"pairID": each, "predicted": "neutral"} for each in ids])


def of_groups() -> None:
    weather_loaded()
    cast.rosa()


FIRST: dict[str, Callable[[], Any]] = {
    "README.md": of_readme,
    "docs/baselines.md": of_baselines,
    "docs/premise-filters.md": weather_loaded,
    "docs/statistics.md": weather_frozen,
    "docs/your-first-change.md": weather_frozen,
    "docs/how-to/compare-protocols.md": of_protocols,
    "docs/how-to/follow-the-writing.md": weather_labelled,
    "docs/how-to/freeze-and-check.md": of_freezing,
    "docs/how-to/import-published-pairs.md": of_imports,
    "docs/how-to/look-at-runs.md": of_runs,
    "docs/how-to/make-a-corpus.md": of_making,
    "docs/how-to/operate.md": weather_frozen,
    "docs/how-to/share-an-installation.md": of_groups,
    "docs/how-to/recast.md": of_recasting,
    "docs/how-to/review-sentences.md": weather_labelled,
    "docs/how-to/run-validation.md": of_labelling,
    "docs/how-to/sign-in-of-researchers.md": of_second_factors,
    "docs/how-to/train-baselines.md": of_training,
    "docs/how-to/withhold-test-labels.md": of_withholding,
}
WITH_COMMANDS = [page for page in PAGES if calls(page)]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Path:
    """Changes into an empty folder with the examples and the folder for data, as in a checkout."""
    place = tmp_path / "checkout"
    place.mkdir()
    (place / "examples").symlink_to(ROOT / "examples")
    (place / "var").symlink_to(settings.VAR)
    monkeypatch.chdir(place)
    # What a browser's test needs in this process, DJANGO_ALLOW_ASYNC_UNSAFE, is no fault of the documents' settings.
    settings.SILENCED_SYSTEM_CHECKS = [*settings.SILENCED_SYSTEM_CHECKS, "async.E001"]
    return place


@pytest.mark.usefixtures("here", "programs_start_at_once")
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=named)
def test_every_command_of_a_page_runs_as_it_is_written(page: Path, live_server: Any) -> None:
    FIRST.get(named(page), nullcontext)()
    for number, before, call in calls(page):
        name, *words = words_of(page, call)
        if " ".join([name, *words]) in NOT_RUN or before in ELSEWHERE:
            continue
        assert before in ("", ".venv/bin/python "), f"{named(page)}, line {number}: {before}"
        if name == "simulate":
            words.append(f"--url={live_server.url}")
        try:
            told = run(name, *words).failure
        except SystemExit as ended:
            told = f"exits with {ended.code}" if ended.code else ""
        assert told == "", f"{named(page)}, line {number}: manage.py {call}"


def test_the_lists_above_name_nothing_that_no_page_has() -> None:
    shown = [(before, " ".join(words_of(page, call))) for page in PAGES for _, before, call in calls(page)]
    assert {call for _, call in shown} >= set(NOT_RUN)
    assert {before for before, _ in shown} >= set(ELSEWHERE)
    told = [call for page in PAGES for call in re.findall(r"manage\.py [a-z_]+\s[^\s`,]", page.read_text())]
    assert len(told) == len([call for _, call in shown if " " in call])
    assert set(FIRST) <= set(map(named, WITH_COMMANDS))


# Program -> the test that runs or compares what the pages say of it.
PROGRAMS = {
    "bench": "tests/bench/test_plain_networks.py",
    "celery": "tests/architecture/test_containers.py",
    "gunicorn": "tests/architecture/test_containers.py",
    "modeling.baselines.answer": "tests/baselines/test_answering.py",
    "modeling.baselines.catalogue": "tests/baselines/test_catalogue.py",
    "modeling.baselines.evaluate": "tests/baselines/small.py",
    "modeling.baselines.train": "tests/baselines/test_bad_input.py",
    "mypy": "scripts/lint.py",
    "pytest": "scripts/test.py",
    "ruff": "scripts/lint.py",
    "scripts.messages": "tests/architecture/test_translations.py",
    "scripts.reference_tables": "tests/docs/test_corpus_file_reference.py",
    "scripts.slowest_tests": "tests/scripts/test_slowest_tests.py",
    "snapshots.verify": "tests/snapshots/test_verify_snapshot.py",
    "tests.browser.screenshots": "docs/workspace.md",
    "tests.replication.imported_corpora": "tests/replication/test_imported_corpora.py",
    "tests.replication.published_tags": "tests/replication/test_published_tags.py",
    "tests.replication.round_trips": "tests/replication/test_comparing_round_trips.py",
}
PROGRAM = re.compile(r"python -m ([\w.]+\w)")


def test_every_program_on_a_page_is_there_and_has_a_test() -> None:
    told = {name for page in pages() for name in PROGRAM.findall(page.read_text())}
    assert told == set(PROGRAMS)
    for name, test in PROGRAMS.items():
        assert importlib.util.find_spec(name), f"python -m {name} is on a page, and there is no such program"
        words = name.replace(".", "[./]"), name.rpartition(".")[2]
        assert re.search("|".join(words), (ROOT / test).read_text()), f"{test} says nothing of {name}"
