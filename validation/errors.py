"""What the rules of validation say no with. The texts are for people."""

from collections.abc import Sequence


class ValidationError(Exception):
    """A rule of validation said no."""


class NoWork(ValidationError):
    """Nothing to label at this moment. `retry_after` is in seconds."""

    def __init__(self, why: str, retry_after: int) -> None:
        super().__init__(why)
        self.why, self.retry_after = why, retry_after


class NotInPool(ValidationError):
    """The annotator may not label under this question."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class CheckFirst(NotInPool):
    """The short check after the instructions comes before the first batch."""

    def __init__(self) -> None:
        super().__init__("Before the first batch, please read the instructions and answer their short check.")


class UnknownAssignment(ValidationError):
    """No such batch was handed to this annotator."""


class UnknownSlot(ValidationError):
    """The batch holds no such slots (`tokens`)."""

    def __init__(self, tokens: Sequence[str]) -> None:
        super().__init__(f"This batch has no slot {', '.join(tokens)}.")
        self.tokens = list(tokens)


class WrongLabel(ValidationError):
    """A label outside the scheme: slot -> what would be right."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = errors


class ReasonMissing(ValidationError):
    """A decision about other people's work wants a reason, which is kept."""

    def __init__(self) -> None:
        super().__init__("Please say why: the reason is kept with the record.")


class AlreadyDecided(ValidationError):
    """Somebody else was faster, or it never had to be decided."""


class TooManyLabels(ValidationError):
    """More labels were asked for than the question allows."""
