"""Hooks for traces and logs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Attempt:
    """One attempt to send a request."""

    method: str
    route: str
    """The path with its parameters as in the API reference, for example `/api/v1/operations/{id}`."""
    url: str
    number: int
    """From 1."""
    idempotency_key: str | None
    headers: dict[str, str]
    """A hook may add headers, such as `traceparent`. `Authorization` is added later."""


@dataclass(frozen=True)
class AttemptOutcome:
    """What an attempt has led to."""

    duration: float
    """In seconds."""
    status: int | None = None
    """None if there was no response."""
    request_id: str | None = None
    error: Exception | None = None
    """None if the attempt has succeeded."""
    retry_in: float | None = None
    """The seconds before the next attempt; None if there is none."""


@dataclass(frozen=True)
class Hooks:
    """Called around every attempt. An error that a hook raises ends the call."""

    on_request: Callable[[Attempt], None] | None = None
    on_response: Callable[[Attempt, AttemptOutcome], None] | None = None
