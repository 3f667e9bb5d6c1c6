"""``tengen watch example``: the slides' four simulations, with the tree and its numbers."""

from __future__ import annotations

import sys

from rich.panel import Panel
from rich.tree import Tree

from tengen.cli import screen
from tengen.lessons import slides
from tengen.lessons.slides import Branch, Simulation


def step_through(as_json: bool) -> None:
    """Show one simulation after the other; on a terminal, Enter goes on."""
    steps = slides.four_simulations()
    if as_json:
        screen.print_json([_as_json(step) for step in steps])
        return
    console = screen.console
    console.print(
        "The worked example of the AlphaZero slides. Three in a row on 3×3; white is to move.\n"
        "Cells are numbered 7 8 9 / 4 5 6 / 1 2 3. Each move keeps N visits, W total value, Q = W/N and the prior P,\n"
        f"in the view of the player who chooses it; U = {slides.C_PUCT:g}·P·sqrt(N of the parent)/(1+N).\n"
    )
    screen.show_board(slides.start())
    for step in steps:
        _wait(f"simulation {step.number}")
        console.print(Panel(_explain(step), title=f"simulation {step.number} of {len(steps)}", width=100))
        console.print(_drawn(step.after, step.path, "the tree after it"))
        console.print()
    console.print(
        "After 400 such simulations the slides play from π = N / ΣN: the most visited move, or one drawn from it."
    )
    console.print("\nsee it in a real game: [bold]tengen watch gomoku:3,line=3 puct puct[/bold]")


def _explain(step: Simulation) -> str:
    return "\n".join(f"[bold]{what}[/bold]{' ' * (10 - len(what))}{text}" for what, text in slides.explain(step))


def _drawn(branch: Branch, path: tuple[int, ...], title: str = "") -> Tree:
    if branch.cells:
        text = f"{branch.cells[-1]}  N={branch.visits} W={branch.w:.2f} Q={branch.q:.2f} P={branch.prior:.2f}"
        style = "bold green" if branch.cells == path[: len(branch.cells)] else ""
    else:
        text, style = f"{title}: root N={branch.visits}", "bold"
    tree = Tree(f"[{style}]{text}[/]" if style else text)
    for child in branch.children:
        tree.add(_drawn(child, path))
    return tree


def _as_json(step: Simulation) -> dict[str, object]:
    def node(branch: Branch) -> dict[str, object]:
        return {
            "cells": branch.cells, "N": branch.visits, "W": branch.w, "Q": branch.q, "P": branch.prior,
            "children": [node(child) for child in branch.children],
        }  # fmt: skip

    return {"simulation": step.number, "path": step.path, "value": step.value, "tree": node(step.after)}


def _wait(what: str) -> None:
    if sys.stdin.isatty() and sys.stdout.isatty():
        input(f"Enter: {what} ")
