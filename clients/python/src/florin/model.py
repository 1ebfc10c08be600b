"""The base of all models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_origin

from pydantic import BaseModel, ConfigDict, PrivateAttr
from pydantic.alias_generators import to_camel


@dataclass(frozen=True)
class ResponseInfo:
    """The response that an object was read from. It is no part of the object, so two of them are always equal."""

    status: int | None = field(default=None, compare=False)
    request_id: str | None = field(default=None, compare=False)
    replayed: bool = field(default=False, compare=False)
    """Whether Florin has replayed the response of an earlier request with the same key."""
    headers: Mapping[str, str] = field(default_factory=dict, compare=False)


def alias_of(name: str) -> str:
    """`card_id` is `cardId`, and `from_` is `from`."""
    return to_camel(name.rstrip("_"))


class Model(BaseModel):
    """Has names like `card_id` for the field `cardId`. Keeps the fields that only a newer Florin has."""

    model_config = ConfigDict(alias_generator=alias_of, populate_by_name=True, extra="allow")

    _response: ResponseInfo = PrivateAttr(default_factory=ResponseInfo)

    def model_post_init(self, context: Any, /) -> None:
        # Constants such as `type` have a default, but are part of the request.
        constants = (name for name, info in type(self).model_fields.items() if get_origin(info.annotation) is Literal)
        self.model_fields_set.update(constants)

    def to_json(self) -> str:
        """As it is sent: with `null` where you have set None, and without the fields that you have not set."""
        return self.model_dump_json(by_alias=True, exclude_unset=True)


def response_of(result: Model) -> ResponseInfo:
    """The status, the request id and the headers of the response that a call has returned."""
    return result._response
