"""The client of the Florin API."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType

import httpx

from florin import webhooks
from florin.api_client import ApiClient
from florin.hooks import Hooks
from florin.models import Environment
from florin.options import Configuration, base_url_of, environment_of
from florin.resources.account import BalanceResource, Products, Statements
from florin.resources.cards import Cards, Holders, Transactions
from florin.resources.events import Events, WebhookEndpoints
from florin.resources.operations import Invoices, Operations, Quotes
from florin.resources.sandbox import Sandbox


class Florin:
    """A client with the key of one company and environment. Threads can share it. Close it, or use it in `with`."""

    webhooks = webhooks

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str | Mapping[Environment, str] | None = None,
        timeout: float = 30,
        max_retries: int = 3,
        retry_delay: float = 0.5,
        hooks: Hooks | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        """
        :param api_key: `fl_test_…` for the sandbox, `fl_live_…` for live. Keep it on your servers.
        :param base_url: The address of Florin, or one for each environment. The default for the sandbox is
            http://127.0.0.1:3000, where `npm start` serves it.
        :param timeout: The seconds to wait for a connection and for data, in each attempt.
        :param max_retries: The number of repetitions after 429, 503 and broken connections.
        :param retry_delay: The seconds before the first repetition, which double with each. `Retry-After` adds to it.
        :param hooks: Called around every attempt, for traces and logs.
        :param http_client: Replaces the default one, for proxies and certificates. You close it yourself.
        """
        self.environment: Environment = environment_of(api_key)
        """The environment of the key."""
        self.base_url = base_url_of(base_url, self.environment)
        configuration = Configuration(
            api_key, self.environment, self.base_url, timeout, max_retries, retry_delay, hooks or Hooks()
        )
        self._http = http_client or httpx.Client()
        self._owns_http = http_client is None
        api = ApiClient(configuration, self._http)
        self.balance = BalanceResource(api)
        self.cards = Cards(api)
        self.events = Events(api)
        self.holders = Holders(api)
        self.invoices = Invoices(api)
        self.operations = Operations(api)
        self.products = Products(api)
        self.quotes = Quotes(api)
        self.sandbox = Sandbox(api)
        self.statements = Statements(api)
        self.transactions = Transactions(api)
        self.webhook_endpoints = WebhookEndpoints(api)

    def close(self) -> None:
        """Closes the connections."""
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Florin:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
