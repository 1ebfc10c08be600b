"""Webhook events, also of types that this version does not know."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AwareDatetime, Field, TypeAdapter
from typing_extensions import TypeAliasType

from florin.model import Model
from florin.models import WebhookEvent


class UnknownEvent(Model):
    """An event of a newer Florin. `data.object` is not parsed."""

    id: str
    type: str
    created_at: AwareDatetime | None = None
    environment: str | None = None
    company_id: str | None = None
    object_version: int | None = None
    data: dict[str, Any] = Field(default_factory=dict)


Event = TypeAliasType(
    "Event",
    Annotated[Annotated[WebhookEvent, Field(discriminator="type")] | UnknownEvent, Field(union_mode="left_to_right")],
)

event_adapter: TypeAdapter[Event] = TypeAdapter(Event)
