"""REST: statistics of a large corpus are requested, polled and read."""

import pytest
from django.test import Client

from accounts.sign_in.tokens import create_api_token
from tests.validation.large_corpus import count_all, labelled_question, large_question  # noqa: F401  (fixtures)
from validation.models import CachedStatistics

pytestmark = pytest.mark.django_db


REST = (
    "/api/v1/corpora/small/agreement/?by=week&pairwise=true",
    "/api/v1/corpora/small/annotators/",
    "/api/v1/corpora/small/cross-table/?question=label&by=genre",
)


@pytest.mark.parametrize("address", REST)
def test_over_rest_a_post_requests_statistics_and_a_get_never_does(large, rosa, browser_of, address):
    browser = browser_of(rosa)
    address = address.replace("question=label", f"question={large.slug}")
    answer = browser.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    assert "POST to this address" in answer.json()["detail"]
    assert not CachedStatistics.objects.exists()
    for asked in (browser.post(address), browser.get(address)):
        assert (asked.status_code, asked.json()["retry_after"], asked["Retry-After"]) == (202, 10, "10")
    CachedStatistics.objects.waiting().update(status="failed", error="The disk is full.")
    failed = browser.get(address)
    assert (failed.status_code, "The disk is full." in failed.json()["detail"]) == (404, True)
    assert browser.post(address).status_code == 202
    count_all()
    assert browser.get(address).status_code == 200


@pytest.mark.parametrize("address", REST)
def test_over_rest_who_may_only_read_requests_no_statistics(large, rosa, vera, address):
    for who, scope in ((rosa, "read"), (rosa, "work"), (vera, "all")):
        token = create_api_token(user=who, name=scope, scope=scope)
        answer = Client().post(address, headers={"Authorization": f"Token {token}"})
        assert (who, scope, answer.status_code) == (who, scope, 403)
    assert not CachedStatistics.objects.exists()


def test_rest_answers_202_until_figures_are_there_and_tells_from_when_they_are(large, rosa, browser_of):
    browser = browser_of(rosa)
    address = "/api/v1/corpora/small/agreement/?by=week&pairwise=true"
    answer = browser.post(address)
    assert (answer.status_code, answer.json()["retry_after"], answer["Retry-After"]) == (202, 10, "10")
    count_all()
    found = browser.get(address).json()
    assert found["pairs_with_all_labels"] == 40
    assert len(found["pairwise_kappa"]) == 10
    before = found["made_at"]
    assert browser.post(address).status_code == 202
    count_all()
    assert browser.get(address).json()["made_at"] > before
    assert browser.post("/api/v1/corpora/small/agreement/?by=moon").status_code == 422
