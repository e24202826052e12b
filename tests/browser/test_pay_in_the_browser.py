"""The page on pay in each of its states: axe finds nothing serious, and all fits a phone."""

import pytest
from playwright.sync_api import expect

from tests.annotation_site import test_pay
from tests.annotation_site.test_pay import label_five
from tests.browser.looks import LOOKS, PHONE, complaints, no_sideways_scroll


@pytest.mark.thorough
@LOOKS
def test_pay_is_compared_with_a_floor_and_topped_up(live_server, watched, rosa, vera, look):
    corpus = test_pay.corpus.make()
    page, found = watched(rosa, **look), []

    def look_at(state: str) -> None:
        found.extend(complaints(page, state))
        if not no_sideways_scroll(page):
            found.append(f"{state}: wider than the screen")

    page.goto(f"/corpora/{corpus.slug}/pay/")
    expect(page.get_by_text("Nobody has earned anything")).to_be_visible()
    look_at("empty")
    label_five(corpus, vera, measured=5)
    page.reload()
    page.get_by_text("What the columns mean").click()
    look_at("earned")
    page.goto(f"/corpora/{corpus.slug}/pay/?floor=plenty")
    expect(page.get_by_text("Enter a number.")).to_be_visible()
    look_at("a floor that is none")
    page.get_by_label("Lowest hourly pay").fill("6")
    page.get_by_role("button", name="Compare with this floor").click()
    expect(page.get_by_text("Below $6.00")).to_be_visible()
    look_at("below the floor")
    page.get_by_role("button", name="Preview top-up").click()
    look_at("asked once more")
    page.get_by_role("button", name="Pay $0.25").click()
    expect(page.get_by_text("$0.25 were added")).to_be_visible()
    look_at("topped up")
    assert found == []


def test_a_person_has_two_lines_on_a_phone_and_people_come_before_charts(live_server, watched, rosa, vera):
    corpus = test_pay.corpus.make()
    label_five(corpus, vera, measured=5)
    page = watched(rosa, **PHONE)
    page.goto(f"/corpora/{corpus.slug}/pay/?floor=6")
    row = page.get_by_role("row").filter(has_text=vera.code)
    assert row.bounding_box()["height"] < 100  # a finger has room on the box
    expect(row).to_contain_text("$")
    picture = page.locator("figure[data-chart=hourly] .chart-picture")
    assert row.bounding_box()["y"] < picture.bounding_box()["y"]
    assert complaints(page, "people on a phone") == []


def test_the_floor_is_a_line_that_can_be_pulled_with_its_people_below(live_server, watched, rosa, vera):
    corpus = test_pay.corpus.make()
    label_five(corpus, vera, measured=5)
    page = watched(rosa)
    page.goto(f"/corpora/{corpus.slug}/pay/")
    picture = page.locator("figure[data-chart=hourly] .chart-picture")
    expect(picture.locator("svg.chart-svg")).to_be_visible()
    box = picture.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] - 40, y)
    page.mouse.down()
    field = page.get_by_label("Lowest hourly pay")
    expect(field).not_to_have_value("")
    right = float(field.input_value())
    page.mouse.move(box["x"] + box["width"] / 2, y, steps=4)
    pulled = float(field.input_value())
    assert pulled < right
    assert pulled * 4 == int(pulled * 4), "a line is pulled by quarters of a dollar"
    expect(page.locator(".chart-legend").first).to_contain_text(f"floor (${pulled:.2f})")
    expect(page.get_by_role("link", name="Missing")).to_have_count(0)
    page.mouse.up()
    expect(page.get_by_role("link", name="Missing")).to_be_visible()
    page.wait_for_url(f"**floor={field.input_value()}")
    field.fill("19")
    field.press("Tab")
    expect(page.get_by_text("Below $19.00")).to_be_visible()
    expect(page.locator("figure[data-chart=hourly]")).to_contain_text("floor ($19.00)")
    expect(page.get_by_role("row").filter(has_text=vera.code)).to_contain_text("$")


def test_the_pay_of_a_visit_by_the_hour_changes_in_sight_while_one_types(live_server, watched, rosa):
    corpus = test_pay.corpus.make()
    corpus.hourly_floor_cents = 1200
    corpus.save()
    page = watched(rosa, **PHONE)
    page.goto(f"/c/{corpus.slug}/links/")
    says = page.locator("#visit-as-typed")
    minutes = page.get_by_label("Minutes that a visit takes")
    page.get_by_label("Tasks in one visit").fill("10")
    minutes.press_sequentially("45")
    expect(says).to_contain_text("A visit of 10 tasks takes about 45 minutes")
    expect(says).to_contain_text("That is less than the $12.00 an hour")
    expect(says).to_be_in_viewport(ratio=1)
    expect(minutes).to_be_focused()
    minutes.fill("1")
    expect(says).not_to_contain_text("That is less than")
    assert no_sideways_scroll(page)
