"""The commands on our pages exist, with the options that are shown."""

import re
from functools import cache

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from modeling.management.commands import report
from tests.docs.pages import REFERENCE, ROOT, named, pages, rows, sections, ticked

OURS = {"accounts", "collection", "validation", "snapshots", "modeling", "annotation_site", "shared"}
CALL = re.compile(r"manage\.py ([a-z_]+)([^`\n]*)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
MAKE = re.compile(r"(?:^ {4}|`|\b[A-Z_]+=\S+ )make ([a-z][a-z-]*)", re.MULTILINE)


def command(name: str) -> BaseCommand:
    app = get_commands()[name]
    return app if isinstance(app, BaseCommand) else load_command_class(app, name)


@cache
def options(name: str) -> set[str]:
    """Returns every option of a command, Django's own included."""
    parser = command(name).create_parser("manage.py", name)
    return {option for action in parser._actions for option in action.option_strings}


def own_options(name: str) -> set[str]:
    """Returns the options that the command itself adds."""
    plain = {
        option
        for action in BaseCommand().create_parser("manage.py", "plain")._actions
        for option in action.option_strings
    }
    return options(name) - plain


def test_every_command_that_a_page_shows_exists_with_its_options() -> None:
    unknown = []
    for page in pages():
        for name, rest in CALL.findall(page.read_text()):
            if name not in get_commands():
                unknown.append((named(page), name))
            else:
                known = options(name)
                unknown += [(named(page), name, each) for each in OPTION.findall(rest) if each not in known]
    assert unknown == []


def test_every_make_target_that_a_page_shows_exists() -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = {(named(page), target) for page in pages() for target in MAKE.findall(page.read_text())}
    assert [each for each in sorted(shown) if each[1] not in targets] == []


def test_the_reference_has_a_section_for_each_of_our_commands_and_no_other() -> None:
    ours = {name for name, app in get_commands().items() if app in OURS}
    assert set(sections((REFERENCE / "commands.md").read_text())) == ours


def test_the_reference_names_every_table_that_report_prints() -> None:
    section = sections((REFERENCE / "commands.md").read_text())["report"]
    assert [name for name in report.NAMES if name not in ticked(section)] == []


@pytest.mark.parametrize("name", sorted(name for name, app in get_commands().items() if app in OURS))
def test_the_reference_lists_exactly_the_options_of_a_command(name: str) -> None:
    section = sections((REFERENCE / "commands.md").read_text()).get(name, "")
    listed = {word for cells in rows(section) for word in ticked(cells[0])}
    assert listed == own_options(name)
