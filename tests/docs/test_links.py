"""Every link on our pages leads to an existing file and heading."""

import re
from pathlib import Path
from urllib.parse import unquote

from tests.docs.pages import anchors, named, pages

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?: \"[^\"]*\")?\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`|^(?: {4}|\t).*$", re.DOTALL | re.MULTILINE)


def test_there_are_pages_to_look_at() -> None:
    assert {"README.md", "CHANGELOG.md", "docs/README.md", "docs/tutorial.md"} <= set(map(named, pages()))


def test_every_relative_link_leads_somewhere() -> None:
    links = [(page, link) for page in pages() for link in LINK.findall(CODE.sub("", page.read_text()))]
    assert [(named(page), link) for page, link in links if not _leads_somewhere(page, link)] == []


def _leads_somewhere(page: Path, link: str) -> bool:
    if re.match(r"[a-z]+:", link):
        return True
    place, _, anchor = unquote(link).partition("#")
    target = (page.parent / place) if place else page
    if not target.exists():
        return False
    return not anchor or target.suffix != ".md" or anchor in anchors(target.read_text())


def test_every_page_of_the_docs_stands_in_their_index() -> None:
    index = next(page for page in pages() if named(page) == "docs/README.md")
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in LINK.findall(index.read_text())}
    missing = [
        named(page)
        for page in pages()
        if page.is_relative_to(index.parent) and page != index and page.resolve() not in linked
    ]
    assert missing == []


def test_decisions_are_numbered_in_the_index_and_in_their_headings_as_in_their_file_names() -> None:
    folder = next(page for page in pages() if named(page) == "docs/README.md").parent
    files = sorted((folder / "decisions").glob("*.md"))
    listed = re.findall(
        r"^(\d+)\. \[.*\]\(decisions/(.*)\)$", (folder / "README.md").read_text(), re.MULTILINE
    )
    assert [(int(number), name) for number, name in listed] == [
        (number, file.name) for number, file in enumerate(files, start=1)
    ]
    for number, file in enumerate(files, start=1):
        assert file.name.startswith(f"{number:04}-"), file.name
        assert file.read_text().startswith(f"# {number}. "), file.name
