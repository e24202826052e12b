"""Runs the training program as a child process: files in, JSON lines out, and the database told meanwhile.

Torch lives in the child alone. The child stands in a session of its own, so that Ctrl-C in a terminal reaches
only us, and we end it as it likes to be ended: SIGTERM, after which it writes a checkpoint. Where we are
killed outright, its pipe breaks at its next line, which it takes as the same request.
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
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

from jobs.claims import Claim, ClaimLost, after_fault
from modeling import catalogue
from modeling.folders import CHILD, LOG, folder_of, log_tail
from modeling.models import TrainingRun
from modeling.running import actions
from modeling.running.actions import Order, Progress
from modeling.running.configs import CannotStart, write_config
from modeling.running.program import STOPPED_CODE, TRAIN, Event, Listener, how_it_ended, told_as_sentence

logger = logging.getLogger(__name__)
TICK_SECONDS = 1.0
# A checkpoint takes seconds; whoever needs longer than this will not end by being asked.
STOP_SECONDS = 30.0
LOG_LINES_TOLD = 5
MOST_ENDS_A_TICK = 20
# An attempt from this one on that ends with SIGKILL is the last. The kernel kills whoever takes the last of the
# memory, and would at every attempt; a person may have done it too, but hardly again.
LAST_KILLED_ATTEMPT = 2
PROGRESS_KEYS = tuple(Progress.__dataclass_fields__)


class _Ordered(Exception):
    """While files were fetched, somebody asked for the end, or the run went to another worker."""

    def __init__(self, order: Order) -> None:
        super().__init__(order.value)
        self.order = order


@dataclass
class _Following:
    """What is known of a child while its lines are read."""

    claim: Claim
    child: subprocess.Popen[bytes]
    tell: Listener
    order: Order = Order.GO_ON
    metrics: dict[str, Any] | None = None
    error: str = ""
    started: Event | None = None
    warnings: list[str] = field(default_factory=list)
    warnings_told: int = 0
    untold: list[Progress] = field(default_factory=list)
    interrupted: bool = False
    asked_at: float | None = None

    @property
    def run(self) -> TrainingRun:
        run: TrainingRun = self.claim.row
        return run

    def take(self, event: Event) -> None:
        """One line of the program, kept until the next tick tells the database."""
        match event.get("event"):
            case "started":
                self.started = event
            case "progress" | "epoch":
                self.untold.append(Progress(**{key: event[key] for key in PROGRESS_KEYS if key in event}))
            case "warning":
                self.warnings.append(str(event.get("message")))
            case "done":
                self.metrics = event["metrics"]
            case "error":
                self.error = str(event.get("message"))
        self.tell(event)

    def tick(self) -> None:
        """Once a second: progress to the database, and what to do next. Heartbeats have a thread of their own."""
        try:
            self._write()
            self.order = actions.look(run=self.run)
        except (OperationalError, InterfaceError) as error:
            # A database that restarts must not cost a training: the lines are kept and told at the next tick.
            logger.warning("Run %s: the database did not answer (%s).", self.run.pk, error)
            connection.close()
        if self.order is not Order.GO_ON or self.interrupted:
            self.ask_to_stop()

    def _write(self) -> None:
        if self.started is not None:
            step, pairs = self.started.get("resumed_from_step") or 0, self.started.get("train_pairs")
            actions.record_start(run=self.run, step=step, train_pairs=pairs)
            self.started = None
        if self.untold:
            actions.record_progress(run=self.run, lines=self._thinned())
            newest = self.untold[-1]
            self.untold.clear()
            # Who lost the claim learns it from the look at the end of this tick.
            with contextlib.suppress(ClaimLost):
                self.claim.report(f"step {newest.step:,}", newest.step / newest.steps if newest.steps else 0)
        if len(self.warnings) > self.warnings_told:
            actions.record_warnings(run=self.run, warnings=self.warnings)
            self.warnings_told = len(self.warnings)

    def _thinned(self) -> list[Progress]:
        """Of a second's lines the newest, and the ends of epochs, of which a tiny snapshot has very many."""
        ends = [line for line in self.untold[:-1] if line.dev_accuracy is not None]
        return ends[:: len(ends) // MOST_ENDS_A_TICK + 1] + self.untold[-1:]

    def ask_to_stop(self) -> None:
        """SIGTERM once; SIGKILL where the child has not ended long after."""
        now = time.monotonic()
        if self.asked_at is None:
            self.asked_at = now
            self.child.terminate()
        elif now - self.asked_at > STOP_SECONDS:
            self.child.kill()

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """A signal to us, Ctrl-C or the worker's end: the next tick passes it on. A second one waits no longer.

        Noted and not raised: an exception might fall between reading the result and keeping it.
        """
        if self.interrupted:
            self.child.kill()
        self.interrupted = True


def work(run_id: int, worker: str) -> None:
    """Carries a run out for a worker; does nothing where it is over, stopped, or in other hands."""
    run = actions.claim_run(run_id=run_id, worker=worker)
    if run is not None:
        ended = carry_out(run)
        logger.info("Run %s: %s", run_id, ended.status)


def carry_out(run: TrainingRun, *, tell: Listener = lambda event: None, requeue: bool = True) -> TrainingRun:
    """Trains a claimed run to its end, or until it is stopped, and records what came of it.

    `tell` gets every event of the program. With `requeue`, a run whose program was killed goes back on the
    list, unless it was killed before, and so does one that is interrupted; without (somebody waits in front of it),
    it is failed or stopped. The answer is the run as it stands afterwards.
    """
    claim = Claim(run)
    try:
        with claim:
            with told_as_sentence(folder_of(run), "resume the run"):
                config = write_config(run, _orders(run))
                end_stale_child(run)
            following = _trained(claim, config, tell)
    except CannotStart as problem:
        actions.mark_failed(run=run, error=str(problem))
        return _as_it_stands(run)
    except _Ordered as asked:
        if asked.order is Order.STOP:
            actions.mark_stopped(run=run)
        return _as_it_stands(run)
    except KeyboardInterrupt:
        actions.mark_stopped(run=run)
        return _as_it_stands(run)
    except Exception as error:
        after_fault(claim, error)
        return _as_it_stands(run)
    _record(following, requeue)
    return _as_it_stands(run)


def _trained(claim: Claim, config: Path, tell: Listener) -> _Following:
    """The program from its start to its end. Raises CannotStart."""
    with _child(claim.row, config) as child:
        following = _Following(claim, child, tell)
        with _signals_to(following):
            _follow(following)
    return following


def _as_it_stands(run: TrainingRun) -> TrainingRun:
    return TrainingRun.objects.select_related("snapshot__corpus").get(pk=run.pk)


def _orders(run: TrainingRun) -> Callable[[], None]:
    """What is called while the run's files are fetched. Raises _Ordered where it shall not go on."""
    looked_at = time.monotonic()

    def look() -> None:
        nonlocal looked_at
        if time.monotonic() - looked_at < TICK_SECONDS:
            return
        looked_at = time.monotonic()
        order = actions.look(run=run)
        if order is not Order.GO_ON:
            raise _Ordered(order)

    return look


def end_stale_child(run: TrainingRun, patience: float = STOP_SECONDS) -> None:
    """Ends a program that an earlier worker left behind in the folder. Raises CannotStart where it stays.

    The program locks its folder while it lives: no guessing by a process number that may be another's by now.
    """
    until = time.monotonic() + patience
    asked = False
    while _is_locked(folder_of(run)):
        process = _child_of(run)
        if process is None and not asked:
            raise CannotStart(
                f"Another machine or another process trains in {folder_of(run)}. Stop it there, then resume the run."
            )
        if time.monotonic() > until:
            raise CannotStart(
                f"Process {process} still trains in {folder_of(run)}. End it, then resume the run."
            )
        with contextlib.suppress(ProcessLookupError):
            if process is not None:
                os.kill(
                    process, signal.SIGKILL if time.monotonic() > until - patience / 3 else signal.SIGTERM
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
    """The process number of the run's program, where it was started on this machine."""
    try:
        known = json.loads((folder_of(run) / CHILD).read_text())
        return int(known["pid"]) if known["host"] == socket.gethostname() else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def pause_runs_of(worker: str) -> None:
    """Asks the programs of this worker's runs to write their checkpoints and end: the worker is told to go."""
    for run in TrainingRun.objects.filter(status=TrainingRun.Status.RUNNING, worker=worker):
        process = _child_of(run)
        if process is not None and _is_locked(folder_of(run)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)


@contextlib.contextmanager
def _child(run: TrainingRun, config: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The program at work; it does not outlive this block. Raises CannotStart."""
    folder = folder_of(run)
    with told_as_sentence(folder, "resume the run"), (folder / LOG).open("ab") as log:
        child = subprocess.Popen(
            [*TRAIN, str(config)],
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
    try:
        with told_as_sentence(folder, "resume the run"):
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
    """SIGINT and SIGTERM are requests to pause while this lasts. Only a main thread may listen to signals."""
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
    """Reads the child's lines until it closes its output, ticking every second, also while it is silent."""
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
                _take_line(following, line)
    _await_end(following)


def _take_line(following: _Following, line: bytes) -> None:
    try:
        event = json.loads(line)
        is_event = isinstance(event, dict)
    except ValueError:
        is_event = False
    if is_event:
        following.take(event)
    elif line.strip():
        # On a full disk a training need not end for a line of its log; its checkpoint will tell.
        with contextlib.suppress(OSError), (folder_of(following.run) / LOG).open("ab") as log:
            log.write(line + b"\n")


def _await_end(following: _Following) -> None:
    """The output is closed: the process ends by itself within moments, or is ended."""
    following.tick()
    try:
        following.child.wait(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        following.child.kill()


def _record(following: _Following, requeue: bool) -> None:
    """What came of it. Nothing is written where the run has gone to another worker."""
    run, code = following.run, following.child.returncode
    paused = code == STOPPED_CODE
    if following.order is Order.LOST:
        return
    if following.metrics is not None and code == 0:
        actions.record_result(run=run, metrics=following.metrics)
    elif following.error:
        actions.mark_failed(run=run, error=_with_log(run, following.error))
    elif following.order is Order.STOP or (not requeue and (paused or following.interrupted)):
        actions.mark_stopped(run=run)
    elif requeue and (paused or following.interrupted or (code < 0 and not _was_killed_again(run, code))):
        if not paused:
            logger.warning("Run %s: its program %s; it goes back on the list.", run.pk, how_it_ended(code))
        actions.release_run(run=run, blameless=paused)
    else:
        actions.mark_failed(run=run, error=_with_log(run, _how_training_ended(run, code)))


def _was_killed_again(run: TrainingRun, code: int) -> bool:
    """Would another attempt most likely end in the same way?"""
    return code == -signal.SIGKILL and run.attempts >= LAST_KILLED_ATTEMPT


def _how_training_ended(run: TrainingRun, code: int) -> str:
    what = f"The training program {how_it_ended(code)}."
    if code == -signal.SIGKILL:
        return f"{what} {catalogue.less_memory(run.baseline)}"
    return f"{what} Resume the run to try again: it goes on from its checkpoint."


def _with_log(run: TrainingRun, sentence: str) -> str:
    told = f"{sentence}\nIts folder: {folder_of(run)}"
    lines = log_tail(run, LOG_LINES_TOLD)
    return f"{told}\nThe last lines of its log:\n" + "\n".join(lines) if lines else told
