"""Natural selection: battles, deaths, births; what comes of them; and that it can be broken off anywhere."""

from __future__ import annotations

import json
import math
import random
import zlib

import pytest

from tengen.agents import parse_agent
from tengen.arena.match import MatchResult
from tengen.errors import SpecError, TengenError
from tengen.games import Hex
from tengen.tuning import evolution
from tengen.tuning.evolution import Player, TuneSettings, breed, first_generation, live_a_generation, pair_up
from tengen.tuning.folder import TuneFolder, question
from tengen.tuning.genes import read_genome
from tengen.tuning.pictures import draw_population

SPEC, RANGES = "uct,simulations=10,c=5", ["c=0.05..10", "epsilon=0..0.8"]


@pytest.fixture(autouse=True)
def runs_of_the_test(tmp_path, monkeypatch):
    monkeypatch.setenv("TENGEN_RUNS", str(tmp_path / "runs"))


def strength(agent):
    """Of a made-up game, in which the best player has c = 0.7 and ε = 0.1."""
    return -((math.log(agent.options["c"] / 0.7)) ** 2) / 4 - (agent.options["epsilon"] - 0.1) ** 2 * 12


def made_up_match(game, first, second, games, seed, threads, opening):
    """Results that follow from the strengths, and from the seed as those of a real match do."""
    luck = random.Random(zlib.crc32(f"{seed} {first.text} {second.text}".encode()))
    odds = 1 / (1 + math.exp(strength(second) - strength(first)))
    result = MatchResult((first.text, second.text))
    for _ in range(games):
        result.total.count(0 if luck.random() < odds else 1, 0)
    return result


def tune(settings, generations, monkeypatch=None, match=made_up_match, threads=1):
    if monkeypatch:
        monkeypatch.setattr(evolution, "play_match", match)
    genome = read_genome(SPEC, RANGES)
    population = first_generation(genome, settings)
    for _ in range(generations):
        live_a_generation(Hex(3), genome, settings, population, threads)
    return genome, population


def lives(population):
    return [(p.genes, p.born, p.died, p.parents) for p in population.players], population.results


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_fittest_are_found(monkeypatch, seed):
    genome, population = tune(TuneSettings(seed=seed), 10, monkeypatch)
    best = parse_agent(genome.spec(population.players[population.winner()].genes))
    given = parse_agent(SPEC + ",epsilon=0")
    assert strength(given) < -1.0
    assert strength(best) > -0.15
    living = [strength(parse_agent(genome.spec(population.players[n].genes))) for n in population.living]
    assert sorted(living)[len(living) // 2] > -0.3  # the whole population has moved, not one lucky player


def test_without_selection_nothing_is_found(monkeypatch):
    """The other way round: the weaker wins, and the population goes to the worst corner."""

    def upside_down(game, first, second, *rest):
        return made_up_match(game, second, first, *rest)

    genome, population = tune(TuneSettings(seed=1), 10, monkeypatch, upside_down)
    best = parse_agent(genome.spec(population.players[population.winner()].genes))
    assert strength(best) < -2


def test_the_population_keeps_its_size_and_its_dead(monkeypatch):
    settings = TuneSettings(players=10, battles=3, pressure=0.3)
    _, population = tune(settings, 4, monkeypatch)
    assert len(population.living) == 10
    assert settings.deaths == 3
    assert len(population.players) == 10 + 4 * 3 == settings.lives(5)
    assert population.games == 4 * 3 * 5 * 2
    for generation in range(4):
        assert sum(p.died == generation for p in population.players) == 3
    assert population.fought(population.winner())
    youngest = [n for n in population.living if population.players[n].born == 4]
    assert len(youngest) == 3
    assert not any(population.fought(n) for n in youngest)


def test_those_with_the_lowest_ratings_die(monkeypatch):
    settings = TuneSettings(players=8, battles=30, pressure=0.5)
    genome = read_genome(SPEC, RANGES)
    population = first_generation(genome, settings)
    monkeypatch.setattr(evolution, "play_match", made_up_match)
    live_a_generation(Hex(3), genome, settings, population)
    rating, _ = population.ratings()
    dead = [n for n, p in enumerate(population.players) if p.died is not None]
    living = [n for n in population.living if population.fought(n)]
    assert max(rating[dead]) <= min(rating[living])


def test_the_first_generation_covers_the_ranges():
    genome, settings = read_genome(SPEC, RANGES), TuneSettings(players=21)
    players = first_generation(genome, settings).players
    assert players[0].genes == genome.founder
    for column in range(2):
        places = sorted(int(p.genes[column] * 20) for p in players[1:])
        assert places == list(range(20))


def test_everyone_fights_as_often():
    pairs = pair_up(range(10), 7, random.Random(1))
    fights = [number for pair in pairs for number in pair]
    assert [fights.count(n) for n in range(10)] == [7] * 10
    assert all(a < b for a, b in pairs)
    assert len(pair_up(range(5), 3, random.Random(1))) == 6  # one sits out each time


def test_children_come_from_the_survivors():
    players = [Player((0.4, 0.0), 0), Player((0.6, 0.0), 0), Player((0.99, 0.99), 0)]
    settings = TuneSettings(players=200, pressure=0.9, variation=0.0)
    children = breed(players, [0, 1], settings, 1, random.Random(2))
    assert len(children) == settings.deaths
    assert children[0].genes == (0.5, 0.0)
    assert all(child.genes[1] == 0 for child in children)  # both parents agree
    assert all(0.35 <= child.genes[0] <= 0.65 for child in children)  # a quarter beyond, and no more
    assert {child.parents for child in children[1:]} <= {(0, 1), (1, 0)}
    wild = breed(players, [0, 1], TuneSettings(players=200, pressure=0.9, variation=5.0), 1, random.Random(2))
    assert all(0 <= gene <= 1 for child in wild for gene in child.genes)
    assert len({child.genes[0] for child in wild}) > 50


def test_same_seed_same_evolution_with_any_number_of_threads(monkeypatch):
    settings = TuneSettings(players=6, battles=2, seed=4)
    _, one = tune(settings, 2)  # real games
    _, many = tune(settings, 2, threads=3)
    _, other = tune(TuneSettings(players=6, battles=2, seed=5), 2)
    assert lives(one) == lives(many)
    assert lives(one) != lives(other)


@pytest.mark.parametrize("at", range(1, 12, 3))
def test_a_generation_that_was_broken_off_happens_again_just_so(monkeypatch, at):
    settings = TuneSettings(players=6, battles=2, seed=4)
    _, whole = tune(settings, 3, monkeypatch)
    genome = read_genome(SPEC, RANGES)
    folder = TuneFolder("", question("hex:3", SPEC, genome, settings))
    folder.open()
    population, played = first_generation(genome, settings), 0

    def power_cut(*arguments):
        nonlocal played
        played += 1
        if played == at:
            raise KeyboardInterrupt
        return made_up_match(*arguments)

    monkeypatch.setattr(evolution, "play_match", power_cut)
    while population.generation < 3:
        try:
            live_a_generation(Hex(3), genome, settings, population)
            folder.save(population)
        except KeyboardInterrupt:
            kept = folder.load()
            population = kept or first_generation(genome, settings)
    assert lives(population) == lives(whole)
    assert lives(folder.load()) == lives(whole)
    folder.close()


def test_a_folder_answers_one_question():
    settings = TuneSettings(players=4)
    genome = read_genome(SPEC, RANGES)
    folder = TuneFolder("mine", question("hex:3", SPEC, genome, settings))
    assert folder.load() is None
    folder.open()
    folder.save(first_generation(genome, settings))
    folder.close()
    other = TuneFolder("mine", question("hex:4", SPEC, genome, settings))
    with pytest.raises(TengenError, match="game: hex:3 there, hex:4 here"):
        other.load()
    named = {TuneFolder("", question("hex:3", SPEC, genome, TuneSettings(seed=seed))).path for seed in (1, 2)}
    assert len(named) == 2  # without a name every question has a folder of its own


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', '{"format": 9}', "null"])
def test_a_damaged_file_is_refused_in_a_line(text):
    genome = read_genome(SPEC, RANGES)
    folder = TuneFolder("mine", question("hex:3", SPEC, genome, TuneSettings()))
    folder.path.mkdir(parents=True)
    (folder.path / "tune.json").write_text(text)
    with pytest.raises(TengenError) as caught:
        folder.load()
    assert "\n" not in str(caught.value)


def test_a_file_with_parts_missing_is_refused():
    genome, settings = read_genome(SPEC, RANGES), TuneSettings(players=4)
    folder = TuneFolder("mine", question("hex:3", SPEC, genome, settings))
    folder.open()
    folder.save(first_generation(genome, settings))
    folder.close()
    whole = json.loads((folder.path / "tune.json").read_text())
    for change in ({"players": 3}, {"players": [{"genes": [0.1]}]}, {"results": [[1]]}, {"generation": "many"}):
        (folder.path / "tune.json").write_text(json.dumps({**whole, **change}))
        with pytest.raises(TengenError, match="damaged"):
            folder.load()


def test_the_picture_shows_every_life(monkeypatch, tmp_path):
    settings = TuneSettings(players=6, battles=2)
    genome, population = tune(settings, 3, monkeypatch)
    file = tmp_path / "population.png"
    draw_population(population, genome, "hex:3", file)
    assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "change",
    [
        {"players": 3}, {"players": 1001}, {"battles": 0}, {"pressure": 0.0}, {"pressure": 1.0},
        {"pressure": math.nan}, {"variation": -1.0}, {"variation": math.inf}, {"opening": -1},
    ],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(change):
    with pytest.raises(SpecError, match=next(iter(change))):
        TuneSettings(**change)
