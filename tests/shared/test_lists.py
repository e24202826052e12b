"""What the address of a long list asks for, and what the list shows of it."""

import pytest
from django.test import RequestFactory

from collection.templatetags.lists import marked
from shared.lists import VALUES_SHOWN, Filter, View
from shared.tables import Column

COLUMNS = [Column("name"), Column("words", kind="count"), Column("added", on_page=False)]
ORDERS = {"": "first", "newest": "last", "words": "fewest words", "-words": "most words"}
BY = {"words": ("words", "-words"), "added": ("", "newest"), "doubt": (None, "doubted")}
GENRES = Filter("genre", "Genre", {"a": "Letters", "b": "Fiction"})


def view(query: str = "", **more) -> View:
    return View(RequestFactory().get(f"/list/?{query}"), COLUMNS, ORDERS, BY, **more)


def test_an_address_keeps_the_view_and_drops_places_and_what_is_empty():
    found = view("genre=a&after=7&text=&size=100&column=name&column=words&seed=2&pair=x")
    assert found.address({}) == "/list/?genre=a&size=100&column=name&column=words"
    assert found.address({"genre": "", "after": 8}) == "/list/?size=100&column=name&column=words&after=8"
    assert found.everything == "/list/?size=100&column=name&column=words"
    assert found.hidden("column") == [("genre", "a"), ("size", "100")]
    assert view("genre=a").address({"genre": None}) == "/list/"


@pytest.mark.parametrize(
    ("query", "size", "order", "columns"),
    [
        ("", 50, "", ["name", "words"]),
        ("size=200&order=-words&column=added", 200, "-words", ["added"]),
        ("size=51&order=odd&column=odd", 50, "", ["name", "words"]),
        ("size=x", 50, "", ["name", "words"]),
    ],
)
def test_what_is_odd_is_as_usual(query, size, order, columns):
    found = view(query)
    assert (found.size, found.order, [column.key for column in found.shown]) == (size, order, columns)


def test_a_head_leads_to_the_other_order_and_numbers_begin_with_the_largest():
    name, words = view().heads()
    assert (name.address, words.address, words.order) == ("", "/list/?order=-words", "")
    _, words = view("order=-words").heads()
    assert (words.address, words.order) == ("/list/?order=words", "descending")
    (added,) = view("column=added&order=newest").heads()
    assert (added.address, added.order) == ("/list/?column=added", "descending")
    assert view(forced="words").order == "words"


def test_values_have_numbers_where_they_are_counted_and_can_be_let_go():
    (genre,) = view("genre=a").facets([GENRES], {"genre": [("b", 6), ("a", 3)]})
    said = [(each.value, each.number, each.is_chosen, each.share) for each in genre.values]
    assert said == [("Fiction", 6, False, 100), ("Letters", 3, True, 50)]
    assert [each.link for each in genre.values] == ["/list/?genre=a&genre=b", "/list/"]
    (genre,) = view().facets([GENRES], {})
    assert [each.number for each in genre.values] == [None, None]
    assert view().facets([GENRES], {"genre": [("a", 9)]}) == [], "of one value a filter says nothing"
    (genre,) = view("genre=b").facets([GENRES], {"genre": [("a", 9)]})
    assert [(each.value, each.number) for each in genre.values] == [("Fiction", 0), ("Letters", 9)]
    many = Filter("n", "N", {str(n): str(n) for n in range(20)})
    (found,) = view("n=19").facets([many], {})
    assert (found.first[0].value, len(found.first), len(found.more)) == (
        "19",
        VALUES_SHOWN,
        20 - VALUES_SHOWN,
    )


def test_what_is_chosen_is_told_and_each_can_be_left_out():
    chips = view("genre=a&low=3&high=4").chips(
        [GENRES, Filter("text", "Words")], {("low", "high"): "3 to 4", ("x",): ""}
    )
    assert chips == [("Genre: Letters", "/list/?low=3&high=4"), ("3 to 4", "/list/?genre=a")]


@pytest.mark.parametrize(
    ("text", "words", "html"),
    [
        ("A <b> not", "NOT", "A &lt;b&gt; <mark>not</mark>"),
        ("a.b", ".", "a<mark>.</mark>b"),
        ("a & b", "", "a &amp; b"),
        ("<i>", "<", "<mark>&lt;</mark>i&gt;"),
    ],
)
def test_words_are_marked_as_they_are_written(text, words, html):
    assert marked(text, words) == html
