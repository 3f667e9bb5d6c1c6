// A game: the board, who plays, what can be done. Also a recorded game, and one between agents.

import { $, make, recall, remember, toast } from "./app.js";
import { Board } from "./board.js";
import { NewGame } from "./newgame.js";
import { SharePanel } from "./share.js";
import { StudyPanel } from "./study.js";

// The pauses between two moves of a watched game, slow to fast.
const PAUSES = [4, 2, 1.2, 0.6, 0.3, 0.1, 0];

// What is beside a board: used here, and by a run's page for its games.
export class GameView {
  constructor(app, place, options = {}) {
    this.app = app;
    this.state = null;
    this.options = options;
    const button = (text, hint, verb, fields) =>
      make("button", { type: "button", title: hint, onclick: () => app.send(verb, typeof fields === "function" ? fields() : fields) }, text);
    this.stage = make("div", { className: "stage" });
    this.board = new Board(this.stage, (move) => app.send("play", { move, ply: this.state.ply }));
    this.study = new StudyPanel(app, this.board, (ply) => app.send("goto", { ply }));
    this.share = new SharePanel(app);
    this.board.onAim = (name) => toast(`${name}: tap again to play there`);
    this.board.onHover = (move) => this.study.hover(move);
    this.title = make("h1");
    this.players = make("div", { className: "players" });
    this.status = make("div", { className: "status", role: "status", id: "status" });
    this.compiling = make("p", { className: "note", id: "compiling", hidden: true });
    this.bar = make("div", { className: "bar" }, make("i"));
    this.buttons = make("div", { className: "row" });
    this.now = button("Move now", "stop thinking and play the best so far (m)", "now");
    this.undo = button("Undo", "take a move back (u)", "undo");
    this.redo = button("Redo", "make it again (r)", "redo");
    this.resign = make("button", { type: "button", title: "give up", onclick: () => this.askToResign() }, "Resign");
    this.controls = make("div", { className: "controls" }, this.undo, this.redo, this.resign);
    this.thinking = make("div", { className: "thinking" }, this.bar, this.now);
    this.playing = make("button", { type: "button", onclick: () => this.toggle(), title: "go on or wait (space)" }, "▶");
    this.watching = make("div", { className: "watching" },
      button("«", "to the start (Home)", "goto", { ply: 0 }), button("‹", "one move back (←)", "undo"), this.playing,
      button("›", "one move forward (→)", "redo"), button("»", "to the end (End)", "goto", () => ({ ply: this.state.moves.length })));
    this.slider = make("input", { type: "range", min: 0, max: PAUSES.length - 1, step: 1, ariaLabel: "speed",
      oninput: () => app.send("pause", { seconds: PAUSES[this.slider.value] }),
      onchange: () => this.slider.blur() });  // so that the keys mean the game again
    this.speed = make("label", { className: "speed" }, "slow", this.slider, "fast");
    for (const part of [this.controls, this.watching, this.speed]) part.hidden = true;  // until there is a game
    this.moves = make("ol", { className: "moves clickable", id: "moves" });
    this.moves.onclick = (event) => {
      const item = event.target.closest("li");
      if (item) app.send("goto", { ply: Number(item.dataset.ply) });
    };
    this.note = make("p", { className: "note" });
    this.ending = make("div", { className: "ending", hidden: true });
    this.layout = make("button", { type: "button", className: "quiet", title: "how the board is drawn (l)", onclick: () => this.otherLayout() });
    this.panel = make("aside", { className: "panel" },
      make("div", { className: "card stack" }, this.title, this.players, this.status, this.compiling, this.thinking, this.buttons, this.ending,
        this.controls, this.watching, this.speed),
      make("div", { className: "card stack" }, this.moves, this.note,
        make("div", { className: "row" }, ...(options.more || []), this.layout)), this.study.root, ...(options.cards || []), this.share.root);
    this.root = make("div", { className: "game" }, this.stage, this.panel);
    place.replaceChildren(this.root);
  }

  show(state) {
    this.state = state;
    this.board.show(state);
    this.title.textContent = state.title;
    this.showPlayers(state);
    const thinking = state.thinking;
    this.status.textContent = state.over ? "" : state.status;
    this.status.hidden = state.over;
    this.compiling.hidden = !state.compiling || state.seats.every((seat) => seat.person);
    this.compiling.textContent = `Compiling the search for ${state.compiling}: half a minute or so, the first time only.${state.your_move ? " You can play meanwhile." : ""}`;
    this.status.classList.toggle("problem", state.problem);
    this.thinking.classList.toggle("on", Boolean(thinking));
    this.thinking.hidden = state.over;
    this.bar.classList.toggle("unknown", Boolean(thinking) && thinking.share === 0);
    this.bar.firstChild.style.width = thinking && thinking.share ? `${100 * thinking.share}%` : "";
    this.undo.disabled = !state.can.undo;
    this.redo.disabled = !state.can.redo;
    this.resign.disabled = !state.can.resign;
    this.now.disabled = !state.can.now;
    this.controls.hidden = state.watched;
    this.watching.hidden = this.speed.hidden = !state.watched;
    this.playing.textContent = state.running && !(state.over && !state.can.redo) ? "❚❚" : "▶";
    const nearest = PAUSES.map((pause) => Math.abs(pause - state.pause));
    if (document.activeElement !== this.slider) this.slider.value = nearest.indexOf(Math.min(...nearest));
    this.buttons.replaceChildren(...state.buttons.map(({ move, name }) =>
      make("button", { type: "button", className: "main", onclick: () => this.app.send("play", { move, ply: state.ply }) }, name)));
    this.buttons.hidden = !state.buttons.length;
    this.showMoves(state);
    this.note.textContent = state.note;
    this.note.hidden = !state.note;
    const isHex = Boolean(this.board.svg?.classList.contains("hex"));
    this.layout.hidden = !isHex;
    this.layout.textContent = this.app.layout === "diamond" ? "▱ Draw flat" : "◇ Draw as a diamond";
    this.showEnding(state);
    this.study.update(state);
    this.share.update(state);
  }

  hear(message) {
    this.study.hear(message);
    this.share.hear(message);
  }

  showPlayers(state) {
    this.players.replaceChildren(...state.seats.map((seat, player) => {
      const turn = state.to_move === player;
      const side = state.names[player] || "";
      const disc = ["black", "white", "red"].includes(side) ? side : "other";
      const thinks = state.thinking && state.thinking.player === player;
      const text = thinks ? (state.thinking.waiting ? "waits" : `${state.thinking.seconds.toFixed(0)} s`) : turn && !state.over ? "to move" : "";
      return make("div", { className: turn ? "player turn" : "player" }, make("span", { className: `disc ${disc}` }),
        make("span", {}, make("b", {}, seat.person ? (state.seats.some((s) => !s.person) || state.seats.length === 1 ? "You" : "Person") : seat.name), " ",
          make("small", {}, side)), make("span", { className: "state" }, text));
    }));
  }

  showMoves(state) {
    const key = JSON.stringify([state.table, state.moves, state.ply]);
    if (key === this.movesKey) return;
    this.movesKey = key;
    this.moves.hidden = !state.moves.length;
    this.moves.replaceChildren(...state.moves.map((name, i) => {
      const item = make("li", { className: i + 1 === state.ply ? "done now" : i < state.ply ? "done" : "" }, `${i + 1}. ${name}`);
      item.dataset.ply = i + 1;
      return item;
    }));
    const now = $(".now", this.moves);
    if (now) this.moves.scrollTop = now.offsetTop - this.moves.offsetTop - this.moves.clientHeight / 2;
  }

  showEnding(state) {
    this.ending.hidden = !state.over;
    if (!state.over) { this.endingKey = ""; return; }
    if (this.endingKey === state.result) return;
    this.endingKey = state.result;
    const again = (text, exchange) => make("button", { type: "button", onclick: () => this.app.send("again", { exchange }) }, text);
    const more = this.options.recorded ? [] : [again("Again", false)];
    if (!this.options.recorded && state.seats.length === 2) more.push(again("Exchange sides", true));
    this.ending.replaceChildren(make("strong", { id: "result" }, state.result), make("div", { className: "row" }, ...more));
  }

  askToResign() {
    if (confirm("Give this game up?")) this.app.send("resign");
  }

  toggle() {
    if (!this.state.watched) return;
    const atEnd = this.state.over && !this.state.can.redo;
    if (atEnd) { this.app.send("goto", { ply: 0 }); this.app.send("run-on", { on: true }); return; }
    this.app.send("run-on", { on: !this.state.running });
  }

  faster(steps) {
    const at = Math.min(PAUSES.length - 1, Math.max(0, Number(this.slider.value) + steps));
    this.slider.value = at;
    this.app.send("pause", { seconds: PAUSES[at] });
  }

  otherLayout() {
    this.app.setLayout(this.app.layout === "diamond" ? "flat" : "diamond");
  }

  key(key) {
    const state = this.state;
    if (!state) return false;
    const swap = state.buttons.find(({ name }) => name === "swap");
    const keys = {
      u: () => this.app.send("undo"), r: () => this.app.send("redo"), m: () => this.app.send("now"),
      a: () => this.options.recorded || this.app.send("again", { exchange: false }),
      e: () => this.options.recorded || this.app.send("again", { exchange: true }),
      l: () => this.otherLayout(),
      s: () => swap && this.app.send("play", { move: swap.move, ply: state.ply }),
    };
    if (state.watched) {
      Object.assign(keys, {
        ArrowLeft: () => this.app.send("undo"), ArrowRight: () => this.app.send("redo"), " ": () => this.toggle(),
        Home: () => this.app.send("goto", { ply: 0 }), End: () => this.app.send("goto", { ply: state.moves.length }),
        "+": () => this.faster(1), "-": () => this.faster(-1),
      });
    } else {
      Object.assign(keys, {
        ArrowLeft: () => this.board.step(-1, 0), ArrowRight: () => this.board.step(1, 0), ArrowUp: () => this.board.step(0, -1),
        ArrowDown: () => this.board.step(0, 1), Enter: () => this.board.enter(), " ": () => this.board.enter(),
        PageUp: () => state.ply && this.app.send("goto", { ply: state.ply - 1 }), PageDown: () => state.can.redo && this.app.send("goto", { ply: state.ply + 1 }),
      });
    }
    if (this.study.key(key)) return true;
    if (!keys[key]) return false;
    keys[key]();
    return true;
  }
}

export class PlayPage {
  // `id`: of a table; or `game` and `moves`, from an address that holds them.
  constructor(app, place, id, game, moves) {
    this.app = app;
    this.id = game ? "" : id;
    this.form = new NewGame(app);
    this.view = new GameView(app, place, {
      more: [
        make("button", { type: "button", className: "main", id: "new", title: "another game, other players (n)", onclick: () => this.form.open() }, "New game …"),
        ...(matchMedia("(pointer: coarse)").matches ? [this.guard()] : []),
        make("button", { type: "button", className: "quiet", title: "all keys (?)", onclick: () => $("#keys").showModal() }, "Keys"),
      ],
    });
    if (game) app.send("shown", { game, moves });
    else if (id) app.send("open", { table: id });
    else this.form.startLast();
  }

  // On small cells a stone takes two taps, unless somebody is sure of their fingers.
  guard() {
    const box = make("input", { type: "checkbox", id: "guard", checked: recall("guard", true), onchange: () => remember("guard", box.checked) });
    return make("label", { className: "layer" }, box, "small cells: tap twice");
  }

  hear(message) {
    if (message.say !== "table") { this.view.hear(message); return; }
    if (message.table !== this.id) {
      this.id = message.table;
      history.replaceState(null, "", `#/table/${message.table}`);
      this.form.close();  // and only then: the game behind the form goes on meanwhile
      if (document.activeElement?.id === "new") document.activeElement.blur();  // or Space would open the form again
    }
    this.view.show(message);
    const adapted = message.over && message.seats.find(({ next }) => next.startsWith("adaptive,"));
    if (adapted) remember("strength", Number(adapted.next.split(",")[1]));
  }

  // An error belongs to the form while that is open; a game that is gone is replaced by a new one, and where that cannot
  // be had (its network is gone, too) the form says why.
  error(text) {
    this.view.board.restore();
    if (this.form.complain(text)) return true;
    if (this.view.state) return false;
    if (this.id) {
      toast(text);
      this.id = "";
      this.form.startLast();
    } else {
      this.form.open();
      this.form.complain(text);
    }
    return true;
  }

  close() {
    this.form.close();
  }

  stays(kind, id) {
    return (kind === "table" && id === this.id) || (kind === "play" && Boolean(this.id));
  }

  key(key) {
    if (key === "n") this.form.open();
    else return this.view.key(key);
    return true;
  }
}
