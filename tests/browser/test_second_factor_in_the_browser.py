"""A second factor in a real browser: an app and a passkey are set up, and the sign-in asks for them."""

import re
import time

import pytest
from allauth.mfa.totp.internal import auth as totp

from tests.browser.looks import LOOKS, complaints, width_of
from tests.cast import PASSWORD, rosa

pytestmark = pytest.mark.django_db(transaction=True)


def code_of(secret, later=0):
    return totp.format_hotp_value(totp.hotp_value(secret, int(time.time()) // 30 + later))


def give_password_and(page, button):
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name=button).click()


def sign_in(page, address="/sign-in/"):
    page.goto(address)
    page.get_by_label("User name").fill("rosa")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Second step").wait_for()


@pytest.mark.thorough
@LOOKS
def test_an_app_is_set_up_and_the_sign_in_asks_for_its_code(watched, look):
    page = watched(rosa(), **look)
    found = []

    def look_at(name):
        assert width_of(page) <= page.evaluate("innerWidth"), name
        found.extend(complaints(page, name))

    page.goto("/mine/")
    page.get_by_role("link", name="Second factor").click()
    page.wait_for_url("**/second-factor/")
    look_at("none yet")
    give_password_and(page, "Set up an app")
    page.get_by_role("img", name="QR code").wait_for()
    look_at("set up")
    secret = page.locator("code.secret").inner_text()
    page.get_by_label("Authenticator code").fill(code_of(secret))
    page.get_by_role("button", name="Turn on").click()
    page.get_by_role("heading", name="Recovery codes").wait_for()
    look_at("codes")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download them").click()
    codes = download.value.path().read_text().split()
    assert codes == page.locator("pre.secret").inner_text().split()
    assert len(codes) == 10
    page.get_by_role("link", name="Done").click()
    page.get_by_text("10 recovery codes left").wait_for()
    look_at("one factor")

    visitor = watched(None, **look)
    sign_in(visitor, "/sign-in/?next=/mine/")
    found.extend(complaints(visitor, "second step"))
    visitor.get_by_label("Code").fill("nonsense")
    visitor.get_by_role("button", name="Sign in").click()
    visitor.get_by_text("This code is wrong").wait_for()
    visitor.get_by_label("Code").fill(code_of(secret, 1))
    visitor.get_by_role("button", name="Sign in").click()
    visitor.get_by_role("heading", name="My account", exact=True).wait_for()
    assert found == []


def add_authenticator(page):
    """Gives the browser a virtual device that makes passkeys. Returns its session and its id."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasUserVerification": True,
        "isUserVerified": True,
    }
    made = session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return session, made["authenticatorId"]


@pytest.mark.thorough
def test_a_passkey_is_added_and_signs_in(watched):
    page = watched(None)
    session, device = add_authenticator(page)
    rosa()
    page.goto("/sign-in/?next=/mine/second-factor/")
    page.get_by_label("User name").fill("rosa")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    give_password_and(page, "Add a passkey")
    page.get_by_label("Name").fill("Laptop")
    page.get_by_role("button", name="Add the passkey").click()
    page.get_by_role("heading", name="Recovery codes").wait_for()
    page.get_by_role("link", name="Done").click()
    page.get_by_role("heading", name="Passkey: Laptop").wait_for()

    page.context.clear_cookies()
    sign_in(page, "/sign-in/?next=/mine/")
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_role("heading", name="My account", exact=True).wait_for()
    session.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": device})

    page.context.clear_cookies()
    other, _ = add_authenticator(page)  # another device, which does not have the passkey
    sign_in(page, "/sign-in/?next=/mine/")
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_text("The passkey was not used.").wait_for()
    other.detach()


def test_the_page_for_passkeys_says_so_where_none_is_made(watched, live_server):
    """On an address with a number, browsers make no passkeys."""
    rosa()
    page = watched(None)
    page.goto(re.sub("//localhost", "//127.0.0.1", f"{live_server.url}/sign-in/?next=/mine/second-factor/"))
    page.get_by_label("User name").fill("rosa")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    give_password_and(page, "Add a passkey")
    page.get_by_role("button", name="Add the passkey").click()
    page.get_by_text("No passkey was made.").wait_for()
