"""One odd value is refused or cleaned where it comes in, and one that is stored already breaks no page for the others."""

import pytest
from django.contrib import admin
from django.urls import reverse

from collection.models import Pair, Premise, Source
from tests.annotation_site.imported_lines import record
from tests.cast import person, rosa
from tests.commands import run, write_jsonl
from tests.corpora import make_corpus, make_pair, make_premise

pytestmark = pytest.mark.django_db
ODD = "a\nb"


@pytest.mark.parametrize("key", ["id", "premise_id", "group", "document", "genre", "author"])
@pytest.mark.parametrize("odd", ["a\nb", "a\tb", "a\u2028b", "a\x1bb", "a\u202eb", "..", "a/../b"])
def test_an_id_that_cannot_stand_in_an_address_refuses_its_line(tmp_path, key, odd):
    path = write_jsonl(
        tmp_path / "pairs.jsonl", [record(1, label="neutral") | {key: odd}, record(2, label="neutral")]
    )
    summary = run("import_pairs", "new", path, format="jsonl", json=True, partly=True).json
    assert (summary["pairs"], summary["refused_count"]) == (1, 1)
    assert " has " in summary["refused"][0]["reason"]


@pytest.mark.parametrize("key", ["id", "document", "group"])
def test_so_does_that_of_a_premise(tmp_path, key):
    make_corpus()
    lines = [{"text": "A man reads a long letter.", key: ODD}, {"text": "A woman writes a long letter."}]
    path = write_jsonl(tmp_path / "lines.jsonl", lines)
    told = run("import_premises", "small", path, genre="fiction", json=True)
    assert (told.json["premises"], told.json["refused_count"]) == (1, 1), told


def test_the_name_of_a_file_becomes_one_line(tmp_path):
    path = write_jsonl(tmp_path / "a\nb\u202e.jsonl", [record(1, label="neutral")])
    run("import_pairs", "new", path, format="jsonl")
    assert Source.objects.get().name == "a b.jsonl"


@pytest.fixture
def stored():
    """A pair, and a premise, as imports stored them before ids were looked at."""
    corpus = make_corpus()
    premise = make_premise(corpus, "A man reads.", public_id="p\n1", group="g\n1", document="d\n1")
    return make_pair(corpus, premise, "He reads.", public_id=ODD, author_label="entailment")


@pytest.mark.parametrize(
    "address",
    [
        "/corpora/small/pairs/",
        "/corpora/small/pairs/?text=reads",
        "/corpora/small/pairs/a%0Ab/",
        "/c/small/predictions/a%0Ab/?baseline=cbow",
        "/c/small/texts/",
        "/c/small/premises/",
        "/search/?q=reads",
        "/api/v1/corpora/small/pairs/",
        "/admin/collection/pair/",
        "/admin/collection/premise/",
    ],
)
def test_pages_survive_ids_that_are_stored_already(stored, browser_of, address):
    assert browser_of(rosa()).get(address, follow=True).status_code == 200


def test_an_empty_to_field_is_no_field(stored, browser_of):
    browser = browser_of(person("ada", "administrator"))
    premise = Premise.objects.get()
    for model in admin.site._registry:
        names = ("delete", "change", "history")
        key = premise.pk if model is Premise else Pair.objects.get().pk if model is Pair else 1
        for name in names:
            address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=[key])
            answer = browser.get(f"{address}?_to_field=")
            assert answer.status_code < 500, address
