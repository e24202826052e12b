"""`demo`: the example corpora, three people, the site and a worker, until Ctrl-C."""

import contextlib
import errno
import fcntl
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, transaction

from accounts.models import User
from accounts.people.registration import create_person
from annotation_site.made_up.weeks import DEMO, quietly, work_for_three_weeks
from annotation_site.operation.processes import Service, stop
from annotation_site.operation.server import gunicorn_command, wait_for
from collection.members.actions import found
from collection.models import Corpus
from modeling.running.asking import ANSWER

PASSWORD = "five labels make gold"
CONTACT = "rosa@example.org"  # so that pages read as on a real site; nobody gets mail there
LONGEST_SOCKET = 100  # bytes of its path that every system takes; in a deeper folder no model answers writers
PEOPLE = {"ana": "annotator", "vera": "annotator", "rosa": "researcher"}

READY = """
Quintet is ready: {url}
  Sign in as ana (she writes), vera (she labels) or rosa (she researches); password of all three: {password}
  First, as ana: read a prompt and write three sentences. Then, as vera: label five pairs, with one key for each label.
  Then, as rosa: look at agreement in the workspace ({url}admin/), freeze a snapshot, train a baseline on it.
  REST: {url}api/v1/docs/   State: {url}health/   Data and logs: {var}
  Ctrl-C stops everything. The next start continues with the same data.
"""


class Command(BaseCommand):
    help = "Starts Quintet with two example corpora: web server and worker. Ctrl-C stops it all."
    requires_system_checks: list[str] = []  # the port is looked at first; the checks come right after

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", default="8000", help="where the site listens, on this machine alone")

    def handle(self, *args: Any, **options: Any) -> None:
        port = port_number(options["port"])
        refuse_taken_port(port)
        self.check()
        self.check(tags=["quintet"], include_deployment_checks=True)  # warnings too
        with only_one_demo():
            # SIGINT too: a shell that starts us in the background has it ignored, and then nothing ends us politely.
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, _interrupt)
            try:
                self.prepare()
                self.serve(port)
            except KeyboardInterrupt:
                self.stdout.write("Stopped.")

    def prepare(self) -> None:
        """Brings the database up to date, and loads the example once."""
        call_command("migrate", verbosity=0)
        if Corpus.objects.filter(slug="demo").exists():
            return
        if User.objects.people().exists():
            raise CommandError(
                "This database is in use: it has people, but no demo corpus, and the demo would add accounts"
                " with a well-known password. Use another database: unset DATABASE_URL, or choose"
                " another folder: make demo QUINTET_VAR=/some/folder"
            )
        with transaction.atomic():
            self.stdout.write("Loading the example corpus ...")
            load_example()
            work_for_three_weeks(self.say)
            for corpus in Corpus.objects.all():
                found(corpus=corpus, by=User.objects.get(username="rosa"))

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def serve(self, port: int) -> None:
        """Runs the processes until Ctrl-C (KeyboardInterrupt) or until the site fails."""
        os.environ.setdefault("CONTACT", CONTACT)
        logs = settings.VAR / "log"
        web = Service("web", gunicorn_command(port, workers=2, threads=8), logs / "web.log", restarts=False)
        worker = Service("worker", worker_command(), logs / "worker.log", restarts=True)
        services = [web, worker]
        if len(os.fsencode(settings.ANSWERS_SOCKET)) <= LONGEST_SOCKET:
            answers = [*ANSWER, str(settings.ANSWERS_SOCKET), str(settings.RUN_ROOT)]
            services.append(Service("answers", answers, logs / "answers.log", restarts=True))
        connection.close()  # nothing of ours stays open beside those of the processes
        try:
            for service in services:
                service.start()
            url = f"http://127.0.0.1:{port}/"
            if not wait_for(url.rstrip("/"), web.has_ended):
                raise CommandError(
                    f"The site did not start. The last lines of {web.log}:\n{web.last_lines()}"
                )
            public = f"http://localhost:{port}/"
            self.stdout.write(READY.format(url=public, password=PASSWORD, var=settings.VAR))
            self.stdout.flush()
            self.watch(services)
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C would leave processes behind
            self.stdout.write("\nStopping; this takes a few seconds ...")
            self.stdout.flush()
            stop(services)

    def watch(self, services: list[Service]) -> None:
        """Prints errors as they are logged, and restarts a dead worker. A dead site ends the demo."""
        while True:
            time.sleep(0.5)
            for service in services:
                for line in service.new_errors():
                    self.stderr.write(f"{service.name}: {line}")
                if service.has_ended():
                    self.tell_and_restart(service)

    def tell_and_restart(self, service: Service) -> None:
        message = (
            f"The {service.name} ended by itself. The last lines of {service.log}:\n{service.last_lines()}"
        )
        service.end_orphans()
        if not service.may_restart():
            raise CommandError(message)
        self.stderr.write(f"{message}\nStarting it again.")
        service.start()


def worker_command() -> list[str]:
    """Returns the command of one worker for both queues, with the clock. Two trainings leave it a free process."""
    return [
        *(sys.executable, "-m", "celery", "--app", "annotation_site", "--workdir", str(settings.BASE_DIR)),
        *("worker", "--hostname", "demo@%h", "--queues", "general,training", "--concurrency", "3", "--beat"),
        *("--loglevel", "INFO"),
    ]


def port_number(text: str) -> int:
    if text.isdecimal() and 0 < int(text) < 65536:
        return int(text)
    raise CommandError(f'A port is a number from 1 to 65535, not "{text}": make demo PORT=8001')


def refuse_taken_port(port: int) -> None:
    """Raises CommandError if something listens on the port. Browsers try ::1 first for localhost."""
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        refusal = bind_refusal(family, address, port)
        if refusal == errno.EACCES:
            raise CommandError(f"Port {port} is reserved for root. Choose another one: make demo PORT=8000")
        if refusal == errno.EADDRINUSE:
            other = port + 1 if port < 65535 else 8000
            raise CommandError(
                f"Another program uses port {port}. Choose another one: make demo PORT={other}"
            )


def bind_refusal(family: socket.AddressFamily, address: str, port: int) -> int | None:
    """Returns the errno with which listening there fails, or None."""
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except OSError as error:
        return error.errno
    return None


@contextlib.contextmanager
def only_one_demo() -> Iterator[None]:
    """Allows one demo per folder: two would train every run twice. The lock ends with its process."""
    settings.VAR.mkdir(parents=True, exist_ok=True)
    with (settings.VAR / "demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"A demo is already running over {settings.VAR}. Stop it with Ctrl-C in its terminal, or give"
                " this one a folder of its own: make demo QUINTET_VAR=/some/folder PORT=8001"
            ) from None
        yield


@transaction.atomic
def load_example() -> None:
    """Loads the corpus, its pairs and premises, and creates the three people, in one transaction."""
    quietly("load_corpus", DEMO / "corpus.toml")
    # An example, which nobody publishes.
    quietly("import_pairs", "demo", DEMO / "pairs.jsonl", format="jsonl", open=True, without_look=True)
    for path in sorted((DEMO / "premises").glob("*.txt")):
        quietly("import_premises", "demo", path, genre=path.stem, licence="CC0-1.0")
    for name, role in PEOPLE.items():
        create_person(username=name, password=PASSWORD, role=role)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt
