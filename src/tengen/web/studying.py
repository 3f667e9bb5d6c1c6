"""What a tab may ask of a table's study: the verbs of analysis, hints, review and teaching."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from tengen.search.search import MoveStatistics
from tengen.web.messages import Message
from tengen.web.offers import Offers
from tengen.web.table import Table

LONGEST_LINE = 200
MOST_BRANCHES = 20

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

    def unfold(message: Message) -> None:
        line = message.numbers("line", LONGEST_LINE)
        table, loop = at_table(), asyncio.get_running_loop()

        def tell(found: Future[tuple[MoveStatistics, ...]]) -> None:
            """In whatever thread has looked: a search that is still being compiled keeps nobody waiting."""
            moves = [
                {"move": m.move, "name": m.name, "visits": m.visits, "q": round(m.q, 3), "prior": round(m.prior, 4)}
                for m in found.result()[:MOST_BRANCHES]
            ]
            with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(reply, {"say": "branch", "line": line, "moves": moves})

        with table.lock:
            table.study.unfold(line).add_done_callback(tell)

    def engines(message: Message) -> None:
        table = at_table()
        reply({"say": "engines", "names": offers.analysts(table.game), "engine": ready().study.engine_name})

    verbs: dict[str, Verb] = {
        "analyse": analyse, "engine": engine, "engines": engines, "hint": hint, "review": review, "stop": stop,
        "teach": teach, "unfold": unfold,
    }  # fmt: skip
    return verbs
