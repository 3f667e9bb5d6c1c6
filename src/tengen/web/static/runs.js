// Runs: the list, and one of them with its curves, its games and the tournament of its networks.

import { make } from "./app.js";
import { GameView } from "./play.js";
import { RunControls, TrainingForm } from "./training.js";

export class RunsPage {
  constructor(app, place) {
    this.app = app;
    this.form = new TrainingForm(app);
    this.list = make("div", { className: "stack", id: "runs" }, make("p", { className: "waiting" }, "Looking …"));
    place.replaceChildren(make("div", { className: "stack" }, make("h1", {}, "Runs"), this.form.root, this.list));
    app.send("runs");
    this.timer = setInterval(() => app.send("runs"), 3000);
  }

  hear(message) {
    this.form.hear(message);
    if (message.say !== "runs") return;
    if (!message.runs.length) {
      this.list.replaceChildren(make("p", { className: "card" }, "There are no runs yet. Begin one above, or in a terminal: ", make("code", {}, "tengen train on-policy")));
      return;
    }
    this.list.replaceChildren(...message.runs.map((run) => {
      const share = Math.min(100, (100 * run.games) / Math.max(1, run.wanted));
      const meter = make("div", { className: "meter" }, make("i"));
      meter.firstChild.style.width = `${share}%`;
      return make("a", { className: "card run-row", href: `#/run/${encodeURIComponent(run.name)}` },
        make("b", {}, run.name), make("span", { className: run.live && run.games < run.wanted ? "live" : "" }, run.live && run.games < run.wanted ? "training" : ""),
        make("span", { className: "hint" }, `${run.game} · ${run.games} of ${run.wanted} games · ${run.nets} networks`), make("span"), meter);
    }));
  }

  error(text) {
    return this.form.error(text);
  }

  close() {
    clearInterval(this.timer);
  }
}

export class RunPage {
  constructor(app, place, name) {
    this.app = app;
    this.place = place;
    this.name = name;
    this.run = null;
    this.shown = null;
    this.head = make("div", { className: "stack" });
    this.controls = new RunControls(app, name);
    this.playing = make("div", { className: "card playing", id: "playing", hidden: true });
    this.charts = make("div", { className: "grid", id: "charts" });
    this.games = make("div", { className: "games", id: "games" });
    this.follow = make("input", { type: "checkbox", checked: true, id: "follow" });
    this.board = make("div");
    const list = make("div", { className: "card stack" }, make("div", { className: "row" }, make("h2", {}, "Games"),
      make("label", { className: "row" }, this.follow, "show the newest")), this.games);
    this.view = new GameView(app, this.board, { recorded: true, cards: [list] });
    this.topp = make("div", { className: "card stack", id: "topp" });
    const jump = (text, part) => make("button", { type: "button", className: "quiet", onclick: () => part.scrollIntoView({ behavior: "smooth" }) }, text);
    const jumps = make("div", { className: "row jumps" }, jump("Curves", this.charts), jump("Games", this.board), jump("Tournament", this.topp));
    place.replaceChildren(make("div", { className: "stack" }, make("div", { className: "card stack" }, this.head, this.controls.root, jumps), this.playing, this.charts, this.board, this.topp));
    app.send("run", { name });
  }

  hear(message) {
    if (message.say === "run") this.showRun(message);
    if (message.say === "started") this.app.send("run", { name: this.name });
    this.controls.hear(message);
    this.view.hear(message);
    if (message.say === "table") {
      this.view.show(message);
      this.maybeNext();
    }
  }

  // A run that is not there, or cannot be read: said where it would have been.
  error(text) {
    if (this.run) return false;
    this.place.replaceChildren(make("div", { className: "stack" },
      make("p", { className: "card", id: "no-run" }, text, make("br"), make("a", { href: "#/runs" }, "All runs"))));
    return true;
  }

  showRun(run) {
    this.run = run;
    const training = run.live && run.games < run.wanted;
    const meter = make("div", { className: "meter" }, make("i"));
    meter.firstChild.style.width = `${Math.min(100, (100 * run.games) / Math.max(1, run.wanted))}%`;
    this.head.replaceChildren(make("div", { className: "row" }, make("h1", {}, run.name), make("span", { className: training ? "live" : "hint" }, training ? "training" : "not training")),
      make("span", { className: "hint", id: "run-games" }, `${run.game} · ${run.games} of ${run.wanted} games · networks after ${run.nets.join(", ")} games`), meter);
    this.controls.update(run);
    this.showPlaying(run.playing);
    this.charts.replaceChildren(...run.charts.map((svg) => {
      const card = make("div", { className: "card" });
      card.innerHTML = svg;
      return card;
    }));
    this.games.replaceChildren(...run.latest.map(({ number, moves, winner }) => {
      const row = make("button", { type: "button", onclick: () => { this.follow.checked = false; this.replay(number); } },
        make("span", {}, `game ${number}`), make("span", { className: "hint" }, `${winner === "draw" ? "draw" : `${winner} won`} · ${moves} moves`));
      if (number === this.shown) row.setAttribute("aria-current", "true");
      return row;
    }));
    if (!run.latest.length) this.games.replaceChildren(make("p", { className: "hint" }, "no game has ended yet"));
    this.showTopp(run);
    this.maybeNext();
  }

  // The game that is being played at this moment, as far as it has got.
  showPlaying(playing) {
    this.playing.hidden = !playing;
    if (!playing) return;
    const picture = make("div", { className: "mini-board" });
    picture.innerHTML = playing.boards[this.app.layout];
    picture.querySelector("svg").removeAttribute("tabindex");
    this.playing.replaceChildren(picture, make("div", {}, make("h2", {}, "Being played now"),
      make("p", { className: "hint" }, `game ${playing.number}, ${playing.over ? `ended after ${playing.ply} moves` : `move ${playing.ply}`}`)));
  }

  // The newest game is shown when the one before has been shown to its end.
  maybeNext() {
    const newest = this.run?.latest[0]?.number;
    if (newest === undefined || newest === this.shown || !this.follow.checked) return;
    const state = this.view.state;
    if (this.shown === null || (state && state.over)) this.replay(newest);
  }

  replay(number) {
    this.shown = number;
    this.app.send("replay", { run: this.name, number });
  }

  showTopp(run) {
    const topp = run.topp, isOn = topp && !topp.names && !topp.problem;
    const stale = topp?.names && topp.names.length !== run.nets.length;
    const key = JSON.stringify([topp, run.nets.length]);
    if (key === this.toppKey) return;
    this.toppKey = key;
    const start = make("button", { type: "button", className: "main", id: "hold", disabled: isOn || run.nets.length < 2,
      onclick: () => this.app.send("topp", { run: this.name, games: run.topp_games }) }, topp?.names ? "Hold it again" : "Hold the tournament");
    const rows = [make("div", { className: "row" }, make("h2", {}, "TOPP: the networks against each other"), start)];
    if (!topp) rows.push(make("p", { className: "hint" }, `Each pair plays ${run.topp_games} games. If training works, later networks win.`));
    if (topp?.problem) rows.push(make("p", { className: "status problem" }, topp.problem));
    if (isOn) rows.push(make("p", { className: "hint" }, `${topp.done} of ${topp.pairs} pairs have played …`));
    if (stale) rows.push(make("p", { className: "hint" }, "There are more networks by now."));
    if (topp?.names) rows.push(make("div", { className: "scroll" }, this.table(topp)), this.ratings(topp));
    this.topp.replaceChildren(...rows);
  }

  table(topp) {
    const head = make("tr", {}, make("th", {}, "games trained"), ...topp.names.map((name) => make("th", {}, name)), make("th", {}, "rating"));
    const rows = topp.names.map((name, i) => make("tr", {}, make("th", {}, name),
      ...topp.score[i].map((share) => {
        const cell = make("td", { className: "share" }, share === null ? "" : `${Math.round(100 * share)} %`);
        if (share !== null) cell.style.background = `color-mix(in srgb, ${share >= 0.5 ? "var(--c0)" : "var(--c1)"} ${Math.round(Math.abs(share - 0.5) * 90)}%, transparent)`;
        return cell;
      }), make("td", {}, `${topp.rating[i] > 0 ? "+" : ""}${Math.round(topp.rating[i])}`)));
    return make("table", { id: "crosstable" }, head, ...rows);
  }

  ratings(topp) {
    const box = make("div", { className: "rating" });
    box.innerHTML = topp.chart;
    return box;
  }

  key(key) {
    return this.view.key(key);
  }
}
