"""The error that all errors about snapshots inherit."""


class SnapshotError(Exception):
    """An action on a snapshot is not possible. The message states the reason, and what to do."""
