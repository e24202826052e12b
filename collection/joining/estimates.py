"""How long a visit through a link takes, and what it pays: computed from the corpus's tasks."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, Min
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.templatetags.money import an_hour
from collection.models import EntryLink, ExamItem, PromptVersion

LEAST_MINUTES = 1
WORDS_A_MINUTE = 150  # of people who read instructions in a language that may not be their first
# Chinese and Japanese have no spaces: two of their characters count as a word.
WORD = re.compile(r"[\u3040-\u9fff]{1,2}|[^\s\u3040-\u9fff]+")


@dataclass(frozen=True)
class Task:
    """One task of a corpus: what people do, seconds, pay, pay once for reading its instructions, sentences to judge.

    bonus_cents: for the answer that an expert gave, too; 0 if none of its sentences has one.
    qualification: the id of the one that people must hold. words: of its instructions, without folded parts.
    """

    name: str | Promise
    seconds: int
    cents: int
    reading_cents: int = 0
    sentences: int = 0
    bonus_cents: int = 0
    qualification: int | None = None
    words: int = 0

    @property
    def hourly_cents(self) -> int:
        """Returns the pay of an hour in which this is all that somebody does."""
        return an_hour(self.cents, self.seconds)


@dataclass(frozen=True)
class Estimate:
    """A visit: its tasks, minutes and pay.

    minutes: with those for reading the welcome and the instructions, `reading_minutes`, which are 0 where a researcher
    gave the minutes of a visit.
    """

    task: Task
    tasks: int
    minutes: int
    reading_minutes: int = 0

    @property
    def cents(self) -> int:
        return self.tasks * self.task.cents + self.task.reading_cents

    @property
    def hourly_cents(self) -> int:
        return an_hour(self.cents, self.minutes * 60)


def count_words(texts: Iterable[str]) -> int:
    return sum(len(WORD.findall(text)) for text in texts)


def words_to_read(
    instructions: str, answers: Iterable[str], examples: Sequence[Any], check: Iterable[Any]
) -> int:
    """Counts the words of instructions that their page shows unfolded: of the examples only those of the first premise."""
    shown = [each for each in examples if each.premise == examples[0].premise]
    return count_words(
        [
            instructions,
            *answers,
            *(f"{each.hypothesis} {each.comment}" for each in shown),
            *(f"{each.premise} {each.hypothesis}" for each in check),
        ]
    )


def words_of_fields(fields: Iterable[Any]) -> list[str]:
    """Returns what a prompt asks for in each field."""
    return [f"{each.wording} {each.reminder}" for each in fields]


def _words_of(version: PromptVersion) -> int:
    of = (words_of_fields(version.fields.all()), list(version.examples.all()), version.check_questions.all())
    return words_to_read(version.instructions, *of)


def writing_task(corpus: int) -> Task | None:
    """Returns a task of writing: lowest pay, longest time and instructions of its open prompts; None without one."""
    versions = PromptVersion.objects.newest().filter(prompt__corpus=corpus, prompt__status="open")
    found = versions.aggregate(
        seconds=Max("seconds"),
        cents=Min("pay_cents"),
        reading_cents=Min("reading_pay_cents"),
        qualification=Max("prompt__corpus__writing_qualification"),
    )
    if found["seconds"] is None:
        return None
    words = max(map(_words_of, versions.prefetch_related("fields", "examples", "check_questions")))
    return Task(_("Write sentences"), **found, words=words)


# Kind of work -> its task in a corpus. Validation adds its batches.
TASKS: dict[str, Callable[[int], Task | None]] = {EntryLink.Work.WRITING: writing_task}


def tasks_of(corpus: int) -> dict[str, Task]:
    """Returns the tasks of a corpus by kind of work; without the kinds that the corpus lacks."""
    found = {work: task_of(corpus) for work, task_of in TASKS.items()}
    return {work: task for work, task in found.items() if task is not None}


def estimate(link: EntryLink, tasks: dict[str, Task] | None = None) -> Estimate | None:
    """Returns how long a visit takes and what it pays; None if the corpus has no such work. `tasks`: those of `tasks_of`."""
    found = tasks_of(link.corpus_id) if tasks is None else tasks
    task = found.get(link.work) if link.work else next(iter(found.values()), None)
    if task is None:
        return None
    if link.minutes:
        return Estimate(task, link.tasks_wanted, link.minutes)
    form = link.corpus.consent_form
    return with_reading(task, link.tasks_wanted, count_words([form.in_sight]) if form else 0)


def with_reading(task: Task, tasks: int, welcome: int) -> Estimate:
    """Returns the estimate of a visit of so many tasks, with its instructions and the `welcome`, of so many words, read."""
    reading = math.ceil((task.words + welcome) / WORDS_A_MINUTE)
    working = max(round(tasks * task.seconds / 60), LEAST_MINUTES)
    return Estimate(task, tasks, reading + working, reading)


def exam_items(link: EntryLink, task: Task) -> list[ExamItem]:
    """Returns the items of the open exam that people must pass before this task; none if the link spares them."""
    if task.qualification in (None, link.grants_id):
        return []
    return list(ExamItem.objects.filter(exam__qualification=task.qualification, exam__is_open=True))
