"""What a test does on the writing page."""

from playwright.sync_api import Locator, Page, expect

from collection.models import (
    Pair,
)

PAGE = "/work/writing/small/"
MINE = ("It is so.", "It is not so.", "It may be so.")  # in the order of the fields


def begin(page: Page) -> Page:
    """Goes to the first premise. The prompt was read before."""
    page.goto(PAGE)
    expect(page.get_by_role("heading", level=1)).to_have_text("Write three sentences")
    return page


def fields(page: Page) -> list[Locator]:
    return [
        page.get_by_role("textbox", name=name, exact=True)
        for name in ("Definitely correct", "Definitely incorrect", "Maybe correct")
    ]


def write(page: Page, texts: tuple[str, ...] = MINE) -> None:
    for field, text in zip(fields(page), texts, strict=True):
        field.fill(text)


def shows(page: Page, texts: tuple[str, ...] = MINE) -> None:
    for field, text in zip(fields(page), texts, strict=True):
        expect(field).to_have_value(text)


def saved() -> list[str]:
    return list(
        Pair.objects.filter(assignment__isnull=False).order_by("pk").values_list("hypothesis", flat=True)
    )
