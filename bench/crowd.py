"""Runs many people at once, each in a thread with a quick HTTP client, and records how long their requests took."""

import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

PORTION = 1 << 16


class Http:
    """A connection that stays open, with little processor time: it shares the machine with the site that is measured.

    `headers` are sent with every request.
    """

    def __init__(self, address: str, headers: dict[str, str], seconds: float = 60) -> None:
        place = urlsplit(address)
        self.socket = socket.create_connection((place.hostname, place.port), timeout=seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines = [f"Host: {place.netloc}", *(f"{name}: {value}" for name, value in headers.items())]
        self.headers = "\r\n".join(lines)

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> tuple[int, str, bytes]:
        """Returns status, headers and body of the response. `kind`: the media type of the request's body."""
        sent = f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n" if kind else ""
        self.socket.sendall(f"{method} {path} HTTP/1.1\r\n{self.headers}\r\n{sent}\r\n".encode() + body)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more()
        raw, _, content = received.partition(b"\r\n\r\n")
        head = raw.decode("latin-1")
        length = int(header(head, "content-length") or 0)
        parts, missing = [content], length - len(content)
        while missing > 0:
            parts.append(self._more())
            missing -= len(parts[-1])
        return int(head[9:12]), head, b"".join(parts)

    def post_json(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Returns the response of REST. Raises RuntimeError unless its status is 200."""
        status, _, content = self.ask("POST", path, json.dumps(body).encode(), "application/json")
        if status != 200:
            raise RuntimeError(f"{path} answered {status}: {content[:300]!r}")
        return dict(json.loads(content))

    def close(self) -> None:
        self.socket.close()

    def _more(self) -> bytes:
        received = self.socket.recv(PORTION)
        if not received:
            raise RuntimeError("The site closed the connection.")
        return received


def header(head: str, name: str) -> str:
    """Returns the value of a header line; empty if there is none."""
    start = head.lower().find(f"\r\n{name}:")
    if start < 0:
        return ""
    end = head.find("\r\n", start + 2)
    return head[start + len(name) + 3 : end if end >= 0 else None].strip()


@dataclass
class Timings:
    """The seconds that each request took, and what the site acknowledged."""

    claims: list[float] = field(default_factory=list)
    submits: list[float] = field(default_factory=list)
    acknowledged: int = 0

    def add(self, other: "Timings") -> None:
        self.claims += other.claims
        self.submits += other.submits
        self.acknowledged += other.acknowledged


def all_at_once(works: Sequence[Callable[[Timings], None]]) -> tuple[Timings, float]:
    """Runs every callable of `works` in a thread; returns their combined timings and the seconds used.

    Raises RuntimeError with the first error of any thread.
    """
    errors: list[Exception] = []
    notes = [Timings() for _ in works]

    def run(work: Callable[[Timings], None], own: Timings) -> None:
        try:
            work(own)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=job) for job in zip(works, notes, strict=True)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    used = time.monotonic() - start
    if errors:
        raise RuntimeError(f"{len(errors)} of {len(works)} met an error; the first: {errors[0]!r}")
    together = Timings()
    for own in notes:
        together.add(own)
    return together, used
