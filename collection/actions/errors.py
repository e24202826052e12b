"""How collection says no. The texts are for the person."""

from accounts.models import Qualification


class CollectionError(Exception):
    """A rule of collection said no."""


class NoWork(CollectionError):
    """Nothing to write at this moment. `retry_after` is in seconds."""

    def __init__(self, why: str, retry_after: int) -> None:
        super().__init__(why)
        self.why, self.retry_after = why, retry_after


class NotQualified(NoWork):
    """The corpus wants a qualification that this person does not hold."""

    def __init__(self, qualification: Qualification) -> None:
        super().__init__(f"To write here you need a qualification: {qualification.name}.", 3600)
        self.qualification = qualification


class UnknownAssignment(CollectionError):
    """No such assignment was handed to this annotator."""


class InvalidWriting(CollectionError):
    """Some text cannot be taken: label -> what to do about it."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = errors


class NotPossible(CollectionError):
    """What a researcher asked for does not fit the state of things."""
