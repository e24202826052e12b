"""Sign-in by OpenID Connect in a real browser: the button, the provider's pages, and back."""

import pytest

from tests.accounts.openid_provider import PASSWORD, provider
from tests.browser.looks import LOOKS, complaints, width_of
from tests.cast import rosa

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.thorough
@LOOKS
def test_a_researcher_signs_in_at_the_university_and_a_stranger_is_told_what_to_do(
    watched, live_server, settings, tmp_path, look
):
    user = rosa()
    user.email = "rosa@example.org"
    user.save()
    found = []
    with provider(tmp_path, [f"{live_server.url}/sign-in/with/university/callback/"]) as university:
        settings.SOCIALACCOUNT_PROVIDERS = university.settings()

        def sign_in_with(name):
            page = watched(None, **look)
            page.goto("/sign-in/?next=/mine/")
            found.extend(complaints(page, "sign-in"))
            page.get_by_role("button", name="Sign in with University").click()
            page.wait_for_url(f"{university.address}/**")
            page.locator("[name=login]").fill(name)
            page.locator("[name=password]").fill(PASSWORD)
            page.locator("[name=password]").press("Enter")
            page.wait_for_url(f"{live_server.url}/**")
            return page

        page = sign_in_with("r.researcher")
        page.get_by_role("heading", name="My account", exact=True).wait_for()
        page.goto("/mine/second-factor/")
        page.get_by_role("button", name="Unlink University").wait_for()
        found.extend(complaints(page, "linked"))
        page.context.clear_cookies()
        page = sign_in_with("stranger")
        page.get_by_role("heading", name="Not signed in").wait_for()
        page.get_by_text("ask an administrator").wait_for()
        found.extend(complaints(page, "a stranger"))
        assert width_of(page) <= page.evaluate("innerWidth")
    assert found == []
