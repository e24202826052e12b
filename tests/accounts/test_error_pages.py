"""Error pages say what went wrong and what to do, and never show a stack trace."""

import pytest
from django.template.loader import render_to_string
from django.test import Client, RequestFactory

from accounts.pages import error_pages

pytestmark = pytest.mark.django_db


def test_unknown_page_is_a_kind_404(client):
    answer = client.get("/no/such/page/")
    assert answer.status_code == 404
    assert "There is nothing here" in answer.content.decode()


def test_page_of_a_server_error_needs_nothing():
    assert "Something broke on our side" in render_to_string("500.html")


def test_page_for_a_stale_form_needs_no_request():
    assert "Please send it again" in render_to_string("403_csrf.html")


def test_unknown_rest_address_is_a_problem(client):
    answer = client.get("/api/v1/no-such-thing/")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize(("path", "kind"), [("/api/v1/x/", "application/problem+json"), ("/x/", "text/html")])
def test_server_error_speaks_the_language_of_its_caller(path, kind):
    answer = error_pages.server_error(RequestFactory().get(path))
    assert answer.status_code == 500
    assert answer["Content-Type"].startswith(kind)


def test_pages_load_nothing_from_elsewhere(client, browser_of, ana):
    for page in (client.get("/"), client.get("/sign-in/"), browser_of(ana).get("/mine/")):
        html = page.content.decode()
        assert 'src="http' not in html
        assert "<link" in html
        assert 'rel="stylesheet" href="http' not in html


def test_stale_form_is_answered_before_anything_is_saved(ana):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ana)
    assert browser.post("/sign-out/").status_code == 403
    assert "_auth_user_id" in browser.session
