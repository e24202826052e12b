"""What can happen in validation: one function a state change, one transaction each.

Claiming and casting follow docs/locking.md: a seat is a row; a claim locks free rows and skips those that
somebody else is locking; a cast is decided on the locked row.
"""

from validation.actions.adjudicating import adjudicate
from validation.actions.batches import Batch, BatchResult, claim_batch, submit_batch
from validation.actions.controls import keep_model_label, label_as_expert
from validation.actions.errors import (
    AlreadyDecided,
    NotInPool,
    NoWork,
    ReasonMissing,
    TooManyLabels,
    UnknownAssignment,
    UnknownSlot,
    ValidationError,
    WrongLabel,
)
from validation.actions.excluding import (
    Consequences,
    Return,
    exclude,
    preview_exclusion,
    preview_undoing,
    undo_exclusion,
)
from validation.actions.opening import open_for_validation, open_more_labels
from validation.actions.pool import invite

__all__ = [
    "AlreadyDecided",
    "Batch",
    "BatchResult",
    "Consequences",
    "NoWork",
    "NotInPool",
    "ReasonMissing",
    "Return",
    "TooManyLabels",
    "UnknownAssignment",
    "UnknownSlot",
    "ValidationError",
    "WrongLabel",
    "adjudicate",
    "claim_batch",
    "exclude",
    "invite",
    "keep_model_label",
    "label_as_expert",
    "open_for_validation",
    "open_more_labels",
    "preview_exclusion",
    "preview_undoing",
    "submit_batch",
    "undo_exclusion",
]
