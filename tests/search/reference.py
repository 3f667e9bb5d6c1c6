"""Monte-Carlo tree search to be read: the oracle that the compiled kernel is held against, visit for visit.

One node is one object, the four steps are four methods, and the formulas stand as the documents print them. It shares with the
kernel only the rules of the games and the random numbers, which it draws in the same order.
"""

from __future__ import annotations

import math

import numpy as np

from tengen.games import CHANCE, Position
from tengen.games.randomness import below, choose, random_state, uniform
from tengen.games.verbs import ENDLESS, random_game
from tengen.search import SearchSettings
from tengen.search.settings import DEFAULT_C


class Node:
    """A position, and the move that leads to it."""

    def __init__(self, move: int, prior: float):
        self.move, self.prior = move, float(np.float32(prior))  # the kernel keeps it in 32 bits
        self.visits = 0
        self.total = 0.0  # sum of values in this position's own view
        self.q = 0.0  # mean value of the move in the view of the player who chooses it
        self.tried: list[Node] = []  # in the order in which they were tried
        self.untried: list[Node] = []
        self.expanded = False
        self.as_first, self.as_first_total = (
            0,
            0.0,
        )  # of all simulations in which the player made the move, here or later


class Reference:
    """A search of one position."""

    def __init__(self, position: Position, settings: SearchSettings, evaluator=None, seed: int = 0):
        self.position, self.settings, self.evaluator = position, settings, evaluator
        self.c = DEFAULT_C[settings.selection] if settings.c is None else settings.c
        self.random = random_state(seed * 1_000_003)
        self.root = Node(-1, 1.0)
        self.low, self.high = math.inf, -math.inf

    def simulate(self) -> None:
        """Selection, expansion, evaluation, backup."""
        position, node = self.position.copy(), self.root
        view = position.to_move
        path = [(node, 0.0, view)]  # each position with the reward of the move to it, and its view
        while True:
            if position.to_move == CHANCE:
                if not node.expanded:
                    self.expand_luck(node, position)
                node = node.tried[choose(self.random, np.array([n.prior for n in node.tried]), len(node.tried))]
            else:
                if not node.expanded:
                    if self.evaluator is not None:
                        value = self.expand_by_network(node, position)
                        self.backup(path, self.evaluate(position, view, value))
                        return
                    is_below_flat_root = self.settings.selection == "flat" and node is not self.root
                    if node.visits == 0 or is_below_flat_root:
                        self.backup(path, self.rollout(position, view))
                        return
                    self.expand(node, position)
                node = self.select(node)
            mover = position.to_move
            before = list(position.returns)
            position.play(node.move)
            player = view if mover == CHANCE else mover
            reward = position.returns[player] - before[player]
            if position.is_over:
                self.end = position.array
                self.backup([*path, (node, reward, view)], 0.0)
                return
            if position.to_move != CHANCE:
                view = position.to_move
            path.append((node, reward, view))

    def select(self, node: Node) -> Node:
        """argmax Q + U, in the order: those tried, as they were tried, then the best of the others."""
        settings, moves = self.settings, node.tried + node.untried
        if settings.epsilon > 0 and uniform(self.random) < settings.epsilon:
            i = int(below(self.random, len(moves)))
            return moves[i] if i < len(node.tried) else self.try_child(node, i - len(node.tried))
        if node.untried and settings.selection in ("ucb1", "flat"):
            return self.try_child(node, self.next_untried(node))
        if settings.selection == "flat":
            return min(node.tried, key=lambda child: child.visits)
        if settings.selection == "rave":
            start = int(below(self.random, len(node.untried))) if node.untried else 0
            best = max(
                node.tried + node.untried[start:] + node.untried[:start], key=lambda child: self.rave_score(node, child)
            )
            return best if best in node.tried else self.try_child(node, node.untried.index(best))
        candidates = node.tried + node.untried[:1]
        best = max(candidates, key=lambda child: (self.score(node, child), child.prior))
        return best if best in node.tried else self.try_child(node, self.next_untried(node))

    def rave_score(self, node: Node, child: Node) -> float:
        """(1−β)·Q + β·Q̃ + U, with β = ñ / (n + ñ + 4·n·ñ·b²)."""
        n, m, tries = child.visits, child.as_first, node.visits - 1
        u = self.c * math.sqrt(math.log(tries)) * (1 / math.sqrt(1 + n)) if tries >= 2 else 0.0
        if m == 0 and n > 0:
            return self.scaled(child.q) + u
        if m == 0:
            mean = self.scaled(node.total / node.visits) if self.settings.first_play == "parent" else 0.0
            return self.settings.first_play_value + mean + u
        beta = m / (n + m + 4 * self.settings.rave_bias**2 * n * m)
        return self.scaled((1 - beta) * child.q + beta * (child.as_first_total / m)) + u

    def score(self, node: Node, child: Node) -> float:
        settings, n = self.settings, child.visits
        if n > 0:
            q = self.scaled(child.q)
        else:
            q = settings.first_play_value
            if settings.first_play == "parent":
                q += self.scaled(node.total / node.visits)
        if settings.selection == "uct":
            tries = node.visits - 1  # the sum of the children's visits: one visit was the node's own evaluation
            return q + (self.c * math.sqrt(math.log(tries) / (1 + n)) if tries >= 1 else 0.0)
        if settings.selection == "ucb1":
            return q + 2 * self.c * math.sqrt(2 * math.log(node.visits) / n)
        return q + self.c * math.sqrt(node.visits) * (child.prior / (1 + n))

    def scaled(self, value: float) -> float:
        """Values of games with other rewards, by the range seen in the tree, in [−1, 1]."""
        game = self.position.game
        if game.is_bounded():
            return value
        low, high = self.low, self.high
        if game.players() == 2:
            high = max(-low, high)
            low = -high
        return 2 * (value - low) / (high - low) - 1 if high > low else 0.0

    def next_untried(self, node: Node) -> int:
        return 0 if self.evaluator is not None else int(below(self.random, len(node.untried)))

    def try_child(self, node: Node, i: int) -> Node:
        untried = node.untried
        untried[0], untried[i] = untried[i], untried[0]
        node.tried.append(untried.pop(0))
        self.bring_best_to_front(node)
        return node.tried[-1]

    def bring_best_to_front(self, node: Node) -> None:
        if self.evaluator is not None and node.untried:
            untried = node.untried
            i = min(range(len(untried)), key=lambda j: (-untried[j].prior, untried[j].move))
            untried[0], untried[i] = untried[i], untried[0]

    def expand(self, node: Node, position: Position) -> None:
        moves = position.legal_moves
        node.expanded, node.untried = True, [Node(move, 1 / len(moves)) for move in moves]

    def expand_luck(self, node: Node, position: Position) -> None:
        node.expanded = True
        node.tried = [Node(move, p) for move, p in zip(position.legal_moves, position.odds)]

    def expand_by_network(self, node: Node, position: Position) -> float:
        """The children get the network's priors; the value of the position is returned, in its mover's view."""
        game = position.game
        policy, value = self.evaluator(game, position.array[None])
        self.expand(node, position)
        outputs = game.move_views()[game.move_view(position.array)]
        for child in node.untried:
            child.prior = float(policy[0, outputs[child.move]])
        total = sum(child.prior for child in node.untried)
        for child in node.untried:
            child.prior = float(np.float32(child.prior / total))
        self.bring_best_to_front(node)
        return float(value[0])

    def evaluate(self, position: Position, view: int, v: float) -> float:
        """The network's value, a rollout's, or a mixture."""
        settings = self.settings
        if settings.evaluation == "network":
            return v
        if settings.evaluation == "sigma" and not (settings.sigma == 1 or uniform(self.random) < settings.sigma):
            return v
        z = self.network_rollout(position, view) if settings.rollouts == "network" else self.rollout(position, view)
        return (1 - settings.mix) * v + settings.mix * z if settings.evaluation == "mix" else z

    def network_rollout(self, position: Position, view: int) -> float:
        """Both players follow the network's policy to the end."""
        settings, game, total, weight, mover = self.settings, position.game, 0.0, 1.0, view
        start = len(position.moves)
        while not position.is_over and len(position.moves) - start < (settings.rollout_moves or ENDLESS):
            moves = position.legal_moves
            if position.to_move == CHANCE:
                move = moves[choose(self.random, np.array(position.odds), len(moves))]
            else:
                mover = position.to_move
                policy, _ = self.evaluator(game, position.array[None])
                weights = policy[0, game.move_views()[game.move_view(position.array)][moves]].astype(float)
                if settings.rollout_epsilon > 0 and uniform(self.random) < settings.rollout_epsilon:
                    move = moves[below(self.random, len(moves))]
                elif settings.rollout_choice == "sample":
                    move = moves[choose(self.random, weights, len(moves))]
                else:
                    move = moves[int(np.argmax(weights))]
            before = position.returns[mover]
            position.play(move)
            reward = position.returns[mover] - before
            total += weight * (reward if mover == view else -reward)
            weight *= settings.discount
        return total

    def rollout(self, position: Position, view: int) -> float:
        settings, array = self.settings, position.array.copy()
        self.end = array  # where the moves of the rollout will have led
        if settings.discount == 1 and not settings.rollout_moves:
            return position.game.playout(array, view, self.random)
        limit = settings.rollout_moves or ENDLESS
        return random_game(position.game, array, view, settings.discount, limit, self.random)

    def backup(self, path: list[tuple[Node, float, int]], value: float) -> None:
        """value = reward + discount · (value if the view stays the same else −value), up to the root."""
        discount = self.settings.discount
        if self.settings.selection == "rave":
            self.count_as_first(path, value)
        for (node, reward, view), (_, _, parent_view) in reversed(list(zip(path[1:], path))):
            node.visits += 1
            node.total += value
            sign = 1 if view == parent_view else -1
            node.q = reward + discount * sign * (node.total / node.visits)
            self.low, self.high = min(self.low, node.q), max(self.high, node.q)
            value = reward + discount * sign * value
        self.root.visits += 1
        self.root.total += value

    def count_as_first(self, path: list[tuple[Node, float, int]], value: float) -> None:
        """All moves as first: at each node of the path, for every move that its player has made by the end of the simulation."""
        owners = np.zeros(self.position.game.move_count(), np.int32)
        self.position.game.made_by(self.end, owners)
        for d in range(len(path) - 1, -1, -1):
            node, reward, view = path[d]
            for child in node.tried + node.untried:
                if owners[child.move] == view + 1:
                    child.as_first += 1
                    child.as_first_total += value
            if d > 0:
                value = reward + self.settings.discount * (value if view == path[d - 1][2] else -value)
