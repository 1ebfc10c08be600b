"""Sends requests and repeats them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, TypeVar
from urllib.parse import quote, urlencode
from uuid import uuid4

import httpx
from pydantic import TypeAdapter, ValidationError

from florin.errors import (
    ApiError,
    ConfigurationError,
    FailedRequest,
    FlorinConnectionError,
    FlorinError,
    FlorinTimeoutError,
)
from florin.hooks import Attempt, AttemptOutcome
from florin.model import Model, ResponseInfo, alias_of
from florin.options import Configuration, RequestOptions
from florin.pages import List, Page
from florin.retry import read_retry_after, retry_delay

Result = TypeVar("Result")


@dataclass(frozen=True)
class Request:
    """A request with everything that all its attempts share."""

    method: str
    route: str
    path: str
    url: str
    headers: dict[str, str]
    body: str | None
    idempotency_key: str | None
    timeout: float
    max_retries: int

    def failed(self, attempts: int) -> FailedRequest:
        return FailedRequest(self.method, self.path, self.idempotency_key, attempts)


class ApiClient:
    """Sends typed requests."""

    def __init__(self, configuration: Configuration, http: httpx.Client) -> None:
        self._configuration = configuration
        self._http = http

    def request(
        self,
        result: type[Result],
        method: str,
        route: str,
        options: RequestOptions,
        *,
        id: str | None = None,
        query: Mapping[str, Any] | None = None,
        body: Model | None = None,
    ) -> Result:
        request = self._prepare(method, route, options, id=id, query=query, body=body)
        response, attempts = self._send(request)
        return read(result, response, request, attempts)

    def delete(self, route: str, options: RequestOptions, *, id: str) -> None:
        self._send(self._prepare("DELETE", route, options, id=id))

    def text(self, route: str, accept: str, options: RequestOptions, query: Mapping[str, Any]) -> str:
        response, _ = self._send(self._prepare("GET", route, options, query=query, accept=accept))
        return response.text

    def list(
        self,
        item: type[Result],
        route: str,
        options: RequestOptions,
        *,
        limit: int,
        cursor: str | None,
        query: Mapping[str, Any],
        id: str | None = None,
    ) -> List[Result]:
        def read_page(cursor: str | None) -> Page[Result]:
            page = {"limit": limit, **query, "cursor": cursor}
            return self.request(Page[item], "GET", route, options, id=id, query=page)  # type: ignore[valid-type]

        return List(read_page, cursor)

    def _prepare(
        self,
        method: str,
        route: str,
        options: RequestOptions,
        *,
        id: str | None = None,
        query: Mapping[str, Any] | None = None,
        body: Model | None = None,
        accept: str = "application/json",
    ) -> Request:
        path = path_of(route, id)
        given = options.get("idempotency_key")
        key = None if method != "POST" else f"sdk-{uuid4().hex}" if given is None else given
        headers = {
            "accept": accept,
            "content-type": "application/json" if body is not None else None,
            "idempotency-key": key,
            "x-request-id": options.get("request_id"),
        }
        return Request(
            method=method,
            route=route,
            path=path,
            url=f"{self._configuration.base_url}{path}{query_of(query or {})}",
            headers={name: value for name, value in headers.items() if value is not None},
            body=None if body is None else body.to_json(),
            idempotency_key=key,
            timeout=options.get("timeout", self._configuration.timeout),
            max_retries=options.get("max_retries", self._configuration.max_retries),
        )

    def _send(self, request: Request) -> tuple[httpx.Response, int]:
        """Sends the request until it succeeds, fails permanently, or has been repeated often enough."""
        hooks, first_delay = self._configuration.hooks, self._configuration.retry_delay
        may_be_processed = False
        number = 1
        while True:
            attempt = Attempt(
                request.method, request.route, request.url, number, request.idempotency_key, dict(request.headers)
            )
            if hooks.on_request:
                hooks.on_request(attempt)
            started_at = time.monotonic()
            response, error = self._try_once(request, attempt, may_be_processed)
            retry_in = retry_delay(error, number, request.max_retries, first_delay) if error else None
            if hooks.on_response:
                duration = time.monotonic() - started_at
                status = response.status_code if response is not None else None
                request_id = response.headers.get("x-request-id") if response is not None else None
                hooks.on_response(attempt, AttemptOutcome(duration, status, request_id, error, retry_in))
            if response is not None and error is None:
                return response, number
            assert error is not None
            if retry_in is None:
                raise error
            may_be_processed |= not (isinstance(error, ApiError) and error.code == "rate_limited")
            time.sleep(retry_in)
            number += 1

    def _try_once(
        self, request: Request, attempt: Attempt, may_be_processed: bool
    ) -> tuple[httpx.Response | None, FlorinError | None]:
        headers = {**attempt.headers, "authorization": f"Bearer {self._configuration.api_key}"}
        failed = request.failed(attempt.number)
        try:
            # A redirect would send the key to another address.
            response = self._http.request(
                request.method,
                request.url,
                headers=headers,
                content=request.body,
                timeout=request.timeout,
                follow_redirects=False,
            )
        except httpx.TimeoutException:
            late = f"{request.method} {request.path} had no response within {request.timeout} s."
            return None, FlorinTimeoutError(late, failed)
        except httpx.RequestError as cause:
            lost = FlorinConnectionError(f"{request.method} {request.url} failed: {cause}", failed)
            lost.__cause__ = cause
            return None, lost
        # An earlier attempt has deleted it, and its response was lost.
        is_deleted = request.method == "DELETE" and response.status_code == 404 and may_be_processed
        return response, None if response.is_success or is_deleted else error_of(response, failed)


def read(result: type[Result], response: httpx.Response, request: Request, attempts: int) -> Result:
    try:
        model: Result = TypeAdapter(result).validate_json(response.content)
    except ValidationError as problem:
        raise unexpected(response, request.failed(attempts)) from problem
    if isinstance(model, Model):
        headers = response.headers
        replayed = headers.get("idempotent-replayed") == "true"
        model._response = ResponseInfo(response.status_code, headers.get("x-request-id"), replayed, headers)
    return model


def error_of(response: httpx.Response, failed: FailedRequest) -> ApiError:
    try:
        body = response.json()
        code, message = body["code"], body["message"]
    except (ValueError, KeyError, TypeError):
        return unexpected(response, failed)
    request_id = body.get("requestId") or response.headers.get("x-request-id")
    return ApiError(code, message, response.status_code, failed, request_id, retry_after_of(response))


def unexpected(response: httpx.Response, failed: FailedRequest) -> ApiError:
    url = response.request.url
    message = (
        f"{url.scheme}://{url.netloc.decode()} returned {response.status_code} without JSON of Florin: "
        "check the base_url and the proxies before it."
    )
    request_id = response.headers.get("x-request-id")
    return ApiError("unexpected_response", message, response.status_code, failed, request_id, retry_after_of(response))


def retry_after_of(response: httpx.Response) -> float | None:
    return read_retry_after(response.headers.get("retry-after"))


def path_of(route: str, id: str | None) -> str:
    """An empty id would request another path, for example the list."""
    if "{id}" not in route:
        return route
    if not isinstance(id, str) or id == "":
        raise ConfigurationError(f"The id for {route} is missing.")
    return route.replace("{id}", quote(id, safe=""))


def query_of(query: Mapping[str, Any]) -> str:
    """`holder_id` becomes `holderId`, and a dictionary `metadata[key]=value`."""
    parameters: dict[str, str] = {}
    for name, value in query.items():
        if isinstance(value, Mapping):
            parameters |= {f"{alias_of(name)}[{key}]": str(inner) for key, inner in value.items()}
        elif value is not None:
            parameters[alias_of(name)] = text_of(value)
    return f"?{urlencode(parameters)}" if parameters else ""


def text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    return str(value)
