"""Errors of the client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from florin.model import Model
from florin.models import ErrorCode


@dataclass(frozen=True)
class FailedRequest:
    """The request that failed, without its body and key."""

    method: str
    path: str
    idempotency_key: str | None
    """Send it again with the same body to repeat a POST without a second effect."""
    attempts: int


class FlorinError(Exception):
    """Every error of the client, except `WebhookVerificationError`."""


class ConfigurationError(FlorinError):
    """A setting of the client or an id is missing or invalid."""


class ApiError(FlorinError):
    """Florin has rejected the request, or could not process it. The message says what is wrong and what to do."""

    def __init__(
        self,
        code: ErrorCode | Literal["unexpected_response"],
        message: str,
        status: int,
        request: FailedRequest,
        request_id: str | None,
        retry_after: float | None,
    ) -> None:
        super().__init__(f"{message} ({code}, request {request_id})")
        self.code = code
        """`unexpected_response`: something else than Florin has responded."""
        self.message = message
        self.status = status
        self.request = request
        self.request_id = request_id
        """Include it when you contact support."""
        self.retry_after = retry_after
        """The seconds to wait before the request is repeated."""


class FlorinConnectionError(FlorinError):
    """There was no complete response. It is unknown whether Florin has processed the request."""

    def __init__(self, message: str, request: FailedRequest) -> None:
        super().__init__(message)
        self.request = request


class FlorinTimeoutError(FlorinConnectionError):
    """The response did not arrive in time."""


class WaitTimeoutError(FlorinError):
    """`wait_for` has ended before the object reached a final state."""

    def __init__(self, message: str, last: Model) -> None:
        super().__init__(message)
        self.last = last
        """The object as it was last read."""
