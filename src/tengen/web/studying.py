"""What a tab may ask of a table's study: the verbs of analysis, hints, review and teaching."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tengen.web.messages import Message
from tengen.web.offers import Offers
from tengen.web.table import Table

LONGEST_LINE = 200

Verb = Callable[[Message], Any]


def study_verbs(
    at_table: Callable[[], Table], offers: Offers, reply: Callable[[dict[str, Any]], None]
) -> dict[str, Verb]:
    """The verbs; `at_table` is the table at which the tab sits."""

    def ready() -> Table:
        table = at_table()
        if table.study.engine is None:
            table.study.choose_engine(*offers.analyst("", table.game))
        return table

    def analyse(message: Message) -> None:
        table = ready()
        with table.lock:
            table.study.switch(message.get("on", bool))

    def engine(message: Message) -> None:
        table = at_table()
        name, spec = offers.analyst(message.get("name", str), table.game)
        with table.lock:
            table.study.choose_engine(name, spec)

    def hint(message: Message) -> None:
        table = ready()
        with table.lock:
            table.study.give_hint()

    def review(message: Message) -> None:
        table = ready()
        with table.lock:
            table.study.review(message.get("seconds", float))

    def stop(message: Message) -> None:
        table = at_table()
        with table.lock:
            table.study.stop()

    def teach(message: Message) -> None:
        table = ready()
        with table.lock:
            table.study.teach(message.get("on", bool))

    async def unfold(message: Message) -> None:
        line = message.numbers("line", LONGEST_LINE)
        table = at_table()
        with table.lock:
            key = str(table.study.key())
            found = table.study.unfold(line)
        branches = await asyncio.wait_for(asyncio.wrap_future(found), 30)
        moves = [
            {"move": m.move, "name": m.name, "visits": m.visits, "q": round(m.q, 3), "prior": round(m.prior, 4)}
            for m in branches[:20]
        ]
        reply({"say": "branch", "key": key, "line": line, "moves": moves})

    def engines(message: Message) -> None:
        table = at_table()
        reply({"say": "engines", "names": offers.analysts(table.game), "engine": ready().study.engine_name})

    verbs: dict[str, Verb] = {
        "analyse": analyse, "engine": engine, "engines": engines, "hint": hint, "review": review, "stop": stop,
        "teach": teach, "unfold": unfold,
    }  # fmt: skip
    return verbs
