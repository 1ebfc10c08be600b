from __future__ import annotations

from florin.api_client import ApiClient


class Resource:
    """A part of the API. Its methods are named like the operations in the API reference."""

    def __init__(self, api: ApiClient) -> None:
        self._api = api
