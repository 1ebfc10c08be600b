"""Settings of the client and of single calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypedDict

from florin.errors import ConfigurationError
from florin.hooks import Hooks
from florin.models import Environment

PREFIXES: dict[str, Environment] = {"fl_test_": "sandbox", "fl_live_": "live"}
LOCAL_SANDBOX = "http://127.0.0.1:3000"


class RequestOptions(TypedDict, total=False):
    """Options of one call; they override those of the client."""

    idempotency_key: str
    """Of a POST. The default is a new random key for each call."""
    request_id: str
    """Sent as `X-Request-Id`; Florin generates one otherwise."""
    timeout: float
    max_retries: int


@dataclass(frozen=True)
class Configuration:
    api_key: str = field(repr=False)
    environment: Environment
    base_url: str
    timeout: float
    max_retries: int
    retry_delay: float
    hooks: Hooks

    def __post_init__(self) -> None:
        # Written so that NaN is rejected.
        if not self.timeout > 0:
            raise ConfigurationError(f"timeout is {self.timeout}. Pass a number above 0.")
        for name in ("max_retries", "retry_delay"):
            if not getattr(self, name) >= 0:
                raise ConfigurationError(f"{name} is {getattr(self, name)}. Pass 0 or more.")


def environment_of(api_key: str) -> Environment:
    """The environment that a key belongs to, by its prefix."""
    for prefix, environment in PREFIXES.items():
        if isinstance(api_key, str) and api_key.startswith(prefix):
            return environment
    raise ConfigurationError("The api_key begins with neither fl_test_ nor fl_live_. Pass an API key of your company.")


def base_url_of(option: str | Mapping[Environment, str] | None, environment: Environment) -> str:
    given = option.get(environment) if isinstance(option, Mapping) else option
    url = given or (LOCAL_SANDBOX if environment == "sandbox" else None)
    if url is None:
        raise ConfigurationError(f"There is no base_url for {environment}. Pass the address of Florin.")
    if not url.startswith(("http://", "https://")):
        raise ConfigurationError(f"The base_url {url} does not begin with http:// or https://.")
    return url.rstrip("/")
