"""The exceptions of this package."""

from typing import List, Optional

from .types import JournalEntry, NearMiss


class CumuletError(Exception):
    """The emulator does not answer, or refuses a request.

    ``status`` is the HTTP status of the refusal; None if there was no answer.
    """

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        self.status = status


class RequestAssertionError(AssertionError):
    """The requests in the journal are not as expected.

    ``requests`` are those that match, ``near_misses`` those that meet all conditions but one.
    """

    def __init__(
        self,
        message: str,
        matched: int,
        requests: List[JournalEntry],
        near_misses: List[NearMiss],
    ) -> None:
        super().__init__(message)
        self.matched = matched
        self.requests = requests
        self.near_misses = near_misses
