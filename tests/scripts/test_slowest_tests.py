"""The table of the slowest tests is made from the times of the last run."""

from pathlib import Path

import pytest

from scripts import slowest_tests

TIMES = """<testsuites><testsuite>
<testcase classname="tests.accounts.test_pay" name="one" time="2.2"/>
<testcase classname="tests.accounts.test_pay" name="two" time="1.2"/>
<testcase classname="tests.bench.test_proofs.TestProof" name="three" time="12.0"/>
</testsuite></testsuites>"""
PAGE = "Before.\n<!-- slowest tests -->\n| old |\n<!-- end -->\nAfter.\n"


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(slowest_tests, "TIMES", tmp_path / "times.xml")
    monkeypatch.setattr(slowest_tests, "PAGE", tmp_path / "page.md")
    (tmp_path / "page.md").write_text(PAGE)
    return tmp_path / "page.md"


def test_the_slowest_files_come_first_and_the_page_around_the_table_stays(page: Path) -> None:
    slowest_tests.TIMES.write_text(TIMES)
    assert slowest_tests.main() == 0
    assert page.read_text() == (
        "Before.\n<!-- slowest tests -->\n\n| file | tests | seconds |\n|---|---|---|\n"
        "| `tests/bench/test_proofs.py` | 1 | 12 |\n| `tests/accounts/test_pay.py` | 2 | 3 |\n\n<!-- end -->\nAfter.\n"
    )


def test_without_times_it_says_what_to_run(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert slowest_tests.main() == 1
    assert "run `make test` first" in capsys.readouterr().err
    assert page.read_text() == PAGE


def test_the_page_has_a_place_for_the_table() -> None:
    assert slowest_tests.TABLE.search((slowest_tests.ROOT / "CONTRIBUTING.md").read_text())
