"""What the server's parts have in common: headers, reading requests, answering them."""

from __future__ import annotations

import gzip
import hashlib
import ipaddress
import json
from datetime import datetime
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ..errors import ArenaError, UsageError

PER_MINUTE = 120  # costly requests of one address: changes, reports, films
LEVEL = 6  # of compression
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Denied(ArenaError):
    """No token, or a wrong one."""


class Unauthorised(Denied):
    """No token, or one that is not known."""


class TooLarge(UsageError):
    """A request whose body is too large."""


class Json(JSONResponse):
    """JSON in ASCII: a stranger's text may hold what UTF-8 cannot say (half a surrogate pair)."""

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return encoded(content)


def encoded(content: Any) -> bytes:
    """Return content as JSON."""
    return json.dumps(content, allow_nan=False, separators=(",", ":"), default=_as_text).encode()


def _as_text(value: Any) -> str:
    """Return a time as text."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    raise TypeError(f"{type(value).__name__} cannot be sent")


class Compressed(NamedTuple):
    """An answer that many get, compressed once for all of them; `etag` changes with it."""

    gzip: bytes
    etag: str

    @classmethod
    def of(cls, content: bytes) -> Compressed:
        """Compress an answer."""
        return cls(gzip.compress(content, LEVEL, mtime=0), f'"{hashlib.sha256(content).hexdigest()[:16]}"')

    def answer(self, request: Request) -> Response:
        """Return it as JSON: 304 to who has it, plain to who does not take gzip."""
        headers = HEADERS | {"Cache-Control": "no-cache", "ETag": self.etag, "Vary": "Accept-Encoding"}
        if request.headers.get("if-none-match") == self.etag:
            return Response(status_code=304, headers=headers)
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(gzip.decompress(self.gzip), headers=headers, media_type="application/json")
        headers |= {"Content-Encoding": "gzip"}
        return Response(self.gzip, headers=headers, media_type="application/json")


def network_of(request: Request) -> str:
    """Who asks: an IPv4 address, or the /48 network of an IPv6 one, as a home may have."""
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    address = getattr(address, "ipv4_mapped", None) or address
    return str(ipaddress.ip_network((address, 48), strict=False) if address.version == 6 else address)


def fields_of(body: bytes) -> dict[str, Any]:
    """Return the JSON object that a request sends.

    Raises:
        UsageError: it is none.
    """
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise UsageError("send a JSON object")
    return fields


def whole(value: Any) -> int:
    """Return a whole number that a request sends, within reason.

    Raises:
        UsageError: it is none.
    """
    try:
        return min(max(int(value), -1), 1 << 30)
    except (TypeError, ValueError, OverflowError):
        raise UsageError("a whole number is missing") from None
