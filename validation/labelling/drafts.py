"""Stores the answers that an annotator has chosen and not submitted, so that they can continue on another device."""

from django.utils import timezone

from accounts.models import User
from shared.transactions import one_transaction
from validation.errors import UnknownAssignment
from validation.labelling.seats import locked_batch, locked_items
from validation.labelling.submitting import check_labels
from validation.models import Assignment, DraftAnswer
from validation.quality_control.calibration import calibration_of


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
    """Stores the choices for slots of a batch, and replaces those that were stored before. Returns the number of slots.

    It stores nothing for a closed batch. Raises UnknownAssignment, WrongLabel, ConsentMissing.
    """
    # The lock makes it wait for a submission, so that a late draft cannot come after the batch is closed.
    found = locked_batch(token, annotator.pk)
    if found is None:
        raise UnknownAssignment("You do not have this task.")
    assignment = found[1]
    check_labels(assignment.question, labels, skips)
    if assignment.closed_at is not None:
        return 0
    theirs = DraftAnswer.objects.filter(
        assignment__annotator=annotator, assignment__question=assignment.question_id
    )
    theirs.delete()
    held = {item.token: item for item in locked_items(assignment.pk, annotator.pk, timezone.now())}
    waiting = {slot for slot, item in (held | calibration_of(assignment)).items() if item.waits}
    slots = {*labels, *skips, *reasons} & waiting
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


def drafted(assignment: Assignment) -> dict[str, str]:
    """Returns the draft as fields of the form."""
    fields: dict[str, str] = {}
    for row in DraftAnswer.objects.filter(assignment=assignment):
        named = {"label": row.label, "skip": row.skip_reason, "reason": row.reason, "ms": row.active_ms}
        fields |= {f"{name}-{row.slot}": str(value) for name, value in named.items() if value}
    return fields
