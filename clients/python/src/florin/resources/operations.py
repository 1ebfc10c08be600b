from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime

from typing_extensions import Unpack

from florin.errors import WaitTimeoutError
from florin.models import (
    BulkOperationsCreation,
    BulkResults,
    FundingInvoice,
    InvoiceCreation,
    InvoiceStatus,
    Operation,
    OperationCreation,
    OperationStatus,
    OperationType,
    Quote,
    QuoteCreation,
)
from florin.options import RequestOptions
from florin.pages import PAGE_SIZE, List
from florin.resources.resource import Resource

# These do not change without an operator.
SETTLED = ("completed", "failed", "manual_review")
# Short at first, because most operations complete within a second; then longer, because each read counts as a request.
FIRST_PAUSE, MAX_PAUSE = 0.2, 5.0


class Operations(Resource):
    def create(self, body: OperationCreation, **options: Unpack[RequestOptions]) -> Operation:
        """
        Issues, tops up or unloads a card, or orders a service. The total is reserved when it returns; `wait_for` waits
        for the outcome.
        """
        return self._api.request(Operation, "POST", "/api/v1/operations", options, body=body)

    def create_many(self, body: BulkOperationsCreation, **options: Unpack[RequestOptions]) -> BulkResults:
        """
        Requests up to 500 operations, each with its own `idempotency_key`. Returns the outcome of each, in the same
        order: it does not raise an error if some of them, or all, are rejected.
        """
        return self._api.request(BulkResults, "POST", "/api/v1/operations/bulk", options, body=body)

    def list(
        self,
        *,
        type: OperationType | None = None,
        status: OperationStatus | None = None,
        card_id: str | None = None,
        metadata: Mapping[str, str] | None = None,
        created_from: datetime | str | None = None,
        created_to: datetime | str | None = None,
        limit: int = PAGE_SIZE,
        cursor: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> List[Operation]:
        """Newest first."""
        query = {
            "type": type,
            "status": status,
            "card_id": card_id,
            "metadata": metadata,
            "created_from": created_from,
            "created_to": created_to,
        }
        return self._api.list(Operation, "/api/v1/operations", options, limit=limit, cursor=cursor, query=query)

    def get(self, id: str, **options: Unpack[RequestOptions]) -> Operation:
        return self._api.request(Operation, "GET", "/api/v1/operations/{id}", options, id=id)

    def wait_for(self, id: str, *, timeout: float = 60) -> Operation:
        """
        Waits until the operation is `completed`, `failed` or in `manual_review`, and returns it. Raises a
        `WaitTimeoutError` after `timeout` seconds; the operation continues, so you can wait for it again.
        """
        deadline = time.monotonic() + timeout
        pause = FIRST_PAUSE
        while True:
            operation = self.get(id)
            if operation.status in SETTLED:
                return operation
            left = deadline - time.monotonic()
            if left <= 0:
                raise WaitTimeoutError(f"Operation {id} is still {operation.status} after {timeout} s.", operation)
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, MAX_PAUSE)


class Quotes(Resource):
    def create(self, body: QuoteCreation, **options: Unpack[RequestOptions]) -> Quote:
        """The price of an operation. Send its `total` as the `expected_total` of the operation."""
        return self._api.request(Quote, "POST", "/api/v1/quotes", options, body=body)


class Invoices(Resource):
    def create(self, body: InvoiceCreation, **options: Unpack[RequestOptions]) -> FundingInvoice:
        """Funds the account: the payer sends exactly `pay_amount` to `address`, or opens `payment_url`."""
        return self._api.request(FundingInvoice, "POST", "/api/v1/card-account/invoices", options, body=body)

    def list(
        self,
        *,
        status: InvoiceStatus | None = None,
        metadata: Mapping[str, str] | None = None,
        created_from: datetime | str | None = None,
        created_to: datetime | str | None = None,
        limit: int = PAGE_SIZE,
        cursor: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> List[FundingInvoice]:
        """Newest first."""
        query = {"status": status, "metadata": metadata, "created_from": created_from, "created_to": created_to}
        return self._api.list(
            FundingInvoice, "/api/v1/card-account/invoices", options, limit=limit, cursor=cursor, query=query
        )

    def get(self, id: str, **options: Unpack[RequestOptions]) -> FundingInvoice:
        return self._api.request(FundingInvoice, "GET", "/api/v1/card-account/invoices/{id}", options, id=id)

    def cancel(self, id: str, **options: Unpack[RequestOptions]) -> FundingInvoice:
        return self._api.request(FundingInvoice, "POST", "/api/v1/card-account/invoices/{id}/cancel", options, id=id)
