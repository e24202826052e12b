"""Our configuration of the proxy, in a real nginx before a site that counts the requests that reach it."""

import http.server
import os
import re
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import requests
from django.conf import settings

from annotation_site.operation.server import free_port
from scripts.services import installed_nginx

MOST = 6  # connections that one address may have: few, so that a busy machine opens all within the five seconds below
CONFIG = Path(__file__).resolve().parents[2] / "deploy" / "nginx.conf"


class Counted(http.server.BaseHTTPRequestHandler):
    """Returns the proxy's headers about the client, and records each request."""

    protocol_version = "HTTP/1.1"
    seen: list[str] = []

    def do_GET(self) -> None:
        self.seen.append(self.path)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        told = f"{self.headers['X-Forwarded-For']} {self.headers['X-Forwarded-Proto']} {self.headers['Host']}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    do_POST = do_GET

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="module")
def site() -> Iterator[int]:
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Counted)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield site.server_port
    site.shutdown()
    site.server_close()


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory, site: int) -> Iterator[int]:
    """Yields the port of an nginx that runs our file before the site."""
    with running(tmp_path_factory.mktemp("proxy"), site, free_port()) as (port, _):
        yield port


@contextmanager
def running(folder: Path, first: int, second: int) -> Iterator[tuple[int, int]]:
    """Runs nginx with our file before two servers; only names, ports and timeouts for clients are changed.

    Yields its ports for HTTPS and for HTTP.
    """
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    asked = [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "1",
        "-subj",
        "/CN=quintet.example.org",
    ]
    make = ["openssl", *asked, "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(make, check=True, capture_output=True)
    port, plain = free_port(), free_port()
    config = CONFIG.read_text()
    for ours, theirs in {
        "127.0.0.1:8000": f"127.0.0.1:{first}",
        "127.0.0.1:8001": f"127.0.0.1:{second}",
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen [::]:80;": "",  # a container may have no IPv6
        "listen [::]:443 ssl http2;": "",
        "/var/www/acme;": f"{folder};",
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/letsencrypt/live/quintet.example.org/fullchain.pem": str(certificate),
        "/etc/letsencrypt/live/quintet.example.org/privkey.pem": str(key),
        "access_log /var/log/nginx/quintet.log": f"access_log {folder}/access.log",
        "quintet_connections 64;": f"quintet_connections {MOST};",
        "client_header_timeout 10s": "client_header_timeout 5s",
        "client_body_timeout 10s": "client_body_timeout 5s",
    }.items():
        assert config.count(ours) == 1, ours
        config = config.replace(ours, theirs)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    whole = folder / "nginx.conf"
    whole.write_text(
        f"{'user root;' if os.geteuid() == 0 else ''}\ndaemon off; pid {folder}/pid; error_log {folder}/errors;\n"
        "events {}\n"
        f"http {{\n{temporary}{config}}}\n"
    )
    process = subprocess.Popen([installed_nginx() or "nginx", "-e", f"{folder}/errors", "-c", whole])
    try:
        _wait_for(port, process)
        yield port, plain
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError("nginx did not start")


def _connect(port: int, version: ssl.TLSVersion | None = None) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    if version:
        context.minimum_version = context.maximum_version = version
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=20))


@pytest.mark.filterwarnings("ignore::urllib3.exceptions.InsecureRequestWarning")
def test_what_the_site_hears_of_a_client(proxy: int) -> None:
    forged = {
        "X-Forwarded-For": "203.0.113.9",
        "X-Forwarded-Proto": "http",
        "Host": "quintet.example.org:8443",
    }
    answer = requests.get(f"https://127.0.0.1:{proxy}/", headers=forged, verify=False, timeout=20)
    assert answer.text == "127.0.0.1 https quintet.example.org:8443"


@pytest.mark.filterwarnings("ignore::urllib3.exceptions.InsecureRequestWarning")
def test_while_the_site_restarts_people_read_that_nothing_is_lost(tmp_path: Path) -> None:
    with running(tmp_path, free_port(), free_port()) as (port, _):
        for method in ("get", "post"):
            answer = requests.request(method, f"https://127.0.0.1:{port}/", verify=False, timeout=20)
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")
            assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    page = answer.content.decode()
    assert set(re.findall(r' lang="([^"]+)"', page)) == {code for code, _ in settings.LANGUAGES} - {
        "zh-hans"
    } | {"zh-Hans"}
    assert "Nothing that was saved is lost" in page


@pytest.mark.filterwarnings("ignore::urllib3.exceptions.InsecureRequestWarning")
def test_a_second_server_answers_while_the_first_is_away(tmp_path: Path, site: int) -> None:
    with running(tmp_path, free_port(), site) as (port, _):
        for method in ("get", "post"):
            answer = requests.request(method, f"https://127.0.0.1:{port}/", verify=False, timeout=20)
            assert answer.status_code == 200


def test_plain_http_leads_to_https_except_where_a_certificate_is_proved(tmp_path: Path, site: int) -> None:
    proof = tmp_path / ".well-known" / "acme-challenge" / "proof"
    proof.parent.mkdir(parents=True)
    proof.write_text("it is us")
    with running(tmp_path, site, free_port()) as (_, plain):
        address = f"http://127.0.0.1:{plain}/"
        assert requests.get(f"{address}.well-known/acme-challenge/proof", timeout=20).text == "it is us"
        answer = requests.get(
            f"{address}mine/", headers={"Host": "quintet.example.org"}, allow_redirects=False, timeout=20
        )
        assert (answer.status_code, answer.headers["Location"]) == (301, "https://quintet.example.org/mine/")


def test_it_speaks_tls_1_2_and_1_3_alone(proxy: int) -> None:
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        with _connect(proxy, version) as connection:
            assert connection.version() == version.name.replace("_", ".")
    assert re.findall(r"ssl_protocols (.+);", CONFIG.read_text()) == ["TLSv1.2 TLSv1.3"]


@pytest.mark.filterwarnings("ignore::urllib3.exceptions.InsecureRequestWarning")
def test_a_body_has_a_limit(proxy: int) -> None:
    most = requests.post(f"https://127.0.0.1:{proxy}/", data=b"x" * 2_600_000, verify=False, timeout=20)
    more = requests.post(f"https://127.0.0.1:{proxy}/", data=b"x" * 3_200_000, verify=False, timeout=20)
    assert (most.status_code, more.status_code) == (200, 413)


@pytest.mark.thorough
def test_half_a_request_never_reaches_the_site_and_is_ended(proxy: int, stack: ExitStack) -> None:
    before = len(Counted.seen)
    halves = [
        b"POST /slow HTTP/1.1\r\nHost: quintet.example.org\r\nX-Slow: ",
        b"POST /slow HTTP/1.1\r\nHost: quintet.example.org\r\nContent-Length: 1000\r\n\r\nx",
    ]
    connections = [stack.enter_context(_connect(proxy)) for _ in range(MOST)]
    for number, connection in enumerate(connections):
        connection.sendall(halves[number % 2])
    assert Counted.seen[before:] == []
    for connection in connections:
        while connection.recv(1000):  # 408, or nothing: either way the proxy ends it
            pass
    assert Counted.seen[before:] == []


def test_one_address_cannot_hold_all_connections(proxy: int, stack: ExitStack) -> None:
    half = b"POST /slow HTTP/1.1\r\nHost: quintet.example.org\r\nContent-Length: 1000\r\n\r\nx"
    connections = [stack.enter_context(_connect(proxy)) for _ in range(MOST)]
    for connection in connections:
        connection.sendall(half)
    # As soon as the proxy has read all halves; it ends them after five seconds.
    answers = (_answer_to_one_more(proxy) for _ in range(40))
    assert any(answer.startswith(b"HTTP/1.1 429") for answer in answers)


def _answer_to_one_more(port: int) -> bytes:
    time.sleep(0.1)
    with _connect(port) as one_more:
        one_more.sendall(b"GET / HTTP/1.1\r\nHost: quintet.example.org\r\nConnection: close\r\n\r\n")
        return one_more.recv(100)
