"""What each kind of stored statistics is counted by where a page is opened without saying so."""

from validation.models import CachedStatistics
from validation.statistics.agreement_cells import Two
from validation.statistics.agreement_without import Week


def usual_by(kind: str) -> str:
    """Returns the key of a stored count; empty for most kinds."""
    kinds = CachedStatistics.Kind
    known = {kinds.CELLS: Two().counted_by, kinds.WITHOUT: Week().counted_by, kinds.EXAMPLES: "0"}
    return known.get(kinds(kind), "")
