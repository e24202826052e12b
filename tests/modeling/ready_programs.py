"""The training program without its start: a process that has loaded torch is forked for each program of a test.

Loading torch takes longer than most trainings of tests. Code, arguments, output and exit code are those of the real
program. Signals are not passed on: tests of stopping start the real one, and so does one test of a whole training.
"""

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What a worker starts instead of the program. It hands on its arguments and streams, and waits for the exit code.
CLIENT = """
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as link:
    link.connect(sys.argv[1])
    socket.send_fds(link, [json.dumps(sys.argv[2:]).encode()], [1, 2])
    sys.exit(int(link.recv(10) or 1))
"""


def command(address: Path, module: str) -> list[str]:
    """Returns the beginning of a command that runs a module of the baselines in a fork; arguments follow."""
    return [sys.executable, "-I", "-S", "-c", CLIENT, str(address), module]


@contextmanager
def process_with_torch(address: Path) -> Iterator[None]:
    """Starts the process that waits at `address`, a socket, and ends it after the block."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", __name__, str(address)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # now it listens
        try:
            yield
        finally:
            process.kill()


def serve(address: str) -> None:
    importlib.import_module("modeling.baselines.training")
    importlib.import_module("modeling.baselines.evaluation")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        listener.settimeout(10)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        parent = os.getppid()
        while os.getppid() == parent:
            try:
                link, _ = listener.accept()
            except TimeoutError:
                continue
            with link:
                message, streams, *_ = socket.recv_fds(link, 65536, 2)
                child = os.fork()
                if child == 0:
                    os._exit(run_in_fork(json.loads(message), streams))
                for stream in streams:
                    os.close(stream)
                link.sendall(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def run_in_fork(words: list[str], streams: list[int]) -> int:
    """Runs a module as a program, with the streams as its output. Returns its exit code."""
    for number, stream in enumerate(streams, start=1):
        os.dup2(stream, number)
    try:
        return int(importlib.import_module(words[0]).main(words[1:]))
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # pytest ends this process
    serve(sys.argv[1])
