"""Speed, measured beside other programs in one run, the two taking turns. `measure` yields all figures by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

from tengen.bench.turns import Figure, in_turn

__all__ = ["Figure", "measure", "names"]

Measurement = Callable[[float, int], Figure]


def _search(spec: str, peer: str) -> Measurement:
    def run(seconds: float, rounds: int) -> Figure:
        from tengen.bench.searching import openspiel_search, our_search

        works = our_search(spec), openspiel_search(peer)
        return in_turn(*works, seconds, rounds, "simulations", "OpenSpiel's MCTSBot")

    return run


def _threads(spec: str) -> Measurement:
    def run(seconds: float, rounds: int) -> Figure:
        from tengen.bench.searching import our_search

        works = our_search(spec, threads=2), our_search(spec)
        return in_turn(*works, seconds, rounds, "simulations", "one thread")

    return run


def _selfplay(network: str, batch: int) -> Measurement:
    def run(seconds: float, rounds: int) -> Figure:
        from tengen.bench.selfplay import bare_runtime, self_play

        works = self_play(network, batch), bare_runtime(network, batch)
        return in_turn(*works, seconds, rounds, "evaluations", "bare ONNX Runtime")

    return run


def _int8(network: str, batch: int) -> Measurement:
    def run(seconds: float, rounds: int) -> Figure:
        from tengen.bench.selfplay import self_play

        works = self_play(network, batch, int8=True), self_play(network, batch)
        return in_turn(*works, seconds, rounds, "evaluations", "the same in 32 bits")

    return run


def _tetris_placements(seconds: float, rounds: int) -> Figure:
    from tengen.bench.tetris import as_plain_python, random_placements

    works = random_placements(), as_plain_python()
    return in_turn(*works, seconds, rounds, "placements", "the same rules as plain Python")


def _tetris_search(seconds: float, rounds: int) -> Figure:
    from tengen.bench.tetris import random_placements, search

    return in_turn(search(), random_placements(), seconds, rounds, "simulations", "random placements alone")


def _peer(folder: Path, network: str, int8: bool) -> Measurement:
    def run(seconds: float, rounds: int) -> Figure:
        from tengen.bench.peer import peer_search
        from tengen.bench.selfplay import self_play

        size = int(network.partition("@")[2])
        with peer_search(folder, size) as peer:
            works = self_play(network, 32, int8), peer
            return in_turn(*works, seconds, rounds, "evaluations", f"{folder.name}, its network's shape")

    return run


def _measurements(peer: Path | None) -> dict[str, Measurement]:
    from tengen.bench.searching import PEER_GAMES
    from tengen.bench.selfplay import EIGHT_BITS, NETWORKS

    if peer is not None:
        return {
            f"peer/{kind}@{size}": _peer(peer, f"song@{size}", kind == "int8")
            for size in (9, 15)
            for kind in ("f32", "int8")
        }
    found = {f"search/{spec}": _search(spec, name) for spec, name in PEER_GAMES.items()}
    found["threads/hex:11"] = _threads("hex:11")
    found |= {"tetris/placements": _tetris_placements, "tetris/search": _tetris_search}
    found |= {f"selfplay/{network}": _selfplay(network, batch) for network, batch in NETWORKS.items()}
    return found | {f"int8/{network}": _int8(network, NETWORKS[network]) for network in EIGHT_BITS}


def names(only: Sequence[str] = (), peer: Path | None = None) -> list[str]:
    """What can be measured; with `only`, of that what fits one of these patterns."""
    return [name for name in _measurements(peer) if not only or any(fnmatch(name, pattern) for pattern in only)]


def measure(
    seconds: float, rounds: int, only: Sequence[str] = (), peer: Path | None = None
) -> Iterator[tuple[str, Figure]]:
    """The figures by name: ``search/GAME`` beside OpenSpiel, ``threads/GAME`` two threads beside one, ``selfplay/NETWORK`` beside
    the bare runtime, ``tetris/placements`` beside plain Python, ``tetris/search`` beside placements alone, ``int8/NETWORK`` eight
    bits beside thirty-two; with a `peer`, self-play beside that program instead."""
    measurements = _measurements(peer)
    for name in names(only, peer):
        yield name, measurements[name](seconds, rounds)
