"""Decide what an exception means for a job: whether to retry, and what to say to a person."""

import errno
import os

from django.db import DatabaseError, InterfaceError, OperationalError, connection

# PostgreSQL's codes of errors that go away by themselves: connection lost, deadlock or serialization, too many
# connections, restart.
TRANSIENT = ("08", "40", "53300", "57P")


def failure_sentence(error: Exception, again: str) -> str:
    """Returns the sentence for an unexpected failure: what went wrong and what to do. Details are in the log."""
    if is_disk_full(error):
        return f"The database could not be written: {os.strerror(errno.ENOSPC)}. Make room, then {again}."
    if isinstance(error, OSError):
        return f"The files could not be written: {error.strerror or error}. Make room, then {again}."
    return f"The software failed ({type(error).__name__}). Ask its operator to look at the log, then {again}."


def is_disk_full(error: Exception) -> bool:
    """Returns whether the disk of the database is full: PostgreSQL has a code, SQLite only a sentence."""
    if not isinstance(error, DatabaseError):
        return False
    return _sqlstate(error) == "53100" or "database or disk is full" in str(error)


def is_transient(error: Exception) -> bool:
    """Returns whether a database error is worth a retry: the connection was lost, or a lock was in the way."""
    if isinstance(error, InterfaceError):
        return True
    if not isinstance(error, OperationalError):
        return False
    if connection.vendor == "sqlite":
        return "locked" in str(error) or "busy" in str(error)
    # A server that is gone sends no code.
    return (_sqlstate(error) or "08").startswith(TRANSIENT)


def _sqlstate(error: Exception) -> str:
    return getattr(error.__cause__, "pgcode", None) or ""
