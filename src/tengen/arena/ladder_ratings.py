"""Ratings of the ladder's rungs: Elo above their mean, and the 95 % interval of it. Written by `python benchmarks/ladder.py`."""

from __future__ import annotations

from collections.abc import Mapping

RATINGS: Mapping[str, Mapping[str, tuple[float, float, float]]] = {
    "gomoku:9": {
        "random": (-1254, -1712, -797),
        "uct,simulations=100": (-608, -776, -440),
        "flat,simulations=2": (-390, -541, -240),
        "uct,simulations=400": (-530, -690, -370),
        "flat,simulations=100": (-118, -262, 27),
        "uct,simulations=1600": (-205, -350, -60),
        "uct,simulations=6400": (169, 18, 320),
        "rave,simulations=6400": (507, 332, 683),
        "alphabeta,depth=2": (690, 502, 878),
        "alphabeta,depth=6": (902, 694, 1110),
        "classic,time=0.2": (838, 637, 1038),
    },
    "hex:5": {
        "random": (-903, -1226, -580),
        "flat,simulations=2": (-690, -972, -408),
        "uct,simulations=100": (-138, -275, -2),
        "uct,simulations=400": (4, -123, 131),
        "flat,simulations=100": (123, 0, 246),
        "uct,simulations=1600": (274, 150, 398),
        "rave,simulations=1600": (472, 336, 607),
        "uct,simulations=6400": (355, 228, 482),
        "rave,simulations=6400": (504, 365, 643),
    },
    "hex:7": {
        "random": (-945, -1205, -684),
        "flat,simulations=2": (-649, -854, -444),
        "uct,simulations=100": (-522, -713, -332),
        "uct,simulations=400": (-160, -312, -9),
        "flat,simulations=100": (183, 39, 328),
        "uct,simulations=1600": (164, 20, 308),
        "rave,simulations=1600": (612, 434, 790),
        "uct,simulations=6400": (416, 260, 571),
        "rave,simulations=6400": (901, 660, 1143),
    },
}
"""By game, then by rung: rating, low, high."""
