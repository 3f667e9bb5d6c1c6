"""Games between agents: one game, a match, and their statistics."""

from tengen.arena.match import MatchResult, Tally, play_match
from tengen.arena.playing import PlayedGame, play_game, random_openings
from tengen.arena.statistics import wilson_interval

__all__ = ["MatchResult", "PlayedGame", "Tally", "play_game", "play_match", "random_openings", "wilson_interval"]
