"""The tables of the reference pages match the schemas."""

from pathlib import Path

import pytest

from collection import corpus_schema
from schemas.base import choices_of
from scripts import reference_tables
from tests.docs.pages import REFERENCE, rows, sections, ticked

TEXT = (REFERENCE / "corpus-file.md").read_text()


def test_every_table_of_a_reference_page_is_as_its_schema_says() -> None:
    stale = [path.name for path, _ in reference_tables.stale()]
    assert stale == [], "run: python -m scripts.reference_tables"


def test_a_stale_page_is_told_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in reference_tables.PAGES:
        (tmp_path / name).write_text((REFERENCE / name).read_text())
    page = tmp_path / "corpus-file.md"
    page.write_text(TEXT.replace("| `seats` | `5` |", "| `seats` | `7` |"))
    monkeypatch.setattr(reference_tables, "REFERENCE", tmp_path)
    assert reference_tables.main(["--check"]) == 1
    assert reference_tables.main([]) == 0
    assert page.read_text() == TEXT


def test_the_reference_has_a_section_for_each_table() -> None:
    assert set(sections(TEXT)) == {*reference_tables.CORPUS_FILE, "What cannot change"}


def test_the_reference_names_every_choice_of_a_key() -> None:
    for heading, model in reference_tables.CORPUS_FILE.items():
        if model is corpus_schema.AdvicePart:
            continue  # its three levels stand above the table
        told = {ticked(cells[0])[0]: " ".join(cells) for cells in rows(sections(TEXT)[heading])}
        for key in told:
            choices = filter(None, choices_of(model.model_fields[key]))
            if key != "scheme" or model is corpus_schema.CorpusPart:
                assert set(choices) <= set(ticked(told[key])), key
