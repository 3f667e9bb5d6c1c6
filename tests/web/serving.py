"""``tengen serve`` or ``tengen play`` in a process of its own."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time


class ServerProcess:
    """``tengen serve`` or ``tengen play``, as a person starts it."""

    def __init__(self, *arguments: str, port: int = 0, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tengen", *arguments, "--no-browser", "--port", str(port)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "200", **environment},
        )  # fmt: skip
        self.output: list[str] = []
        lines: queue.Queue[str] = queue.Queue()

        def read() -> None:
            for line in self.process.stdout:
                self.output.append(line)
                lines.put(line)

        threading.Thread(target=read, daemon=True).start()
        while True:
            line = lines.get(timeout=180)
            if "Tengen is at" in line:
                break
        self.started = time.monotonic()
        self.address = line.split()[3]
        self.port = int(self.address.split(":")[2].split("/")[0])

    @property
    def socket_address(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    def memory(self) -> float:
        """Megabytes that the process holds."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def complaints(self) -> list[str]:
        """What it printed, besides its address and its farewell."""
        return [line for line in self.output if "Tengen is at" not in line and "page is closed" not in line]
