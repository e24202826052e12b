"""What can happen in validation: one function a state change, one transaction each.

Claiming and casting follow docs/locking.md: a seat is a row; a claim locks free rows and skips those that
somebody else is locking; a cast is decided on the locked row.
"""

from validation.actions.adjudicating import adjudicate, take_back
from validation.actions.batches import (
    Batch,
    BatchResult,
    Refusal,
    claim_batch,
    submit_and_claim,
    submit_batch,
)
from validation.actions.controls import keep_model_labels, label_as_expert
from validation.actions.drafting import keep_draft
from validation.actions.errors import (
    AlreadyDecided,
    CheckFirst,
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
from validation.actions.pool import ENDED, invite, pause, resume
from validation.actions.reading import has_read, read_instructions

__all__ = [
    "ENDED",
    "AlreadyDecided",
    "Batch",
    "BatchResult",
    "CheckFirst",
    "Consequences",
    "NoWork",
    "NotInPool",
    "ReasonMissing",
    "Refusal",
    "Return",
    "TooManyLabels",
    "UnknownAssignment",
    "UnknownSlot",
    "ValidationError",
    "WrongLabel",
    "adjudicate",
    "claim_batch",
    "exclude",
    "has_read",
    "invite",
    "keep_draft",
    "keep_model_labels",
    "label_as_expert",
    "open_for_validation",
    "open_more_labels",
    "pause",
    "preview_exclusion",
    "preview_undoing",
    "read_instructions",
    "resume",
    "submit_and_claim",
    "submit_batch",
    "take_back",
    "undo_exclusion",
]
