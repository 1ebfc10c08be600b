"""The Python client of the Florin API."""

from florin import models, webhooks
from florin.client import Florin
from florin.errors import (
    ApiError,
    ConfigurationError,
    FailedRequest,
    FlorinConnectionError,
    FlorinError,
    FlorinTimeoutError,
    WaitTimeoutError,
)
from florin.events import Event, UnknownEvent
from florin.hooks import Attempt, AttemptOutcome, Hooks
from florin.model import ResponseInfo, response_of
from florin.options import RequestOptions, environment_of
from florin.pages import List, Page
from florin.webhooks import WebhookVerificationError

__all__ = [
    "ApiError",
    "Attempt",
    "AttemptOutcome",
    "ConfigurationError",
    "Event",
    "FailedRequest",
    "Florin",
    "FlorinConnectionError",
    "FlorinError",
    "FlorinTimeoutError",
    "Hooks",
    "List",
    "Page",
    "RequestOptions",
    "ResponseInfo",
    "UnknownEvent",
    "WaitTimeoutError",
    "WebhookVerificationError",
    "environment_of",
    "models",
    "response_of",
    "webhooks",
]
