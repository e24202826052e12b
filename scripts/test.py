"""Runs `make test` and `make quick`: services, quick checks, then pytest with the slow checks beside it.

Arguments go to pytest; `--quick` alone: without the tests marked thorough. pytest's own summary is the last
line. The exit status is 0 only if all of it passed; a missing service is an error, and no test is skipped.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from scripts import lint, services

ROOT = Path(__file__).resolve().parent.parent
TIMES = ROOT / ".pytest_cache" / "times.xml"  # read by scripts/slowest_tests.py


def main(arguments: list[str]) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that private servers are stopped then, too
    with contextlib.ExitStack() as stack:
        try:
            browser = services.chromium()
            proxy = services.nginx()
            postgres = stack.enter_context(services.postgres())
            broker = stack.enter_context(services.broker())
        except services.Missing as missing:
            print(missing, file=sys.stderr)
            return 1
        print(
            f"PostgreSQL: {postgres.origin}\nRedis: {broker.origin}\nChromium: {browser.origin}\nnginx: {proxy.origin}",
            flush=True,
        )
        if lint.main("quick") != 0:
            print("The checks above failed, so no tests were run. `make lint` repeats them.", file=sys.stderr)
            return 1
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="quintet-test-"))
        env = {
            **os.environ,
            "DATABASE_URL": postgres.address,
            "CELERY_BROKER_URL": broker.address,
            "CHROMIUM": browser.address,
            "QUINTET_VAR": folder,
        }
        with slow_checks() as checks:
            status = pytest(chosen(arguments), env)
        if checks.returncode != 0:
            print("Checks failed: their output stands above. `make lint` repeats them.", file=sys.stderr)
        return status or int(checks.returncode != 0)


# Whole files to each process: what a file sets up once, such as a trained baseline, is not set up again.
# In the folder's order: pytest-xdist would leave the files with few tests, which are the long ones, for last.
EVERYTHING = (
    *("-n", "auto", "--maxprocesses", str(services.TEST_PROCESSES)),
    *("--dist", "loadfile", "--no-loadscope-reorder", f"--junitxml={TIMES}"),
)


def chosen(arguments: list[str]) -> list[str]:
    """Returns the selection for pytest: all tests, all but the long ones, or the named ones."""
    if arguments == ["--quick"]:
        return [*EVERYTHING, "-m", "not thorough"]
    return arguments or [*EVERYTHING]


@contextlib.contextmanager
def slow_checks() -> Iterator["subprocess.Popen[str]"]:
    """Runs mypy and the other slow checks beside the tests, which often wait; prints their lines when they are done."""
    process = subprocess.Popen(
        [sys.executable, "-m", "scripts.lint", "slow"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,  # so that it is stopped with its children
    )

    def show() -> None:
        output, _ = process.communicate()
        print(f"\n{output}", end="", flush=True)

    reader = threading.Thread(target=show)
    reader.start()
    try:
        yield process
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        raise
    finally:
        reader.join()


def pytest(arguments: list[str], env: dict[str, str]) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "--create-db", *arguments]
    with subprocess.Popen(command, cwd=ROOT, env=env) as process:
        try:
            return process.wait()
        except BaseException:
            # Ctrl-C reaches pytest by itself; either way it may tidy up before its servers go.
            process.send_signal(signal.SIGINT)
            process.wait()
            raise


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
