"""Beside a table: what its agents think, and a search that a person has asked for: analysis, hints, review, teaching.

At most one search runs for a table at a time, on the threads of `Thinkers`, so it waits in line like everybody else's. What has
been found is kept for each position of the game until a search has looked more closely.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.agents import Agent, AgentSpec
from tengen.agents.searching import SearchAgent
from tengen.errors import TengenError
from tengen.games import CHANCE, Position
from tengen.search import SearchResult
from tengen.search.search import MoveStatistics
from tengen.web.insight import Insight, from_search, key_after, suits
from tengen.web.review import BAD, Verdict, certain_rate, judge, review

if TYPE_CHECKING:
    from tengen.web.table import Table

LONGEST_LOOK = 120.0
"""Seconds after which analysis of a position has done enough; going on would only heat the room."""

HINT, LESSON = 1.5, 1.0
"""Seconds for a hint, and for each of the two looks at a move in teaching mode."""

FEWEST = 100
"""Simulations that a look gets in any case: on a busy machine a second may not be enough."""

REVIEW_SECONDS = (0.1, 10.0)
"""The least and the most for each position of a review."""

KEPT = 600
"""Positions of which a table keeps what was found."""


@dataclass(frozen=True)
class Task:
    """A search of one position."""

    purpose: str
    """look (until the position changes), hint, review, lesson."""
    moves: tuple[int, ...]
    seconds: float


class Study:
    """What is known about the positions of a table's game."""

    def __init__(self, table: Table) -> None:
        self.version = 0
        """Counts changes, so that a tab knows when to look."""
        self.is_on = self.teaches = False
        self.engine: AgentSpec | None = None
        """Who analyses; the page's offers name it."""
        self.engine_name = ""
        self.engine_at_work = ""
        """What is being searched for at the moment."""
        self.reviewing = (0, 0)
        """Positions of a review that are done, and all of them."""
        self.hint: int | None = None
        """The key of the position for which a hint was given."""
        self.warning: tuple[int, Verdict] | None = None
        """In teaching mode: the key after a bad move, and what is said about it."""
        self.problem = ""
        self._table = table
        self._insights: dict[int, Insight] = {}
        """What the analyst has found, by position: only what one and the same has found can be compared."""
        self._thoughts: dict[int, Insight] = {}
        """What the players thought before their moves."""
        self._tasks: list[Task] = []
        self._is_busy = False
        self._agent: Agent | None = None
        self._tree_of: tuple[int, ...] | None = None
        self._ends: int | None = None
        self._end_rate: float | None = None
        self._questions: list[tuple[int, tuple[int, ...], Future[tuple[MoveStatistics, ...]]]] = []

    # --- what a person may ask for; the table's lock is held

    def choose_engine(self, name: str, spec: AgentSpec) -> None:
        """Have another agent analyse from now on. What the one before it has found cannot be compared, and is forgotten."""
        if name != self.engine_name:
            self.engine, self.engine_name, self._agent, self._tree_of = spec, name, None, None
            self._insights.clear()
            self._changed()

    def switch(self, is_on: bool) -> None:
        """Analyse the position that is shown, or stop and keep the result."""
        self._check()
        self.is_on = is_on
        self.problem = ""
        self._changed()
        self.follow()

    def give_hint(self) -> None:
        """Look for a good move in the position that is shown."""
        self._check()
        position = self._table.position
        if self._table.is_over or position.to_move == CHANCE:
            raise TengenError("there is no move to look for here")
        self._add(Task("hint", tuple(position.moves), HINT))

    def review(self, seconds: float) -> None:
        """Look at every position of the game."""
        self._check()
        low, high = REVIEW_SECONDS
        if not low <= seconds <= high:
            raise TengenError(f"a review takes {low:g} to {high:g} seconds a position")
        line = self._line()
        if not line:
            raise TengenError("there is no game to review yet")
        self._tasks = [task for task in self._tasks if task.purpose != "review"]
        tasks = [
            Task("review", tuple(line[:ply]), seconds) for ply in range(len(line), -1, -1)
        ]  # the tree goes on forward only
        self.reviewing = (0, len(tasks))
        self._add(*tasks[::-1])

    def stop(self) -> None:
        """Stop whatever was asked for; what was found stays."""
        self._tasks.clear()
        self.is_on = False
        self.reviewing = (0, 0)
        self._changed()

    def teach(self, is_on: bool) -> None:
        """Name bad moves of a person, or not."""
        self._check()
        self.teaches = is_on
        self.warning = None
        self._changed()

    def unfold(self, line: Sequence[int]) -> Future[tuple[MoveStatistics, ...]]:
        """What the tree of the position that is shown knows of the moves after some more moves."""
        answer: Future[tuple[MoveStatistics, ...]] = Future()
        key = self.key()
        if self._is_busy:
            self._questions.append((key, tuple(line), answer))
        else:
            self._answer(key, tuple(line), answer)
        return answer

    # --- what the table tells

    def follow(self) -> None:
        """The position that is shown has changed, or somebody is thinking about it, or nobody any more."""
        if self.warning is not None and self.warning[0] not in self._keys()[: len(self._table.position.moves) + 1]:
            self.warning = None  # it was taken back
            self._changed()
        self._begin()

    def person_moved(self) -> None:
        """In teaching mode: look at the move that a person has just made."""
        self.warning = self.hint = None
        if self.teaches and suits(self._table.game):
            moves = tuple(self._table.position.moves)
            self._tasks = [task for task in self._tasks if task.purpose != "lesson"]
            self._add(Task("lesson", moves[:-1], LESSON), Task("lesson", moves, LESSON))

    def listener(self, position: Position, name: str) -> Callable[[SearchResult], None] | None:
        """For an agent that thinks about a position: keeps what it has found so far."""
        if not suits(self._table.game) or position.to_move == CHANCE:
            return None
        key, player = key_after(position.moves)[-1], position.to_move

        def listen(result: SearchResult) -> None:
            insight = from_search(result, player, name)
            with self._table.lock:
                self._keep(self._thoughts, key, insight, is_latest=True)
                self._table.changed()

        return listen

    def add(self, key: int, insight: Insight) -> None:
        """Something known from elsewhere: a record, a file."""
        self._keep(self._thoughts, key, insight)

    def begin_anew(self) -> None:
        """A new game at this table: what was found of the last one would only fill the memory."""
        self._insights.clear()
        self._thoughts.clear()
        self._tasks.clear()
        self.reviewing, self.hint, self.warning = (0, 0), None, None

    def rest(self) -> None:
        """Nobody looks any more: what takes long is given up."""
        self._tasks.clear()
        self.reviewing = (0, 0)

    def close(self) -> None:
        """Nobody needs it any more."""
        self.stop()
        self._agent = None

    def memory(self) -> int:
        return self._agent.memory() if self._agent else 0

    def forget_agent(self) -> None:
        """Give the tree back, unless it grows."""
        if not self._is_busy:
            self._agent, self._tree_of = None, None

    # --- what there is to see

    def key(self) -> int:
        """Of the position that is shown."""
        return key_after(self._table.position.moves)[-1]

    def insight(self, key: int) -> Insight | None:
        """What is known of a position: what the analyst has found, else what the player thought."""
        if self._table.thinking is not None and key == self.key():
            return self._thoughts.get(key) or self._insights.get(key)
        return self._insights.get(key) or self._thoughts.get(key)

    def as_json(self) -> dict[str, Any]:
        """Everything that a page shows of it, for the line of the game that is on the table."""
        table, game = self._table, self._table.game
        if not suits(game):
            return {"possible": False}
        keys = self._keys()
        here = keys[len(table.position.moves)]
        now, end = self.insight(here), self._end(keys[-1])
        verdicts = review(self._line(), [self._insights.get(key) for key in keys], end)
        graph = []
        for ply, insight in enumerate(self.insight(key) for key in keys):
            if insight is not None:
                graph.append([ply, round(insight.first_rate(), 3), insight.visits])
        if end is not None:
            graph = [point for point in graph if point[0] != len(keys) - 1] + [[len(keys) - 1, end, -1]]
        data: dict[str, Any] = {
            "possible": True, "on": self.is_on, "teaches": self.teaches, "engine": self.engine_name,
            "busy": self.engine_at_work, "reviewing": list(self.reviewing), "problem": self.problem,
            "now": None if now is None else now.as_json(game), "graph": graph,
            "verdicts": [None if v is None else self._shown(v) for v in verdicts],
            "hint": self.hint == here, "warning": None,
        }  # fmt: skip
        if self.warning is not None and self.warning[0] in keys:
            data["warning"] = {**self._shown(self.warning[1]), "ply": keys.index(self.warning[0])}
        return data

    def _shown(self, verdict: Verdict) -> dict[str, Any]:
        name = self._table.game.move_name
        return {
            "player": verdict.player, "kind": verdict.kind, "loss": round(verdict.loss, 3), "name": name(verdict.move),
            "better": None if verdict.better is None else verdict.better,
            "better_name": "" if verdict.better is None else name(verdict.better),
            "line": " ".join(name(move) for move in verdict.line),
        }  # fmt: skip

    # --- inside

    def _check(self) -> None:
        if not suits(self._table.game):
            raise TengenError("only games of two players that are won or lost can be analysed")
        if self.engine is None:
            raise TengenError("nobody is here to analyse: choose who")

    def _line(self) -> list[int]:
        """The whole game, with the moves taken back."""
        return [*self._table.position.moves, *(move for move, _ in reversed(self._table.future))]

    def _keys(self) -> list[int]:
        return key_after(self._line())

    def _end(self, key: int) -> float | None:
        """Where the game ends for certain, in the first player's view; `key`: of its last position."""
        if self._ends != key:
            position = Position(self._table.game)
            for move in self._line():
                position.push(move)
            self._ends, self._end_rate = key, certain_rate(position, 0)
        return self._end_rate

    def _changed(self) -> None:
        self.version += 1
        self._table.changed()

    def _keep(self, known: dict[int, Insight], key: int, insight: Insight, is_latest: bool = False) -> None:
        """Keep what was found, unless a closer look has been taken."""
        old = known.get(key)
        if old is None or old.visits <= insight.visits or is_latest:
            known[key] = insight
            self.version += 1
        if len(known) > KEPT:
            del known[next(iter(known))]

    def _add(self, *tasks: Task) -> None:
        self.problem = ""
        urgent = tasks[0].purpose != "review"
        self._tasks = [*tasks, *self._tasks] if urgent else [*self._tasks, *tasks]
        self._changed()
        self._begin()

    def _begin(self) -> None:
        table = self._table
        if self._is_busy or table.is_closed or self._next() is None:
            return
        self._is_busy = True
        table.thinkers.submit(self._work)

    def _next(self) -> Task | None:
        """What to search now; the table's lock is held."""
        if self._tasks:
            return self._tasks[0]
        table = self._table
        if not self.is_on or not table.watchers or table.is_over or table.position.to_move == CHANCE:
            return None
        if table.thinking is not None:  # an agent shows what it thinks
            return None
        known = self._insights.get(self.key())
        if known is not None and known.seconds >= LONGEST_LOOK - 1:  # it has been looked at for long enough
            return None
        return Task("look", tuple(table.position.moves), LONGEST_LOOK)

    def _is_wanted(self, task: Task) -> bool:
        """Whether a search that runs is still the one that is wanted most."""
        table = self._table
        if table.is_closed or self.engine is None:
            return False
        if task.purpose == "look":
            return self._next() == task
        return task in self._tasks

    def _work(self) -> None:
        """In a thread of the thinkers: one task after the other."""
        table = self._table
        while True:
            with table.lock:
                task = self._next()
                if task is None or self.engine is None or table.is_closed:
                    self._is_busy, self.engine_at_work = False, ""
                    for key, line, answer in self._questions:
                        self._answer(key, line, answer)
                    self._questions.clear()
                    self._changed()
                    return
                if self.engine_at_work != task.purpose:
                    self.engine_at_work = task.purpose
                    self._changed()
                engine, name, agent = self.engine, self.engine_name, self._agent
            try:
                self._search(task, engine, name, agent)
                problem = ""
            except TengenError as error:
                problem = str(error)
            except Exception as error:  # somebody's own agent or game
                problem = f"{name} has failed: {type(error).__name__}: {error}"
            with table.lock:
                self._done(task, problem)

    def _search(self, task: Task, engine: AgentSpec, name: str, agent: Agent | None) -> None:
        table = self._table
        position = Position(table.game)
        for move in task.moves:
            position.push(move)
        key, player = key_after(task.moves)[-1], position.to_move
        known = self._insights.get(key)
        is_enough = known is not None and known.seconds >= task.seconds and known.visits >= FEWEST
        if position.is_over or player == CHANCE or is_enough:
            return
        if agent is None:
            agent = engine.make(table.game)
            with table.lock:
                if self.engine is engine:
                    self._agent = agent
        began, found = time.monotonic(), [0]

        def watch(result: SearchResult) -> None:
            found[0] = result.simulations
            insight = from_search(result, player, name)
            with table.lock:
                if self._agent is agent:
                    self._tree_of = task.moves
                for asked, line, answer in self._questions:
                    self._answer(asked, line, answer)
                self._questions.clear()
                if self.engine is engine:
                    self._keep(self._insights, key, insight)
                table.changed()

        def stop() -> bool:
            is_over = time.monotonic() - began >= task.seconds and found[0] >= FEWEST
            return is_over or not self._is_wanted(task)

        agent.watch, agent.stop = watch, stop
        try:
            agent.choose(position)
        finally:
            agent.watch = agent.stop = None  # `watch` knows the agent: in a circle, its tree would stay for long
        if agent.thoughts is None:
            raise TengenError(f"{name} does not say what it thinks")
        watch(agent.thoughts)

    def _done(self, task: Task, problem: str) -> None:
        """A task has ended, or is not wanted any more; the table's lock is held."""
        if task in self._tasks:
            self._tasks.remove(task)
        if problem:
            self.problem, self.is_on, self._agent = " ".join(problem.split())[:300], False, None
            self._tasks.clear()
            self.reviewing = (0, 0)
        if task.purpose == "hint" and not problem:
            self.hint = key_after(task.moves)[-1]
        if task.purpose == "review" and self.reviewing[1]:
            self.reviewing = (self.reviewing[0] + 1, self.reviewing[1])
        if task.purpose == "lesson" and not problem:
            self._judge_lesson(task)
        self._changed()

    def _judge_lesson(self, task: Task) -> None:
        """Name the person's move if it gives much away."""
        if not task.moves or any(other.purpose == "lesson" for other in self._tasks):
            return
        keys = key_after(task.moves)
        before, position = self._insights.get(keys[-2]), Position(self._table.game)
        for move in task.moves:
            position.push(move)
        after = certain_rate(position, before.player) if before else None
        known = after if after is not None else self._insights.get(keys[-1])
        if before is None or known is None:
            return
        verdict = judge(before, task.moves[-1], known)
        if verdict.loss >= BAD and verdict.better is not None and keys[-1] in self._keys():
            self.warning = (keys[-1], verdict)

    def _answer(self, key: int, line: tuple[int, ...], answer: Future[tuple[MoveStatistics, ...]]) -> None:
        """What the tree knows; it may be that of another position by now."""
        agent = self._agent
        if not answer.set_running_or_notify_cancel():
            return  # whoever asked has gone
        if not isinstance(agent, SearchAgent) or self._tree_of is None or key_after(self._tree_of)[-1] != key:
            answer.set_result(())
        else:
            answer.set_result(agent.unfold(line))
