"""How far does a cluster carry? Measures the parts of self-play on this machine, and simulates the whole with more workers.

    python benchmarks/scaling.py --measure       measures (some minutes), writes benchmarks/scaling.json, then simulates
    python benchmarks/scaling.py                 simulates from that file, prints tables and draws docs/pictures/scaling.png

All times are of the processor, so that a busy machine does not count. The simulation is of what `cluster/selfplay.py` does:
workers that answer after a moment and have two questions each, one thread that hears them, a shelf for 64 games, one learner, a
network published as often as it may cost. It knows nothing of the wires: what goes over them is in the tables.
"""

from __future__ import annotations

import argparse
import heapq
import json
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
FILE, PICTURE = HERE / "scaling.json", HERE.parent / "docs" / "pictures" / "scaling.png"
PRESETS = ("on-policy", "hex-7", "hex-11")
WORKERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
MOMENT, ANSWER_COSTS, AHEAD, SHELF = 0.25, 0.004, 2, 64
ENOUGH = 24
"""Games at least that are measured, if they come in eight times the seconds wanted."""

PUBLISH_EVERY, REFRESH_EVERY, REFRESH_SHARE = 0.05, 0.1, 0.03


@dataclass
class Parts:
    """What one preset costs, in seconds of a processor, and how large things are, in bytes."""

    preset: str
    evaluations: float
    """Positions a second that one worker asks its network about."""
    games: float
    """Games a second that one worker finishes."""
    moves: float
    """Positions in a game."""
    game_bytes: float
    """Of a game in a parcel, compressed."""
    pack: float
    """For a worker to pack a game; it is part of what a worker does."""
    unpack: float
    """For the driver to unpack a game."""
    answer: float
    """For the driver to hear an answer and to put the next question, without the games."""
    keep: float
    """To write a game to the run's file."""
    learn: float
    """To learn from a game: its place in the replay buffer and its minibatches."""
    steps: float
    """Minibatches for a game."""
    publish: float
    """To write the learner's network as self-play runs it."""
    take: float
    """For a worker to make it ready to play."""
    network_bytes: float


# ------------------------------------------------------------------------------------------------ measuring


def measure(preset: str, seconds: float) -> Parts:
    """The parts, each alone, in this process."""
    from tengen.cluster.parcels import Parcel, unpack
    from tengen.evaluators.onnx import OnnxEvaluator
    from tengen.records.store import RecordStore
    from tengen.runs.directory import RunDirectory
    from tengen.selfplay.worker import Worker
    from tengen.training.config import load_preset
    from tengen.training.loop import Learner

    config = load_preset(preset)
    with tempfile.TemporaryDirectory() as folder:
        run = RunDirectory(Path(folder))
        run.nets.mkdir()
        store = RecordStore(run.games)
        learner = Learner(config, run, store)
        network = learner.onnx_for_selfplay()
        evaluator, numbers = OnnxEvaluator(network, learner.game), iter(range(1_000_000))
        worker = Worker(learner.game, config.search, config.selfplay, 0, lambda: next(numbers), evaluator)
        records, made = worker.play(), [0]  # which compiles

        def on_move(*told: object) -> None:
            made[0] += 1

        begun, asked = time.process_time(), worker.evaluations
        while time.process_time() - begun < seconds or len(records) < ENOUGH:
            records += worker.step(on_move)
            if time.process_time() - begun > 8 * seconds:
                break
        spent = time.process_time() - begun
        length = np.mean(
            [sum(value != 0.0 for value in record.values) for record in records]
        )  # without random beginnings
        packed, pack = timed(lambda: [Parcel((record,), 0, 0, 0, 0).pack() for record in records])
        _, unpacking = timed(lambda: [unpack(data) for data in packed])
        _, keep = timed(lambda: [store.add(record) for record in records])
        every = config.training.every
        warm, games = 2 * max(every, 4), 4 * max(every, 8)
        for n in range(warm):  # Keras makes its graph, and the replay buffer holds more than a minibatch
            learner.learn(records[n % len(records)])
        steps = learner.steps
        _, learn = timed(lambda: [learner.learn(records[n % len(records)]) for n in range(games)])
        steps = learner.steps - steps
        size, publish = timed(lambda: [len(learner.onnx_for_selfplay()) for _ in range(5)])
        network = learner.onnx_for_selfplay()
        _, take = timed(lambda: [OnnxEvaluator(network, learner.game) for _ in range(5)])
        store.close()
    n = len(records)
    return Parts(
        preset, (worker.evaluations - asked) / spent, float(made[0] / spent / length),
        float(np.mean([len(r.moves) for r in records])), float(np.mean([len(data) for data in packed])), pack / n,
        unpacking / n, answer_cost(), keep / n, learn / games, steps / games, publish / 5, take / 5, float(size[0]),
    )  # fmt: skip


def timed(work):
    """What it gives, and the seconds of the processor that it took."""
    begun = time.process_time()
    found = work()
    return found, time.process_time() - begun


def answer_cost() -> float:
    """Of the driver, by Ray: one answer heard and one question put; 0.0005 s where Ray is not installed."""
    if "cost" not in _ANSWER:
        _ANSWER["cost"] = _measure_answers()
    return _ANSWER["cost"]


_ANSWER: dict[str, float] = {}


class Echo:
    """A worker that has nothing to do."""

    def hello(self) -> bytes:
        return b"{}"

    def play(self, question: bytes, network: list) -> bytes:
        return question


def _measure_answers() -> float:
    try:
        from tengen.cluster.connecting import connected
    except ImportError:
        return 0.0005
    with connected("local", 2) as ray:
        actors = [ray.remote(num_cpus=1)(Echo).remote() for _ in range(2)]
        ray.get([actor.hello.remote() for actor in actors])
        stored, question = ray.put(bytes(100_000)), json.dumps({"numbers": list(range(20)), "steps": 5}).encode()
        open_ = {actor.play.remote(question, [stored]): actor for actor in actors}
        begun, n = time.process_time(), 3000
        for _ in range(n):
            [one], _ = ray.wait(list(open_), num_returns=1)
            actor = open_.pop(one)
            ray.get(one)
            open_[actor.play.remote(question, [stored])] = actor
        spent = time.process_time() - begun
    return spent / n


# ------------------------------------------------------------------------------------------------ simulating


@dataclass
class Found:
    """What a simulation says."""

    workers: int
    games: float
    """A second."""
    worker_busy: float
    learner_busy: float
    driver_busy: float
    steps: float
    staleness: float
    """Minibatches that the learner has made since the network of a game's last moves, when the learner gets the game."""
    records_rate: float
    """Bytes a second to the driver."""
    weights_rate: float
    """Bytes a second from it, if each worker has a machine of its own."""


def simulate(parts: Parts, workers: int, seconds: float = 60.0, seed: int = 1) -> Found:
    """The cluster at work, moment by moment."""
    random = np.random.default_rng(seed)
    moment = max(MOMENT, ANSWER_COSTS * workers)
    seconds = max(seconds, 40 * moment)
    publish_every = max(PUBLISH_EVERY, parts.publish / REFRESH_SHARE)
    refresh_every = max(REFRESH_EVERY, parts.take / REFRESH_SHARE)
    # What happens when: (time, order, what, worker)
    events: list[tuple[float, int, str, int]] = []
    count = 0

    def at(when: float, what: str, who: int = -1) -> None:
        nonlocal count
        count += 1
        heapq.heappush(events, (when, count, what, who))

    questions = np.full(workers, AHEAD)  # that each has not answered
    owns = np.zeros(workers, np.int64)  # the steps of the network it plays with
    took = np.zeros(workers)  # when it took it
    is_playing = np.ones(workers, bool)
    waiting: list[tuple[int, int, int]] = []  # answers: the worker, games, steps of its network
    shelf: list[int] = []  # games: the steps of their network
    blocked: list[int] = []  # games that the driver has in its hands and no room for
    steps = published = 0
    published_at = 0.0
    driver_is_busy = learner_is_busy = False
    driver_work = learner_work = play_work = 0.0
    learned = stale = fetches = 0
    for who in range(workers):
        at(random.uniform(0, moment), "played", who)
    half = seconds / 2  # the first half is to get going
    learned_before = steps_before = fetches_before = 0
    work_before = (0.0, 0.0, 0.0)
    at(half, "half")

    def listen(now: float) -> None:
        nonlocal driver_is_busy, driver_work
        if not driver_is_busy and not blocked and waiting:
            who, games, _ = waiting[0]
            cost = parts.answer + games * parts.unpack
            driver_is_busy, driver_work = True, driver_work + cost
            at(now + cost, "heard", who)

    def study(now: float) -> None:
        nonlocal learner_is_busy, learner_work
        if not learner_is_busy and shelf:
            cost = parts.keep + parts.learn
            learner_is_busy, learner_work = True, learner_work + cost
            at(now + cost, "learned")

    while events:
        now, _, what, who = heapq.heappop(events)
        if now > seconds:
            break
        if what == "half":
            learned_before, steps_before, stale, fetches_before = learned, steps, 0, fetches
            work_before = (driver_work, learner_work, play_work)
        elif what == "played":
            waiting.append((who, int(random.poisson(parts.games * moment)), int(owns[who])))
            play_work += moment
            questions[who] -= 1
            if questions[who]:
                at(now + moment, "played", who)
            else:
                is_playing[who] = False
            listen(now)
        elif what == "heard":
            who, games, network = waiting.pop(0)
            driver_is_busy = False
            blocked += [network] * games
            questions[who] += 1  # the next question, with the newest network
            if published != owns[who] and now - took[who] > refresh_every:
                owns[who], took[who], fetches = published, now, fetches + 1
            if not is_playing[who]:
                is_playing[who] = True
                at(now + moment, "played", who)
        elif what == "learned":
            network = shelf.pop(0)
            learned += 1
            stale += steps - network
            steps = round(learned * parts.steps)
            if steps != published and now - published_at > publish_every:
                published_at = now
                learner_work += parts.publish
                at(now + parts.publish, "published")
            else:
                learner_is_busy = False
        elif what == "published":
            published, learner_is_busy = steps, False
        while blocked and len(shelf) < SHELF:
            shelf.append(blocked.pop(0))
        listen(now)
        study(now)
    span = seconds - half
    driver, learner, play = (b - a for a, b in zip(work_before, (driver_work, learner_work, play_work)))
    games = (learned - learned_before) / span
    return Found(
        workers, games, play / (workers * span), learner / span, driver / span, (steps - steps_before) / span,
        stale / max(1, learned - learned_before), games * parts.game_bytes,
        (fetches - fetches_before) / span * parts.network_bytes,
    )  # fmt: skip


def limit(found: Found) -> str:
    """What is the limit there."""
    if found.worker_busy > 0.9:
        return "the workers"
    return "the learner" if found.learner_busy >= found.driver_busy else "the driver's thread"


def faster(parts: Parts, times: float) -> Parts:
    """The same with a learner that is so many times as fast."""
    return replace(parts, learn=parts.learn / times)


def table(parts: Parts, times: float) -> str:
    """For one preset."""
    parts = faster(parts, times)
    learner = f"a learner {times:g} times as fast" if times != 1 else "a learner on one processor"
    lines = [
        f"{parts.preset}, {learner}: a worker asks {parts.evaluations:,.0f} evaluations/s and finishes {parts.games:.3g} "
        f"games/s; the learner takes {1 / (parts.learn + parts.keep):.3g} games/s\n",
        "| workers | games/s | evaluations/s | workers busy | learner busy | driver busy | staleness, steps "
        "| games to the driver, MB/s | networks from it, MB/s | the limit |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for workers in WORKERS:
        if workers not in (1, 10, 100, 1000):
            continue
        found = simulate(parts, workers)
        asked = found.games * parts.evaluations / parts.games
        cells = [
            f"{workers:,}", f"{found.games:,.3g}", f"{asked:,.0f}", f"{found.worker_busy:.0%}", f"{found.learner_busy:.0%}",
            f"{found.driver_busy:.1%}", f"{found.staleness:,.0f}", f"{found.records_rate / 1e6:.3g}",
            f"{found.weights_rate / 1e6:.3g}", limit(found),
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(all_parts: list[Parts], times: float) -> None:
    """Games a second, and the share of their time in which workers play, over the number of workers."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    for number, parts in enumerate(all_parts):
        for factor, style in ((1.0, "o-"), (times, "s--")):
            found = [simulate(faster(parts, factor), workers) for workers in WORKERS]
            label = parts.preset if factor == 1 else f"{parts.preset}, learner ×{factor:g}"
            left.plot(WORKERS, [one.games for one in found], style, color=f"C{number}", label=label, markersize=3)
            right.plot(WORKERS, [100 * one.worker_busy for one in found], style, color=f"C{number}", markersize=3)
    left.set(
        xscale="log",
        yscale="log",
        xlabel="workers",
        ylabel="games a second",
        title="flat: the learner can take no more",
    )
    right.set(
        xscale="log", xlabel="workers", ylabel="%", ylim=(0, 105), title="the share of their time in which workers play"
    )
    left.legend(frameon=False, fontsize=7)
    figure.tight_layout()
    figure.savefig(PICTURE, dpi=100)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--measure", action="store_true", help="measure the parts on this machine first")
    options.add_argument("--seconds", type=float, default=10.0, help="of self-play measured, each preset")
    options.add_argument("--faster", type=float, default=20.0, help="how fast another learner is: a GPU, say")
    chosen = options.parse_args()
    if chosen.measure:
        FILE.write_text(json.dumps([asdict(measure(preset, chosen.seconds)) for preset in PRESETS], indent=1) + "\n")
    all_parts = [Parts(**row) for row in json.loads(FILE.read_text())]
    for parts in all_parts:
        for times in (1.0, chosen.faster):
            print(table(parts, times), end="\n\n")
    draw(all_parts, chosen.faster)


if __name__ == "__main__":
    main()
