"""Ray, where it is installed: to a cluster and away from it again. Nothing else in this package imports it."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
import types
from collections.abc import Iterator
from typing import Any

from tengen.errors import TengenError

LOCAL = "local"
AUTO = "auto"
STORE = 200_000_000
"""Bytes for objects, in a cluster of this machine alone: networks and parcels of games are small."""

KNOCK = 5.0
"""Seconds in which the head of a cluster must answer."""

_ADDRESS = re.compile(r"[A-Za-z0-9._-]+:\d{1,5}|\[[0-9A-Fa-f:]+\]:\d{1,5}")


class ClusterError(TengenError):
    """A cluster that is not there, or that has failed; nothing that was kept is lost."""


def check_address(address: str) -> None:
    """ClusterError unless this can be what --cluster says, and Ray is there."""
    if address not in (LOCAL, AUTO) and not _ADDRESS.fullmatch(address):
        raise ClusterError(
            f"--cluster takes auto (this machine's cluster), local, or the head's address like 10.0.0.5:6379, not {address!r}"
        )
    load_ray()


def load_ray() -> types.ModuleType:
    """The library; ClusterError that says how to get it."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is told of what goes on here
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or it warns; players use no accelerator anyway
    try:
        import ray
    except ImportError:
        raise ClusterError("--cluster needs Ray: pip install 'tengen[cluster]'") from None
    return ray  # type: ignore[no-any-return]


@contextlib.contextmanager
def connected(address: str, processors: int = 0) -> Iterator[Any]:
    """Ray, connected; `processors`: how many a cluster of this machine alone may use, 0: all."""
    check_address(address)
    ray = load_ray()
    if ray.is_initialized():  # somebody who uses us as a library is connected already
        yield ray
        return
    _join(ray, address, processors)
    _silence()
    try:
        yield ray
    finally:
        ray.shutdown()


def _join(ray: Any, address: str, processors: int) -> None:
    if address not in (LOCAL, AUTO):
        _knock(address)
    quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    try:
        if address == LOCAL:
            os.environ.setdefault(
                "RAY_worker_niceness", "0"
            )  # as threads; Ray's own 15 would starve them beside anything else
            ray.init(
                address="local", num_cpus=processors or os.cpu_count() or 1, object_store_memory=STORE,
                include_dashboard=False, **quiet,
            )  # fmt: skip
        else:
            ray.init(address=address, **quiet)
    except Exception as error:  # it has many kinds of complaint, some of them bare
        ray.shutdown()
        reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        if address == LOCAL:
            raise ClusterError(f"Ray could not be started on this machine: {reason}") from None
        where = "on this machine" if address == AUTO else f"at {address}"
        more = "" if isinstance(error, ConnectionError) else f" ({reason})"
        raise ClusterError(
            f"no cluster was found {where}{more}; "
            "begin one with ray start --head, join it with ray start --address=HEAD:6379"
        ) from None


def _silence() -> None:
    """Keep Ray from printing paragraphs into our output when a worker dies: that is ours to see to, and to say.

    It has no setting for it. Where a version of it has no such function, it talks.
    """
    with contextlib.suppress(ImportError):
        from ray._private import worker

        if hasattr(worker, "print_to_stdstream"):
            worker.print_to_stdstream = lambda *arguments, **options: None


def _knock(address: str) -> None:
    """ClusterError when nobody listens there: Ray itself would go on trying for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), KNOCK).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise ClusterError(f"no cluster was found at {address}: {getattr(error, 'strerror', None) or error}") from None
