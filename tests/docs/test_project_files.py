"""Licence, citation, changelog and project file agree with each other."""

import re
import tomllib

import yaml

from tests.docs.pages import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())


def test_licence_and_citation_say_what_the_project_says() -> None:
    assert PROJECT["license"] == CITATION["license"] == "Apache-2.0"
    assert PROJECT["license-files"] == ["LICENSE"]
    text = (ROOT / "LICENSE").read_text()
    assert text.split()[:4] == ["Apache", "License", "Version", "2.0,"]
    assert text.rstrip().endswith("limitations under the License.")


def test_the_citation_is_a_whole_one_of_the_newest_release() -> None:
    """CITATION.cff has the fields that CFF 1.2 requires, and the version and date of the CHANGELOG."""
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["message"]
    assert CITATION["title"].startswith("Quintet")
    assert [author["name"] for author in CITATION["authors"]] == [one["name"] for one in PROJECT["authors"]]
    releases = re.findall(r"^## (\d\S*) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert (CITATION["version"], CITATION["date-released"]) == releases[0]
    assert PROJECT["version"] == CITATION["version"]


def test_the_pages_that_a_newcomer_looks_for_are_there() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/architecture.md"):
        assert (ROOT / name).is_file(), name


def test_the_changelog_says_each_thing_once() -> None:
    """A merge that keeps the lines of both sides may repeat a part. A release is forty lines of one thing each at most."""
    known = ["Notes for upgraders", "Added", "Changed", "Fixed", "Security"]
    versions = (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1:]
    assert versions[0].startswith("Unreleased")
    for version in versions:
        parts = re.findall(r"^### (.*)$", version, re.MULTILINE)
        assert parts == [part for part in known if part in parts]
        lines = [line for line in version.splitlines() if line]
        assert len(lines) == len(set(lines))
        _, _, told = version.partition("### Added")
        assert len([line for line in told.splitlines() if line.startswith("- ")]) <= 40


PLACE = re.compile(
    r"`((?:accounts|annotation_site|bench|collection|deploy|docs|examples|jobs|modeling|nli|schemas|scripts|snapshots"
    r"|static|templates|tests|validation)/[\w./-]*)`"
)


def test_every_file_that_the_pages_about_the_code_name_is_there() -> None:
    about_the_code = [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/architecture.md")),
        *sorted((ROOT / "docs" / "decisions").glob("*.md")),
    ]
    named = {(page.name, place) for page in about_the_code for place in PLACE.findall(page.read_text())}
    assert len(named) > 100
    assert sorted((page, place) for page, place in named if not (ROOT / place).exists()) == []
