"""`python -m modeling.baselines.answer SOCKET RUNS` answers for finished runs while people write, until SIGTERM.

SOCKET: the Unix socket to listen on. RUNS: the folder with the run folders. A connection sends one line of JSON,
`{"models": [{"folder", "sha256"}, ...], "premise": [...], "hypotheses": [...]}`, and gets one: `{"answers": [...]}`, for
each model a list of label -> probability, one a hypothesis; `{"loading": true}` while a model is read; `{"error": ...}`, a
sentence.
"""

import json
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modeling.baselines.errors import BaselineError
from modeling.baselines.program import Events, Stop, run_program, sentence_for

if TYPE_CHECKING:
    from modeling.baselines.answering import Answering

USAGE = "Give a socket and a folder of runs: python -m modeling.baselines.answer SOCKET RUNS."
LONGEST_LINE = 1_000_000
TRY_AGAIN_SECONDS = 60.0  # after which a model that could not be loaded is loaded again
LOOK_SECONDS = 0.2


class Models:
    """The models of a folder of runs. Each is loaded by a thread of its own, when it is first asked."""

    def __init__(self, runs: Path) -> None:
        self.runs = runs
        self.lock, self.one_at_a_time = threading.Lock(), threading.Lock()
        self.loaded: dict[tuple[str, str], Answering] = {}
        self.failed: dict[tuple[str, str], tuple[float, str]] = {}
        self.loading: set[tuple[str, str]] = set()

    def find(self, folder: str, sha256: str) -> "Answering | None":
        """Returns a model, or None while it is loaded. Raises BaselineError with the reason why it cannot answer."""
        key = (folder, sha256)
        with self.lock:
            if key in self.loaded:
                return self.loaded[key]
            at, why = self.failed.get(key, (0.0, ""))
            if why and time.monotonic() - at < TRY_AGAIN_SECONDS:
                raise BaselineError(why)
            if key not in self.loading:
                self.loading.add(key)
                threading.Thread(target=self._load, args=key, daemon=True).start()
            return None

    def _load(self, folder: str, sha256: str) -> None:
        key = (folder, sha256)
        with (
            self.one_at_a_time
        ):  # beside another, libraries would be half imported, and the time measured too long
            model, why = self._read(folder, sha256)
        with self.lock:
            self.loading.discard(key)
            if model is None:
                self.failed[key] = (time.monotonic(), why)
            else:
                self.loaded[key] = model

    def _read(self, folder: str, sha256: str) -> "tuple[Answering | None, str]":
        try:
            # Imported here: a site whose prompts name no run needs no torch in memory.
            import torch

            from modeling.baselines.answering import Answering

            torch.set_num_threads(1)
            if Path(folder).name != folder:
                raise BaselineError("A run folder is a name without a path.")
            return Answering(self.runs / folder, sha256), ""
        except Exception as error:
            return None, sentence_for(error)


def answer(models: Models, line: bytes) -> dict[str, Any]:
    """Returns the answer to one line."""
    try:
        asked = json.loads(line)
        found = [models.find(str(each["folder"]), str(each["sha256"])) for each in asked["models"]]
        ready = [each for each in found if each is not None]
        if len(ready) < len(found):
            return {"loading": True}
        premise, hypotheses = ([str(text) for text in asked[key]] for key in ("premise", "hypotheses"))
        return {"answers": [each.answer(premise, hypotheses) for each in ready]}
    except (ValueError, KeyError, TypeError) as error:
        return {"error": f"The request is not as it should be ({type(error).__name__}: {error})."}
    except Exception as error:
        return {"error": sentence_for(error)}


class Listener(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 128
    models: Models


class Handler(socketserver.StreamRequestHandler):
    timeout = 10

    def handle(self) -> None:
        assert isinstance(self.server, Listener)
        said = answer(self.server.models, self.rfile.readline(LONGEST_LINE))
        self.wfile.write(json.dumps(said).encode() + b"\n")


def listen(path: Path, models: Models) -> Listener:
    """Listens on a socket, in place of one that a killed program left. Raises BaselineError if another program listens."""
    with socket.socket(socket.AF_UNIX) as other:
        try:
            other.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
        except OSError as error:  # the path is too long, or no socket
            raise BaselineError(f"{path} cannot be a socket ({error}): name another path.") from None
        else:
            raise BaselineError(f"Another program answers at {path}: end it first.")
    path.parent.mkdir(parents=True, exist_ok=True)
    server = Listener(str(path), Handler)
    server.models = models
    return server


def main(arguments: Sequence[str]) -> int:
    """Runs the program and returns its exit code."""

    def work(events: Events, stop: Stop) -> None:
        if len(arguments) != 2:
            raise BaselineError(USAGE)
        path = Path(arguments[0])
        with listen(path, Models(Path(arguments[1]))) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            events.emit("listening", socket=str(path))
            while not stop.requested:
                time.sleep(LOOK_SECONDS)
            server.shutdown()
        path.unlink(missing_ok=True)

    return run_program(work)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
