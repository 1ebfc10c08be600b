from __future__ import annotations

from typing_extensions import Unpack

from florin.models import (
    Card,
    FundingInvoice,
    Nothing,
    RequestedEvent,
    SandboxCardStatus,
    SandboxClearing,
    SandboxEvent,
    SandboxFunding,
    SandboxRefund,
    SandboxTransaction,
    Transaction,
)
from florin.options import RequestOptions
from florin.resources.resource import Resource

TRANSACTIONS = "/api/v1/sandbox/transactions"


class Sandbox(Resource):
    """Simulates what others do: payers, merchants and the card issuer. Only for keys of the sandbox."""

    def fund(self, body: SandboxFunding, **options: Unpack[RequestOptions]) -> Nothing:
        """Credits the account."""
        return self._api.request(Nothing, "POST", "/api/v1/sandbox/funding", options, body=body)

    def complete_invoice(self, id: str, **options: Unpack[RequestOptions]) -> FundingInvoice:
        """Pays an invoice."""
        return self._api.request(FundingInvoice, "POST", "/api/v1/sandbox/invoices/{id}/complete", options, id=id)

    def set_card_status(self, id: str, body: SandboxCardStatus, **options: Unpack[RequestOptions]) -> Card:
        """Changes the status of a card as the issuer does."""
        return self._api.request(Card, "POST", "/api/v1/sandbox/cards/{id}/status", options, id=id, body=body)

    def trigger_event(self, body: SandboxEvent, **options: Unpack[RequestOptions]) -> RequestedEvent:
        """Publishes a sample event to your webhook endpoints."""
        return self._api.request(RequestedEvent, "POST", "/api/v1/sandbox/events", options, body=body)

    def create_transaction(self, body: SandboxTransaction, **options: Unpack[RequestOptions]) -> Transaction:
        """Pays with a card."""
        return self._api.request(Transaction, "POST", TRANSACTIONS, options, body=body)

    def clear_transaction(
        self, id: str, body: SandboxClearing | None = None, **options: Unpack[RequestOptions]
    ) -> Transaction:
        clearing = body or SandboxClearing()
        return self._api.request(Transaction, "POST", f"{TRANSACTIONS}/{{id}}/clear", options, id=id, body=clearing)

    def reverse_transaction(self, id: str, **options: Unpack[RequestOptions]) -> Transaction:
        return self._api.request(Transaction, "POST", f"{TRANSACTIONS}/{{id}}/reverse", options, id=id)

    def expire_transaction(self, id: str, **options: Unpack[RequestOptions]) -> Transaction:
        return self._api.request(Transaction, "POST", f"{TRANSACTIONS}/{{id}}/expire", options, id=id)

    def refund_transaction(
        self, id: str, body: SandboxRefund | None = None, **options: Unpack[RequestOptions]
    ) -> Transaction:
        refund = body or SandboxRefund()
        return self._api.request(Transaction, "POST", f"{TRANSACTIONS}/{{id}}/refund", options, id=id, body=refund)
