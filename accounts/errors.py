"""The base of all errors of accounts."""


class AccountsError(Exception):
    """A rule of accounts said no. The text is for the person."""
