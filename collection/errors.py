"""How collection says no. The texts are for the person."""

from accounts.models import Qualification
from accounts.sign_in.throttle import in_words

HOUR = 3600  # seconds: when to look again where nobody knows when there will be more


class CollectionError(Exception):
    """A rule of collection said no."""


class NoWork(CollectionError):
    """Nothing to write at this moment. `retry_after` is in seconds."""

    def __init__(self, why: str, retry_after: int = HOUR) -> None:
        super().__init__(why)
        self.why, self.retry_after = why, retry_after

    @property
    def look_again(self) -> str:
        """When, as people say it: "in 12 minutes", "in an hour or more", "tomorrow"."""
        return f"in {in_words(self.retry_after)}" if self.retry_after < HOUR else "in an hour or more"


class DoneForToday(NoWork):
    """This person was given as many premises today as the corpus allows."""

    look_again = "tomorrow"


class NotQualified(NoWork):
    """The corpus wants a qualification that this person does not hold."""

    def __init__(self, qualification: Qualification) -> None:
        super().__init__(f"To write here you need a qualification: {qualification.name}.")
        self.qualification = qualification


class NotByThisLink(NoWork):
    """The person came through a platform's link for another corpus."""

    def __init__(self) -> None:
        super().__init__("You came through a link for another study. This one needs a link of its own.")


class WritingEnded(NoWork):
    """A researcher ended this person's writing for the corpus."""

    def __init__(self) -> None:
        super().__init__("You are not writing for this corpus at present. What you did stays paid.")


class UnknownAssignment(CollectionError):
    """No such assignment was handed to this annotator."""


class TaskOver(CollectionError):
    """The task was skipped or reported: it is closed and takes no texts any more."""

    def __init__(self) -> None:
        super().__init__(
            "You skipped this text, on this device or another one, so it cannot be sent any more. Nothing was saved or"
            " paid for it."
        )


class DraftChanged(CollectionError):
    """Another device has saved the draft since this one loaded it. `texts`: what it saved; `version`: which one that is."""

    def __init__(self, texts: dict[str, str], version: str) -> None:
        super().__init__(
            "You have also written for this text on another device. Nothing was overwritten: choose which draft to keep."
        )
        self.texts, self.version = texts, version


class InvalidWriting(CollectionError):
    """Some text cannot be taken: label -> what to do about it."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = errors


class NotPossible(CollectionError):
    """What a researcher asked for does not fit the state of things."""
