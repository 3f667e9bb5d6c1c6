"""Train, and play: whatever of a comparison has not been done yet."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tengen.agents import parse_agent
from tengen.arena.solo import play_alone
from tengen.compare.folder import CompareFolder, GamePlayed
from tengen.compare.settings import RUN, CompareSettings, LearnerSettings
from tengen.games import parse_game
from tengen.runs.directory import RunDirectory, RunError
from tengen.training.config import config_from

KEEP_EVERY = 5.0
"""Seconds of processor time after which that of a training is kept."""


@dataclass
class Watching:
    """What a front end may listen to."""

    on_training: Callable[[str, float, float], None] = lambda run, seconds, wanted: None
    on_game: Callable[[GamePlayed, int], None] = lambda game, wanted: None
    stop: Callable[[], bool] = field(default=lambda: False)


@dataclass(frozen=True)
class Entrant:
    """Somebody who plays on a board."""

    board: str
    label: str
    agent: str
    """As it can be named in a match."""
    run: str = ""
    """Where it has learnt."""
    simulations: int = 0
    """Of the plot of lines against simulations; 0: it stands in the table."""


def run_name(name: str, learner: LearnerSettings, board: str, seed: int) -> str:
    """The run of a training."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", f"{name}-{learner.label}-{board.partition(':')[2]}-{seed}")


def runs_of(settings: CompareSettings, name: str, learner: LearnerSettings, board: str) -> list[str]:
    """The runs of a method on a board."""
    learner = settings.owner(learner)
    if learner.runs and board == settings.boards[0]:
        return list(learner.runs)
    return [run_name(name, learner, board, seed) for seed in range(settings.seeds)]


def entrants(settings: CompareSettings, name: str) -> list[Entrant]:
    """Everybody who plays, in the order of the table; then those of the plot of simulations."""
    found, swept = [], []
    for board in settings.boards:
        found += [Entrant(board, player, player) for player in settings.players]
        has_searched = False
        for learner in settings.learners:
            runs = runs_of(settings, name, learner, board)
            found += [Entrant(board, learner.label, _agent(learner.agent, run), run) for run in runs]
            if re.search(r"\bsimulations=\d+", learner.agent) and not has_searched:
                has_searched = True
                for n in settings.simulations:
                    agent = re.sub(r"\bsimulations=\d+", f"simulations={n}", learner.agent)
                    swept.append(Entrant(board, learner.label, _agent(agent, runs[0]), runs[0], n))
    return found + swept


def _agent(text: str, run: str) -> str:
    return text.removesuffix(RUN) + run


def train_all(settings: CompareSettings, folder: CompareFolder, watching: Watching) -> None:
    """Train every method on every board until it has had its time."""
    for board in settings.boards:
        for learner in settings.learners:
            if learner.of:
                continue
            if learner.runs and board == settings.boards[0]:
                for run in learner.runs:
                    RunDirectory.find(run)
                continue
            for seed in range(settings.seeds):
                if watching.stop():
                    return
                _train(settings, folder, learner, board, seed, watching)


def _train(
    settings: CompareSettings,
    folder: CompareFolder,
    learner: LearnerSettings,
    board: str,
    seed: int,
    watching: Watching,
) -> None:
    name, wanted = run_name(folder.name, learner, board, seed), 60 * settings.minutes
    before = folder.seconds_of(name)
    try:
        run = RunDirectory.find(name)
        config = config_from(run.read_config(), name)
    except RunError:
        config = settings.config(learner, board, seed)
        config.check_fit(parse_game(config.game))
        run = RunDirectory.create(name, config.as_dict())
    if before >= wanted:
        return
    from tengen.training.loop import Events, train

    began = kept = time.process_time()

    def stop() -> bool:
        nonlocal kept
        now = time.process_time()
        if now - kept > KEEP_EVERY:
            kept = now
            folder.set_seconds(name, before + now - began)
            watching.on_training(name, before + now - began, wanted)
        return watching.stop() or before + now - began >= wanted

    learned = train(run, config, Events(stop=stop))
    learned.keep_net()
    done = before + time.process_time() - began
    # a run that has played all of its games has had all of its time
    folder.set_seconds(name, max(done, wanted) if learned.games >= config.training.games else done)


def play_all(settings: CompareSettings, folder: CompareFolder, watching: Watching) -> None:
    """Play all games that have not been played."""
    folder.mend()
    done = {(game.board, game.who, game.number) for game in folder.games()}
    for entrant in entrants(settings, folder.name):
        wanted = settings.sweep_games if entrant.simulations else settings.games
        missing = [n for n in range(wanted) if (entrant.board, entrant.agent, n) not in done]
        if not missing:
            continue
        game = parse_game(entrant.board)
        agent = parse_agent(entrant.agent).make(game)
        for number in missing:
            if watching.stop():
                return
            began = time.process_time()
            played = play_alone(game, agent, 0, number, settings.cap)
            seconds = time.process_time() - began
            kept = GamePlayed(
                entrant.board, entrant.agent, number, played.total, played.score, played.moves, played.capped, seconds
            )
            folder.add(kept)
            done.add((kept.board, kept.who, kept.number))
            watching.on_game(kept, wanted)
