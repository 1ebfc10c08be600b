"""The client against the running product."""

from __future__ import annotations

import re
import time
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from uuid import uuid4

import pytest
from scripted_server import Reply, ScriptedServer

from florin import ApiError, Florin, response_of, webhooks
from florin.models import (
    BulkOperationsCreation,
    BulkUnloadOperation,
    Card,
    CardChange,
    CardEvent,
    CardLimitChanges,
    Holder,
    HolderChange,
    HolderCreation,
    InvoiceCreation,
    IssueOperation,
    IssueQuote,
    SandboxCardStatus,
    SandboxEvent,
    SandboxFunding,
    SandboxRefund,
    SandboxTransaction,
    UnloadOperation,
    UnloadQuote,
    WebhookEndpointChange,
    WebhookEndpointCreation,
    WebhookRecovery,
)

README = Path(__file__).parent.parent / "README.md"


@pytest.fixture(scope="module")
def holder(product: Florin) -> Holder:
    product.sandbox.fund(SandboxFunding(amount="1000.00"))
    external_id = str(uuid4())
    return product.holders.create(
        HolderCreation(name="Ada Example", email="ada@example.com", kind="individual", external_id=external_id)
    )


@pytest.fixture(scope="module")
def card(product: Florin, holder: Holder) -> Card:
    request = {"product_id": "virtual-usd", "amount": "100.00", "holder_id": holder.id}
    quote = product.quotes.create(IssueQuote.model_validate(request))
    order = product.operations.create(IssueOperation.model_validate({**request, "expected_total": quote.total}))
    operation = product.operations.wait_for(order.id)
    assert (operation.status, operation.total) == ("completed", quote.total)
    assert operation.result.card_id is not None
    return product.cards.get(operation.result.card_id)


def test_holders(product: Florin, holder: Holder) -> None:
    changed = product.holders.update(holder.id, HolderChange(metadata={"team": "sales"}))
    assert changed.metadata == {"team": "sales"}
    assert product.holders.get(holder.id) == changed
    assert [found.id for found in product.holders.list(external_id=holder.external_id)] == [holder.id]


def test_cards(product: Florin, card: Card) -> None:
    limited = product.cards.update(card.id, CardChange(name="Travel", limits=CardLimitChanges(daily="500.00")))
    assert (limited.name, limited.limits.daily) == ("Travel", "500.00")
    limits = CardLimitChanges(daily=None)
    assert product.cards.update(card.id, CardChange(limits=limits)).limits.daily is None
    assert product.cards.freeze(card.id).status == "frozen"
    assert product.cards.unfreeze(card.id).status == "active"
    assert product.cards.reveal(card.id).url.startswith("http")


def test_card_payments(product: Florin, card: Card) -> None:
    payment = SandboxTransaction(card_id=card.id, amount="12.50", merchant="Coffee House", capture=False)
    first, second, third = (product.sandbox.create_transaction(payment) for _ in range(3))
    assert product.sandbox.clear_transaction(first.id).status == "completed"
    assert product.sandbox.refund_transaction(first.id, SandboxRefund(amount="1.00")).type == "refund"
    assert product.sandbox.reverse_transaction(second.id).status == "reversed"
    assert product.sandbox.expire_transaction(third.id).status == "expired"
    assert product.transactions.get(first.id).merchant == "Coffee House"
    since = datetime.now(timezone.utc) - timedelta(hours=1)
    listed = {payment.id for payment in product.transactions.list(card_id=card.id, from_=since, limit=2)}
    assert {first.id, second.id, third.id} <= listed


def test_operations(product: Florin, card: Card) -> None:
    quote = product.quotes.create(UnloadQuote(card_id=card.id, amount="5.00"))
    unload = UnloadOperation(card_id=card.id, amount="5.00", expected_total=quote.total)
    key = str(uuid4())
    first = product.operations.create(unload, idempotency_key=key)
    again = product.operations.create(unload, idempotency_key=key)
    assert (again.id, response_of(first).replayed, response_of(again).replayed) == (first.id, False, True)
    assert response_of(again).request_id is not None
    assert product.operations.wait_for(first.id).status == "completed"
    assert first.id in [entry.id for entry in product.operations.list(card_id=card.id, limit=1)]
    with pytest.raises(ApiError) as conflict:
        product.operations.create(unload.model_copy(update={"amount": "6.00"}), idempotency_key=key)
    assert conflict.value.code == "idempotency_conflict"
    with pytest.raises(ApiError) as changed:
        product.operations.create(unload.model_copy(update={"expected_total": "1.00"}))
    assert (changed.value.code, changed.value.status) == ("quote_changed", 409)


def test_many_operations(product: Florin, card: Card) -> None:
    unload = BulkUnloadOperation(idempotency_key=str(uuid4()), card_id=card.id, amount="1.00", expected_total="1.00")
    wrong = unload.model_copy(update={"idempotency_key": str(uuid4()), "amount": "2.00"})
    accepted, rejected = product.operations.create_many(BulkOperationsCreation(operations=[unload, wrong])).results
    assert accepted.operation is not None and rejected.error is not None
    assert (accepted.status, accepted.operation.amount) == (201, "1.00")
    assert (rejected.status, rejected.error.code) == (409, "quote_changed")
    assert product.operations.wait_for(accepted.operation.id).status == "completed"


def test_a_misspelled_field_is_rejected_by_florin(product: Florin) -> None:
    with pytest.raises(ApiError) as caught:
        product.sandbox.fund(SandboxFunding.model_validate({"amount": "1.00", "amont": "2.00"}))
    assert caught.value.code == "validation_failed"


def test_the_account(product: Florin, card: Card) -> None:
    today = datetime.now(timezone.utc).date()
    yesterday = today - timedelta(days=1)
    assert product.balance.get().currency == "USD"
    assert product.balance.get_history(from_=yesterday, to=yesterday).from_ == yesterday
    assert product.balance.explain(all=True, limit=2).events
    # At midnight, today has changed.
    statement = product.statements.get(from_=yesterday, to=today)
    assert isinstance(statement.from_, date)
    assert product.statements.get_csv(from_=yesterday, to=today).count("\n") > 1
    verified = product.statements.verify(from_=yesterday, to=today, revision=statement.revision, hash=statement.hash)
    assert verified.valid
    assert "virtual-usd" in [entry.id for entry in product.products.list().data]


def test_invoices(product: Florin) -> None:
    invoice = product.invoices.create(InvoiceCreation(amount="100", metadata={"order": "4711"}))
    assert product.invoices.get(invoice.id).deposit_amount == invoice.deposit_amount
    assert product.sandbox.complete_invoice(invoice.id).status == "completed"
    assert invoice.id in [entry.id for entry in product.invoices.list(metadata={"order": "4711"})]
    canceled = product.invoices.cancel(product.invoices.create(InvoiceCreation(amount="200")).id)
    assert canceled.id != invoice.id


def blocking_received_by(server: ScriptedServer, secret: str) -> CardEvent:
    """Events of earlier tests may arrive before it."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for received in list(server.requests):
            event = webhooks.verify(received.body, received.headers["service-signature"], secret)
            if isinstance(event, CardEvent) and event.data.object.status == "blocked":
                return event
        time.sleep(0.05)
    raise AssertionError("The event did not arrive within 60 s")


def test_webhooks(product: Florin, card: Card, server: ScriptedServer) -> None:
    server.follow(Reply(204))
    endpoints = product.webhook_endpoints
    endpoint = endpoints.create(WebhookEndpointCreation(url=f"{server.url}/webhooks"))
    product.sandbox.set_card_status(card.id, SandboxCardStatus(status="blocked"))
    event = blocking_received_by(server, endpoint.secret)
    assert (event.type, event.data.object.id) == ("card.updated", card.id)
    assert product.events.get(event.id) == event
    assert event in list(product.events.list(type="card.updated"))
    product.events.resend(event.id)
    assert endpoints.test(endpoint.id).type == "webhook_endpoint.test"
    assert product.sandbox.trigger_event(SandboxEvent(type="holder.created")).type == "holder.created"
    since = datetime.now(timezone(timedelta(hours=2))) - timedelta(hours=1)
    endpoints.recover(endpoint.id, WebhookRecovery(since=since))
    assert any(delivery.event_id == event.id for delivery in endpoints.list_deliveries(endpoint.id))
    assert endpoints.rotate_secret(endpoint.id).secret != endpoint.secret
    assert endpoints.update(endpoint.id, WebhookEndpointChange(status="disabled")).status == "disabled"
    assert endpoints.get(endpoint.id).id in [entry.id for entry in endpoints.list().data]
    endpoints.delete(endpoint.id)
    with pytest.raises(ApiError) as caught:
        endpoints.get(endpoint.id)
    assert caught.value.code == "not_found"


def test_the_examples_of_the_readme(product: Florin, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    exec(compile("\n".join(blocks), str(README), "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("completed ")
    assert lines[1].startswith("True True ")
    assert [line for line in lines if re.match(r"quote_changed |1 None|204|GET /api/v1/products 1 200", line)][3:]
