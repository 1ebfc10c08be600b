from __future__ import annotations

from datetime import datetime
from typing import Any

from typing_extensions import Unpack

from florin.events import Event
from florin.models import (
    DeliveryStatus,
    EventResend,
    EventType,
    Nothing,
    RequestedEvent,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEndpointChange,
    WebhookEndpointCreation,
    WebhookEndpointList,
    WebhookEndpointWithSecret,
    WebhookRecovery,
)
from florin.options import RequestOptions
from florin.pages import PAGE_SIZE, List
from florin.resources.resource import Resource

# A union, which type checkers do not accept as a type.
EVENT: Any = Event
ENDPOINTS = "/api/v1/webhook-endpoints"
ENDPOINT = "/api/v1/webhook-endpoints/{id}"


class Events(Resource):
    def list(
        self,
        *,
        type: EventType | None = None,
        created_from: datetime | str | None = None,
        created_to: datetime | str | None = None,
        limit: int = PAGE_SIZE,
        cursor: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> List[Event]:
        """The webhook events of the last 90 days, newest first."""
        query = {"type": type, "created_from": created_from, "created_to": created_to}
        return self._api.list(EVENT, "/api/v1/events", options, limit=limit, cursor=cursor, query=query)

    def get(self, id: str, **options: Unpack[RequestOptions]) -> Event:
        event: Event = self._api.request(EVENT, "GET", "/api/v1/events/{id}", options, id=id)
        return event

    def resend(self, id: str, body: EventResend | None = None, **options: Unpack[RequestOptions]) -> Nothing:
        """Sends the event again, to one endpoint or to all that subscribe to its type."""
        resend = body or EventResend()
        return self._api.request(Nothing, "POST", "/api/v1/events/{id}/resend", options, id=id, body=resend)


class WebhookEndpoints(Resource):
    def create(self, body: WebhookEndpointCreation, **options: Unpack[RequestOptions]) -> WebhookEndpointWithSecret:
        """Only this response contains the `secret` for `webhooks.verify`."""
        return self._api.request(WebhookEndpointWithSecret, "POST", ENDPOINTS, options, body=body)

    def list(self, **options: Unpack[RequestOptions]) -> WebhookEndpointList:
        """All endpoints at once."""
        return self._api.request(WebhookEndpointList, "GET", ENDPOINTS, options)

    def get(self, id: str, **options: Unpack[RequestOptions]) -> WebhookEndpoint:
        return self._api.request(WebhookEndpoint, "GET", ENDPOINT, options, id=id)

    def update(self, id: str, body: WebhookEndpointChange, **options: Unpack[RequestOptions]) -> WebhookEndpoint:
        return self._api.request(WebhookEndpoint, "PATCH", ENDPOINT, options, id=id, body=body)

    def delete(self, id: str, **options: Unpack[RequestOptions]) -> None:
        self._api.delete(ENDPOINT, options, id=id)

    def rotate_secret(self, id: str, **options: Unpack[RequestOptions]) -> WebhookEndpointWithSecret:
        """Both secrets are valid for 24 hours."""
        return self._api.request(WebhookEndpointWithSecret, "POST", f"{ENDPOINT}/rotate-secret", options, id=id)

    def test(self, id: str, **options: Unpack[RequestOptions]) -> RequestedEvent:
        """Sends a `webhook_endpoint.test` event to this endpoint."""
        return self._api.request(RequestedEvent, "POST", f"{ENDPOINT}/test", options, id=id)

    def recover(self, id: str, body: WebhookRecovery, **options: Unpack[RequestOptions]) -> Nothing:
        """Sends every event since a time that the endpoint has not acknowledged."""
        return self._api.request(Nothing, "POST", f"{ENDPOINT}/recover", options, id=id, body=body)

    def list_deliveries(
        self,
        id: str,
        *,
        status: DeliveryStatus | None = None,
        limit: int = PAGE_SIZE,
        cursor: str | None = None,
        **options: Unpack[RequestOptions],
    ) -> List[WebhookDelivery]:
        """Newest first, with the response to every attempt."""
        query = {"status": status}
        return self._api.list(
            WebhookDelivery, f"{ENDPOINT}/deliveries", options, limit=limit, cursor=cursor, id=id, query=query
        )
