"""The players `alphabeta` and `classic`: legal moves on all boards, no blunders, clocks, limits, refusals."""

import time

import pytest

from tengen.agents import parse_agent
from tengen.agents.classic.engine import Engine
from tengen.agents.classic.players import AlphaBetaAgent, ClassicAgent
from tengen.arena.solving import Solver
from tengen.errors import SpecError
from tengen.games import Gomoku, Hex, Position

pytestmark = pytest.mark.jit


def play(game, black, white, opening=()):
    position = Position(game, opening)
    while not position.is_over:
        position.play((black, white)[position.to_move].choose(position))
    return position


@pytest.mark.parametrize("game", [Gomoku(n) for n in range(5, 21)] + [Gomoku(9, exact=True), Gomoku(6, 4)], ids=str)
def test_whole_games_on_every_board(game):
    """`play` raises where a move is illegal. The first to move is at least not beaten by random moves."""
    classic, random = parse_agent("classic,time=0.01").make(game), parse_agent("random").make(game)
    for seed in range(2):
        random.new_game(seed)
        classic.new_game(seed)
        assert play(game, classic, random).winner != 1
        assert play(game, random, classic).winner != 0


def test_against_itself_on_a_small_board_it_fills_the_board():
    game = Gomoku(5)
    agent = ClassicAgent(game, 0.05)
    position = play(game, agent, agent)
    assert position.winner is None
    assert len(position.moves) == 25


@pytest.mark.parametrize("spec", ["classic,time=0.01", "alphabeta,depth=9", "alphabeta,time=0.01"])
def test_tic_tac_toe_is_played_perfectly(spec):
    game = Gomoku(3, 3)
    agent, solver = parse_agent(spec).make(game), Solver(game)
    waiting, seen = [Position(game)], 0
    while waiting:
        position = waiting.pop()
        if position.is_over:
            continue
        move = agent.choose(position)
        before = solver.value(position)
        after = position.copy().play(move)
        assert (0 if after.winner is None and after.is_over else 1 if after.is_over else -solver.value(after)) == before
        seen += 1
        waiting += [after.copy().play(reply) for reply in after.legal_moves]
    assert seen > 50


@pytest.mark.parametrize("name", ["classic,time=0.1", "alphabeta,depth=3"])
@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("h8 a1 i8 a3 j8 a5 k8 a7", {"g8", "l8"}),  # win
        ("a1 h8 a3 i8 a5 j8 o1 k8 l8 o3", {"a7", "a2", "a4", "g8"}),  # black to move: white threatens g8, five
        ("a1 h8 c1 i8 o15 j8", {"g8", "k8", "f8", "l8"}),  # meet a three
    ],
)
def test_forced_moves(name, moves, expected):
    position = Position(Gomoku(15), moves.split())
    move = position.game.move_name(parse_agent(name).make(position.game).choose(position))
    if moves.startswith("a1 h8 a3"):
        assert move == "g8"
    else:
        assert move in expected


def test_colours_are_alike():
    """The same position with the colours exchanged gets the same move."""
    game = Gomoku(9)
    first = Position(game, ["e5", "d4", "f5", "d6"])
    engine = Engine(game)
    found = []
    for cells, mover in ((first.cells(), 0), ([(0, 2, 1)[c] for c in first.cells()], 1)):
        engine.forget()
        engine.set_up(cells, mover)
        found.append((engine.search(lambda: False, 5), engine.value))
    assert found[0] == found[1]


def test_the_same_depth_gives_the_same_move_and_more_depth_more_nodes():
    game, nodes = Gomoku(15), []
    position = Position(game, ["h8", "i9", "h10", "h9"])
    for depth in (2, 2, 4):
        agent = AlphaBetaAgent(game, 0, depth)
        agent.choose(position)
        assert agent.engine.depth == depth
        nodes.append(agent.engine.nodes)
    assert nodes[0] == nodes[1] < nodes[2]


@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.3])
def test_the_clock_is_kept(seconds, waited):
    game = Gomoku(15)
    opening = ["h8", "i9", "h10", "h9", "g9", "i11"]
    over = []
    for agent in (ClassicAgent(game, seconds), AlphaBetaAgent(game, seconds, 0)):
        position = Position(game, opening)
        for _ in range(6):
            if position.is_over:
                break
            start, lost = time.perf_counter(), waited()
            move = agent.choose(position)
            over.append(time.perf_counter() - start - (waited() - lost) - 1.05 * seconds - 0.03)
            position.play(move)
    assert sorted(over)[-2] <= 0  # on a busy machine one may be late


def test_a_stop_is_obeyed_and_progress_told():
    game, told = Gomoku(15), []
    agent = ClassicAgent(game, 30.0)
    agent.progress = told.append
    start = time.perf_counter()
    agent.stop = lambda: time.perf_counter() > start + 0.3
    position = Position(game, ["h8", "i9", "h10", "h9"])
    assert agent.choose(position) in position.legal_moves
    assert time.perf_counter() - start < 1.0
    assert told
    assert told == sorted(told)


@pytest.mark.parametrize(("seconds", "left"), [(60.0, 0.6), (0.2, 60.0)])
def test_a_deadline_is_shared_by_all_parts_of_a_move(seconds, left):
    """A threat search that takes all that it is given leaves alpha-beta its part, whichever limit comes first."""
    game = Gomoku(15)
    agent, shares = ClassicAgent(game, seconds), []
    start = time.perf_counter()

    def never_done(attacker, threes, enough):
        while not enough():
            time.sleep(0.001)
        shares.append((time.perf_counter() - start) / min(seconds, left))

    agent.engine.seek_win = never_done
    agent.deadline = time.monotonic() + left
    agent.choose(Position(game, ["h8", "i9", "h10", "h9", "g9", "i11"]))
    assert time.perf_counter() - start < min(seconds, left) + 0.2  # which a busy machine may add
    assert shares[0] >= 0.1
    assert shares[1] >= 0.2
    assert agent.engine.depth >= 3


def test_it_says_what_a_position_is_worth():
    game = Gomoku(15)
    agent = ClassicAgent(game, 0.1)
    assert agent.outlook is None
    for black, white, low, high in (
        ("", "", 0, 0),
        ("h8 i8 j8", "a1 a3", 1, 1),  # a four that cannot be met
        ("a1 a3", "h8 i8 j8 k8", -1, -1),
        ("h8 i9 g7", "a1 o1 o15", 0.1, 1),
        ("a1 o1 o15", "h8 i9 h9 g9 k4 k5 k6", -1, -0.1),
    ):
        cells = [0] * 225
        for colour, names in ((1, black), (2, white)):
            for name in names.split():
                cells[game.parse_move(name)] = colour
        agent.choose(Position.from_cells(game, cells, 0))
        assert low <= agent.outlook <= high, (black, white)
    assert AlphaBetaAgent(game, 0, 2).outlook is None


def test_a_lost_position_gets_a_move():
    """White has two fours; and a board on which every move loses to an open four."""
    game = Gomoku(15)
    agent = ClassicAgent(game, 0.1)
    for white in ("h8 i8 j8 k8", "h8 i8 j8 h9 h10 g11 f12"):
        cells = [0] * 225
        for name in white.split():
            cells[game.parse_move(name)] = 2
        position = Position.from_cells(game, cells, 0)
        assert agent.choose(position) in position.legal_moves


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("classic,time=0", "time is above 0"),
        ("classic,time=-1", "time is"),
        ("classic,time=nan", "time is"),
        ("classic,depth=3", "no option"),
        ("alphabeta,time=0", "there must be a limit"),
        ("alphabeta,depth=0", "there must be a limit"),
        ("alphabeta,depth=61", "depth is 0 to 60"),
        ("alphabeta,depth=-1", "depth is 0 to 60"),
    ],
)
def test_bad_limits_are_refused_in_one_line(spec, words):
    with pytest.raises(SpecError, match=words):
        parse_agent(spec)


@pytest.mark.parametrize("spec", ["classic", "alphabeta"])
@pytest.mark.parametrize(("game", "words"), [(Hex(5), "plays gomoku alone"), (Gomoku(9, 7), "rows of 3 to 6")])
def test_other_games_are_refused(spec, game, words):
    with pytest.raises(SpecError, match=words):
        parse_agent(spec).make(game)
