from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import httpx
import pytest
from scripted_server import Reply, ScriptedServer, error_reply

from florin import ApiError, Attempt, AttemptOutcome, Florin, FlorinConnectionError, FlorinTimeoutError, Hooks
from florin.errors import FailedRequest
from florin.models import SandboxFunding
from florin.retry import read_retry_after, retry_delay

FUNDING = SandboxFunding(amount="5")
FAILED = FailedRequest("GET", "/", None, 1)


@pytest.mark.parametrize(
    "behavior",
    [
        error_reply(429, "rate_limited", retry_after="0"),
        error_reply(503, "unavailable", retry_after="0"),
        error_reply(408, "request_timeout"),
        error_reply(500, "internal_error"),
        Reply(502, text="Bad Gateway"),
        Reply(504, text=""),
        "disconnect",
        "truncate",
    ],
)
def test_repeats_with_the_same_key_and_body(florin: Florin, server: ScriptedServer, behavior: Any) -> None:
    server.follow(behavior, behavior, Reply(201))
    florin.sandbox.fund(FUNDING)
    assert len(server.requests) == 3
    assert len({request.headers["idempotency-key"] for request in server.requests}) == 1
    assert {request.body for request in server.requests} == {'{"amount":"5"}'}


def test_repeats_as_often_as_configured(florin: Florin, server: ScriptedServer) -> None:
    server.follow(error_reply(503, "unavailable"))
    with pytest.raises(ApiError) as rejected:
        florin.sandbox.fund(FUNDING)
    assert (rejected.value.code, rejected.value.request.attempts, len(server.requests)) == ("unavailable", 4, 4)
    server.follow("disconnect")
    with pytest.raises(FlorinConnectionError) as lost:
        florin.sandbox.fund(FUNDING, max_retries=1)
    assert lost.value.request.idempotency_key == server.requests[1].headers["idempotency-key"]
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("status", "code"),
    [(400, "insufficient_funds"), (401, "invalid_key"), (404, "not_found"), (409, "idempotency_conflict")],
)
def test_does_not_repeat_what_was_rejected(florin: Florin, server: ScriptedServer, status: int, code: str) -> None:
    server.follow(error_reply(status, code))
    with pytest.raises(ApiError) as caught:
        florin.sandbox.fund(FUNDING)
    assert (caught.value.code, len(server.requests)) == (code, 1)


def test_a_deletion_that_was_processed_before_succeeds(florin: Florin, server: ScriptedServer) -> None:
    server.follow("disconnect", error_reply(404, "not_found"))
    florin.webhook_endpoints.delete("w1")
    server.follow(error_reply(429, "rate_limited"), error_reply(404, "not_found"))
    with pytest.raises(ApiError) as caught:
        florin.webhook_endpoints.delete("w1")
    assert caught.value.code == "not_found"


def test_a_timeout_names_the_request(florin: Florin, server: ScriptedServer) -> None:
    server.follow("hang")
    with pytest.raises(
        FlorinTimeoutError, match=r"POST /api/v1/sandbox/funding had no response within 0\.05 s"
    ) as late:
        florin.sandbox.fund(FUNDING, timeout=0.05, max_retries=0)
    assert late.value.request.idempotency_key is not None
    assert isinstance(late.value, FlorinConnectionError)


def test_a_long_retry_after_fails_the_call(florin: Florin, server: ScriptedServer) -> None:
    server.follow(error_reply(503, "unavailable", retry_after="61"))
    with pytest.raises(ApiError) as caught:
        florin.sandbox.fund(FUNDING)
    assert (caught.value.retry_after, len(server.requests)) == (61, 1)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("0", 0),
        ("7", 7),
        ("Thu, 31 Jan 2030 12:00:10 GMT", 10),
        ("Thu, 31 Jan 2030 11:00:00 GMT", 0),
        ("soon", None),
    ],
)
def test_reads_retry_after(header: str | None, seconds: float | None) -> None:
    assert read_retry_after(header, datetime(2030, 1, 31, 12, tzinfo=timezone.utc)) == seconds


def test_the_pause_doubles_up_to_8_seconds() -> None:
    lost = FlorinConnectionError("", FAILED)
    for attempt, longest in enumerate([0.5, 1, 2, 4, 8, 8], start=1):
        pause = retry_delay(lost, attempt, 10, 0.5)
        assert pause is not None and longest / 2 <= pause <= longest


@pytest.mark.parametrize("seconds", [0, 1, 30, 60])
def test_the_pause_is_never_shorter_than_retry_after(seconds: int) -> None:
    pause = retry_delay(ApiError("rate_limited", "", 429, FAILED, None, seconds), 1, 3, 0.5)
    assert pause is not None and pause >= seconds


def test_hooks_see_every_attempt_and_can_add_headers(server: ScriptedServer) -> None:
    seen: list[Any] = []

    def on_request(attempt: Attempt) -> None:
        seen.append((attempt.method, attempt.route, attempt.number, "authorization" in attempt.headers))
        attempt.headers["traceparent"] = "00-aaaa"

    def on_response(attempt: Attempt, outcome: AttemptOutcome) -> None:
        seen.append((attempt.number, outcome.status, outcome.request_id, outcome.error is None, outcome.retry_in))

    server.follow(error_reply(429, "rate_limited"), Reply(201, headers={"x-request-id": "req-2"}))
    with Florin("fl_test_x", base_url=server.url, retry_delay=0, hooks=Hooks(on_request, on_response)) as florin:
        florin.sandbox.fund(FUNDING)
    assert seen == [
        ("POST", "/api/v1/sandbox/funding", 1, False),
        (1, 429, "req-1", False, 0),
        ("POST", "/api/v1/sandbox/funding", 2, False),
        (2, 201, "req-2", True, None),
    ]
    assert {request.headers["traceparent"] for request in server.requests} == {"00-aaaa"}


def test_a_given_http_client_stays_open(server: ScriptedServer) -> None:
    with httpx.Client() as http:
        for _ in range(2):
            with Florin("fl_test_x", base_url=server.url, http_client=http) as florin:
                florin.sandbox.fund(FUNDING)
    assert len(server.requests) == 2
