"""The fixed cast: Ana writes, Vera validates, Rosa researches, Stan may see nothing."""

from accounts.models import User

PASSWORD = "correct horse battery staple"


def person(name: str, role: str = "annotator") -> User:
    """A person with a password that every test knows. Made once, then the same."""
    user = User.objects.filter(username=name).first()
    return user or User.objects.create_user(name, password=PASSWORD, role=role)


def ana() -> User:
    return person("ana")


def vera() -> User:
    return person("vera")


def rosa() -> User:
    return person("rosa", role="researcher")


def stan() -> User:
    """Signed in, an annotator, member of nothing, consented to nothing."""
    return person("stan")
