"""REST refuses what it does not know, and its description says what it refuses."""

import pytest

from accounts.rest.paging import KeyPages, NewestFirst
from tests.cast import rosa
from tests.corpora import make_corpus

pytestmark = pytest.mark.django_db


def test_a_field_that_no_request_has_is_named(api_of):
    make_corpus()
    told = api_of(rosa()).post("/api/v1/snapshots/", {"corpus": "small", "confirmed": True})
    assert told.status_code == 422
    (error,) = told.json()["errors"]["confirmed"]
    assert error.startswith("There is no such field. Known: seed, dev_from_train, ")


@pytest.mark.parametrize("asked", ["0", "-1", "1001", "1152921504606846977", "", "ten", "٣"])
def test_a_page_size_beyond_the_most_is_refused_with_its_bounds(api_of, asked):
    make_corpus()
    told = api_of(rosa()).get("/api/v1/corpora/small/pairs/", {"page_size": asked})
    assert told.status_code == 422
    assert "from 1 to 1,000" in told.json()["errors"]["page_size"][0]


def test_the_description_has_the_most_of_each_list_and_a_range_that_is_not_there(api_of):
    paths = api_of(rosa()).get("/api/v1/schema/?format=json").json()["paths"]
    most = {
        parameter["schema"]["maximum"]
        for path in paths.values()
        for operation in path.values()
        for parameter in operation.get("parameters", ())
        if parameter["name"] == "page_size"  # each has one: a KeyError else
    }
    assert most >= {KeyPages.max_page_size, NewestFirst.max_page_size}
    for path in (
        "/api/v1/snapshots/{id}/files/{name}",
        "/api/v1/snapshots/{id}/exports/{format_name}/{name}",
    ):
        assert "416" in paths[path]["get"]["responses"]
