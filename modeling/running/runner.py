"""Runs the training program as a child process: reads its JSON lines and records them in the database.

Only the child loads torch. It has its own session, so Ctrl-C in a terminal reaches this process only. This process
ends the child by SIGTERM, and the child writes a checkpoint first. If this process is killed, the child's pipe breaks at
its next line, and it ends in the same way.
"""

import contextlib
import fcntl
import json
import logging
import os
import selectors
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from jobs.claims import Claim, ClaimLost, JobError, Stopped, carry_out_claimed
from modeling import catalogue
from modeling.folders import CHILD, LOG, folder_of, log_tail
from modeling.models import TrainingRun
from modeling.results.breakdowns import store_breakdowns
from modeling.running import actions
from modeling.running.actions import LOST, Progress
from modeling.running.configs import (
    STOPPED_CODE,
    TRAIN,
    CannotStart,
    Event,
    Listener,
    how_it_ended,
    os_errors_as_sentences,
    snapshot_files,
    write_config,
)
from nli.lines import HELD_OUT

logger = logging.getLogger(__name__)
TICK_SECONDS = 1.0
# A checkpoint takes seconds. A program that needs longer does not react to SIGTERM.
STOP_SECONDS = 30.0
LOG_LINES_SHOWN = 5
MOST_ENDS_A_TICK = 20
# From this attempt on, a SIGKILL is final. The kernel kills a program that uses up the memory, and would do it at every
# attempt. A person may have killed the first.
LAST_KILLED_ATTEMPT = 2
PROGRESS_KEYS = tuple(Progress.__dataclass_fields__)


@dataclass
class _Following:
    """The state of a child while its lines are read."""

    claim: Claim
    child: subprocess.Popen[bytes]
    tell: Listener
    stop_asked: bool = False
    claim_lost: bool = False
    metrics: dict[str, Any] | None = None
    error: str = ""
    started: Event | None = None
    warnings: list[str] = field(default_factory=list)
    warnings_recorded: int = 0
    unrecorded: list[Progress] = field(default_factory=list)
    interrupted: bool = False
    asked_at: float | None = None

    @property
    def run(self) -> TrainingRun:
        run: TrainingRun = self.claim.row
        return run

    def read(self, event: Event) -> None:
        """Reads one line of the program. The next tick records it in the database."""
        match event.get("event"):
            case "started":
                self.started = event
            case "progress" | "epoch":
                self.unrecorded.append(Progress(**{key: event[key] for key in PROGRESS_KEYS if key in event}))
            case "warning":
                self.warnings.append(str(event.get("message")))
            case "done":
                self.metrics = event["metrics"]
            case "error":
                self.error = str(event.get("message"))
        self.tell(event)

    def tick(self) -> None:
        """Records progress and looks what to do next, once a second. Another thread writes heartbeats."""
        try:
            self._write()
            self.stop_asked = self.claim.stop_asked()
        except ClaimLost:
            self.claim_lost = True
        except (OperationalError, InterfaceError) as error:
            # A restart of the database must not end a training: the next tick records the lines.
            logger.warning("Run %s: the database did not answer (%s).", self.run.pk, error)
            connection.close()
        if self.stop_asked or self.claim_lost or self.interrupted:
            self.ask_to_stop()

    def _write(self) -> None:
        if self.started is not None:
            step, pairs = self.started.get("resumed_from_step") or 0, self.started.get("train_pairs")
            earlier = [line for line in self.run.warnings.splitlines() if LOST in line]
            lost = actions.record_start(run=self.run, step=step, train_pairs=pairs)
            self.warnings += [*earlier, *filter(None, [lost])]
            self.started = None
        if self.unrecorded:
            actions.record_progress(run=self.run, lines=self._thinned())
            newest = self.unrecorded[-1]
            self.unrecorded.clear()
            self.claim.report(f"step {newest.step:,}", newest.step / newest.steps if newest.steps else 0)
        if len(self.warnings) > self.warnings_recorded:
            actions.record_warnings(run=self.run, warnings=self.warnings)
            self.warnings_recorded = len(self.warnings)

    def _thinned(self) -> list[Progress]:
        """Returns the newest line and the ends of epochs, fewer where a tiny snapshot has very many."""
        ends = [line for line in self.unrecorded[:-1] if line.dev_accuracy is not None]
        return ends[:: len(ends) // MOST_ENDS_A_TICK + 1] + self.unrecorded[-1:]

    def ask_to_stop(self) -> None:
        """Sends SIGTERM once, and SIGKILL if the child still runs long after."""
        now = time.monotonic()
        if self.asked_at is None:
            self.asked_at = now
            self.child.terminate()
        elif now - self.asked_at > STOP_SECONDS:
            self.child.kill()

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Handles a signal to this process: the next tick stops the child. A second signal kills it.

        It raises nothing: an exception could come between reading the result and storing it.
        """
        if self.interrupted:
            self.child.kill()
        self.interrupted = True


def work(run_id: int, row: TrainingRun) -> None:
    """Carries out a run that a worker claimed."""
    logger.info("Run %s: %s", run_id, carry_out(row).status)


def carry_out(run: TrainingRun, *, tell: Listener = lambda event: None, requeue: bool = True) -> TrainingRun:
    """Trains a claimed run until it ends or is stopped, and records the result. Returns the run as it is then.

    `tell` receives every event of the program. With `requeue`, a run that was interrupted is queued again, and so
    is one whose program was killed for the first time. Without it (a person waits at a terminal) they are stopped
    or failed.
    """

    def train(claim: Claim) -> None:
        with os_errors_as_sentences(folder_of(run), "resume the run"):
            config = write_config(run, _orders(claim))
            end_stale_child(run)
        _record(_trained(claim, config, tell), requeue)

    with contextlib.suppress(JobError, CannotStart, KeyboardInterrupt):  # the row says what happened
        carry_out_claimed(run, train, expected=(CannotStart,))
    return TrainingRun.objects.select_related("snapshot__corpus").get(pk=run.pk)


def _trained(claim: Claim, config: Path, tell: Listener) -> _Following:
    """Runs the program from start to end. Raises CannotStart."""
    with _child(claim.row, config) as child:
        following = _Following(claim, child, tell)
        with _signals_to(following):
            _follow(following)
    return following


def _orders(claim: Claim) -> Callable[[], None]:
    """Returns a function to call while files are fetched. It raises Stopped or ClaimLost if the run must not go on."""
    looked_at = time.monotonic()

    def look() -> None:
        nonlocal looked_at
        if time.monotonic() - looked_at < TICK_SECONDS:
            return
        looked_at = time.monotonic()
        if claim.stop_asked():
            raise Stopped

    return look


def end_stale_child(run: TrainingRun) -> None:
    """Ends a program that an earlier worker left running in the folder. Raises CannotStart if it does not end.

    A program locks its folder while it runs. A process number alone is no proof, since it may be reused.
    """
    until = time.monotonic() + STOP_SECONDS
    asked = False
    while _is_locked(folder_of(run)):
        process = _child_of(run)
        if process is None and not asked:
            raise CannotStart(
                f"Another machine or process trains in {folder_of(run)}. Stop it there, then resume the run."
            )
        if time.monotonic() > until:
            raise CannotStart(
                f"Process {process} still trains in {folder_of(run)}. End it, then resume the run."
            )
        with contextlib.suppress(ProcessLookupError):
            if process is not None:
                os.kill(
                    process, signal.SIGKILL if time.monotonic() > until - STOP_SECONDS / 3 else signal.SIGTERM
                )
        asked = True
        time.sleep(0.2)


def _is_locked(folder: Path) -> bool:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(handle)


def _child_of(run: TrainingRun) -> int | None:
    """Returns the process number of the run's program, if this machine started it."""
    try:
        known = json.loads((folder_of(run) / CHILD).read_text())
        return int(known["pid"]) if known["host"] == socket.gethostname() else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def pause_runs_of(worker: str) -> None:
    """Asks the programs of this worker's runs to write a checkpoint and end, because the worker ends."""
    for run in TrainingRun.objects.filter(status=TrainingRun.Status.RUNNING, worker=worker):
        process = _child_of(run)
        if process is not None and _is_locked(folder_of(run)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)


@contextlib.contextmanager
def _child(run: TrainingRun, config: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Starts the program, and kills it at the end of this block if it still runs. Raises CannotStart."""
    folder = folder_of(run)
    with os_errors_as_sentences(folder, "resume the run"), (folder / LOG).open("ab") as log:
        child = subprocess.Popen(
            [*TRAIN, str(config)],
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
    try:
        with os_errors_as_sentences(folder, "resume the run"):
            (folder / CHILD).write_text(json.dumps({"pid": child.pid, "host": socket.gethostname()}))
        yield child
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()
        (folder / CHILD).unlink(missing_ok=True)


@contextlib.contextmanager
def _signals_to(following: _Following) -> Iterator[None]:
    """Passes SIGINT and SIGTERM to the child during this block. Only a main thread can handle signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        number: signal.signal(number, following.interrupt) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _follow(following: _Following) -> None:
    """Reads the child's lines until it closes its output. Calls `tick` every second, also without lines."""
    stream = following.child.stdout
    assert stream is not None
    rest, tick_at = b"", 0.0
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while True:
            if time.monotonic() >= tick_at:
                following.tick()
                tick_at = time.monotonic() + TICK_SECONDS
            if not selector.select(timeout=max(0.0, tick_at - time.monotonic())):
                continue
            block = os.read(stream.fileno(), 65536)
            if not block:
                break
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                _read_line(following, line)
    _await_end(following)


def _read_line(following: _Following, line: bytes) -> None:
    try:
        event = json.loads(line)
        is_event = isinstance(event, dict)
    except ValueError:
        is_event = False
    if is_event:
        following.read(event)
    elif line.strip():
        # A full disk must not end a training because of a log line. Its checkpoint will fail with a sentence.
        with contextlib.suppress(OSError), (folder_of(following.run) / LOG).open("ab") as log:
            log.write(line + b"\n")


def _await_end(following: _Following) -> None:
    """Waits for the end of a process that has closed its output, and kills it if it takes too long."""
    following.tick()
    try:
        following.child.wait(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        following.child.kill()


def _record(following: _Following, requeue: bool) -> None:
    """Records how the run ended. Writes nothing if the claim is lost."""
    run, code = following.run, following.child.returncode
    paused = code == STOPPED_CODE
    claim = following.claim
    if following.claim_lost:
        return
    if following.metrics is not None and code == 0:
        actions.record_result(run=run, metrics=following.metrics, break_down=partial(break_down, run))
    elif following.error:
        claim.fail(_with_log(run, following.error))
    elif following.stop_asked or (not requeue and (paused or following.interrupted)):
        claim.stopped()
    elif requeue and (paused or following.interrupted or (code < 0 and not _was_killed_again(run, code))):
        if not paused:
            logger.warning("Run %s: its program %s; it is queued again.", run.pk, how_it_ended(code))
        claim.release(blameless=paused)
    else:
        claim.fail(_with_log(run, _how_training_ended(run, code)))


def break_down(run: TrainingRun) -> None:
    """Stores the breakdowns of a finished run. An error is logged: `evaluate` stores them later."""
    try:
        paths = {name: Path(file["path"]) for name, file in snapshot_files(run.snapshot).items()}
        store_breakdowns(run, run.snapshot, folder_of(run), HELD_OUT, paths=paths)
    except (OSError, ValueError, KeyError, CannotStart) as error:
        logger.warning("Run %s: its predictions could not be broken down (%s).", run.pk, error)


def _was_killed_again(run: TrainingRun, code: int) -> bool:
    """Returns whether another attempt would most likely end in the same way."""
    return code == -signal.SIGKILL and run.attempts >= LAST_KILLED_ATTEMPT


def _how_training_ended(run: TrainingRun, code: int) -> str:
    what = f"The training program {how_it_ended(code)}."
    if code == -signal.SIGKILL:
        return f"{what} {catalogue.less_memory(run.baseline)}"
    return f"{what} Resume the run to try again: it continues from its checkpoint."


def _with_log(run: TrainingRun, sentence: str) -> str:
    text = f"{sentence}\nIts folder: {folder_of(run)}"
    lines = log_tail(run, LOG_LINES_SHOWN)
    return f"{text}\nThe last lines of its log:\n" + "\n".join(lines) if lines else text
