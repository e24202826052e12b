"""The error that all errors about snapshots inherit."""


class SnapshotError(Exception):
    """Something about a snapshot cannot be done. The message tells a person why, and what to do."""
