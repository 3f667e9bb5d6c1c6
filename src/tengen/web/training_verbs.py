"""What a tab may ask about training: the verbs that start, stop and resume runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tengen.web.messages import Message
from tengen.web.runs import Runs

Verb = Callable[[Message], Any]


def training_verbs(runs: Runs, reply: Callable[[dict[str, Any]], None]) -> dict[str, Verb]:
    """The verbs."""

    async def form(message: Message) -> None:
        reply({"say": "train-form", **await asyncio.to_thread(runs.trainer.form)})

    async def train(message: Message) -> None:
        preset, name, values = message.get("preset", str), message.get("name", str), message.table("values")
        started = await asyncio.to_thread(runs.trainer.start, preset, name, values)
        reply({"say": "started", "name": started})

    async def resume(message: Message) -> None:
        run = await asyncio.to_thread(runs.find, message.get("name", str))
        await asyncio.to_thread(runs.trainer.resume, run, message.table("values"))
        reply({"say": "started", "name": run.name})

    def stop(message: Message) -> None:
        runs.trainer.stop(message.get("name", str))

    return {"train-form": form, "train": train, "resume": resume, "stop-run": stop}
