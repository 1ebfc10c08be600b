from __future__ import annotations

from datetime import date, datetime

from typing_extensions import Unpack

from florin.models import (
    AccountStatement,
    Balance,
    BalanceExplanation,
    BalanceHistory,
    ProductList,
    StatementVerification,
)
from florin.options import RequestOptions
from florin.resources.resource import Resource


class BalanceResource(Resource):
    def get(self, **options: Unpack[RequestOptions]) -> Balance:
        return self._api.request(Balance, "GET", "/api/v1/balance", options)

    def get_history(self, *, from_: date | str, to: date | str, **options: Unpack[RequestOptions]) -> BalanceHistory:
        """The balance at the end of each day."""
        query = {"from_": from_, "to": to}
        return self._api.request(BalanceHistory, "GET", "/api/v1/balance/history", options, query=query)

    def explain(
        self,
        *,
        at: datetime | str | None = None,
        all: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> BalanceExplanation:
        """How the balance came about: days, or with `all=True` events. Pass `next_cursor` as `cursor` to read on."""
        query = {"at": at, "all": all, "limit": limit, "cursor": cursor}
        return self._api.request(BalanceExplanation, "GET", "/api/v1/balance/explain", options, query=query)


class Statements(Resource):
    def get(
        self, *, from_: date | str, to: date | str, revision: int | None = None, **options: Unpack[RequestOptions]
    ) -> AccountStatement:
        """The entries of the account between two UTC dates, both inclusive."""
        query = {"from_": from_, "to": to, "revision": revision}
        return self._api.request(AccountStatement, "GET", "/api/v1/account-statements", options, query=query)

    def get_csv(
        self, *, from_: date | str, to: date | str, revision: int | None = None, **options: Unpack[RequestOptions]
    ) -> str:
        """The same entries as CSV."""
        query = {"from_": from_, "to": to, "revision": revision}
        return self._api.text("/api/v1/account-statements", "text/csv", options, query)

    def verify(
        self, *, from_: date | str, to: date | str, revision: int, hash: str, **options: Unpack[RequestOptions]
    ) -> StatementVerification:
        """Confirms an earlier statement by its dates, revision and hash."""
        query = {"from_": from_, "to": to, "revision": revision, "hash": hash}
        return self._api.request(
            StatementVerification, "GET", "/api/v1/account-statements/verify", options, query=query
        )


class Products(Resource):
    def list(self, **options: Unpack[RequestOptions]) -> ProductList:
        """The available products with their fees, all at once."""
        return self._api.request(ProductList, "GET", "/api/v1/products", options)
