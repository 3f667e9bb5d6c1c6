"""Canaries: classic bugs of programs that learn by self-play, planted one at a time in a copy of the package.

For each, the few tests that should notice are run against the copy; a bug that they do not notice is a hole in the tests.

    python tests/canaries.py            all of them (make canaries); exit code 1 when one survives
    python tests/canaries.py replay     those with this word, or one of several, in their name or file

Nothing here is collected by pytest, and the package itself is not touched.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parent.parent

# The tests that are quick enough as plain Python; the others are compiled, which takes longer than they do.
AGREEMENT = "tests/search/test_agreement.py::test_network[Hex(size=4, swap=False, first=1)-uct]"
ADVANCING = "tests/search/test_search.py::test_advancing_keeps_the_subtree_as_it_was"
NEW_ROOTS = "tests/search/test_search.py::test_a_move_that_was_never_tried_begins_a_new_tree"
SLIDES = "tests/search/test_slides.py"
SEARCH = "tests/search/test_search.py"
HEX = "tests/games/test_hex_boards.py"
KNOWING = "tests/games/test_gomoku_knowledge.py"
RECORDS = "tests/training/test_records.py"
NETWORKS = "tests/training/test_networks.py"
LOOP = "tests/training/test_loop.py"
DOCUMENT = f"{LOOP}::test_one_game_at_a_time_is_the_document_game_for_game[hex:3]"
ARENA = "tests/arena/test_arena.py"
OHT = "tests/arena/test_oht.py"
LEDGER = "tests/cluster/test_ledger.py"
SELFPLAY = "tests/training/test_selfplay.py"
BANDITS = "tests/bandits/test_playing.py"
EVOLUTION = "tests/tuning/test_evolution.py"
RAVE = "tests/search/test_agreement.py::test_rave[Hex(size=3, swap=False, first=0)-rave]"
TETRIS = "tests/games/test_tetris.py"


@dataclass(frozen=True)
class Canary:
    """A bug: in `file`, `old` becomes `new`. `old` has to be there exactly once."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    compiled: bool = False


CANARIES = [
    Canary(
        "the sign of the value is flipped in backup", "search/kernel.py",
        "        value = tree.path[d].reward + sign * value\n",
        "        value = tree.path[d].reward - sign * value\n",
        (AGREEMENT, SLIDES),
    ),
    Canary(
        "Q is in the wrong player's view", "search/kernel.py",
        "q = tree.path[d].reward + sign * (tree.nodes[node].total / n)",
        "q = tree.path[d].reward - sign * (tree.nodes[node].total / n)",
        (AGREEMENT, SLIDES),
    ),
    Canary(
        "a rollout tells its result to the wrong player", "search/rollouts.py",
        "lane[0].weight * (reward if mover == view else -reward)", "lane[0].weight * (-reward if mover == view else reward)",
        ("tests/search/test_agreement.py::test_rollouts_by_the_network_and_mixtures[Hex(size=4, swap=False, first=0)-greedy]",),
    ),
    Canary(
        "a finished position is worth a rollout more", "search/kernel.py",
        "value = 0.0 if end == OVER else rollout(game, settings, tree)",
        "value = 1.0 if end == OVER else rollout(game, settings, tree)",
        (AGREEMENT, SLIDES),
    ),
    Canary(
        "visits are off by one: a new node has one", "search/trees.py",
        "    tree.nodes[node].visits = 0\n", "    tree.nodes[node].visits = 1\n",
        (AGREEMENT, SLIDES),
    ),
    Canary(
        "visits are off by one: in the target", "search/forest.py",
        "self._visits[:n].tolist()))", "(self._visits[:n] + 1).tolist()))",
        (DOCUMENT, f"{LOOP}::test_either_player_begins_and_records_tell_the_truth"), compiled=True,
    ),
    Canary(
        "rave counts the moves of the wrong player", "search/kernel.py",
        "if tree.moves[tree.edges[child].move] == player + 1:", "if tree.moves[tree.edges[child].move] == 2 - player:",
        (RAVE,),
    ),
    Canary(
        "rave believes what others have seen the more, the more it has seen itself", "search/selection.py",
        "beta = m / (n + m + settings.rave * n * m)", "beta = n / (n + m + settings.rave * n * m)",
        (RAVE,),
    ),
    Canary(
        "who gives up wins", "selfplay/worker.py",
        "return self._finish(tree, slot, 1 - slot.mover)", "return self._finish(tree, slot, slot.mover)",
        (f"{SELFPLAY}::test_a_hopeless_game_is_given_up_and_counts_as_lost",),
    ),
    Canary(
        "the target of a move made after a quick look is learned from", "selfplay/worker.py",
        "counts if slot.is_full else None", "counts",
        (f"{SELFPLAY}::test_quick_moves_are_made_with_fewer_simulations_and_not_learned_from",),
    ),
    Canary(
        "the policy gradient has the wrong sign", "networks/network.py",
        "total = -keras.ops.sum(distribution * logs, axis=-1)", "total = keras.ops.sum(distribution * logs, axis=-1)",
        (f"{NETWORKS}::test_the_policy_gradient_makes_good_moves_likelier_and_bad_ones_rarer",),
    ),
    Canary(
        "the advantage of the policy gradient is upside down", "training/loop.py",
        "advantage = batch.value - values\n", "advantage = values - batch.value\n",
        (f"{NETWORKS}::test_the_policy_gradient_is_of_the_move_played_and_of_what_it_was_worth_more",),
    ),
    Canary(
        "an arm not yet pulled has an index of −∞, as the report prints it", "bandits/playing.py",
        "            if t <= d:  # an index of +∞\n", "            if t <= 1:\n",
        (f"{BANDITS}::test_ucb_by_hand",),
    ),
    Canary(
        "UCB forgets the time in its index", "bandits/playing.py",
        "index = average[j] + factor[t] * bonus[j]", "index = average[j] + factor[d] * bonus[j]",
        (f"{BANDITS}::test_ucb_by_hand", f"{BANDITS}::test_ucb_is_algorithm_8"),
    ),
    Canary(
        "ETC commits to the worst arm", "bandits/playing.py",
        "if total[i] > total[best]:", "if total[i] < total[best]:",
        (f"{BANDITS}::test_etc_by_hand",),
    ),
    Canary(
        "the bound of ETC has another exponent", "bandits/bounds.py",
        "gaps**2 / 4)", "gaps**2 / 2)",
        ("tests/bandits/test_bounds.py::test_values_by_hand",),
    ),
    Canary(
        "ucb1 explores as for rewards from −1 to 1", "search/selection.py",
        "return 2.0 * settings.c * math.sqrt(2.0 * math.log(visits))", "return settings.c * math.sqrt(2.0 * math.log(visits))",
        ("tests/bandits/test_root.py::test_ucb1_at_the_root_is_algorithm_8[0.5]",),
    ),
    Canary(
        "natural selection: the fittest die", "tuning/evolution.py",
        "key=lambda number: (-rating[number], number)", "key=lambda number: (rating[number], number)",
        (f"{EVOLUTION}::test_those_with_the_lowest_ratings_die",),
    ),
    Canary(
        "natural selection: a battle is counted for the other one", "tuning/evolution.py",
        "score[0] += match.total.wins + match.total.draws / 2", "score[0] += match.total.losses + match.total.draws / 2",
        (f"{EVOLUTION}::test_the_fittest_are_found[0]",),
    ),
    Canary(
        "natural selection: a generation that was broken off goes on with other luck", "tuning/evolution.py",
        'random.Random(f"{settings.seed} {population.generation}")', "random.Random()",
        (f"{EVOLUTION}::test_a_generation_that_was_broken_off_happens_again_just_so",),
    ),
    Canary(
        "knowledge: a new stone is learnt in the wrong colour", "games/gomoku.py",
        "known.learn(self, knowledge, move, 1 - self.to_move(position))", "known.learn(self, knowledge, move, self.to_move(position))",
        ("tests/games/test_contract.py::test_games_of_the_package_keep_the_contract[gomoku:5,line=4]",),
    ),
    Canary(
        "knowledge: the opponent's win comes before one's own", "games/gomoku_knowledge.py",
        "    if not _has(board, player, WINS):\n", "    if _has(board, opponent, WINS) or not _has(board, player, WINS):\n",
        (f"{KNOWING}::test_urgent_moves[win]",),
    ),
    Canary(
        "knowledge: a four of one's own is no reply to a four", "games/gomoku_knowledge.py",
        "            met[move_of(board, game.size, cell)] = fours\n", "            pass\n",
        (f"{KNOWING}::test_urgent_moves[or a four comes first]",),
    ),
    Canary(
        "knowledge: the simulation begins with what the last one has learnt", "search/kernel.py",
        "        copy_position(tree.known[0], tree.known[1])\n", "        pass\n",
        ("tests/search/test_agreement.py::test_knowledge[Gomoku(size=4, line=3, exact=False)-knowledge]",),
    ),
    Canary(
        "knowledge: the tree looks at all moves", "search/kernel.py",
        "    if settings.knows and game.to_move(tree.leaf) != CHANCE:\n", "    if False:\n",
        ("tests/search/test_agreement.py::test_knowledge[Gomoku(size=4, line=3, exact=False)-tree only]",),
    ),
    Canary(
        "a stale subtree: the tree stays where it was after a move", "search/kernel.py",
        "        keep_child(tree, child)\n", "        pass\n",
        (ADVANCING, f"{SEARCH}::test_a_search_follows_the_game"),
    ),
    Canary(
        "a stale subtree: an untried move keeps its parent's tree", "search/kernel.py",
        "    if child == -1:\n        clear_tree(tree)\n", "    if child == -1:\n        pass\n",
        (ADVANCING, NEW_ROOTS),
    ),
    Canary(
        "a stale subtree: another child of the root is kept", "search/kernel.py",
        "        if tree.edges[node].move == move:\n", "        if tree.edges[node].move != move:\n",
        (ADVANCING,),
    ),
    Canary(
        "a stale subtree: a new game goes on with the last game's tree", "selfplay/worker.py",
        "        self._forest.reset(tree, self._starts[first])\n",
        "        self._forest.trees.root[tree] = self._starts[first]\n",
        (DOCUMENT,), compiled=True,
    ),
    Canary(
        "an illegal move is not masked: in the network's loss", "networks/network.py",
        "keras.ops.log_softmax(keras.ops.where(legal > 0, logits, keras.ops.full_like(logits, -1e9)))", "keras.ops.log_softmax(logits)",
        (f"{NETWORKS}::test_an_illegal_move_pulls_at_nothing",),
    ),
    Canary(
        "an illegal move is not masked: in the agent that is a network", "agents/network.py",
        "        moves = position.legal_moves\n", "        moves = list(range(self.game.move_count()))\n",
        (f"{NETWORKS}::test_illegal_moves_get_exactly_nothing_and_the_rest_adds_up",),
    ),
    Canary(
        "an illegal move is not masked: priors do not add up to one", "search/kernel.py",
        "tree.odds[i] / total if total > 0.0 else 1.0 / count", "tree.odds[i] if total > 0.0 else 1.0 / count",
        ("tests/search/test_agreement.py::test_network[Hex(size=4, swap=False, first=1)-puct]",
         f"{SEARCH}::test_a_policy_without_legal_weight_becomes_uniform_and_nan_counts_as_nothing"),
    ),
    Canary(
        "an illegal move is not masked: in the mask that training gets", "records/replay.py",
        "        for k in range(game.legal_moves(position, listed)):\n            legal[i, outputs[listed[k]]] = 1.0\n",
        "        for k in range(legal.shape[1]):\n            legal[i, k] = 1.0\n",
        (RECORDS,),
    ),
    Canary(
        "colours are swapped in what the network sees of Hex", "games/hex.py",
        "                planes[0, r, c] = 1.0 if cell == mover + 1 else 0.0\n",
        "                planes[0, r, c] = 1.0 if cell == 2 - mover else 0.0\n",
        (HEX,),
    ),
    Canary(
        "the board of Hex is not turned for the second player", "games/hex.py",
        "r, c = (row, column) if mover == 0 else (column, row)", "r, c = (row, column)",
        (HEX,),
    ),
    Canary(
        "moves of Hex are read in the other player's view", "games/hex.py",
        "    def move_view(self, position: IntArray) -> int:\n        return self.to_move(position)\n",
        "    def move_view(self, position: IntArray) -> int:\n        return 1 - self.to_move(position)\n",
        (HEX, RECORDS),
    ),
    Canary(
        "the table of transposed moves is not transposed", "games/hex.py",
        "self._with_swap(board.T)", "self._with_swap(board)",
        (HEX, RECORDS),
    ),
    Canary(
        "a symmetry of Hex is none", "games/hex.py",
        "self._with_swap(board[::-1, ::-1])", "self._with_swap(board[::-1])",
        ("tests/search/test_metamorphic.py::test_a_symmetry_permutes_the_visits[Hex(size=4, swap=False, first=0)-uct]",
         "tests/games/test_properties.py::test_the_image_of_a_game_has_the_images_of_its_moves"),
    ),
    Canary(
        "the target of the value is flipped", "records/replay.py",
        "        values[i] = value\n", "        values[i] = -value\n",
        (RECORDS,),
    ),
    Canary(
        "the target of the value is the first player's, whoever moves", "records/replay.py",
        "\n        value = rewards[i] + discount * (value if viewers[i] == viewers[i + 1] else -value)",
        "\n        value = rewards[i] + discount * value",
        (RECORDS,),
    ),
    Canary(
        "the target of the value is flipped where a player gave up", "records/replay.py",
        "value = result - sum_0 if view == 0 else sum_0 - result", "value = sum_0 - result if view == 0 else result - sum_0",
        (RECORDS,),
    ),
    Canary(
        "a turned position keeps the policy of the one that was not turned", "records/replay.py",
        "policy[i, outputs[turns[i, move]]] = visits[i, move] / total", "policy[i, outputs[move]] = visits[i, move] / total",
        (RECORDS,),
    ),
    Canary(
        "a draw is a win: in a match", "arena/match.py",
        "            self.draws += 1\n", "            self.wins += 1\n",
        (f"{ARENA}::test_colours_and_draws_are_counted",),
    ),
    Canary(
        "a draw is a win: in the score", "arena/match.py",
        "(self.wins + self.draws / 2)", "(self.wins + self.draws)",
        (f"{ARENA}::test_colours_and_draws_are_counted",),
    ),
    Canary(
        "a draw is a win: in the playouts of Gomoku", "games/gomoku.py",
        "            player = 1 - player\n        return 0.0\n", "            player = 1 - player\n        return 1.0\n",
        ("tests/games/test_gomoku.py::test_a_playout_tells_each_player_whether_it_was_won",),
    ),
    Canary(
        "a draw is a win: on the full board of Gomoku", "games/gomoku.py",
        "            return 1.0\n        return 0.0\n\n    def is_over", "            return 1.0\n        return float(self.is_over(position))\n\n    def is_over",
        ("tests/games/test_gomoku.py::test_a_full_board_without_a_row_is_a_draw",),
    ),
    Canary(
        "the replay window never forgets the oldest cases", "records/replay.py",
        "i = self._added % self.capacity", "i = min(self._added, self.capacity - 1)",
        (RECORDS,),
    ),
    Canary(
        "the replay window is sampled before it is full", "records/replay.py",
        "chooser.choice(len(self), min(n, len(self)), replace=False)", "chooser.choice(self.capacity, min(n, len(self)), replace=False)",
        (RECORDS,),
    ),
    Canary(
        "the replay window is filled with the same minibatch again and again", "training/loop.py",
        "np.random.default_rng([self.config.seed, self.steps])", "np.random.default_rng([self.config.seed])",
        (DOCUMENT,), compiled=True,
    ),
    Canary(
        "after a resumption, steps are made again", "training/loop.py",
        'self.games, self.steps = int(state["games"]), int(state["steps"])', 'self.games, self.steps = 0, int(state["steps"])',
        (f"{LOOP}::test_a_stopped_run_goes_on",), compiled=True,
    ),
    Canary(
        "after a resumption, steps that a kill has cost are not made again", "training/loop.py",
        "            else:\n                self.learn(record)\n",
        "            else:\n                self.games += 1\n",
        (f"{LOOP}::test_games_after_the_last_save_are_learned_again_exactly",), compiled=True,
    ),
    Canary(
        "after a resumption, the replay window is empty", "training/loop.py",
        "            if number < learned:\n                self._add(record)\n",
        "            if number < learned:\n                pass\n",
        (f"{LOOP}::test_a_resumed_run_learns_as_if_it_had_not_been_stopped",), compiled=True,
    ),
    Canary(
        "after a resumption, the optimizer begins anew", "networks/network.py",
        "            variable.assign(state[name])\n", '            if not name.startswith("optimizer"):\n                variable.assign(state[name])\n',
        (f"{NETWORKS}::test_state_goes_round_with_the_optimizer",),
    ),
    Canary(
        "a cluster's game that comes twice is kept twice", "cluster/ledger.py",
        "        self._waiting.remove(number)\n", "        pass\n",
        (LEDGER,),
    ),
    Canary(
        "what a lost worker had is played by nobody", "cluster/ledger.py",
        "        self._given_back.extend(lost)\n", "        pass\n",
        (f"{LEDGER}::test_what_a_lost_worker_had_is_given_to_others",),
    ),
    Canary(
        "a game that was finished after all is given out again", "cluster/ledger.py",
        "                if number not in self._waiting:", "                if number < 0:",
        (LEDGER,),
    ),
    Canary(
        "the same player begins every game of a series", "arena/oht_server.py",
        "            starter = 1 + number % 2\n",
        "            starter = 1\n",
        (f"{OHT}::test_a_verification_round_has_a_hundred_games_and_tells_all_of_it[text]",),
    ),
    Canary(
        "a tournament's state names the wrong player", "arena/oht_server.py",
        "return (position.to_move + 1, *position.cells().tolist())",
        "return (2 - position.to_move, *position.cells().tolist())",
        (f"{OHT}::test_a_verification_round_has_a_hundred_games_and_tells_all_of_it[text]",),
    ),
    Canary(
        "hanging up gives an official attempt back", "arena/oht_server.py",
        'return f"forfeited: {error}", True\n',
        'return f"forfeited: {error}", False\n',
        (f"{OHT}::test_an_illegal_move_is_told_and_forfeits_the_round",),
    ),
    Canary(
        "a backslash is written to SGF as it is", "protocols/sgf.py",
        'return value.replace("\\\\", "\\\\\\\\").replace(',
        "return value.replace(",
        ("tests/protocols/test_sgf.py::test_any_value_can_be_written",),
    ),
    Canary(
        "a foreign engine is not told of the opponent's moves", "protocols/htp_client.py",
        'self.ask(f"play {COLOURS[player]} {word}")',
        "pass",
        ("tests/agents/test_htp_agent.py::test_an_engine_sees_the_same_board",),
    ),
    Canary(
        "a full row disappears and those above stay where they are", "games/tetris.py",
        "            position[to] = position[row]\n            to -= 1\n",
        "            position[to] = position[row]\n        to -= 1\n",
        (f"{TETRIS}::test_rows_with_others_between_them", f"{TETRIS}::test_only_whole_rows_disappear_and_those_above_come_down"),
    ),
    Canary(
        "the combo is never lost", "games/tetris.py",
        "    else:\n        position[COMBO] = 1\n",
        "",
        (f"{TETRIS}::test_four_rows_at_once_and_the_combo",),
    ),
    Canary(
        "what the search said is not discounted in the critic's target", "records/replay.py",
        "            value = said[end]\n",
        "            value = said[end] / discount ** (end - t)\n",
        ("tests/training/test_unbounded.py::test_a_target_is_some_rewards_and_then_what_the_search_said",),
    ),
]  # fmt: skip


def run_tests(source: Path, tests: tuple[str, ...], compiled: bool) -> tuple[int, list[str], str]:
    """Pytest's exit code, the tests that failed, and all it said, with the package taken from `source`."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(source),
        "TENGEN_CACHE": str(source.parent / "cache"),  # what a planted bug compiles to is not kept
        "NUMBA_DISABLE_JIT": "0" if compiled else "1",
    }
    found = subprocess.run(
        [sys.executable, "-c", "import tengen; print(tengen.__file__)"], env=environment, capture_output=True, text=True
    )
    if not found.stdout.startswith(str(source)):
        sys.exit(f"the copy is not what is tested, but {found.stdout.strip()} {found.stderr.strip()}")
    marks = "not slow" if compiled else "not slow and not jit"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-m",
        marks,
        "-rfE",
        "--tb=line",
        "--maxfail=3",
        "-p",
        "no:cacheprovider",
        *tests,
    ]
    done = subprocess.run(command, env=environment, cwd=source.parent, capture_output=True, text=True)
    failed = re.findall(r"^(?:FAILED|ERROR) \S*?::(.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return done.returncode, failed, done.stdout + done.stderr


def plant(canary: Canary, package: Path) -> str:
    """Put the bug into the copy; the text that was there. Ends the program when that text is no longer what it was."""
    file = package / canary.file
    text = file.read_text(encoding="utf-8")
    if text.count(canary.old) != 1:
        sys.exit(f"{canary.name}: {canary.file} has this {text.count(canary.old)} times, not once:\n{canary.old}")
    file.write_text(text.replace(canary.old, canary.new), encoding="utf-8")
    return text


def main(words: list[str]) -> int:
    """Plant them all; 1 when one survives."""
    chosen = [one for one in CANARIES if not words or any(word in f"{one.name} {one.file}" for word in words)]
    if not chosen:
        sys.exit("no canary has these words in its name")
    survivors = []
    with tempfile.TemporaryDirectory(prefix="canaries-") as folder:
        source = Path(folder).resolve() / "src"
        package = source / "tengen"
        for name in ("src", "tests"):  # the tests, too: somebody may go on working meanwhile
            shutil.copytree(PROJECT / name, source.parent / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(PROJECT / "pyproject.toml", source.parent)
        for one in chosen:  # all texts are looked for before anything is run
            (package / one.file).write_text(plant(one, package), encoding="utf-8")
        for compiled in sorted({one.compiled for one in chosen}):
            tests = tuple(dict.fromkeys(t for one in chosen if one.compiled == compiled for t in one.tests))
            code, _, said = run_tests(source, tests, compiled)
            if code != 0:
                sys.exit(f"without any bug the tests have to pass:\n{said}")
        for one in chosen:
            began, whole = time.monotonic(), plant(one, package)
            code, failed, said = run_tests(source, one.tests, one.compiled)
            (package / one.file).write_text(whole, encoding="utf-8")
            if code not in (0, 1):  # the tests were not run at all
                sys.exit(f"{one.name}: pytest ended with {code}:\n{said}")
            seconds = f"{time.monotonic() - began:3.0f} s"
            if code == 0:
                survivors.append(one.name)
            print(f"{'SURVIVED' if code == 0 else 'caught  '} {seconds}  {one.name}", flush=True)
            for test in failed:
                print(f"                 by {test}", flush=True)
    print(f"\n{len(chosen) - len(survivors)} of {len(chosen)} bugs caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
