"""Admits people through an entry link of a recruiting platform, and redirects them back at the end."""

import hashlib
import re
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import Grant, PlatformIdentity, User
from accounts.people.qualifications import grant
from accounts.people.registration import known_participant, person_from_platform
from collection.joining import signatures
from collection.models import Corpus, EntryLink, SignUp, Visit
from collection.models.joining import PLATFORM_NAMES
from shared.bidi import isolated
from shared.transactions import one_transaction

# Ids of platforms are letters and digits, some with a sign between. They go into spreadsheets and logs.
ID = re.compile(r"[\w.@:-]{1,200}", re.ASCII)
ROLES = ("participant", "study", "session")
PROLIFIC_END = "https://app.prolific.com/submissions/complete"


@dataclass(frozen=True)
class Platform:
    """A recruiting platform: its name, and its parameters for participant, study and session."""

    name: str
    keys: tuple[str, str, str]


PLATFORMS = {
    "prolific": Platform(PLATFORM_NAMES["prolific"], ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")),
    "connect": Platform(PLATFORM_NAMES["connect"], ("participantId", "projectId", "assignmentId")),
    "mturk": Platform(
        f"{PLATFORM_NAMES['mturk']}, as an external link in a survey task",
        ("workerId", "hitId", "assignmentId"),
    ),
}
PROLIFIC_NAMES = dict(zip(ROLES, PLATFORMS["prolific"].keys, strict=True))


class EntryRefused(Exception):
    """The link does not let this person in. The text says why and what to do."""


class BegunElsewhere(EntryRefused):
    """The visits of these ids belong to other browsers. `visit`: the number of the latest."""

    def __init__(self, text: str, visit: int) -> None:
        super().__init__(text)
        self.visit = visit


@dataclass(frozen=True)
class Arrival:
    """The ids of a newcomer, and whether the platform proved them."""

    participant: str
    study: str = ""
    session: str = ""
    proved: bool = False


@dataclass(frozen=True)
class Entry:
    """A visit that began or continues.

    `is_own`: the ids were proved, or this is the browser in which the account was made. Only then may somebody
    without a password download data, make tokens, or erase the account.
    """

    visit: Visit
    is_own: bool


def arrival(link: EntryLink, query: dict[str, str], address: str) -> Arrival:
    """Reads the ids from the parameters that the link names, and checks the proof. Raises EntryRefused.

    `address`: of the entry page. An expired token of Prolific proves nothing; but in the browser of the visit no
    proof is needed.
    """
    if link.proof == EntryLink.Proof.PROLIFIC:
        return _arrival_from_prolific(link, query, address)
    ids = _ids(link, query)
    if link.proof == EntryLink.Proof.NONE:
        return _arrival(ids, proved=False)
    try:
        signature, expires = (
            query.get(name, "").strip() for name in (signatures.SIGNATURE, signatures.EXPIRES)
        )
        signatures.check_signature(signature, link.secret, **ids, expires=expires)
    except signatures.NotSigned as problem:
        raise _unproved(link, problem) from problem
    return _arrival(ids, proved=True)


def _arrival_from_prolific(link: EntryLink, query: dict[str, str], address: str) -> Arrival:
    try:
        signed, is_current = signatures.prolific_ids(
            query.get(signatures.PROLIFIC_TOKEN, "").strip(), workspace=link.workspace, address=address
        )
    except signatures.NotSigned as problem:
        raise _unproved(link, problem) from problem
    except signatures.KeysUnreachable as problem:
        raise EntryRefused(
            "Prolific could not be reached to verify that it sent you. Nothing was started, so nothing is lost."
            " Please try again in a few minutes."
        ) from problem
    named = {own: key for key, own in _keys(link).items()}
    ids = {
        key: signed.get(named[key]) or signed.get(name, "")
        for key, name in PROLIFIC_NAMES.items()
        if key in named
    }
    return _arrival(_checked(link, ids), proved=is_current)


def _arrival(ids: dict[str, str], *, proved: bool) -> Arrival:
    return Arrival(ids["participant"], ids["study"], ids["session"], proved)


def _unproved(link: EntryLink, problem: Exception) -> EntryRefused:
    return EntryRefused(
        f"This page cannot verify that {link.platform_name} sent you: {problem}."
        f" Please come in through the study's page on {link.platform_name} once more."
    )


def _keys(link: EntryLink) -> dict[str, str]:
    """Returns name of the parameter -> the kind of id in it."""
    named = {link.participant_key: "participant", link.study_key: "study", link.session_key: "session"}
    return {key: name for key, name in named.items() if key}


def _ids(link: EntryLink, query: dict[str, str]) -> dict[str, str]:
    found = {name: query.get(key, "") for key, name in _keys(link).items()}
    return _checked(link, found)


def _checked(link: EntryLink, ids: dict[str, str]) -> dict[str, str]:
    found = {name: ids.get(name, "").strip() for name in PROLIFIC_NAMES}
    if not found["participant"] or found["participant"].startswith("{"):
        raise EntryRefused(
            gettext(
                "This link is not complete: it does not say who you are on %(platform)s. Please open the study there"
                " again."
            )
            % {"platform": isolated(link.platform_name)}
        )
    if not all(ID.fullmatch(value) for value in found.values() if value):
        raise EntryRefused(
            gettext("The link has an invalid id. Please open the study on %(platform)s again.")
            % {"platform": isolated(link.platform_name)}
        )
    return found


def comes_from_prolific(link: EntryLink) -> bool:
    """Returns whether Prolific sends people directly, without an intermediate server."""
    is_there = link.proof == EntryLink.Proof.PROLIFIC or link.platform.strip().lower() == "prolific"
    return is_there and link.proof != EntryLink.Proof.SIGNATURE


def adds_its_ids(link: EntryLink) -> bool:
    """Returns whether the platform adds its ids to the address by itself, as CloudResearch Connect does."""
    return link.platform.strip().lower() == "connect" and link.proof == EntryLink.Proof.NONE


def parameters_for_platform(link: EntryLink) -> str:
    """Returns the query of the address for the platform, with its placeholders if they are known.

    Prolific replaces `{{%NAME%}}` with the id. For others, names in square brackets are to be replaced by hand.
    """
    keys = _keys(link)
    if adds_its_ids(link):
        return ""
    if comes_from_prolific(link):
        named = {key: f"{{{{%{PROLIFIC_NAMES[role]}%}}}}" for key, role in keys.items()}
    else:
        named = {key: f"[{key}]" for key in keys}
    if link.proof == EntryLink.Proof.SIGNATURE:
        named[signatures.SIGNATURE] = f"[{signatures.SIGNATURE}]"
    return "&".join(f"{key}={value}" for key, value in named.items())


@dataclass(frozen=True)
class WayBack:
    """What a person takes back to the platform: a code to copy, an address to return to, or both."""

    code: str = ""
    address: str = ""


def way_back(link: EntryLink, end: Visit.End) -> WayBack:
    """Returns the code and the address for people whose visit ends so. Both are empty if the link has none for them.

    Of Prolific the address is made from the code. People without a code of their own get the one for the case that
    work runs out: it pays for a part, too.
    """
    if end == Visit.End.FINISHED:
        given, address = link.completion_code, link.completion_url
    else:
        own = {
            Visit.End.SCREENED_OUT: link.screened_out_code,
            Visit.End.TIMED_OUT: link.timed_out_code,
        }
        given, address = own.get(end) or link.no_work_code, ""
    if given.startswith(("https://", "http://")):
        return WayBack(address=given)
    if given and not address and comes_from_prolific(link):
        address = f"{PROLIFIC_END}?{urlencode({'cc': given})}"
    return WayBack(given, address)


def digest_of_browser(cookie: str) -> str:
    """Returns the stored digest of a browser's cookie, from which the cookie cannot be derived."""
    return hashlib.sha256(cookie.encode()).hexdigest()


def refuse_if_closed(link: EntryLink) -> None:
    """Raises EntryRefused if the link lets nobody in any more."""
    if link.closed_at is not None:
        raise EntryRefused(
            gettext(
                "This study is closed. If you earned nothing here, please cancel (“return”) it on %(platform)s. If you"
                " earned something, even if only for reading the instructions, do not cancel it. Write to the researchers"
                " there, so that they can pay you."
            )
            % {"platform": isolated(link.platform_name)}
        )


@one_transaction
def enter(*, link: EntryLink, arrival: Arrival, browser: str = "", signed_in: User | None = None) -> Entry:
    """Admits somebody under a code, and grants the link's qualification. The same session is the same visit.

    `browser`: the digest of its cookie. Without proof, an id is bound to the browser in which it first came.
    `signed_in`: the user as whom the browser is signed in. Raises EntryRefused.
    """
    user = person_from_platform(platform=link.platform, participant=arrival.participant)
    # Of two browsers that bring an id at one moment, the second waits here, and then sees the visit of the first.
    list(PlatformIdentity.objects.select_for_update(no_key=True).filter(user=user).order_by("pk"))
    refuse(link=link, arrival=arrival, browser=browser, signed_in=signed_in)
    if link.grants is not None:
        grant(user=user, qualification=link.grants, how=Grant.How.LINK)
    visit, is_new = Visit.objects.get_or_create(
        link=link, user=user, session=arrival.session, defaults={"study": arrival.study, "browser": browser}
    )
    if not is_new and (arrival.proved or visit.browser == ""):
        visit.browser = browser
        visit.save(update_fields=["browser"])
    if visit.waits_since:
        Visit.objects.filter(user=user).update(waits_since=None)
    first = Visit.objects.filter(user=user).order_by("pk").values_list("browser", flat=True).first()
    return Entry(visit=visit, is_own=arrival.proved or first == browser != "")


def refuse(*, link: EntryLink, arrival: Arrival, browser: str, signed_in: User | None) -> None:
    """Raises EntryRefused if the link does not let these ids in: the welcome page says so before anybody consents."""
    refuse_if_closed(link)
    is_back = is_known(link=link, arrival=arrival, browser=browser)
    if link.corpus.paused_at is not None and not is_back:
        raise EntryRefused(
            gettext(
                "The researchers have paused this study, so nobody begins now. You have earned nothing here yet: please"
                " cancel (“return”) it on %(platform)s."
            )
            % {"platform": isolated(link.platform_name)}
        )
    if link.proof != EntryLink.Proof.NONE and not arrival.proved and not is_back:
        raise EntryRefused(
            gettext("This link is too old. Please open the study on %(platform)s again.")
            % {"platform": isolated(link.platform_name)}
        )
    user = known_participant(platform=link.platform, participant=arrival.participant)
    if user is None:
        return
    refuse_unless_annotator(user, signed_in)
    if not arrival.proved and not is_back and user != signed_in:
        _refuse_elsewhere(user, browser, link)


def refuse_unless_annotator(user: User, signed_in: User | None) -> None:
    """Raises EntryRefused for accounts with a password or more rights: a platform's id is not a password."""
    if not user.is_active:
        raise EntryRefused(
            gettext(
                "This account was ended. What you earned stays yours. Please write to the researchers of the study."
            )
        )
    if user.role != User.Role.ANNOTATOR:
        raise EntryRefused(
            "This id belongs to somebody who builds corpora here. A link lets in annotators only: please sign in."
        )
    if user.has_usable_password() and user != signed_in:
        raise EntryRefused(
            gettext("This account has a password. Please sign in with it, then open this address again.")
        )


def is_known(*, link: EntryLink, arrival: Arrival, browser: str) -> bool:
    """Returns whether this is the browser in which the visit of these ids began."""
    return known_visit(link=link, arrival=arrival, browser=browser) is not None


def known_visit(*, link: EntryLink, arrival: Arrival, browser: str) -> Visit | None:
    """Returns the visit of these ids if it began in this browser."""
    visits = Visit.objects.filter(
        link=link,
        session=arrival.session,
        browser=browser,
        user__platform_identities__platform=link.platform,
        user__platform_identities__participant=arrival.participant,
    )
    return visits.select_related("user").first() if browser else None


def _refuse_elsewhere(user: User, browser: str, link: EntryLink) -> None:
    """Raises EntryRefused if somebody's visits belong to other browsers than this one.

    It names the visit by its number: a code would tell whoever knows an id which labels its person gave.
    """
    bound = dict(
        Visit.objects.filter(user=user).exclude(browser="").order_by("pk").values_list("browser", "pk")
    )
    if bound and browser not in bound:
        latest = max(bound.values())
        raise BegunElsewhere(
            gettext(
                "You began this study in another browser or on another device, or this browser has lost its cookies."
                " Please continue where you began: what you sent is saved. If you cannot, write to the researchers on"
                " %(platform)s before you cancel (“return”) the study."
                " They can send you a link that opens it on this device."
            )
            % {"platform": isolated(link.platform_name)}
            + " "
            + gettext("Tell them the number of your visit: %(visit)s.") % {"visit": latest},
            latest,
        )


def note_opened(link: EntryLink) -> None:
    """Counts a browser in which the address was opened. Ids are stored only after the consent."""
    EntryLink.objects.filter(pk=link.pk).update(opened=F("opened") + 1)


def set_open(*, links: QuerySet[EntryLink], is_open: bool) -> int:
    """Opens or closes links. Visitors who have entered already can finish. Returns the number of changed links."""
    return links.filter(closed_at__isnull=not is_open).update(closed_at=None if is_open else timezone.now())


def opened_to(annotator: User, corpus: str = "pk") -> Q:
    """Returns a condition on corpora: a link of the corpus sent this person, they signed up for it, or neither for any.

    `corpus`: the field that names the corpus, for conditions on other rows. An invitation by a researcher needs no link.
    """
    came = Visit.objects.filter(user=annotator, link__corpus=OuterRef(corpus))
    signed_up = SignUp.objects.filter(user=annotator)
    was_made_here = ~Q(Exists(PlatformIdentity.objects.filter(user=annotator))) & ~Q(Exists(signed_up))
    return was_made_here | Q(Exists(came)) | Q(Exists(signed_up.filter(corpus=OuterRef(corpus))))


def is_open_to(annotator: User, corpus_id: int) -> bool:
    """Returns whether `opened_to` holds for one corpus."""
    return Corpus.objects.filter(opened_to(annotator), pk=corpus_id).exists()
