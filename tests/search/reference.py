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
        self.as_first, self.as_first_total = 0, 0.0  # of all simulations with the player's move, here or later
        self.low, self.high = -1.0, 1.0  # what the move is proven to be worth, in the view of q; of the root in its own
        self.raw = 0.0  # the first evaluation of the position, in its own view
        self.turns = 0  # at the root: simulations of this search that began with the move
        self.is_awaited = False  # whether the network is being asked about it

    @property
    def is_proven(self) -> bool:
        return self.low == self.high


class Reference:
    """A search of one position."""

    def __init__(self, position: Position, settings: SearchSettings, evaluator=None, seed: int = 0):
        self.position, self.settings, self.evaluator = position, settings, evaluator
        self.c = DEFAULT_C[settings.selection] if settings.c is None else settings.c
        self.random = random_state(seed * 1_000_003)
        self.root = Node(-1, 1.0)
        self.known = np.zeros(position.game.knowledge_size(), np.int32)
        position.game.study(position.array, self.known)
        self.low, self.high = math.inf, -math.inf
        self.noise: dict[int, float] | None = None  # Gumbel noise of the root's moves
        self.turns, self.done = 0, 0

    def search_in_batches(self, simulations: int, lanes: int) -> None:
        """`simulate` with so many questions to the network at once."""
        questions: list[tuple | None] = [None] * lanes
        while True:
            for lane in range(lanes):
                is_wanted = True
                while is_wanted and questions[lane] is None:
                    waiting = sum(question is not None for question in questions)
                    is_wanted = self.done + waiting < simulations and not self.root.is_proven
                    if is_wanted:
                        questions[lane] = self.simulate(in_batch=True)
                        is_wanted = questions[lane] != ()
                if questions[lane] == ():
                    questions[lane] = None
            if not any(questions):
                return
            for lane, question in enumerate(questions):
                if question is not None:
                    path, node, position, known, view, loss = question
                    node.is_awaited = False
                    if position.to_move == CHANCE:
                        value = float(self.evaluator(position.game, position.array[None])[1][0])
                    else:
                        value = self.expand_by_network(node, position, known)
                        value = self.evaluate(position, known, view, value)
                    self.count_loss(path, -1, loss)
                    self.backup(path, value)
                    questions[lane] = None

    def count_loss(self, path: list[tuple[Node, float, int]], times: int, loss: float) -> None:
        """Virtual loss: one visit more for every move on the way, lost for the player who chose it."""
        self.root.visits += times
        for (node, reward, view), (_, _, parent_view) in zip(path[1:], path):
            sign = 1 if view == parent_view else -1
            node.visits += times
            node.total += times * sign * loss
            if times > 0:
                node.q = reward + self.settings.discount * sign * (node.total / node.visits)

    def simulate(self, in_batch: bool = False) -> tuple | None:
        """Selection, expansion, evaluation, backup. In a batch: a question, or () where that is being asked already."""
        position, known, node = self.position.copy(), self.known.copy(), self.root
        view = position.to_move
        path = [(node, 0.0, view)]  # each position with the reward of the move to it, and its view
        while True:
            if position.to_move == CHANCE:
                if self.settings.afterstates and not node.expanded and (node.visits == 0 or node.is_awaited):
                    if in_batch and node.is_awaited:
                        path[1][0].turns -= 1
                        self.turns -= 1
                        return ()
                    if in_batch:
                        node.is_awaited = True
                        loss = self.low if self.low < math.inf else 0.0
                        self.count_loss(path, 1, loss)
                        return path, node, position, known, view, loss
                    self.backup(path, float(self.evaluator(position.game, position.array[None])[1][0]))
                    return None
                if not node.expanded:
                    self.expand_luck(node, position)
                node = node.tried[choose(self.random, np.array([n.prior for n in node.tried]), len(node.tried))]
            else:
                if not node.expanded:
                    if in_batch and node.is_awaited:
                        if len(path) > 1:
                            path[1][0].turns -= 1
                            self.turns -= 1
                        return ()
                    if in_batch:
                        node.is_awaited = True
                        loss = -1.0 if position.game.is_bounded() else self.low if self.low < math.inf else 0.0
                        self.count_loss(path, 1, loss)
                        return path, node, position, known, view, loss
                    if self.evaluator is not None:
                        value = self.expand_by_network(node, position, known)
                        self.backup(path, self.evaluate(position, known, view, value))
                        return None
                    is_below_flat_root = self.settings.selection == "flat" and node is not self.root
                    if node.visits == 0 or is_below_flat_root:
                        self.backup(path, self.rollout(position, known, view))
                        return None
                    self.expand(node, position, known)
                is_root = node is self.root
                node = self.select(node)
                node.turns += is_root
            mover = position.to_move
            before = list(position.returns)
            position.play(node.move)
            position.game.learn(position.array, known, node.move)
            player = view if mover == CHANCE else mover
            reward = position.returns[player] - before[player]
            if mover != CHANCE:
                reward += self.settings.living_reward
            if position.is_over:
                self.end = position.array
                self.backup([*path, (node, reward, view)], 0.0, is_end=True)
                return None
            if position.to_move != CHANCE:
                view = position.to_move
            path.append((node, reward, view))
            if self.settings.solver and node.is_proven:
                self.end = position.array
                self.backup(path, node.low if view == path[-2][2] else -node.low)
                return None

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
            tried = [child for child in node.tried if not self.is_closed(node, child)]
            best = max(
                tried + node.untried[start:] + node.untried[:start], key=lambda child: self.rave_score(node, child)
            )
            return best if best in node.tried else self.try_child(node, node.untried.index(best))
        if settings.selection == "gumbel":
            best, is_next = self.best_by_gumbel(node)
            if best in node.tried:
                return best
            return self.try_child(node, self.next_untried(node) if is_next else node.untried.index(best))
        candidates = [child for child in node.tried if not self.is_closed(node, child)] + node.untried[:1]
        best = max(candidates, key=lambda child: (self.score(node, child), child.prior))
        return best if best in node.tried else self.try_child(node, self.next_untried(node))

    def is_closed(self, node: Node, child: Node) -> bool:
        """Whether a move is proven and therefore not searched again; at the root only if it loses."""
        return self.settings.solver and child.is_proven and (node is not self.root or child.low == -1)

    def best_by_gumbel(self, node: Node) -> tuple[Node, bool]:
        """By sequential halving at the root; else the move that lags most behind the improved policy.

        And whether it stands for the next untried one, whichever that is.
        """
        candidates = [child for child in node.tried if not self.is_closed(node, child)] + node.untried
        if node is self.root:
            if self.noise is None:
                self.planned = self.settings.simulations - self.done
                scale = self.settings.noise
                self.noise = {
                    child.move: -scale * math.log(-math.log(1 - uniform(self.random))) if scale > 0 else 0.0
                    for child in node.tried + node.untried
                }
            turn, self.turns = self.turns, self.turns + 1
            if turn < self.planned:
                due = self.visits_due(len(node.tried + node.untried), turn)
                in_line = [child for child in candidates if child.turns == due]
                if in_line:
                    best = max(in_line, key=lambda child: self.noise[child.move] + self.logit(node, child))
                    return best, self.settings.noise == 0
        largest = max(self.logit(node, child) for child in candidates)
        weights = [math.exp(self.logit(node, child) - largest) for child in candidates]
        visits = sum(child.visits for child in node.tried)

        def lag(pair: tuple[Node, float]) -> float:
            return pair[1] / sum(weights) - pair[0].visits / (1 + visits)

        pairs = list(zip(candidates, weights))
        tried = len(candidates) - len(node.untried)
        return max(pairs[tried : tried + 1] + pairs[:tried], key=lag)[0], True

    def visits_due(self, moves: int, turn: int) -> int:
        """The plan, written out: which number of earlier tries the move of each turn has."""
        considered = min(moves, self.settings.considered or (16 if self.evaluator is not None else moves))
        if considered == 1:
            return turn
        rounds, plan, level = math.ceil(math.log2(considered)), [], 0
        size = considered
        while len(plan) < self.planned:
            each = max(1, self.planned // (rounds * size))
            for _ in range(each):
                plan += [level] * size
                level += 1
            size = max(2, size // 2)
        return plan[turn]

    def logit(self, node: Node, child: Node) -> float:
        """log P + σ(Q̂)"""
        settings = self.settings
        factor = (settings.c_visit + max([n.visits for n in node.tried], default=0)) * self.c
        value = self.q_of(child) if child.visits else self.mixed_value(node)
        return math.log(child.prior) + factor * (self.scaled(value) + 1) / 2

    def q_of(self, child: Node) -> float:
        return child.low if self.settings.solver and child.is_proven else child.q

    def mixed_value(self, node: Node) -> float:
        """(v + ΣN · ΣPQ / ΣP) / (1 + ΣN)"""
        visited = [child for child in node.tried if child.visits]
        if not visited:
            return node.raw
        visits, weight = sum(child.visits for child in visited), sum(child.prior for child in visited)
        mean = sum(child.prior * self.q_of(child) for child in visited) / weight
        return (node.raw + visits * mean) / (1 + visits)

    def improved_policy(self) -> tuple[dict[int, float], int]:
        """π' of the root, and the move that has won the halving; no proven loss, unless all are."""
        moves = self.root.tried + self.root.untried
        allowed = [child for child in moves if not self.settings.solver or self.is_kept(child)]
        most = max(child.turns for child in allowed)
        winner = max(
            [child for child in allowed if child.turns == most],
            key=lambda child: (self.noise or {}).get(child.move, 0.0) + self.logit(self.root, child),
        )
        largest = max(self.logit(self.root, child) for child in allowed)
        weights = {child.move: math.exp(self.logit(self.root, child) - largest) for child in allowed}
        return {move: weight / sum(weights.values()) for move, weight in weights.items()}, winner.move

    def is_kept(self, child: Node) -> bool:
        """Whether a move of the root may be played, by what is proven."""
        moves = self.root.tried + self.root.untried
        best_low, best_high = max(n.low for n in moves), max(n.high for n in moves)
        if best_low == best_high:
            return child.low == best_low
        if child.low == child.high == -1:
            return False
        return child.high > best_low or child.low == best_low

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

    def expand(self, node: Node, position: Position, known: np.ndarray) -> None:
        moves = self.moves_to_try(position.array, known, self.settings.candidates, self.settings.most_likely)
        node.expanded, node.untried = True, [Node(move, 1 / len(moves)) for move in moves]

    def moves_to_try(self, array: np.ndarray, known: np.ndarray, which: str, most: int = 0) -> list[int]:
        """Urgent moves, or else likely moves, or else all, as far as the setting says."""
        game, out = self.position.game, np.zeros(self.position.game.move_count(), np.int32)
        n = game.urgent_moves(array, known, out) if which in ("urgent", "knowledge") else 0
        if n == 0 and which in ("likely", "knowledge"):
            n = game.likely_moves(array, known, most, out)
        if n == 0:
            n = game.legal_moves(array, out)
        return out[:n].tolist()

    def expand_luck(self, node: Node, position: Position) -> None:
        node.expanded = True
        node.tried = [Node(move, p) for move, p in zip(position.legal_moves, position.odds)]

    def expand_by_network(self, node: Node, position: Position, known: np.ndarray) -> float:
        """The children get the network's priors; the value of the position is returned, in its mover's view."""
        game = position.game
        policy, value = self.evaluator(game, position.array[None])
        self.expand(node, position, known)
        outputs = game.move_views()[game.move_view(position.array)]
        for child in node.untried:
            child.prior = float(policy[0, outputs[child.move]])
        total = sum(child.prior for child in node.untried)
        for child in node.untried:
            child.prior = float(np.float32(child.prior / total))
        self.bring_best_to_front(node)
        return float(value[0])

    def evaluate(self, position: Position, known: np.ndarray, view: int, v: float) -> float:
        """The network's value, a rollout's, or a mixture."""
        settings = self.settings
        if settings.evaluation == "network":
            return v
        if settings.evaluation == "sigma" and not (settings.sigma == 1 or uniform(self.random) < settings.sigma):
            return v
        z = (
            self.network_rollout(position, view)
            if settings.rollouts == "network"
            else self.rollout(position, known, view)
        )
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

    def informed_rollout(self, array: np.ndarray, known: np.ndarray, view: int) -> float:
        """Both players choose from what the game knows to be urgent, or likely."""
        settings, game, total, weight, mover = self.settings, self.position.game, 0.0, 1.0, view
        for _ in range(settings.rollout_moves or ENDLESS):
            if game.is_over(array):
                break
            if game.to_move(array) == CHANCE:
                moves, odds = self.moves_to_try(array, known, "all"), np.zeros(game.move_count())
                game.chance_odds(array, odds)
                move = moves[choose(self.random, odds, len(moves))]
            else:
                mover = game.to_move(array)
                moves = self.moves_to_try(array, known, settings.rollouts)
                move = moves[int(below(self.random, len(moves)))]
            reward = game.play(array, move)
            game.learn(array, known, move)
            total += weight * (reward if mover == view else -reward)
            weight *= settings.discount
        return total

    def rollout(self, position: Position, known: np.ndarray, view: int) -> float:
        settings, array = self.settings, position.array.copy()
        self.end = array  # where the moves of the rollout will have led
        if settings.rollouts in ("urgent", "likely", "knowledge"):
            if settings.discount == 1 and not settings.rollout_moves:
                urgent, likely = settings.rollouts != "likely", settings.rollouts != "urgent"
                value = position.game.informed_playout(array, known, view, urgent, likely, self.random)
                if not math.isnan(value):  # the game has a way of its own
                    return value
            return self.informed_rollout(array, known, view)
        if settings.discount == 1 and not settings.rollout_moves:
            return position.game.playout(array, view, self.random)
        limit = settings.rollout_moves or ENDLESS
        return random_game(position.game, array, view, settings.discount, limit, self.random)

    def backup(self, path: list[tuple[Node, float, int]], value: float, is_end: bool = False) -> None:
        """value = reward + discount · (value if the view stays the same else −value), up to the root."""
        discount = self.settings.discount
        self.done += 1
        if path[-1][0].visits == 0:
            path[-1][0].raw = value
        if self.settings.selection == "rave":
            self.count_as_first(path, value)
        for (node, reward, view), (_, _, parent_view) in reversed(list(zip(path[1:], path))):
            if self.settings.solver and is_end:
                node.low = node.high = reward
            elif self.settings.solver:
                value = self.prove(node, view == parent_view, value)
            is_end = False
            node.visits += 1
            node.total += value
            sign = 1 if view == parent_view else -1
            node.q = reward + discount * sign * (node.total / node.visits)
            self.low, self.high = min(self.low, node.q), max(self.high, node.q)
            if self.settings.solver and node.is_proven:
                node.q = node.low
            value = reward + discount * sign * value
        if self.settings.solver:
            value = self.prove(self.root, True, value)
        self.root.visits += 1
        self.root.total += value

    def prove(self, node: Node, same: bool, value: float) -> float:
        """A position is worth at least the least, and at most the most, that its best move can be worth; the value within that."""
        if not node.expanded:
            return value
        moves = node.tried + node.untried
        low, high = max(child.low for child in moves), max(child.high for child in moves)
        node.low, node.high = (low, high) if same else (-high, -low)
        return min(max(value, low), high)

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
