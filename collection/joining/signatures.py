"""Checks proof that a platform sent somebody: an HMAC made with the link's secret, or the token that Prolific signs."""

import hashlib
import hmac
import time
from urllib.parse import urlsplit

import jwt

SIGNATURE = "signature"
PROLIFIC_TOKEN = "prolific_token"
PROLIFIC_ISSUER = "https://www.prolific.com"
PROLIFIC_KEYS = "https://api.prolific.com/.well-known/study/jwks.json"
# Between looking at the page and pressing the button, people read.
LEEWAY_SECONDS = 600

# An unknown key's name makes it fetch anew, at most every 30 seconds.
_prolific_keys = jwt.PyJWKClient(PROLIFIC_KEYS, lifespan=12 * 3600, timeout=5)


class NotSigned(Exception):
    """The proof is missing or wrong. The text says which."""


class KeysUnreachable(Exception):
    """The platform's public keys could not be fetched, so nothing could be checked."""


def signature_of(secret: str, *, participant: str, study: str, session: str) -> str:
    """Returns the hexadecimal HMAC-SHA256 of the three ids, one a line, without a line break at the end."""
    message = "\n".join((participant, study, session))
    return hmac.new(secret.encode(), message.encode(), hashlib.sha256).hexdigest()


def check_signature(signature: str, secret: str, *, participant: str, study: str, session: str) -> None:
    """Raises NotSigned unless the signature is that of these ids."""
    if not signature:
        raise NotSigned("the address has no signature")
    right = signature_of(secret, participant=participant, study=study, session=session)
    if not hmac.compare_digest(right.encode(), signature.lower().encode()):
        raise NotSigned("the signature does not fit the ids")


def prolific_ids(token: str, *, workspace: str, address: str) -> tuple[dict[str, str], bool]:
    """Returns (the ids that Prolific signed, whether the token is still valid). Raises NotSigned, KeysUnreachable.

    `workspace`: whose studies count: anybody may make a study at Prolific that leads to this address, with
    ids of their own choice in it. `address`: the entry page's, which the token must be for.
    """
    if not token:
        raise NotSigned("the address has no prolific_token")
    try:
        key = _prolific_keys.get_signing_key_from_jwt(token)
        claims = jwt.decode(
            token,
            key,
            algorithms=["RS256"],
            issuer=PROLIFIC_ISSUER,
            # The time and the audience are looked at below: an old token still tells whose it was.
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
    """Whether an audience (an address, an origin or a host) is that of the entry page."""
    wanted, here = urlsplit(audience if "//" in audience else f"//{audience}"), urlsplit(address)
    same_path = wanted.path.rstrip("/") in ("", here.path.rstrip("/"))
    return wanted.netloc in (here.netloc, here.hostname) and same_path
