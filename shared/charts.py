"""The former names of a table that is drawn: use shared.tables."""

from shared.intervals import FEWEST_PAIRS
from shared.tables import AFTER_WILSON, PICTURES, Column, Table, interval, with_values

Chart = Table
KINDS = PICTURES

__all__ = ["AFTER_WILSON", "FEWEST_PAIRS", "KINDS", "Chart", "Column", "interval", "with_values"]
