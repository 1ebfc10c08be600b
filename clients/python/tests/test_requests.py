from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from pydantic.alias_generators import to_snake
from scripted_server import Reply, ScriptedServer, error_reply

from florin import ApiError, ConfigurationError, Florin, WaitTimeoutError, response_of
from florin.models import CardChange, CardLimitChanges, SandboxFunding

FUNDING = SandboxFunding(amount="5")
BALANCE = {"available": "1.00", "held": "0.00", "balance": "1.00", "currency": "USD", "environment": "sandbox"}


def test_sends_the_key_the_body_and_a_random_idempotency_key(florin: Florin, server: ScriptedServer) -> None:
    florin.sandbox.fund(FUNDING)
    florin.sandbox.fund(FUNDING)
    first, second = server.requests
    assert (first.method, first.path, first.body) == ("POST", "/api/v1/sandbox/funding", '{"amount":"5"}')
    assert first.headers["authorization"] == "Bearer fl_test_secret"
    assert first.headers["content-type"] == "application/json"
    assert re.fullmatch(r"sdk-[0-9a-f]{32}", first.headers["idempotency-key"])
    assert first.headers["idempotency-key"] != second.headers["idempotency-key"]


def test_sends_the_given_idempotency_key_and_request_id(florin: Florin, server: ScriptedServer) -> None:
    florin.sandbox.fund(FUNDING, idempotency_key="order-4711", request_id="req-4711")
    assert server.requests[0].headers["idempotency-key"] == "order-4711"
    assert server.requests[0].headers["x-request-id"] == "req-4711"


def test_sends_no_idempotency_key_with_a_get(florin: Florin, server: ScriptedServer) -> None:
    server.follow(Reply(body=BALANCE))
    assert florin.balance.get().available == "1.00"
    assert "idempotency-key" not in server.requests[0].headers
    assert "content-type" not in server.requests[0].headers


def test_encodes_ids_and_filters(florin: Florin, server: ScriptedServer) -> None:
    server.follow(Reply(body={"data": []}))
    since = datetime(2030, 1, 31, 12, tzinfo=timezone.utc)
    list(florin.operations.list(status="failed", metadata={"order no": "47&11"}, created_from=since))
    with pytest.raises(ApiError):
        florin.cards.get("../holders?x=1")
    assert [request.path for request in server.requests] == [
        "/api/v1/operations?limit=100&status=failed&metadata%5Border+no%5D=47%2611"
        "&createdFrom=2030-01-31T12%3A00%3A00Z",
        "/api/v1/cards/..%2Fholders%3Fx%3D1",
    ]


def test_sends_none_only_where_it_was_set(florin: Florin, server: ScriptedServer) -> None:
    with pytest.raises(ApiError):
        florin.cards.update("c1", CardChange(limits=CardLimitChanges(daily=None)))
    assert server.requests[0].body == '{"limits":{"daily":null}}'


def test_an_empty_id_is_not_sent(florin: Florin, server: ScriptedServer) -> None:
    with pytest.raises(ConfigurationError, match=r"The id for /api/v1/cards/\{id\} is missing"):
        florin.cards.get("")
    assert server.requests == []


def test_returns_status_and_request_id(florin: Florin, server: ScriptedServer) -> None:
    server.follow(Reply(201, headers={"x-request-id": "req-9", "idempotent-replayed": "true"}))
    response = response_of(florin.sandbox.fund(FUNDING))
    assert (response.status, response.request_id, response.replayed) == (201, "req-9", True)


def test_accepts_fields_and_values_of_a_newer_florin(florin: Florin, server: ScriptedServer) -> None:
    server.follow(Reply(body={**BALANCE, "environment": "staging", "pending": "2.00"}))
    balance = florin.balance.get()
    assert (balance.environment, balance.model_extra) == ("staging", {"pending": "2.00"})


def test_an_error_has_the_code_the_request_id_and_the_request(florin: Florin, server: ScriptedServer) -> None:
    server.follow(error_reply(409, "quote_changed"))
    with pytest.raises(ApiError) as caught:
        florin.sandbox.fund(FUNDING, idempotency_key="order-1")
    error = caught.value
    assert (error.code, error.status, error.request_id) == ("quote_changed", 409, "req-1")
    assert error.message == "It is quote_changed: do something."
    assert (error.request.path, error.request.idempotency_key) == ("/api/v1/sandbox/funding", "order-1")
    assert error.request.attempts == 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply(404, text="<html>nothing here</html>"),
        Reply(200, text="<html>welcome</html>"),
        Reply(200, body={"data": 1}),
        Reply(400, body=[]),
        Reply(308, headers={"location": "http://127.0.0.1:1/"}, text=""),
    ],
)
def test_says_that_a_response_is_not_from_florin(florin: Florin, server: ScriptedServer, reply: Reply) -> None:
    server.follow(reply)
    with pytest.raises(ApiError, match="check the base_url") as caught:
        florin.balance.get()
    assert caught.value.code == "unexpected_response"
    assert len(server.requests) == 1


def test_shows_no_api_key(florin: Florin, server: ScriptedServer) -> None:
    server.follow(error_reply(401, "invalid_key"))
    with pytest.raises(ApiError) as caught:
        florin.balance.get()
    shown = f"{florin!r} {caught.value!r} {vars(caught.value)} {florin.balance._api._configuration!r}"
    assert "fl_test_secret" not in shown


def test_the_environment_is_that_of_the_key() -> None:
    addresses: Any = {"sandbox": "https://sandbox.example", "live": "https://live.example/"}
    live = Florin("fl_live_x", base_url=addresses)
    assert (live.environment, live.base_url) == ("live", "https://live.example")
    assert Florin("fl_test_x").base_url == "http://127.0.0.1:3000"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"api_key": "sk_test_1"}, "neither fl_test_ nor fl_live_"),
        ({"api_key": None}, "neither fl_test_ nor fl_live_"),
        ({"api_key": "fl_live_x"}, "There is no base_url for live"),
        ({"api_key": "fl_test_x", "base_url": "florin.example"}, "does not begin with http:// or https://"),
        ({"api_key": "fl_test_x", "timeout": 0}, "timeout is 0"),
        ({"api_key": "fl_test_x", "max_retries": -1}, "max_retries is -1"),
        ({"api_key": "fl_test_x", "retry_delay": float("nan")}, "retry_delay is nan"),
    ],
)
def test_rejects_wrong_settings(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Florin(**options)


def test_has_a_method_for_every_operation_of_the_api(florin: Florin) -> None:
    document = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text())
    ids = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert len(ids) > 40
    for id in ids:
        resource, method = map(to_snake, id.split("."))
        assert callable(getattr(getattr(florin, resource), method)), id


def holder(id: str) -> dict[str, Any]:
    at = "2030-01-31T12:00:00.000Z"
    texts = {"name": "Ada", "email": "ada@example.com", "kind": "individual", "externalId": "e1", "status": "active"}
    return {"id": id, **texts, "environment": "sandbox", "metadata": {}, "createdAt": at, "updatedAt": at}


PAGES = (
    Reply(body={"data": [holder("a"), holder("b")], "nextCursor": "c1"}),
    Reply(body={"data": [holder("c")], "nextCursor": "c2"}),
    Reply(body={"data": [holder("d")]}),
)


def test_a_list_has_all_entries_of_all_pages(florin: Florin, server: ScriptedServer) -> None:
    server.follow(PAGES[0], error_reply(503, "unavailable"), *PAGES[1:])
    assert [entry.id for entry in florin.holders.list(status="active", limit=2)] == ["a", "b", "c", "d"]
    queries = [request.path.split("?")[1] for request in server.requests]
    first, second, third = (f"limit=2&status=active{cursor}" for cursor in ("", "&cursor=c1", "&cursor=c2"))
    assert queries == [first, second, second, third]


def test_a_list_reads_only_the_pages_that_are_needed(florin: Florin, server: ScriptedServer) -> None:
    server.follow(*PAGES)
    assert next(iter(florin.holders.list())).id == "a"
    assert florin.holders.list().first_page().next_cursor == "c2"
    assert len(server.requests) == 2


def test_a_list_can_be_read_page_by_page_from_a_cursor(florin: Florin, server: ScriptedServer) -> None:
    server.follow(*PAGES[1:])
    assert [len(page.data) for page in florin.holders.list(cursor="c1").pages()] == [1, 1]
    assert server.requests[0].path.endswith("cursor=c1")


def operation(status: str) -> Reply:
    texts = {"type": "issue", "amount": "1.00", "fee": "0.00", "total": "1.00", "currency": "USD", "productId": "p"}
    at = "2030-01-31T12:00:00.000Z"
    rest = {"environment": "sandbox", "metadata": {}, "result": {}, "createdAt": at, "updatedAt": at}
    return Reply(body={"id": "o1", "status": status, **texts, **rest})


@pytest.mark.parametrize("status", ["completed", "failed", "manual_review"])
def test_wait_for_returns_a_settled_operation(florin: Florin, server: ScriptedServer, status: str) -> None:
    server.follow(operation("queued"), operation(status))
    assert florin.operations.wait_for("o1").status == status
    assert len(server.requests) == 2


def test_wait_for_fails_with_the_last_state_after_its_time(florin: Florin, server: ScriptedServer) -> None:
    server.follow(operation("processing"))
    with pytest.raises(WaitTimeoutError, match="Operation o1 is still processing after 0 s") as caught:
        florin.operations.wait_for("o1", timeout=0)
    assert caught.value.last.model_dump()["status"] == "processing"
