"""Drafts: what is chosen and not sent yet is stored, so that a batch can be continued on another device."""

from accounts.models import User
from shared.transactions import one_transaction
from validation.errors import UnknownAssignment
from validation.labelling.seats import locked_batch
from validation.labelling.submitting import check_labels
from validation.models import Assignment, DraftAnswer


@one_transaction
def keep_draft(
    *,
    annotator: User,
    token: str,
    labels: dict[str, str],
    skips: dict[str, str],
    reasons: dict[str, str],
    active_ms: dict[str, int],
) -> int:
    """Keeps the choices for slots of a batch in the place of what was kept before; returns how many slots.

    Of a batch that is closed nothing is kept; of one person and question there is one draft at most. Raises
    UnknownAssignment, WrongLabel, ConsentMissing.
    """
    # In line with their submissions: a draft that comes late cannot outlive the batch.
    found = locked_batch(token, annotator.pk)
    if found is None:
        raise UnknownAssignment("This batch was not handed to you.")
    assignment = found[1]
    check_labels(assignment.question, labels, skips)
    if assignment.closed_at is not None:
        return 0
    theirs = DraftAnswer.objects.filter(
        assignment__annotator=annotator, assignment__question=assignment.question_id
    )
    theirs.delete()
    slots = {*labels, *skips, *reasons} & _waiting(assignment)
    DraftAnswer.objects.bulk_create(
        DraftAnswer(
            assignment=assignment,
            slot=slot,
            label=labels.get(slot, ""),
            skip_reason=skips.get(slot, ""),
            reason=reasons.get(slot, ""),
            active_ms=active_ms.get(slot),
        )
        for slot in sorted(slots)
    )
    return len(slots)


def _waiting(assignment: Assignment) -> set[str]:
    """Slots of the batch without an answer."""
    waits = {"answer": None, "skip_reason": None}
    items = assignment.items.filter(**waits, lost=False).values_list("seat__token", flat=True)
    return {*items, *assignment.calibration.filter(**waits).values_list("token", flat=True)}


def drafted(assignment: Assignment) -> dict[str, str]:
    """The fields of the form as they were left on whatever device."""
    fields: dict[str, str] = {}
    for row in DraftAnswer.objects.filter(assignment=assignment):
        named = {"label": row.label, "skip": row.skip_reason, "reason": row.reason, "ms": row.active_ms}
        fields |= {f"{name}-{row.slot}": str(value) for name, value in named.items() if value}
    return fields
