"""A client and a pytest plugin for Cumulet, an OpenStack cloud on your laptop.

>>> import cumulet
>>> with cumulet.start() as cloud:
...     cloud.clock.freeze("2030-01-01")
"""

from . import types
from .cloud import Cloud
from .errors import CumuletError, RequestAssertionError
from .server import connect, find_command, start

__all__ = [
    "Cloud",
    "CumuletError",
    "RequestAssertionError",
    "connect",
    "find_command",
    "start",
    "types",
]
