"""A table: one game being played or watched, by people, agents, or from a record. It knows no browser.

Everything here may be called from any thread. What takes long happens on the threads of `Thinkers`; whoever watches
the table is told that something has changed, and looks at it (see `view`).
"""

from __future__ import annotations

import functools
import math
import random
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tengen.agents import Agent, AgentSpec
from tengen.errors import IllegalMove, TengenError
from tengen.games import CHANCE, Game, Position
from tengen.search.search import Watch
from tengen.web.pondering import Pondering
from tengen.web.study import Study
from tengen.web.thinking import Thinkers

TELL_EVERY = 0.15
"""Seconds between two reports of progress."""

SLOWEST = 10.0
"""The longest pause between two moves, in seconds."""

PATIENCE = 5.0
"""Seconds after which agents stop at a table that everybody has left: a page that is loaded again takes less."""

Watcher = Callable[[], None]


@dataclass(frozen=True)
class Seat:
    """Who plays a side."""

    name: str
    spec: AgentSpec | None = None
    """The agent; None: a person, or nobody where a record is replayed."""
    is_person: bool = False
    longest: float = math.inf
    """Seconds after which it must move, as far as it has come."""
    after: Callable[[float], Seat] | None = None
    """Who sits here in the next game, by the score of this one (1, 0.5, 0), where that is somebody else."""


PERSON = Seat("human", is_person=True)
RECORD = Seat("self-play")


@dataclass
class Thought:
    """An agent that is thinking about its move."""

    player: int
    share: float = 0.0
    began: float = field(default_factory=time.monotonic)
    has_place: bool = False
    """Whether it has begun; before that it waits in line."""
    is_warm_up: bool = False
    """Whether it only compiles and loads, before its move is wanted."""
    must_move: bool = False
    is_dropped: bool = False


class Table:
    """One game with its past, its future (moves taken back), and whoever thinks about it."""

    def __init__(
        self,
        game: Game,
        seats: Sequence[Seat],
        thinkers: Thinkers,
        seed: int | None = None,
        record: Sequence[tuple[int, str]] = (),
        pause: float = 0.6,
        title: str = "",
        begins: bool = True,
        gave_up: int | None = None,
    ) -> None:
        """`record`: the moves of a game that is to be replayed, each with a note; `gave_up`: who did so after the last of them.
        `begins`: at once, or with `begin`."""
        self.id = secrets.token_urlsafe(9)
        self.game, self.seats, self.title = game, list(seats), title
        self.sides = game.diagram(Position(game).array).names
        """What people call the two sides."""
        self.pause = pause
        self.version = 0
        self.watchers: set[Watcher] = set()
        self.touched = time.monotonic()
        self.thinkers = thinkers
        self.lock = threading.RLock()
        self._agents: dict[int, Agent] = {}
        self._record = list(record)
        self.gave_up = gave_up
        """Who has given up after the last move, also while an earlier one is shown."""
        self._seed = random.SystemRandom().randrange(1 << 30) if seed is None else seed
        self._timer: object | None = None
        self._has_begun = self._is_resting = self.is_closed = False
        self.study = Study(self)
        self.pondering = Pondering(self)
        self.is_kept = False
        """Whether a recorded game stays when its tab goes: nobody else has it."""
        self._start()
        if begins:
            self.begin()

    def begin(self) -> None:
        """Let agents move. Until then nothing is compiled, loaded or thought: somebody is still opening the page."""
        with self.lock:
            if not self._has_begun:
                self._has_begun = True
                self._shown = time.monotonic()
                self._warm_up()
                self._go_on()

    def watch(self, watcher: Watcher) -> None:
        """Be told of changes. A game that has rested goes on."""
        with self.lock:
            self.watchers.add(watcher)
            if self._is_resting:
                self._is_resting = False
                self._go_on()

    def unwatch(self, watcher: Watcher) -> None:
        """Be told no more. Where nobody looks, agents do not go on: others need the processor."""
        with self.lock:
            self.watchers.discard(watcher)
            if not self.watchers and not self.thinkers.is_closed:
                self.thinkers.later(PATIENCE, self._rest)

    def _rest(self) -> None:
        with self.lock:
            if not self.watchers:
                self._is_resting = True
                self._drop_thought()
                self.study.rest()

    def _start(self) -> None:
        self.position = Position(self.game)
        self.notes: list[str] = []
        self.future = self._record[::-1]
        self.resigned: int | None = None
        self.problem: str | None = None
        self.is_running = True
        self._thought: Thought | None = None
        self._luck = random.Random(self._seed)
        self._shown = time.monotonic()

    # --- what a person may do; each raises TengenError where it makes no sense

    def play(self, move: int, ply: int) -> None:
        """A person's move, made in the position after `ply` moves: a click that comes too late is refused."""
        with self.lock:
            if self.is_over:
                raise IllegalMove("the game is over")
            if ply != len(self.position.moves):
                raise IllegalMove("the board has changed in the meantime")
            player = self.position.to_move
            if player == CHANCE or not self.seats[player].is_person:
                raise IllegalMove("it is not your move")
            self.is_running = True
            self._make(move, "")
            self.study.person_moved()
            self._go_on()

    def undo(self) -> None:
        """Back to a person's last decision; where nobody plays, one move back, and the game waits."""
        with self.lock:
            if self.resigned is not None and not self.is_record:
                self.resigned = self.gave_up = None
                self._changed()
                return
            steps = self.steps_back()
            if steps == 0:
                raise IllegalMove("there is no move of yours to take back" if self.has_person else "this is the start")
            self._drop_thought()
            for _ in range(steps):
                self._step_back()
            self._settle()

    def redo(self) -> None:
        """Forward again through moves taken back, to a person's next decision."""
        with self.lock:
            if not self.future:
                raise IllegalMove("there is no move to make again")
            self._drop_thought()
            self._step_forward()
            while self.has_person and self.future and not self.person_is_to_move:
                self._step_forward()
            self._settle()

    def go_to(self, ply: int) -> None:
        """Show the position after so many moves (of the past, or of those taken back)."""
        with self.lock:
            if not 0 <= ply <= len(self.position.moves) + len(self.future):
                raise IllegalMove("the game has no such move")
            self._drop_thought()
            while len(self.position.moves) > ply:
                self._step_back()
            while len(self.position.moves) < ply:
                self._step_forward()
            self._settle(looks_back=bool(self.future))

    def resign(self) -> None:
        """The person to move gives up; against an agent, the person may do so at any time."""
        with self.lock:
            if self.is_over:
                raise IllegalMove("the game is over")
            people = [player for player, seat in enumerate(self.seats) if seat.is_person]
            if not people:
                raise IllegalMove("you do not play in this game")
            if self.game.players() == 1:
                raise IllegalMove("a game for one is not resigned: begin a new one")
            mover = self.position.to_move
            self._drop_thought()
            self.resigned = self.gave_up = mover if mover in people else people[0]
            self._changed()

    def move_now(self) -> None:
        """Have the agent that thinks play what it has found so far."""
        with self.lock:
            thought = self.thinking
            if thought is None:
                raise IllegalMove("nobody is thinking")
            thought.must_move = True
            self._changed()

    def run(self, is_running: bool) -> None:
        """Go on, or wait, where agents play each other or a record is replayed."""
        with self.lock:
            if self.has_person:
                raise IllegalMove("a game that you play does not run by itself")
            if is_running and self.is_over and not self.future:
                raise IllegalMove("the game is over")
            self.is_running = is_running
            self.problem = None  # an agent that has failed may try again
            if not is_running:
                self._drop_thought()
            self._shown = 0.0
            self._changed()
            self._go_on()

    def set_pause(self, seconds: float) -> None:
        """How long each position of a watched game is shown."""
        with self.lock:
            if not 0 <= seconds <= SLOWEST:
                raise TengenError(f"the pause is 0 to {SLOWEST:g} seconds")
            self.pause = seconds
            self._timer = None  # the old one finds out when it rings
            self._changed()
            self._go_on()

    def again(self, exchange: bool = False) -> None:
        """A new game at this table, with the sides exchanged if wanted."""
        with self.lock:
            self._drop_thought()
            self.seats = [self.next_seat(player) for player in range(len(self.seats))]
            if exchange:
                self.seats.reverse()
            self._agents.clear()
            self._seed += 1
            if not self.is_record:
                self.gave_up = None
            self._start()
            self.study.begin_anew()
            self._changed()
            self._warm_up()
            self._go_on()

    def ponder(self, is_on: bool) -> None:
        """Have agents that search go on thinking while a person does, or not."""
        with self.lock:
            self.pondering.is_on = is_on
            self.pondering.stop()
            self._changed()
            self._go_on()

    def close(self) -> None:
        """Nobody needs this table any more."""
        with self.lock:
            self.is_running, self.is_closed = False, True
            self._drop_thought()
            self.study.close()
            self.forget_agents()
            self.watchers.clear()

    def memory(self) -> int:
        """Bytes that its agents hold."""
        with self.lock:
            return sum(agent.memory() for agent in self._agents.values()) + self.study.memory()

    def forget_agents(self) -> None:
        """Give back the memory of agents that do not think at the moment; they are made again when they move."""
        with self.lock:
            if self._thought is None:
                self._agents.clear()
            self.study.forget_agent()

    # --- what there is to see

    @property
    def is_record(self) -> bool:
        """Whether this is a recorded game, which anyone can open again."""
        return bool(self._record)

    @property
    def has_person(self) -> bool:
        return any(seat.is_person for seat in self.seats)

    @property
    def is_over(self) -> bool:
        return self.position.is_over or self.resigned is not None

    def next_seat(self, player: int) -> Seat:
        """Who will sit there in the next game."""
        seat, winner = self.seats[player], self.position.winner
        if self.resigned is not None:
            winner = 1 - self.resigned
        if seat.after is None or not self.is_over:
            return seat
        return seat.after(0.5 if winner is None else float(winner == player))

    @property
    def thinking(self) -> Thought | None:
        """The thought that a person waits for."""
        hidden = self._thought is not None and self._thought.is_warm_up and self.person_is_to_move
        return None if hidden else self._thought

    @property
    def compiling(self) -> str | None:
        """The game that is being compiled at the moment, at this table or another."""
        return self.thinkers.compiling

    @property
    def person_is_to_move(self) -> bool:
        if self.is_over or self.position.to_move == CHANCE:
            return False
        return self.seats[self.position.to_move].is_person

    def steps_back(self) -> int:
        """How many moves undo takes back; 0: none."""
        if not self.has_person:
            return min(1, len(self.position.moves))
        earlier = self.position.copy()
        for steps in range(1, len(self.position.moves) + 1):
            earlier.undo()
            if earlier.to_move != CHANCE and self.seats[earlier.to_move].is_person:
                return steps
        return 0

    # --- inside

    def _step_back(self) -> None:
        self.pondering.stop()
        self.future.append((self.position.moves[-1], self.notes.pop()))
        self.position.undo()
        self.resigned = None

    def _step_forward(self) -> None:
        self.pondering.stop()
        move, note = self.future.pop()
        self.position.play(move)
        self.notes.append(note)
        if not self.future:
            self.resigned = self.gave_up

    def _settle(self, looks_back: bool = False) -> None:
        """After going back and forth: a watched game waits, a played one goes on, unless somebody only looks back."""
        self.problem = None
        self.is_running = self.has_person and not looks_back
        self._changed()
        self._go_on()

    def _make(self, move: int, note: str) -> None:
        self.position.play(move)  # first: it may be illegal
        self.pondering.stop()
        self.notes.append(note)
        if self.future and self.future[-1][0] == move:
            self.future.pop()
        else:
            self.future.clear()  # what was taken back came after another move
            self.gave_up = None
        self.problem = None
        self._shown = time.monotonic()
        if self.position.is_over:
            self._agents.clear()  # their trees are large
        self._changed()

    def _go_on(self) -> None:
        """Let whoever is to move do so, unless that is a person."""
        if not self._has_begun or self._is_resting or self.thinkers.is_closed:
            return
        while not self.is_over and self._thought is None and self.problem is None:
            player = self.position.to_move
            if player == CHANCE and self.has_person and self.is_running:
                self._draw_luck()
                continue
            if player != CHANCE and self.seats[player].is_person:
                if self.is_running:
                    self.pondering.begin(self._agents.values())
                return
            if not self.is_running:
                return
            if not self.has_person:
                wait = self._shown + self.pause - time.monotonic()
                if wait > 0:
                    self._ring_after(wait)
                    return
                if self.future:
                    self._step_forward()
                    self._shown = time.monotonic()
                    self._changed()
                    continue
            if player == CHANCE:
                self._draw_luck()
            elif self.seats[player].spec is None:  # the record ends here
                return
            else:
                self._thought = thought = Thought(player)
                self._changed()
                self.thinkers.submit(functools.partial(self._think, thought))

    def _draw_luck(self) -> None:
        moves = self.position.legal_moves
        self._make(self._luck.choices(moves, self.position.odds)[0], "luck")

    def _ring_after(self, seconds: float) -> None:
        if self._timer is not None:
            return
        self._timer = timer = object()

        def ring() -> None:
            with self.lock:
                if self._timer is timer:
                    self._timer = None
                    self._go_on()

        self.thinkers.later(seconds, ring)

    def _drop_thought(self) -> None:
        """Have a thought end without a move. Its agent is left to it: it may take a while to notice."""
        self._timer = None
        self.pondering.stop()
        if self._thought is not None:
            self._thought.is_dropped = True
            self._agents.pop(self._thought.player, None)
            self._thought = None

    def _warm_up(self) -> None:
        """Compile and load before the first move is wanted, and forget what was thought on the way."""
        players = [player for player, seat in enumerate(self.seats) if seat.spec is not None]
        start = Position(self.game)
        if not players or self._record or start.is_over or start.to_move == CHANCE:
            return
        if self.has_person and self.person_is_to_move:
            self._thought = thought = Thought(players[0], is_warm_up=True)
            self.thinkers.submit(functools.partial(self._think, thought))

    def _think(self, thought: Thought) -> None:
        """In a thread of its own: have the agent choose, then play its move."""
        with self.lock:
            if thought.is_dropped:
                return
            thought.has_place = True
            warm_up, seat = thought.is_warm_up, self.seats[thought.player]
            position = Position(self.game) if warm_up else self.position.copy()
            agent, seed = self._agents.get(thought.player), self._seed * 2 + thought.player
            pondering = self.pondering.wait_for(agent)
            self._changed()
        move, problem = -1, None
        try:
            if agent is None:
                assert seat.spec is not None
                agent = seat.spec.make(self.game)
                agent.new_game(seed)
            if pondering is not None:
                pondering.wait()
            agent.progress = self._progress_of(thought)
            agent.stop = self._stop_of(thought, time.monotonic() + seat.longest)
            agent.watch = None if warm_up else self._watch_of(thought, position, seat.name)
            move = agent.choose(position)
            if agent.watch and agent.thoughts:
                agent.watch(agent.thoughts)
            if warm_up:
                agent.new_game(seed)
        except TengenError as error:
            problem = f"{seat.name} cannot play: {error}"
        except Exception as error:  # somebody's own agent or game: the table survives it, and says so
            problem = f"{seat.name} has failed: {type(error).__name__}: {error}"
        with self.lock:
            if thought.is_dropped:
                return
            self._thought = None
            if problem is None and agent is not None:
                self._agents[thought.player] = agent
                if not warm_up:
                    problem = self._accept(agent, move)
            if problem is not None:
                self.problem, self.is_running = " ".join(problem.split())[:300], False
            self._changed()
            self._go_on()

    def _accept(self, agent: Agent, move: int) -> str | None:
        """Play an agent's move; what was wrong with it, if anything."""
        try:
            self._make(move, _note(agent))
        except IllegalMove as error:
            return f"{agent.name}: {error}"
        return None

    def _stop_of(self, thought: Thought, deadline: float) -> Callable[[], bool]:
        def stop() -> bool:
            if thought.is_warm_up or thought.must_move or thought.is_dropped or self.thinkers.is_closed:
                return True
            return time.monotonic() > deadline

        return stop

    def _watch_of(self, thought: Thought, position: Position, name: str) -> Watch | None:
        """Keeps what the agent finds, as long as somebody wants it."""
        listen = self.study.listener(position, name) if self.watchers else None
        return None if listen is None else lambda result: None if thought.is_dropped else listen(result)

    def _progress_of(self, thought: Thought) -> Callable[[float], None]:
        told = [time.monotonic()]

        def progress(share: float) -> None:
            thought.share = share
            if time.monotonic() - told[0] > TELL_EVERY:
                told[0] = time.monotonic()
                self.changed()

        return progress

    def changed(self) -> None:
        """Have everyone look again."""
        with self.lock:
            self._changed()

    def _changed(self) -> None:
        self.version += 1
        for watcher in list(self.watchers):
            watcher()
        self.study.follow()


def _note(agent: Agent) -> str:
    """What an agent thought, in a line."""
    thoughts = agent.thoughts
    if thoughts is None:
        return ""
    best = thoughts.moves[0]
    return f"{thoughts.simulations:,} simulations in {thoughts.seconds:.1f} s · {best.name} {best.q:+.2f}"
