"""Memory that is given back goes back to the system, where the C library is glibc (Linux).

Left alone it keeps what was freed for each thread, and learns from the first large array that arrays of megabytes belong there,
too: a server of many threads and short-lived trees grows for hours though nothing is lost.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys

_MMAP_THRESHOLD, _ARENA_MAX = -3, -8  # names of mallopt(3)
LARGE = 1 << 20
"""Bytes from which on an allocation is the system's own affair."""

ARENAS = 4


def give_back_early() -> None:
    """For the rest of this process."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):  # another C library
            library = ctypes.CDLL("libc.so.6")
            library.mallopt(_MMAP_THRESHOLD, LARGE)
            library.mallopt(_ARENA_MAX, ARENAS)
