from __future__ import annotations

import json
from typing import Any

import pytest

from florin import UnknownEvent, WebhookVerificationError, webhooks
from florin.models import HolderEvent

SECRET = "whsec_example"
NOW = 1_893_456_000
AT = "2030-01-01T00:00:00.000Z"
HOLDER = {"id": "h1", "name": "Ada", "email": "ada@example.com", "kind": "individual", "externalId": "e1"}
HOLDER |= {"status": "active", "environment": "sandbox", "createdAt": AT, "updatedAt": AT}
EVENT = {"id": "evt_1", "type": "holder.created", "createdAt": AT, "environment": "sandbox", "companyId": "c1"}
BODY = json.dumps({**EVENT, "objectVersion": 1, "data": {"object": {**HOLDER, "metadata": {}}}})
# HMAC-SHA256 of "1893456000.{}" with the key "whsec_example", from another implementation.
KNOWN = "a9371a3fbfe0735b2c690efbf72b7067b654b89e0e6ad658e4cb6b74b474a675"


def code_of(body: Any, signature: Any, secret: Any = SECRET, now: float = NOW) -> str:
    with pytest.raises(WebhookVerificationError) as caught:
        webhooks.verify(body, signature, secret, now=now)
    return caught.value.code


def signed(body: str | bytes, secret: Any = SECRET) -> str:
    return webhooks.sign(body, secret, at=NOW)


def test_signs_like_other_implementations() -> None:
    assert signed("{}") == f"t={NOW},v1={KNOWN}"


@pytest.mark.parametrize("body", [BODY, BODY.encode()])
def test_returns_a_typed_event(body: str | bytes) -> None:
    event = webhooks.verify(body, signed(body), SECRET, now=NOW + 300)
    assert isinstance(event, HolderEvent)
    assert (event.type, event.data.object.external_id, event.object_version) == ("holder.created", "e1", 1)


def test_returns_an_event_of_a_type_that_it_does_not_know() -> None:
    body = json.dumps({**EVENT, "type": "card.painted", "data": {"object": {"color": "red"}}})
    event = webhooks.verify(body, signed(body), SECRET, now=NOW)
    assert isinstance(event, UnknownEvent)
    assert (event.type, event.data) == ("card.painted", {"object": {"color": "red"}})


def test_accepts_either_secret_during_a_rotation() -> None:
    both = signed(BODY, ["whsec_old", SECRET])
    assert webhooks.verify(BODY, both, "whsec_old", now=NOW) == webhooks.verify(BODY, both, [SECRET, "x"], now=NOW)


def test_rejects_what_is_not_from_florin() -> None:
    assert code_of(BODY, None) == "signature_missing"
    assert code_of(BODY, "") == "signature_missing"
    for malformed in ("t=1", f"v1={KNOWN}", f"t=x,v1={KNOWN}", f"t=1,t=2,v1={KNOWN}", f"t=1,v1={KNOWN.upper()}"):
        assert code_of(BODY, malformed) == "signature_malformed"
    assert code_of(BODY, f"{signed(BODY)},{'v0=x,' * 1000}") == "signature_malformed"
    assert code_of(BODY + " ", signed(BODY)) == "signature_mismatch"
    assert code_of(BODY, signed(BODY), "whsec_other") == "signature_mismatch"
    for now in (NOW + 301, NOW - 301, float("nan")):
        assert code_of(BODY, signed(BODY), now=now) == "timestamp_out_of_tolerance"


def test_rejects_wrong_use() -> None:
    for body in ("{}", "[]", "no JSON", b"\xff"):
        assert code_of(body, signed(body)) == "body_malformed"
    assert code_of({"id": "evt_1"}, signed(BODY)) == "body_not_raw"
    for secret in ("", [], [""], None):
        assert code_of(BODY, signed(BODY), secret) == "secret_missing"
