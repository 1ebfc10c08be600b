from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from typing_extensions import Unpack

from florin.models import (
    Card,
    CardChange,
    CardReveal,
    CardStatus,
    Holder,
    HolderChange,
    HolderCreation,
    HolderKind,
    HolderStatus,
    Transaction,
    TransactionStatus,
    TransactionType,
)
from florin.options import RequestOptions
from florin.pages import PAGE_SIZE, List
from florin.resources.resource import Resource


class Cards(Resource):
    def list(
        self,
        *,
        status: CardStatus | None = None,
        holder_id: str | None = None,
        product_id: str | None = None,
        metadata: Mapping[str, str] | None = None,
        limit: int = PAGE_SIZE,
        cursor: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> List[Card]:
        """Newest first."""
        query = {"status": status, "holder_id": holder_id, "product_id": product_id, "metadata": metadata}
        return self._api.list(Card, "/api/v1/cards", options, limit=limit, cursor=cursor, query=query)

    def get(self, id: str, **options: Unpack[RequestOptions]) -> Card:
        return self._api.request(Card, "GET", "/api/v1/cards/{id}", options, id=id)

    def update(self, id: str, body: CardChange, **options: Unpack[RequestOptions]) -> Card:
        """Changes the name, the spending limits or the metadata. None removes a limit."""
        return self._api.request(Card, "PATCH", "/api/v1/cards/{id}", options, id=id, body=body)

    def freeze(self, id: str, **options: Unpack[RequestOptions]) -> Card:
        return self._api.request(Card, "POST", "/api/v1/cards/{id}/freeze", options, id=id)

    def unfreeze(self, id: str, **options: Unpack[RequestOptions]) -> Card:
        return self._api.request(Card, "POST", "/api/v1/cards/{id}/unfreeze", options, id=id)

    def close(self, id: str, **options: Unpack[RequestOptions]) -> Card:
        """Closes an empty card permanently."""
        return self._api.request(Card, "POST", "/api/v1/cards/{id}/close", options, id=id)

    def reveal(self, id: str, **options: Unpack[RequestOptions]) -> CardReveal:
        """The address of a page that shows the number, expiry and CVC once, in the browser of the cardholder."""
        return self._api.request(CardReveal, "POST", "/api/v1/cards/{id}/reveal", options, id=id)


class Holders(Resource):
    def create(self, body: HolderCreation, **options: Unpack[RequestOptions]) -> Holder:
        return self._api.request(Holder, "POST", "/api/v1/holders", options, body=body)

    def list(
        self,
        *,
        kind: HolderKind | None = None,
        status: HolderStatus | None = None,
        external_id: str | None = None,
        metadata: Mapping[str, str] | None = None,
        limit: int = PAGE_SIZE,
        cursor: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> List[Holder]:
        """Newest first."""
        query = {"kind": kind, "status": status, "external_id": external_id, "metadata": metadata}
        return self._api.list(Holder, "/api/v1/holders", options, limit=limit, cursor=cursor, query=query)

    def get(self, id: str, **options: Unpack[RequestOptions]) -> Holder:
        return self._api.request(Holder, "GET", "/api/v1/holders/{id}", options, id=id)

    def update(self, id: str, body: HolderChange, **options: Unpack[RequestOptions]) -> Holder:
        return self._api.request(Holder, "PATCH", "/api/v1/holders/{id}", options, id=id, body=body)


class Transactions(Resource):
    def list(
        self,
        *,
        card_id: str | None = None,
        type: TransactionType | None = None,
        status: TransactionStatus | None = None,
        from_: datetime | str | None = None,
        to: datetime | str | None = None,
        limit: int = PAGE_SIZE,
        cursor: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> List[Transaction]:
        """Newest first."""
        query = {"card_id": card_id, "type": type, "status": status, "from_": from_, "to": to}
        return self._api.list(Transaction, "/api/v1/transactions", options, limit=limit, cursor=cursor, query=query)

    def get(self, id: str, **options: Unpack[RequestOptions]) -> Transaction:
        return self._api.request(Transaction, "GET", "/api/v1/transactions/{id}", options, id=id)
