"""Errors of the rules of validation. Their texts are for users."""

from collections.abc import Sequence

from django.utils.translation import gettext

from collection.errors import look_again
from shared.bidi import isolated


class ValidationError(Exception):
    """A rule of validation forbids this."""


class NoWork(ValidationError):
    """There is nothing to label at present. `retry_after` is in seconds."""

    def __init__(self, why: str, retry_after: int) -> None:
        super().__init__(why)
        self.why, self.retry_after = why, retry_after

    @property
    def look_again(self) -> str:
        return look_again(self.retry_after)


class NotInPool(ValidationError):
    """The annotator may not label under this question."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class CheckFirst(NotInPool):
    """The annotator must pass the check after the instructions before the first batch."""

    def __init__(self) -> None:
        super().__init__(gettext("Please read the instructions and answer the short questions first."))


class UnknownAssignment(ValidationError):
    """This annotator has no such batch."""


class UnknownSlot(ValidationError):
    """The batch has no slots with these tokens."""

    def __init__(self, tokens: Sequence[str]) -> None:
        super().__init__(
            gettext("This batch has no slot %(slots)s.") % {"slots": isolated(", ".join(tokens))}
        )
        self.tokens = list(tokens)


class WrongLabel(ValidationError):
    """Labels or reasons to skip are invalid. `errors`: slot -> what is wrong and what is valid."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = errors


class CannotCorrect(ValidationError):
    """Some answers can no longer be changed. `errors`: slot -> why."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__(" ".join(dict.fromkeys(errors.values())))
        self.errors = errors


class ReasonMissing(ValidationError):
    """A decision about other people's work needs a reason, which is stored."""

    def __init__(self) -> None:
        super().__init__("Please give a reason. It is stored with the record.")


class AlreadyDecided(ValidationError):
    """Somebody else decided first, or there was nothing to decide."""


class NotLookedAt(ValidationError):
    """Nobody has looked at what the hypotheses of imported pairs give away."""

    def __init__(self) -> None:
        super().__init__("Nobody has looked at what the hypotheses of the imported pairs give away.")


class TooManyLabels(ValidationError):
    """The request asks for more labels than the question allows."""
