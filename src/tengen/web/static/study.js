// Beside a game: what is thought of it. Analysis, hints, review, teaching; each layer can be shown or hidden alone.

import { make, recall, remember } from "./app.js";
import { Graph } from "./graph.js";
import { Overlay, percent, short } from "./overlay.js";

const LAYERS = {
  moves: ["moves", "on the board: the moves that were looked at, how often each wins, how often it was tried"],
  policy: ["policy", "on the board: what the network alone thinks of each move, before any search"],
  graph: ["win rate", "the whole game as a curve; a click jumps to the move"],
  list: ["lines", "the best moves, each with what is expected to follow"],
};
const KINDS = { best: "best", good: "good", inexact: "inexact", mistake: "mistake", blunder: "blunder" };
const LISTED = 8;
const REVIEW_SECONDS = 0.5;

export class StudyPanel {
  constructor(app, board, goto) {
    this.app = app;
    this.board = board;
    this.overlay = new Overlay(board);
    this.layers = { moves: false, policy: false, graph: true, list: false, ...recall("layers", {}) };
    this.study = { possible: false };
    this.line = null;
    this.branches = new Map();
    const button = (text, title, id, onclick) => make("button", { type: "button", title, id, onclick }, text);
    this.analyse = button("Analyse", "search the position that is shown, or stop and keep the result (v)", "analyse", () => this.toggle());
    this.hint = button("Hint", "look for a good move (h)", "hint", () => app.send("hint"));
    this.review = button("Review", "look at every move of the game", "review", () => this.askForReview());
    this.teach = make("input", { type: "checkbox", id: "teach", onchange: () => { app.send("teach", { on: this.teach.checked }); this.teach.blur(); } });
    this.ponder = make("input", { type: "checkbox", id: "ponder", onchange: () => { app.send("ponder", { on: this.ponder.checked }); this.ponder.blur(); } });
    this.engine = make("select", { id: "engine", ariaLabel: "who analyses", onchange: () => app.send("engine", { name: this.engine.value }) });
    this.engine.onpointerdown = this.engine.onfocus = () => this.askForEngines();
    this.checks = Object.entries(LAYERS).map(([name, [text, title]]) => {
      const box = make("input", { type: "checkbox", checked: this.layers[name], id: `layer-${name}`, onchange: () => { this.show(name, box.checked); box.blur(); } });
      return make("label", { className: "layer", title }, box, text);
    });
    this.warning = make("div", { className: "warning", id: "warning", hidden: true, role: "alert" });
    this.text = make("p", { className: "note", id: "study-text" });
    this.graph = new Graph((ply) => goto(ply));
    this.graphNote = make("p", { className: "hint" });
    this.graphBox = make("div", { id: "graph" }, this.graph.svg, this.graphNote);
    this.verdict = make("p", { className: "verdict", id: "verdict" });
    this.list = make("table", { className: "candidates", id: "candidates" });
    this.rows = Array.from({ length: LISTED }, (_, i) => this.makeRow(i));
    const title = (text, about) => make("th", { title: about }, text);
    this.list.replaceChildren(make("tr", {}, title("move", ""), title("wins", "the share of games, for the player to move"), title("visits", "how often the search tried it"), title("then", "what is expected to follow")),
      ...this.rows.map(({ row }) => row));
    this.counts = make("div", { className: "counts", id: "counts" });
    this.tree = make("ul", { className: "tree-list" });
    this.treeBox = make("details", { id: "tree-box", ontoggle: () => this.treeBox.open && this.unfold([]) }, make("summary", {}, "the search's tree"), this.tree);
    this.root = make("div", { className: "card stack study", hidden: true },
      make("div", { className: "controls" }, this.analyse, this.hint, this.review),
      make("div", { className: "row layers" }, make("span", {}, "show"), ...this.checks),
      make("div", { className: "row layers" }, make("label", { className: "layer", title: "when I have made a bad move, tell me, and let me take it back" }, this.teach, "teach me"),
        make("label", { className: "layer", title: "the agent goes on thinking while it is my turn" }, this.ponder, "ponder")),
      this.warning, this.text, this.verdict, this.graphBox, this.counts, make("div", { className: "scroll" }, this.list), this.treeBox,
      make("label", { className: "who" }, "by", this.engine));
  }

  hear(message) {
    if (message.say === "engines") this.fillEngines(message.names, message.engine);
    if (message.say === "branch") this.showBranch(message);
  }

  // The state of the table; `study` is there only where it has changed.
  update(state) {
    const isOther = this.state && (this.state.table !== state.table || this.state.ply !== state.ply || this.state.moves.length !== state.moves.length);
    this.state = state;
    if (state.study) this.study = state.study;
    if (isOther) { this.line = null; this.branches.clear(); this.tree.replaceChildren(); this.treeBox.open = false; }
    const { study } = this;
    this.root.hidden = !study.possible;
    if (!study.possible) return;
    this.analyse.textContent = study.on ? "Stop" : "Analyse";
    this.analyse.classList.toggle("main", study.on);
    const [done, all] = study.reviewing;
    this.review.textContent = all && done < all ? `${done}/${all} ✕` : "Review";
    this.hint.disabled = state.over;
    this.teach.checked = study.teaches;
    this.teach.parentElement.hidden = state.watched;
    this.ponder.checked = state.ponders;
    this.ponder.parentElement.hidden = state.watched || state.seats.every(({ person }) => person);
    if (study.engine && (this.engine.options.length === 0 || this.engine.value !== study.engine)) this.fillEngines([...new Set([study.engine, ...[...this.engine.options].map((o) => o.value)])], study.engine);
    this.engine.parentElement.hidden = !study.engine;
    this.text.textContent = this.describe();
    this.text.classList.toggle("problem", Boolean(study.problem));
    this.showVerdict();
    this.showWarning();
    this.graphBox.hidden = !this.layers.graph || study.graph.length < 1;
    if (!this.graphBox.hidden) {
      this.graph.draw(study.graph, study.verdicts, state.ply, state.moves.length);
      this.graphNote.textContent = `share of games that ${state.names[0]} wins; hollow: few visits`;
    }
    this.showCounts();
    this.showList();
    this.draw();
  }

  describe() {
    const { study } = this, { now } = study;
    if (study.problem) return study.problem;
    const busy = { look: "analysing", hint: "looking for a move", review: "reviewing", lesson: "looking at your move" }[study.busy] || (study.on && !this.state.over && !now ? "analysing" : "");
    if (!now) return busy ? `${busy} …${this.state.compiling ? ` as soon as the search for ${this.state.compiling} is compiled, half a minute or so, the first time only` : ""}` : "";
    const who = `${this.state.names[now.player]} wins ${percent(now.rate)} · ${now.visits.toLocaleString("en")} visits${now.few ? ", too few to trust" : ""}`;
    return `${who} · ${now.by}${busy ? ` · ${busy} …` : ""}`;
  }

  showVerdict() {
    const verdict = this.study.verdicts[this.state.ply - 1];
    this.verdict.hidden = !verdict;
    this.better = undefined;
    if (!verdict) return;
    const gave = verdict.loss >= 0.005 ? `, gives away ${Math.round(100 * verdict.loss)} %` : "";
    this.verdict.className = `verdict ${verdict.kind}`;
    this.verdict.textContent = `${this.state.ply}. ${verdict.name}: ${KINDS[verdict.kind]}${gave}${verdict.better_name ? ` · better ${verdict.line || verdict.better_name}` : ""}`;
    if (verdict.better !== null && this.layers.moves) this.better = verdict.better;
  }

  showWarning() {
    const { warning } = this.study;
    this.warning.hidden = !warning;
    if (!warning) { this.warningKey = ""; return; }
    const key = JSON.stringify(warning);
    if (key === this.warningKey) return;
    this.warningKey = key;
    this.warning.replaceChildren(
      make("span", {}, `${warning.name} is a ${warning.kind === "inexact" ? "doubtful move" : warning.kind}: it gives away ${Math.round(100 * warning.loss)} % of the games. ${warning.better_name} was better.`),
      make("div", { className: "row" }, make("button", { type: "button", id: "take-back", onclick: () => this.app.send("goto", { ply: warning.ply - 1 }) }, "Take it back")));
  }

  showCounts() {
    const found = this.study.verdicts.filter(Boolean);
    this.counts.hidden = found.length < Math.max(2, this.study.verdicts.length - 1) || this.study.reviewing[0] < this.study.reviewing[1];
    if (this.counts.hidden) return;
    const row = (name, of) => make("tr", {}, make("th", {}, name), ...Object.keys(KINDS).map((kind) => make("td", {}, found.filter((v) => v.player === of && v.kind === kind).length)));
    this.counts.replaceChildren(make("table", {}, make("tr", {}, make("th", {}), ...Object.values(KINDS).map((name) => make("th", { className: `kind ${name}` }, name))),
      row(this.state.names[0], 0), row(this.state.names[1], 1)));
  }

  showList() {
    const { now } = this.study;
    this.list.hidden = !this.layers.list || !now;
    if (this.list.hidden) return;
    this.rows.forEach(({ row, cells }, i) => {
      const move = now.moves[i];
      row.hidden = !move;
      if (!move) return;
      const texts = [move.name, percent(move.rate), short(move.visits), move.text.split(" ").slice(1).join(" ")];
      texts.forEach((text, k) => { cells[k].textContent = text; });
    });
  }

  // The rows stay while what stands in them changes: a row that went away under the pointer would never tell that it was left.
  makeRow(i) {
    const cells = [make("th"), make("td"), make("td"), make("td", { className: "line" })];
    const show = () => this.showLine(this.study.now?.moves[i]?.line), hide = () => this.showLine(null);
    return { cells, row: make("tr", { tabIndex: 0, hidden: true, onpointerenter: show, onpointerleave: hide, onfocus: show, onblur: hide }, ...cells) };
  }

  showLine(line) {
    this.line = line;
    this.draw();
  }

  draw() {
    const { now, hint } = this.study;
    const hinted = hint && now?.moves.length ? now.moves[0].move : undefined;
    this.overlay.draw({ insight: now, layers: this.layers, line: now ? this.line : null, hinted, better: this.better });
  }

  // The pointer is over a cell of the board: the line after that move.
  hover(move) {
    const candidate = this.layers.moves ? this.study.now?.moves.find((one) => one.move === move) : null;
    const line = candidate && candidate.line.length > 1 ? candidate.line : null;
    if (line !== this.line) this.showLine(line);
  }

  show(name, isShown) {
    this.layers[name] = isShown;
    remember("layers", this.layers);
    if (this.state) this.update({ ...this.state, study: undefined });
  }

  toggle() {
    const on = !this.study.on;
    if (on && !this.layers.moves) { this.layers.moves = true; document.querySelector("#layer-moves").checked = true; remember("layers", this.layers); }
    this.app.send("analyse", { on });
  }

  askForReview() {
    const [done, all] = this.study.reviewing;
    if (all && done < all) this.app.send("stop");
    else this.app.send("review", { seconds: REVIEW_SECONDS });
  }

  askForEngines() {
    if (this.asked === this.state.table) return;
    this.asked = this.state.table;
    this.app.send("engines");
  }

  fillEngines(names, chosen) {
    this.engine.replaceChildren(...names.map((name) => make("option", { value: name }, name)));
    this.engine.value = chosen;
  }

  // --- the tree, unfolded level by level

  unfold(line) {
    this.app.send("unfold", { line });
  }

  showBranch({ line, moves }) {
    const place = line.length ? this.branches.get(line.join()) : this.tree;
    if (!place) return;
    if (!moves.length) { place.replaceChildren(make("li", { className: "hint" }, line.length ? "nothing below" : "no tree here: press Analyse first")); return; }
    place.replaceChildren(...moves.map(({ move, name, visits, q, prior }) => {
      const below = make("ul", { className: "tree-list" }), next = [...line, move];
      this.branches.set(next.join(), below);
      const box = make("details", { ontoggle: () => box.open && this.unfold(next) },
        make("summary", {}, make("b", {}, name), ` N ${short(visits)}  Q ${q.toFixed(2)}  P ${prior.toFixed(3)}`), below);
      return make("li", {}, box);
    }));
  }

  key(key) {
    if (!this.study.possible) return false;
    const keys = { v: () => this.toggle(), h: () => this.hint.disabled || this.app.send("hint") };
    if (!keys[key]) return false;
    keys[key]();
    return true;
  }
}
