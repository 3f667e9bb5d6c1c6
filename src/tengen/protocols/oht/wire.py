"""What goes over the line in the Online Hex Tournament, in both of its editions. All of it is inside TLS.

text: every message is one record of at most 1,024 bytes, without any framing; payloads are Python literals.
json: every message is a 4-byte length, in the machine's own byte order, and a JSON value of that length.
"""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import struct
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from tengen.errors import TengenError

PORT = 33000
EDITIONS = ("text", "json")
MOST_BYTES = 1024
"""What the course's client reads at once: the most that a message of the text edition may have."""

LARGEST_RECORD = 16_384
LARGEST_JSON = 1_000_000
_LENGTH = struct.Struct("=i")


class TournamentError(TengenError):
    """The tournament cannot be played; the message says why."""


class LineBroken(Exception):
    """The other end is gone, silent for too long, or talks nonsense; the message says which."""


class Line(ABC):
    """One end of a connection."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        with contextlib.suppress(OSError):  # small messages one after the other: no waiting to fill a packet
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @abstractmethod
    def send(self, message: Any, seconds: float | None = None) -> None:
        """Send one message; LineBroken when the other end does not take it."""

    @abstractmethod
    def receive(self, seconds: float | None = None) -> Any:
        """The next message; LineBroken when there is none within the time."""

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        self._sock.close()

    def _send(self, data: bytes, seconds: float | None) -> None:
        try:
            self._sock.settimeout(seconds)
            self._sock.sendall(data)
        except TimeoutError:
            raise LineBroken("it does not read what it is sent") from None
        except (OSError, ValueError):
            raise LineBroken("it has disconnected") from None

    def _receive(self, most: int, deadline: float | None, seconds: float | None) -> bytes:
        try:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError
            self._sock.settimeout(left)
            data = self._sock.recv(most)
        except TimeoutError:
            raise LineBroken(f"no answer within {seconds:g} seconds") from None
        except (OSError, ValueError):
            data = b""
        if not data:
            raise LineBroken("it has disconnected")
        return data


class TextLine(Line):
    """The text edition. A record is a message."""

    def send(self, message: str, seconds: float | None = None) -> None:
        data = message.encode()
        if len(data) > MOST_BYTES:
            raise TournamentError(
                f"a message of {len(data)} bytes does not fit the text edition, which takes {MOST_BYTES}"
            )
        if data:
            self._send(data, seconds)

    def receive(self, seconds: float | None = None) -> str:
        deadline = None if seconds is None else time.monotonic() + seconds
        return self._receive(LARGEST_RECORD, deadline, seconds).decode("utf-8", "replace")


class JsonLine(Line):
    """The later edition: a length, then JSON."""

    def send(self, message: Any, seconds: float | None = None) -> None:
        data = json.dumps(message).encode()
        self._send(_LENGTH.pack(len(data)) + data, seconds)

    def receive(self, seconds: float | None = None) -> Any:
        deadline = None if seconds is None else time.monotonic() + seconds
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size, deadline, seconds))
        if not 0 < length <= LARGEST_JSON:
            raise LineBroken(f"a message of {length} bytes is announced")
        try:
            return json.loads(self._exactly(length, deadline, seconds).decode("utf-8"))
        except (ValueError, RecursionError):
            raise LineBroken("a message is not JSON") from None

    def _exactly(self, count: int, deadline: float | None, seconds: float | None) -> bytes:
        data = b""
        while len(data) < count:
            data += self._receive(count - len(data), deadline, seconds)
        return data


def connect(host: str, port: int, certificate: str | Path, seconds: float = 30.0) -> ssl.SSLSocket:
    """A connection to a server whose own certificate is this file. The name of the host is not checked, as the course has it."""
    if not Path(certificate).is_file():
        raise TournamentError(f"there is no certificate {certificate}: save the server's there, or say where it is")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    try:
        context.load_verify_locations(certificate)
    except (ssl.SSLError, OSError):
        raise TournamentError(f"{certificate} is not a certificate") from None
    try:
        plain = socket.create_connection((host, port), timeout=seconds)
    except (OSError, OverflowError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise TournamentError(f"no connection to {host}, port {port}: {why}") from None
    try:
        return context.wrap_socket(plain)
    except ssl.SSLCertVerificationError:
        plain.close()
        raise TournamentError(f"the server at {host} does not have the certificate {certificate}") from None
    except OSError as error:
        plain.close()
        raise TournamentError(f"no secure connection to {host}, port {port}: {error}") from None
