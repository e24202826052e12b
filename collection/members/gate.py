"""Decides which addresses a researcher may open, by the corpus that an address names and their role in it.

Every page and REST view of researchers asks here: `accounts.people.gates`. Lists and the names in queries do not name a
corpus by the address; they use `Corpus.objects.of(user)`.
"""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.urls import ResolverMatch

from accounts.models import User
from accounts.people.gates import known_of
from collection.models import Corpus, CorpusMember

Role = CorpusMember.Role
# Beginning of a route, a place in it -> the way from Corpus to what the place names. Apps above add theirs.
PLACES: dict[tuple[str, str], str] = {
    ("", "slug"): "slug",
    ("", "corpus"): "slug",
    ("work/faq/", "version"): "prompts__versions",
    ("consent/", "form_id"): "consent_form",
}
SAFE = ("GET", "HEAD", "OPTIONS")
# Names of addresses: those about the people who work for a corpus, those that everybody of it may read, those about members.
PEOPLE = frozenset(
    {
        *("annotators", "api-annotators", "pool", "pool-member", "report-queue", "pay"),
        *("collection_examattempt_changelist", "entry-links", "entry-link", "preview-end", "invitations"),
    }
)
FRONT = frozenset({"", "corpus-overview", "api-corpus"})
MEMBERS = frozenset({"members", "api-members", "api-member"})
WHY = {
    Role.READER: "You read this corpus: you see its texts, labels and results, change nothing, and see nothing about the"
    " people who work for it. An owner of the corpus can give you another role.",
    Role.MANAGER: "You manage the annotators of this corpus: people, links, invitations and pay. An owner of the corpus can"
    " give you another role.",
    Role.RESEARCHER: "Only owners of the corpus decide who belongs to it.",
}


def may_open(role: str, name: str, *, changes: bool = False) -> bool:
    """Returns whether a role may open an address of this name; changes: by POST and the like."""
    if role == Role.OWNER:
        return True
    if name in MEMBERS:
        return role == Role.RESEARCHER and not changes
    if role == Role.RESEARCHER:
        return True
    if role == Role.MANAGER:
        return name in PEOPLE or (name in FRONT and not changes)
    return name not in PEOPLE and not changes


def gate(request: HttpRequest, user: User) -> None:
    """Raises Http404 where the address names something of a corpus that this researcher does not belong to.

    Raises PermissionDenied where their role does not reach so far. Administrators pass, unless their token is bound.
    """
    match = request.resolver_match
    if match is None:  # outside a request of the site
        return
    named, known = named_by(match), roles_of(user)
    if not named or known is None:
        return
    slugs = {str(named.pop("slug"))} if "slug" in named else set(known)
    if named:
        slugs &= set(Corpus.objects.filter(**named).values_list("slug", flat=True))
    roles = [known[slug] for slug in sorted(slugs) if slug in known]
    if not roles:
        raise Http404
    if not any(may_open(role, match.url_name or "", changes=request.method not in SAFE) for role in roles):
        raise PermissionDenied(WHY[Role(roles[0])])


def roles_of(user: User | None) -> dict[str, str] | None:
    """Returns slug -> role of the corpora that a researcher belongs to; None for whom all are open (administrators)."""
    if user is None or (user.is_administrator and not user.bound_to):
        return None
    if user.is_administrator:
        return {user.bound_to: Role.OWNER}
    rows = CorpusMember.objects.filter(user=user)
    rows = rows.filter(corpus__slug=user.bound_to) if user.bound_to else rows
    return known_of(user, "roles", lambda: dict(rows.values_list("corpus__slug", "role")))


def named_by(match: ResolverMatch) -> dict[str, object]:
    """Returns the lookups of Corpus for what an address names; none if it names nothing of a corpus."""
    return {
        way: match.kwargs[place]
        for (start, place), way in PLACES.items()
        if place in match.kwargs and match.route.removeprefix("api/v1/").startswith(start)
    }
