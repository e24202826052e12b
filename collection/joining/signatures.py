"""Checks proofs that a platform sent somebody: an HMAC with the link's secret, or the token that Prolific signs."""

import hashlib
import hmac
import time
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import jwt

SIGNATURE = "signature"
EXPIRES = "expires"
PROLIFIC_TOKEN = "prolific_token"
PROLIFIC_ISSUER = "https://www.prolific.com"
PROLIFIC_KEYS = "https://api.prolific.com/.well-known/study/jwks.json"
# People read the page before they press the button.
LEEWAY_SECONDS = 600


@cache
def _prolific_keys() -> "jwt.PyJWKClient":
    """Returns the client that fetches again for an unknown key name, at most every 30 seconds."""
    import jwt

    return jwt.PyJWKClient(PROLIFIC_KEYS, lifespan=12 * 3600, timeout=5)


class NotSigned(Exception):
    """The proof is missing or wrong. The text says which."""


class KeysUnreachable(Exception):
    """The platform's public keys could not be fetched."""


def signature_of(secret: str, *, participant: str, study: str, session: str, expires: str = "") -> str:
    """Returns the hexadecimal HMAC-SHA256 of the three ids, each on a line, without a line break at the end.

    Where the address says when it `expires` (seconds since 1970), that is a fourth line.
    """
    message = "\n".join((participant, study, session, *([expires] if expires else [])))
    return hmac.new(secret.encode(), message.encode(), hashlib.sha256).hexdigest()


def check_signature(
    signature: str, secret: str, *, participant: str, study: str, session: str, expires: str = ""
) -> None:
    """Raises NotSigned unless the signature is that of these ids, and has not expired."""
    if not signature:
        raise NotSigned("the address has no signature")
    right = signature_of(secret, participant=participant, study=study, session=session, expires=expires)
    if not hmac.compare_digest(right.encode(), signature.lower().encode()):
        raise NotSigned("the signature does not fit the ids")
    if expires and not (expires.isascii() and expires.isdecimal()):
        raise NotSigned("the address does not say in seconds when it expires")
    if expires and int(expires[:20]) <= time.time():
        raise NotSigned("the address has expired")


def prolific_ids(token: str, *, workspace: str, address: str) -> tuple[dict[str, str], bool]:
    """Returns (the ids that Prolific signed, whether the token is still valid). Raises NotSigned, KeysUnreachable.

    `workspace`: only its studies count, because anybody can make a study at Prolific that leads to this address,
    with invented ids. `address`: of the entry page, for which the token must be made.
    """
    import jwt  # loads cryptography, and nearly every process imports this module

    if not token:
        raise NotSigned("the address has no prolific_token")
    try:
        key = _prolific_keys().get_signing_key_from_jwt(token)
        claims = jwt.decode(
            token,
            key,
            algorithms=["RS256"],
            issuer=PROLIFIC_ISSUER,
            # Time and audience are checked below: an expired token still names its person.
            options={"require": ["exp", "aud", "iss"], "verify_aud": False, "verify_exp": False},
        )
        is_current = float(claims["exp"]) + LEEWAY_SECONDS > time.time()
    except jwt.PyJWKClientConnectionError as error:
        raise KeysUnreachable from error
    except (jwt.PyJWTError, TypeError, ValueError) as error:
        raise NotSigned("the prolific_token is not Prolific's") from error
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    if not any(_is_for(str(audience), address) for audience in audiences):
        raise NotSigned("the prolific_token is for another site")
    ids = claims.get("prolific")
    if not isinstance(ids, dict) or ids.get("workspace_id") != workspace:
        raise NotSigned("the prolific_token is of another workspace's study")
    return {str(name): str(value) for name, value in ids.items()}, is_current


def _is_for(audience: str, address: str) -> bool:
    """Returns whether an audience (an address, an origin or a host) is the entry page's."""
    wanted, here = urlsplit(audience if "//" in audience else f"//{audience}"), urlsplit(address)
    same_path = wanted.path.rstrip("/") in ("", here.path.rstrip("/"))
    return wanted.netloc in (here.netloc, here.hostname) and same_path
