"""Errors of collection. Their texts are written for the person."""

import math

from django.utils.translation import gettext, gettext_lazy, ngettext

from accounts.models import Qualification
from shared.bidi import isolated

HOUR = 3600  # seconds: when to look again if nobody knows when there will be more


def look_again(seconds: int) -> str:
    """Returns a sentence that says when there may be work again."""
    if seconds >= HOUR:
        return gettext("Please check again in an hour or more.")
    minutes = math.ceil(seconds / 60)
    return ngettext(
        "Please check again in about %(count)s minute.",
        "Please check again in about %(count)s minutes.",
        minutes,
    ) % {"count": minutes}


class CollectionError(Exception):
    """A rule of collection was broken."""


class NoWork(CollectionError):
    """There is nothing to write now. `retry_after` is in seconds."""

    def __init__(self, why: str, retry_after: int = HOUR) -> None:
        super().__init__(why)
        self.why, self.retry_after = why, retry_after

    @property
    def look_again(self) -> str:
        return look_again(self.retry_after)


PAUSED = gettext_lazy(
    "The researchers have paused this work, so there is nothing new to do now. What you have begun you can still send, and"
    " what you earned stays yours."
)


class Paused(NoWork):
    """All work of the corpus is paused."""

    def __init__(self) -> None:
        super().__init__(str(PAUSED))


class DoneForToday(NoWork):
    """This person has claimed as many premises today as the corpus allows."""

    @property
    def look_again(self) -> str:
        return gettext("Please check again tomorrow.")


class RemarksToRead(NoWork):
    """A researcher's remarks on what this person wrote come before the next task."""

    def __init__(self) -> None:
        super().__init__(
            gettext("Before your next text, please read what the researchers say about your sentences."), 0
        )


class NotQualified(NoWork):
    """The corpus requires a qualification that this person does not hold. Only an exam or a researcher gives it."""

    look_again = ""

    def __init__(
        self,
        qualification: Qualification,
        *,
        has_earned: bool,
        exam_waits: bool = False,
        exam_failed: str = "",
    ) -> None:
        exam = getattr(qualification, "exam", None)
        to_pass = (
            gettext("To write more, you must pass the exam. What you earned stays yours.")
            if has_earned
            else gettext("Before you can write here, you must pass the exam.")
        )
        if exam_waits:
            to_pass = gettext(
                "A researcher is still reading your exam. You can write here once you have passed."
            )
        super().__init__(
            (exam_failed or to_pass)
            if exam is not None and exam.is_open
            else gettext("To write here you need a qualification: “%(name)s”.")
            % {"name": isolated(qualification.name)}
        )
        self.qualification = qualification
        self.exam_waits = exam_waits
        self.exam_failed = exam_failed


class NotOpen(NoWork):
    """The corpus is not open to this person, and time changes nothing about it."""

    look_again = ""


class NotByThisLink(NotOpen):
    """The person came through a platform's link for another corpus."""

    def __init__(self) -> None:
        super().__init__(gettext("This is not the study that you came for. It needs a link of its own."))


class WritingEnded(NotOpen):
    """A researcher ended this person's writing for the corpus."""

    def __init__(self) -> None:
        super().__init__(gettext("Your writing for this study has ended. You keep what you earned."))


class UnknownAssignment(CollectionError):
    """This annotator has no such assignment."""


class TaskOver(CollectionError):
    """The task was skipped or reported, so texts can no longer be sent for it."""

    def __init__(self) -> None:
        super().__init__(
            gettext(
                "You skipped this text, on this device or another one, so it cannot be sent any more. Nothing was saved or"
                " paid for it."
            )
        )


class DraftChanged(CollectionError):
    """Another device has saved the draft since this one loaded it. `texts`: what it saved; `version`: which one that is."""

    def __init__(self, texts: dict[str, str], version: str) -> None:
        super().__init__(
            gettext(
                "You have also written for this text on another device. Nothing was overwritten: choose which draft to keep."
            )
        )
        self.texts, self.version = texts, version


class InvalidWriting(CollectionError):
    """Some texts are invalid. `errors`: label -> what to do about it."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = errors


class NotPossible(CollectionError):
    """A researcher requested something that is not possible now. The text says why and what to do."""
