"""The error that all errors about snapshots inherit."""


class SnapshotError(Exception):
    """Why there is no snapshot; the message is for people."""
