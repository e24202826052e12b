"""Django's sessions and users, read by prepared statements, because every request reads both."""

from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessions
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.models import User
from shared.prepared_statements import columns, made, moment, rows

SESSION = """
SELECT {session} FROM django_session AS session WHERE session.session_key = %s AND session.expire_date > %s
"""
PERSON = "SELECT {person} FROM accounts_user AS person WHERE person.id = %s"


class SessionStore(DatabaseSessions):
    """Django's sessions in the database, read by a prepared statement."""

    def _validate_session_key(self, key: str | None) -> bool:
        """Returns whether a cookie can be a key. PostgreSQL takes no text with NUL, which a cookie in quotes can hold."""
        return bool(super()._validate_session_key(key)) and "\0" not in str(key)  # type: ignore[misc]

    def _get_session_from_db(self) -> Session | None:
        statement = SESSION.format(session=columns(Session, "session"))
        found = rows((statement, [self.session_key, moment(timezone.now())]))
        if found:
            return made(Session, found[0])[0]
        self._session_key = None
        return None


class Backend(ModelBackend):
    """Django's backend, which reads the person by a prepared statement."""

    def get_user(self, user_id: int) -> User | None:
        found = rows((PERSON.format(person=columns(User, "person")), [user_id]))
        person = made(User, found[0])[0] if found else None
        return person if person is not None and self.user_can_authenticate(person) else None
