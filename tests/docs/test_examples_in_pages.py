"""The example files on our pages are valid."""

import gc
import getopt
import json
import re
import shlex
import warnings
from pathlib import Path
from typing import Any

import pytest
import requests

from accounts.models import User
from accounts.people.consents import give_consent
from accounts.sign_in.tokens import create_api_token
from collection.formats.lines import BadLine
from collection.formats.registry import FORMATS
from collection.models import Corpus
from collection.writing.claiming import claim_writing
from tests.commands import run
from tests.docs.pages import ROOT
from tests.snapshots.material import corpus_of, freeze, lines

HOW_TO = ROOT / "docs" / "how-to"


def all_shown(page: str, language: str) -> list[str]:
    """Returns the code blocks of that language on a page."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (HOW_TO / page).read_text(), re.MULTILINE | re.DOTALL)


def shown(page: str, language: str) -> str:
    return all_shown(page, language)[0]


@pytest.mark.django_db
def test_the_how_to_leads_from_an_empty_folder_to_a_corpus_with_premises(tmp_path: Path, ana: User) -> None:
    """The commands print what the page shows, except the question, which appears in a terminal only."""
    told = [block.splitlines() for block in all_shown("make-a-corpus.md", "console")]
    loaded, changed, imported = ([line for line in block if "[y/N]" not in line] for block in told)
    corpus_file, premises = tmp_path / "corpus.toml", tmp_path / "premises.txt"
    text = shown("make-a-corpus.md", "toml")
    corpus_file.write_text(text)
    premises.write_text(shown("make-a-corpus.md", "text"))

    assert run("load_corpus", corpus_file).out.splitlines() == loaded
    took_in = run("import_premises", "weather", premises, genre="talk", licence="CC0-1.0")
    dropped_nothing = [line for line in took_in.out.splitlines() if line.startswith("  0 dropped")]
    assert [line for line in took_in.out.splitlines() if line not in dropped_nothing] == imported

    corpus = Corpus.objects.get(slug="weather")
    give_consent(user=ana, form=corpus.consent_form)
    claim_writing(corpus=corpus, annotator=ana)
    corpus_file.write_text(text.replace("pay_cents = 30", "pay_cents = 35"))
    assert run("load_corpus", corpus_file).out.splitlines()[:-1] == changed


@pytest.mark.django_db(transaction=True)
def test_five_lines_lead_from_a_token_to_datasets(live_server: Any, rosa: User, tmp_path: Path) -> None:
    import datasets  # takes seconds

    snapshot = freeze(corpus_of(6))
    token = create_api_token(user=rosa, name="five lines", scope="read")
    told = shown("use-the-rest-interface.md", "python")
    assert len(told.splitlines()) == 5
    code = told.replace(
        "http://localhost:8000/api/v1/snapshots/1", f"{live_server}/api/v1/snapshots/{snapshot.pk}"
    )
    code = code.replace("quintet_...", token)
    names: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # five lines leave closing to Python
        patch.chdir(tmp_path)
        patch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
        exec(code, names)
        gc.collect()
    assert [row["pairID"] for row in names["pairs"]] == [line["pairID"] for line in lines(snapshot, "train")]


def as_curl_asks(command: str) -> requests.Response:
    """Sends the request of a curl command. Knows the options of our pages, and fails on others."""
    options, rest = getopt.gnu_getopt(shlex.split(command)[1:], "H:d:O")
    headers = dict(value.split(": ", 1) for name, value in options if name == "-H")
    data = dict(options).get("-d")
    if data is not None:  # curl calls it a form unless it is told otherwise
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
    (address,) = rest
    return requests.request("GET" if data is None else "POST", address, headers=headers, data=data)


@pytest.mark.django_db(transaction=True)
def test_the_curl_commands_of_the_tutorial_fetch_a_snapshot(live_server: Any, rosa: User) -> None:
    rosa.set_password("five labels make gold")
    rosa.save()
    snapshot = freeze(corpus_of(6))
    page = (ROOT / "docs" / "tutorial.md").read_text()
    ask, look, fetch = re.findall(r"^    (curl .+)$", page, re.MULTILINE)

    def sent(command: str) -> requests.Response:
        here = command.replace("http://localhost:8000", str(live_server))
        return as_curl_asks(here.replace("snapshots/3/", f"snapshots/{snapshot.pk}/"))

    answer = sent(ask)
    assert answer.ok, answer.text
    told = sent(look.replace("$TOKEN", answer.json()["token"])).json()["results"]
    assert [each["id"] for each in told] == [snapshot.pk]
    content = sent(fetch.replace("$TOKEN", answer.json()["token"])).text
    assert [json.loads(line) for line in content.splitlines()] == lines(snapshot, "train")


def test_the_line_of_the_how_to_can_be_imported(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(shown("import-published-pairs.md", "json"))
    (pair,) = FORMATS["jsonl"].read(path)
    assert not isinstance(pair, BadLine)
    assert len(pair.labels) == 5
    assert not pair.unread
