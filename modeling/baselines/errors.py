"""The two ways in which a run ends early on purpose."""


class BaselineError(Exception):
    """Something that a person can mend. The text is a whole sentence and says what to do."""


class Stopped(Exception):
    """A signal asked the run to end, and its checkpoint is on disk."""

    def __init__(self, step: int) -> None:
        super().__init__(f"stopped at step {step}")
        self.step = step
