"""The two exceptions that end a run early."""


class BaselineError(Exception):
    """An error that a person can correct. The text is a sentence that says what to do."""


class Stopped(Exception):
    """A signal asked the run to end. Its checkpoint is on disk."""

    def __init__(self, step: int) -> None:
        super().__init__(f"stopped at step {step}")
        self.step = step
