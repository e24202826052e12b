"""A provider of OpenID Connect for tests: django-allauth's own, as a site and a process of its own.

with provider(tmp_path, callbacks=["http://testserver/sign-in/with/university/callback/"]) as university:
    settings.SOCIALACCOUNT_PROVIDERS = university.settings()
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import requests

PASSWORD = "a passphrase of the university"
# Who has an account there: user name -> e-mail address, and whether the provider has confirmed it.
PEOPLE = {
    "r.researcher": ("rosa@example.org", True),
    "claimed": ("rosa@example.org", False),
    "a.annotator": ("ana@example.org", True),
    "stranger": ("stranger@example.org", True),
    "nameless": ("", False),
}


@dataclass(frozen=True)
class Provider:
    address: str

    def settings(self) -> dict[str, Any]:
        """Returns django-allauth's setting by which the site knows this provider."""
        app = {
            "provider_id": "university",
            "name": "University",
            "client_id": "quintet",
            "secret": "shared secret",
            "settings": {"server_url": self.address},
        }
        return {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}

    def sign_in(self, address: str, username: str, until: str) -> str:
        """Opens an address of the provider, signs in there, and returns the address that begins with `until`."""
        browser = requests.Session()
        page = browser.get(address)
        form = Form(page.text)
        page = browser.post(
            urljoin(page.url, form.action),
            {**form.fields, "login": username, "password": PASSWORD},
            headers={"Referer": page.url},
            allow_redirects=False,
        )
        while not page.headers["Location"].startswith(until):
            page = browser.get(urljoin(page.url, page.headers["Location"]), allow_redirects=False)
        return page.headers["Location"]


class Form(HTMLParser):
    """The form of a page: its address and its hidden fields."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.action, self.fields = "", dict[str, str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form" and not self.action:
            self.action = given.get("action") or ""
        if tag == "input" and given.get("type") == "hidden":
            self.fields[given.get("name") or ""] = given.get("value") or ""


@contextmanager
def provider(folder: Path, callbacks: list[str]) -> Iterator[Provider]:
    """Runs the provider. `folder` takes its database; it sends people back to `callbacks` only."""
    command = [sys.executable, "-m", "tests.accounts.openid_provider", str(folder), *callbacks]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Provider(json.loads(process.stdout.readline())["address"])
        finally:
            process.terminate()


def serve(folder: str, callbacks: list[str]) -> None:
    from socketserver import ThreadingMixIn
    from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

    import django
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa
    from django.conf import settings

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    middleware = (
        "sessions.middleware.Session",
        "auth.middleware.Authentication",
        "messages.middleware.Message",
    )
    settings.configure(
        SECRET_KEY="of the provider",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="tests.accounts.openid_provider_urls",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/provider.sqlite3"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=[
            *(f"django.contrib.{name}" for name in ("auth", "contenttypes", "sessions", "messages")),
            *("allauth", "allauth.account", "allauth.idp.oidc"),
        ],
        MIDDLEWARE=[
            *(f"django.contrib.{name}Middleware" for name in middleware),
            "allauth.account.middleware.AccountMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
            }
        ],
        AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        SESSION_COOKIE_NAME="provider-session",
        CSRF_COOKIE_NAME="provider-csrf",
        ACCOUNT_EMAIL_VERIFICATION="none",
        IDP_OIDC_PRIVATE_KEY=key.decode(),
        USE_TZ=True,
    )
    django.setup()
    from allauth.account.models import EmailAddress
    from allauth.idp.oidc.models import Client
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application

    call_command("migrate", verbosity=0)
    for name, (address, verified) in PEOPLE.items():
        user = User.objects.create_user(name, address, PASSWORD)
        if address:
            EmailAddress.objects.create(user=user, email=address, verified=verified, primary=True)
    client = Client(id="quintet", name="Quintet", skip_consent=True)
    client.set_secret("shared secret")
    client.set_redirect_uris(callbacks)
    client.set_scopes(["openid", "profile", "email"])
    client.save()

    class Server(ThreadingMixIn, WSGIServer):
        daemon_threads = True

    class Quiet(WSGIRequestHandler):
        def log_message(self, *args: Any) -> None:
            """Logs nothing."""

    server = make_server("127.0.0.1", 0, get_wsgi_application(), Server, Quiet)
    sys.stdout.write(json.dumps({"address": f"http://127.0.0.1:{server.server_port}"}) + "\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2:])
