"""Settings are read strictly: an invalid one stops the start with an error that names it."""

import json
import os
import re
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from annotation_site.settings import (
    contact,
    env_bool,
    env_int,
    local_secret,
    openid_providers,
    recipes_folder,
)


@pytest.mark.parametrize("value", ["no", "0", "false", "true", "", "yes"])
def test_a_switch_takes_only_true_and_false(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUG", value)
    with pytest.raises(ImproperlyConfigured, match="DEBUG must be True or False"):
        env_bool("DEBUG", False)


@pytest.mark.parametrize(("value", "meant"), [("True", True), ("False", False)])
def test_a_switch_means_what_it_says(value: str, meant: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUG", value)
    assert env_bool("DEBUG", not meant) is meant


def test_a_number_that_is_none_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRITING_LEASE_SECONDS", "30 minutes")
    with pytest.raises(ImproperlyConfigured, match="WRITING_LEASE_SECONDS must be a whole number"):
        env_int("WRITING_LEASE_SECONDS", 1800)


def test_a_contact_is_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for good in ("", "study@example.org", "https://example.org/study"):
        monkeypatch.setenv("CONTACT", good)
        assert contact() == good
    monkeypatch.setenv("CONTACT", "ask Rosa")
    with pytest.raises(ImproperlyConfigured, match="CONTACT must be an e-mail address"):
        contact()


PROVIDER = {
    "id": "university",
    "name": "University",
    "issuer": "https://login.example.edu/",
    "client_id": "quintet",
    "client_secret": "secret",
}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("university", "is not JSON"),
        ("{}", "a JSON list"),
        (json.dumps([{**PROVIDER, "secret": "s"}]), "number 1.*exactly the keys"),
        (json.dumps([PROVIDER, {**PROVIDER, "client_secret": ""}]), "number 2.*all texts"),
        (json.dumps([{**PROVIDER, "id": "The University"}]), "a to z"),
        (json.dumps([{**PROVIDER, "issuer": "http://login.example.edu"}]), "https://"),
        (json.dumps([PROVIDER, PROVIDER]), "the same id"),
    ],
)
def test_a_provider_that_is_not_whole_is_refused_by_its_number(
    given: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENID_PROVIDERS", given)
    with pytest.raises(ImproperlyConfigured, match=f"OPENID_PROVIDERS.*{why}"):
        openid_providers()


def test_recipes_are_code_and_lie_where_only_the_operator_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    incoming = tmp_path / "incoming"
    monkeypatch.delenv("RECIPES_FOLDER", raising=False)
    assert recipes_folder(incoming) is None
    ours, sent, open_to_all = tmp_path / "recipes", incoming / "sent", tmp_path / "shared"
    for folder in (ours, sent, open_to_all):
        folder.mkdir(parents=True)
    open_to_all.chmod(0o777)
    for given, why in (
        (tmp_path / "none", "is not a folder"),
        (sent, "where others can write"),
        (open_to_all, "where others can write"),
    ):
        monkeypatch.setenv("RECIPES_FOLDER", str(given))
        with pytest.raises(ImproperlyConfigured, match=f"RECIPES_FOLDER.*{why}"):
            recipes_folder(incoming)
    monkeypatch.setenv("RECIPES_FOLDER", str(ours))
    assert recipes_folder(incoming) == ours


def test_providers_are_read_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENID_PROVIDERS", json.dumps([PROVIDER, {**PROVIDER, "id": "orcid"}]))
    first, second = openid_providers()
    assert (first["provider_id"], second["provider_id"]) == ("university", "orcid")
    assert first["settings"] == {"server_url": "https://login.example.edu"}


def test_debug_no_stops_the_start_with_a_sentence(tmp_path: Path) -> None:
    env = {**os.environ, "DEBUG": "no", "QUINTET_VAR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "manage.py", "check"], cwd=settings.BASE_DIR, env=env, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "DEBUG must be True or False, not 'no'." in done.stderr


def test_over_https_browsers_take_cookies_from_this_host_alone_and_by_tls(tmp_path: Path) -> None:
    names = ("SESSION_COOKIE_NAME", "CSRF_COOKIE_NAME", "SESSION_COOKIE_SECURE", "SECURE_HSTS_SECONDS")
    env = {**os.environ, "HTTPS": "True", "QUINTET_VAR": str(tmp_path)}
    env.pop("SECURE_HSTS_SECONDS", None)
    asked = f"from annotation_site import settings; print([getattr(settings, name) for name in {names}])"
    done = subprocess.run(
        [sys.executable, "-c", asked],
        cwd=settings.BASE_DIR,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "['__Host-sessionid', '__Host-csrftoken', True, 31536000]"


def test_scripts_find_the_cookie_of_the_csrf_token_by_both_of_its_names() -> None:
    scripts = [*(settings.BASE_DIR / "static" / "js").glob("*.js")]
    readers = [found for path in scripts for found in re.findall(r"/(\S+csrftoken=\S+)/\)", path.read_text())]
    (reader,) = readers  # one script reads it for all
    for name in ("csrftoken", "__Host-csrftoken"):
        for cookies in (f"{name}=abc", f"quintet-zone=UTC; {name}=abc; other=1"):
            assert re.findall(reader, cookies) == ["abc"]
    assert not re.search(reader, "not-csrftoken=abc")


def test_the_secret_of_an_installation_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "var" / "secret-key"
    secret = local_secret(path)
    assert len(secret) >= 50
    assert local_secret(path) == secret
    assert path.stat().st_mode & 0o777 == 0o600


def made_in_place(path: Path) -> str:
    """Makes the secret as earlier versions did: the file exists before its content."""
    if not path.exists():
        path.touch(mode=0o600, exist_ok=False)
        path.write_text(secrets.token_urlsafe(50))
    return path.read_text()


def read_while_another_process_makes_it(
    make: Callable[[Path], str], path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str]:
    """Returns what two processes read, of which the second starts while the first makes the secret."""
    begun, go_on = threading.Event(), threading.Event()
    token_urlsafe = secrets.token_urlsafe

    def slow(size: int) -> str:
        if not begun.is_set():
            begun.set()
            assert go_on.wait(60)
        return token_urlsafe(size)

    monkeypatch.setattr(secrets, "token_urlsafe", slow)
    with ThreadPoolExecutor() as pool:
        maker = pool.submit(make, path)
        assert begun.wait(60)
        second = make(path)
        go_on.set()
        return maker.result(), second


def test_made_in_place_a_second_process_reads_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_while_another_process_makes_it(made_in_place, tmp_path / "key", monkeypatch)[1] == ""


def test_two_processes_of_one_start_have_the_same_whole_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker, second = read_while_another_process_makes_it(local_secret, tmp_path / "key", monkeypatch)
    assert maker == second
    assert len(second) >= 50
    assert not list(tmp_path.glob("secret-key-*"))
