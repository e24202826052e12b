"""The base of all errors of accounts."""


class AccountsError(Exception):
    """A rule of accounts forbids something. The text is for the person."""
