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
# The way -> what a REST view says of one that is not there, or is of others.
GONE: dict[str, str] = {}
# Names of addresses whose views answer otherwise than by a 404 where there is no such row, or none for who asks.
OWN_ANSWER = frozenset({"snapshot-state"})
SAFE = ("GET", "HEAD", "OPTIONS")
# Names of addresses: those about the people who work for a corpus, those that everybody of it may read, those about members.
PEOPLE = frozenset(
    {
        *("annotators", "api-annotators", "pool", "pool-member", "report-queue", "pay"),
        *("collection_examattempt_changelist", "entry-links", "entry-link", "preview-end", "invitations"),
        *("reviews", "review-next", "api-reviews", "writer"),
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
    named = named_by(match) if match else {}  # without one: outside a request of the site
    if not match or not named or (user.is_administrator and not user.bound_to):
        return
    if set(named) == {"slug"}:
        role = (roles_of(user) or {}).get(str(named["slug"]))
        roles = [role] if role else []
    else:
        corpora = Corpus.objects.of(user).filter(**named)
        if user.is_administrator:
            roles = [Role.OWNER.value] * corpora.exists()
        else:
            roles = list(
                CorpusMember.objects.filter(user=user, corpus__in=corpora).values_list("role", flat=True)
            )
    if not roles:
        raise Http404(next((GONE[way] for way in named if way in GONE), "There is no such address."))
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
        if place in match.kwargs
        and match.url_name not in OWN_ANSWER
        and match.route.removeprefix("api/v1/").startswith(start)
    }
