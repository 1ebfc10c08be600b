"""Lists that are read in pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from florin.model import Model

# The largest page, so that a list takes the fewest requests.
PAGE_SIZE = 100

Item = TypeVar("Item")


class Page(Model, Generic[Item]):
    """A page of a list."""

    data: list[Item]
    next_cursor: str | None = None
    """Pass it as `cursor` to read the next page. None on the last page."""


class List(Generic[Item]):
    """All entries of a list with `for`, or one page after another with `pages()`. Sends requests as they are needed."""

    def __init__(self, read: Callable[[str | None], Page[Item]], cursor: str | None) -> None:
        self._read = read
        self._cursor = cursor

    def first_page(self) -> Page[Item]:
        return self._read(self._cursor)

    def pages(self) -> Iterator[Page[Item]]:
        page = self.first_page()
        yield page
        while page.next_cursor is not None:
            page = self._read(page.next_cursor)
            yield page

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page.data
