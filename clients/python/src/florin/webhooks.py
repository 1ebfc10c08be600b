"""Verifies webhooks. Needs no client and no API key."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Sequence
from typing import Literal

from pydantic import ValidationError

from florin.events import Event, event_adapter

Code = Literal[
    "signature_missing",
    "signature_malformed",
    "signature_mismatch",
    "timestamp_out_of_tolerance",
    "body_malformed",
    "body_not_raw",
    "secret_missing",
]
TIME = re.compile(r"[0-9]{1,12}")
DIGEST = re.compile(r"[0-9a-f]{64}")
# Far longer than any header of Florin. Limits the work for a forged one.
MAX_LENGTH = 4096

MESSAGES: dict[Code, str] = {
    "signature_missing": "The request has no Service-Signature header. It is not from Florin, or a proxy removed it.",
    "signature_malformed": "The Service-Signature does not have the form t=<unix seconds>,v1=<64 hex digits>, so it "
    "is not from Florin.",
    "signature_mismatch": "No signature matches the body. Check that the secret belongs to this endpoint and that the "
    "body is unchanged.",
    "timestamp_out_of_tolerance": "The request was not signed recently: it was delayed, or a clock is wrong.",
    "body_malformed": "The signature is valid, but the body is not an event.",
    "body_not_raw": "The body is neither str nor bytes. Pass the raw request body, before anything parses it.",
    "secret_missing": "There is no secret. Pass the whsec_… that was shown when the endpoint was registered.",
}


class WebhookVerificationError(Exception):
    """Respond with 400 and do nothing else."""

    def __init__(self, code: Code) -> None:
        super().__init__(MESSAGES[code])
        self.code = code


def verify(
    raw_body: str | bytes,
    signature: str | None,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> Event:
    """
    Returns the event if `Service-Signature` is valid and recent. Otherwise raises a `WebhookVerificationError`. The
    body must be the exact bytes of the request, before anything parses it. Pass both secrets during a rotation.
    """
    secrets = [one for one in _list(secret) if one]
    # With an empty secret, as from an unset variable, anyone could sign.
    if not secrets:
        raise WebhookVerificationError("secret_missing")
    if not isinstance(raw_body, str | bytes):
        raise WebhookVerificationError("body_not_raw")
    if not signature:
        raise WebhookVerificationError("signature_missing")
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    signed_at, digests = _parse(signature)
    expected = [_digest(one, signed_at, body) for one in secrets]
    # Constant-time comparison, so that timing reveals nothing about the expected signature.
    if not any(hmac.compare_digest(own, given) for own in expected for given in digests):
        raise WebhookVerificationError("signature_mismatch")
    # Written so that NaN rejects everything.
    if not abs((time.time() if now is None else now) - int(signed_at)) <= tolerance:
        raise WebhookVerificationError("timestamp_out_of_tolerance")
    try:
        return event_adapter.validate_json(body)
    except ValidationError:
        raise WebhookVerificationError("body_malformed") from None


def sign(raw_body: str | bytes, secret: str | Sequence[str], *, at: float | None = None) -> str:
    """The `Service-Signature` that Florin would send with this body, for tests of your receiver."""
    signed_at = str(int(time.time() if at is None else at))
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    return ",".join([f"t={signed_at}", *(f"v1={_digest(one, signed_at, body)}" for one in _list(secret))])


def _parse(signature: str) -> tuple[str, list[str]]:
    """Ignores parts of unknown schemes. Rejects a second time, because it would be ambiguous which one was signed."""
    parts = [part.strip() for part in signature.split(",")] if len(signature) <= MAX_LENGTH else []
    times = [part[2:] for part in parts if part.startswith("t=")]
    digests = [part[3:] for part in parts if part.startswith("v1=") and DIGEST.fullmatch(part[3:])]
    if len(times) != 1 or not TIME.fullmatch(times[0]) or not digests:
        raise WebhookVerificationError("signature_malformed")
    return times[0], digests


def _digest(secret: str, signed_at: str, body: bytes) -> str:
    """HMAC-SHA256 of `t.body`, keyed with the complete secret, including `whsec_`."""
    return hmac.new(secret.encode(), f"{signed_at}.".encode() + body, hashlib.sha256).hexdigest()


def _list(secret: str | Sequence[str]) -> list[str]:
    return [secret] if isinstance(secret, str) else list(secret or [])
