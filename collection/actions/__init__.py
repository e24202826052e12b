"""What can happen in collection: one function a state change, keyword-only, one transaction each."""

from collection.actions.claiming import Standstill, claim_writing, standstill
from collection.actions.errors import (
    CollectionError,
    InvalidWriting,
    NotPossible,
    NotQualified,
    NoWork,
    UnknownAssignment,
)
from collection.actions.prompts import (
    choose_pilot,
    dismiss_pilot,
    has_passed,
    make_pilot_seats,
    read_prompt,
    set_prompt_status,
)
from collection.actions.reports import answer_report, set_premise_status
from collection.actions.seats import make_seats
from collection.actions.submitting import (
    Signals,
    WritingResult,
    advice_on,
    discard_draft,
    save_draft,
    skip_writing,
    submit_writing,
)

__all__ = [
    "CollectionError",
    "InvalidWriting",
    "NoWork",
    "NotPossible",
    "NotQualified",
    "Signals",
    "Standstill",
    "UnknownAssignment",
    "WritingResult",
    "advice_on",
    "answer_report",
    "choose_pilot",
    "claim_writing",
    "discard_draft",
    "dismiss_pilot",
    "has_passed",
    "make_pilot_seats",
    "make_seats",
    "read_prompt",
    "save_draft",
    "set_premise_status",
    "set_prompt_status",
    "skip_writing",
    "standstill",
    "submit_writing",
]
