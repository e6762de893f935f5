"""Sends requests to the emulator's API."""

import json
import shutil
import ssl
import urllib.error
import urllib.request
from typing import Any, BinaryIO, Dict, List, Mapping, Optional, Union
from urllib.parse import quote, urlencode

from ._operations import OPERATIONS
from .errors import CumuletError, RequestAssertionError

Query = Mapping[str, Union[str, int, bool, None]]


class Api:
    """The emulator's API below ``/_emulator``. Threads may share it."""

    def __init__(
        self,
        url: str,
        control_token: Optional[str],
        timeout: float,
        cacert: Optional[str] = None,
    ) -> None:
        self.url = url.rstrip("/")
        self._headers = {"X-Control-Token": control_token} if control_token else {}
        self._timeout = timeout
        # A proxy would take an address of this machine for one of its own.
        handlers: List[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
        if self.url.startswith("https:"):
            handlers.append(urllib.request.HTTPSHandler(context=_trust(cacert)))
        self._opener = urllib.request.build_opener(*handlers)

    def send(
        self,
        operation: str,
        path: Optional[Mapping[str, object]] = None,
        query: Optional[Query] = None,
        body: Optional[Mapping[str, Any]] = None,
        nulls: bool = False,
        source: Union[bytes, BinaryIO, None] = None,
        target: Optional[BinaryIO] = None,
    ) -> Any:
        """Calls an operation, and returns the JSON or the text of the reply.

        Parameters that are None are left out, and so are fields of the body unless ``nulls`` is
        True. ``source`` is a body that is not JSON; with ``target``, the body of the reply is
        written there.

        :raises CumuletError: if the emulator does not answer, or refuses the request
        :raises RequestAssertionError: if an assertion does not hold
        """
        __tracebackhide__ = True  # pytest then shows the line of the test that failed.
        method, template = OPERATIONS[operation]
        filled = template.format_map(
            {name: quote(str(value), safe="") for name, value in (path or {}).items()}
        )
        headers: Dict[str, str] = dict(self._headers)
        data: Union[bytes, BinaryIO, None] = source
        if source is not None:
            headers["Content-Type"] = "application/x-ndjson"
        elif body is not None:
            data = json.dumps(body if nulls else _given(body)).encode()
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(
            f"{self.url}/_emulator{filled}{_query_string(query or {})}",
            data,
            headers,
            method=method,
        )
        try:
            with self._opener.open(request, timeout=self._timeout) as reply:
                if target is not None:
                    return shutil.copyfileobj(reply, target)
                return _content(reply.headers.get_content_type(), reply.read())
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from None
        except OSError as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            if isinstance(reason, ssl.SSLCertVerificationError):
                raise CumuletError(
                    f"The certificate of {self.url} is not trusted ({reason.verify_message}). "
                    "Name the file with its authority, ca.pem in the folder tls of its state, "
                    "in OS_CACERT."
                ) from None
            raise CumuletError(f"No emulator answers at {self.url} ({reason}).") from None

    def _refusal(self, reply: urllib.error.HTTPError) -> Exception:
        with reply:
            text = reply.read().decode(errors="replace")
        try:
            body = json.loads(text)
            message = str(body["error"]["message"])
        except (ValueError, LookupError, TypeError):
            return CumuletError(
                f"The server at {self.url} is not a Cumulet emulator: it returns {reply.code}.",
                reply.code,
            )
        if "near_misses" in body:
            return RequestAssertionError(
                message, body["matched"], body["requests"], body["near_misses"]
            )
        return CumuletError(message, reply.code)


def _trust(cacert: Optional[str]) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if cacert:
        try:
            context.load_verify_locations(cacert)
        except OSError as error:
            raise CumuletError(
                f"The authority {cacert} cannot be read ({error}). Correct OS_CACERT."
            ) from None
    return context


def _given(values: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _query_string(query: Query) -> str:
    words = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in _given(query).items()
    }
    return f"?{urlencode(words)}" if words else ""


def _content(media_type: str, data: bytes) -> Any:
    if media_type == "application/json":
        return json.loads(data)
    return data.decode() if data else None
