"""A number that a page gives of a paper can be looked up: its table, figure or section stands in the same section."""

import re

import pytest

from tests.docs.pages import FENCE, named, pages

SAYS = re.compile(r"\b(the|both) papers?('s)?\b", re.IGNORECASE)
NUMBER = re.compile(r"(?<![\w.-])(\d[\d,]*\.\d+|\d+%|\d{2,3},\d{3})")
PLACE = re.compile(
    r"\b(Tables?|sections?|Figures?|footnote|Appendix|page) [A-Z\d]|\((SNLI|MNLI|MultiNLI|MPE|DNC),? \d",
    re.IGNORECASE,
)


def without_place(text: str) -> list[str]:
    """Returns the lines with a number of a paper up to which their section names no place in one."""
    found, section = [], ""
    for line in FENCE.sub("", text).splitlines():
        section = line if line.startswith("#") else f"{section}\n{line}"
        if SAYS.search(line) and NUMBER.search(line) and not PLACE.search(section):
            found.append(line)
    return found


@pytest.mark.parametrize("path", [path for path in pages() if path.name != "CHANGELOG.md"], ids=named)
def test_numbers_of_papers_have_a_place(path):
    assert not without_place(path.read_text())


def test_a_number_without_a_place_is_found():
    line = "The paper has 15.2%."
    assert without_place(f"# Tags (MPE, Table 5)\n\n# Lengths\n\n{line}") == [line]
    assert not without_place(f"# Lengths\n\nBeside Table 5 of MPE.\n\n{line}")
