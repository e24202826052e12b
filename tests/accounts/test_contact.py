"""Pages that tell people to ask the researchers say where, if the site names a contact."""

import pytest
from django.urls import reverse

pytestmark = pytest.mark.django_db
MAIL = '<a href="mailto:study@example.org"><bdi>study@example.org</bdi></a>'


@pytest.mark.parametrize("page", ["sign-in", "forgotten-password"])
def test_people_without_a_password_read_whom_to_ask(client, settings, page):
    assert "How to reach the researchers" not in client.get(reverse(page)).text
    settings.CONTACT = "study@example.org"
    assert MAIL in client.get(reverse(page)).text
    settings.CONTACT = "https://example.org/@study"
    assert '<a href="https://example.org/@study">' in client.get(reverse(page)).text


@pytest.mark.parametrize("page", ["mine", "erase-me", "admin:index"])
def test_other_pages_that_say_to_ask_the_researchers_name_them(browser_of, ana, settings, page):
    settings.CONTACT = "study@example.org"
    assert MAIL in browser_of(ana).get(reverse(page)).text
