"""When a request is repeated. Every request can be: a POST has an Idempotency-Key, others have no second effect."""

from __future__ import annotations

import random
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

from florin.errors import ApiError, FlorinConnectionError, FlorinError

# After 500 the outcome is unknown. 502 and 504 come from a proxy that lost its connection to Florin.
REPEATABLE = frozenset({408, 429, 500, 502, 503, 504})
MAX_DELAY = 8.0
# A longer `Retry-After` fails the call, which would last for minutes otherwise.
MAX_RETRY_AFTER = 60.0


def retry_delay(error: FlorinError, attempt: int, max_retries: int, first_delay: float) -> float | None:
    """The seconds before the next attempt, or None if the request is not repeated."""
    if attempt > max_retries:
        return None
    # Between half and all of it, so that clients that failed at the same time do not come back at the same time.
    delay: float = min(first_delay * 2 ** (attempt - 1), MAX_DELAY) * random.uniform(0.5, 1)
    if isinstance(error, FlorinConnectionError):
        return delay
    if not isinstance(error, ApiError) or error.status not in REPEATABLE:
        return None
    retry_after = error.retry_after or 0
    return None if retry_after > MAX_RETRY_AFTER else retry_after + delay


def read_retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """A number of seconds or, from some proxies, a date."""
    if header is None:
        return None
    if header.isascii() and header.isdigit():
        return float(header)
    try:
        date = parsedate_to_datetime(header)
    except ValueError:
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=timezone.utc)
    return max(0.0, (aware - (now or datetime.now(timezone.utc))).total_seconds())
