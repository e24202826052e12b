"""How long a visit through a link takes, and what it pays: computed from the corpus's tasks."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Max, Min
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from collection.models import EntryLink, PromptVersion

LEAST_MINUTES = 1


@dataclass(frozen=True)
class Task:
    """One task of a corpus: what people do, its seconds, its pay, and what reading its instructions pays once."""

    name: str | Promise
    seconds: int
    cents: int
    reading_cents: int = 0


@dataclass(frozen=True)
class Estimate:
    """A visit: its tasks, minutes and pay."""

    task: Task
    tasks: int
    minutes: int

    @property
    def cents(self) -> int:
        return self.tasks * self.task.cents + self.task.reading_cents

    @property
    def hourly_cents(self) -> int:
        return self.cents * 60 // self.minutes


def writing_task(corpus: int) -> Task | None:
    """Returns a task of writing: the lowest pay and the longest time of the prompts that are open; None without one."""
    versions = PromptVersion.objects.newest().filter(prompt__corpus=corpus, prompt__status="open")
    found = versions.aggregate(
        seconds=Max("seconds"), cents=Min("pay_cents"), reading_cents=Min("reading_pay_cents")
    )
    return None if found["seconds"] is None else Task(_("Write sentences"), **found)


# Kind of work -> its task in a corpus. Validation adds its batches.
TASKS: dict[str, Callable[[int], Task | None]] = {EntryLink.Work.WRITING: writing_task}


def tasks_of(corpus: int) -> dict[str, Task]:
    """Returns the tasks of a corpus by kind of work; without the kinds that the corpus lacks."""
    found = {work: task_of(corpus) for work, task_of in TASKS.items()}
    return {work: task for work, task in found.items() if task is not None}


def estimate(link: EntryLink) -> Estimate | None:
    """Returns how long a visit takes and what it pays; None if the corpus has no such work."""
    found = tasks_of(link.corpus_id)
    task = found.get(link.work) if link.work else next(iter(found.values()), None)
    if task is None:
        return None
    minutes = link.minutes or max(round(link.tasks_wanted * task.seconds / 60), LEAST_MINUTES)
    return Estimate(task, link.tasks_wanted, minutes)
