// A board on the page: the server draws it once, here only the classes of its cells change.

import { recall } from "./app.js";

const SMALL = 34;  // pixels; a finger covers more
const TURNS = ["turn0", "turn1"];

export class Board {
  constructor(place, onPlay) {
    this.place = place;
    this.onPlay = onPlay;
    this.cells = new Map();
    this.cursor = null;
    this.state = null;
    place.addEventListener("click", (event) => {
      const cell = event.target.closest(".cell");
      if (!cell) return;
      const move = Number(cell.dataset.move);
      if (this.isGuarded(event, cell) && this.cursor !== move) this.aim(move);
      else this.choose(move);
    });
    place.addEventListener("pointermove", (event) => this.onHover?.(Number(event.target.closest(".cell")?.dataset.move ?? -1)));
    place.addEventListener("pointerleave", () => this.onHover?.(-1));
  }

  show(state) {
    if (state.board) this.put(state.board);
    const before = this.state;
    this.state = state;
    if (before?.table !== state.table) this.cursor = null;
    this.isWaiting = false;
    if (!this.svg) return;
    this.svg.classList.toggle("yours", state.your_move);
    TURNS.forEach((name, player) => this.svg.classList.toggle(name, state.to_move === player));
    const legal = new Set(state.legal), winning = new Set(state.winning);
    for (const [move, cell] of this.cells) {
      const owner = state.cells[move];
      const isNew = owner && before && before.table === state.table && !before.cells[move] && !state.board;
      cell.setAttribute("class", [
        "cell", owner ? `p${owner - 1}` : "", legal.has(move) ? "free" : "", state.last === move ? "last" : "",
        winning.has(move) ? "win" : "", isNew ? "fresh" : "", this.cursor === move ? "cursor" : "",
      ].filter(Boolean).join(" "));
    }
  }

  put(svg) {
    const hadFocus = this.svg && document.activeElement === this.svg;
    this.place.innerHTML = svg;
    this.svg = this.place.querySelector("svg");
    this.cells = new Map();
    this.points = new Map();
    for (const cell of this.svg.querySelectorAll(".cell")) {
      const move = Number(cell.dataset.move);
      this.cells.set(move, cell);
      const [x, y] = cell.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
      this.points.set(move, { x, y });
    }
    if (!this.cells.has(this.cursor)) this.cursor = null;
    if (hadFocus) this.svg.focus();
  }

  // Under a finger small cells are easily missed: there the first tap aims, the second puts the stone.
  isGuarded(event, cell) {
    return event.pointerType === "touch" && recall("guard", true) && cell.querySelector(".hit").getBoundingClientRect().width < SMALL;
  }

  aim(move) {
    if (!this.state?.your_move || !this.state.legal.includes(move)) return;
    this.mark(move);
    this.onAim?.(this.cells.get(move).dataset.name);
  }

  // The stone is shown at once; what the server says next is what holds.
  choose(move) {
    if (this.isWaiting || !this.state?.your_move || !this.state.legal.includes(move)) return;
    this.isWaiting = true;
    this.cells.get(move).classList.add(`p${this.state.to_move}`, "fresh");
    this.onPlay(move);
  }

  // The server did not accept it.
  restore() {
    if (this.isWaiting) this.show({ ...this.state, board: undefined });
  }

  // The arrow keys go to the nearest cell that lies that way.
  step(dx, dy) {
    if (!this.cells.size) return;
    if (this.cursor === null) {
      const last = this.state && this.state.last;
      this.mark(this.cells.has(last) ? last : this.middle());
      return;
    }
    const here = this.points.get(this.cursor);
    let best = null, least = Infinity;
    for (const [move, { x, y }] of this.points) {
      const along = (x - here.x) * dx + (y - here.y) * dy, aside = Math.abs((x - here.x) * dy) + Math.abs((y - here.y) * dx);
      const cost = along + 2.5 * aside;
      if (along > 4 && aside <= along * 1.8 && cost < least) { least = cost; best = move; }
    }
    if (best !== null) this.mark(best);
  }

  middle() {
    const moves = [...this.cells.keys()].sort((a, b) => a - b);
    return moves[Math.floor(moves.length / 2)];
  }

  mark(move) {
    if (this.cursor !== null) this.cells.get(this.cursor)?.classList.remove("cursor");
    this.cursor = move;
    this.cells.get(move).classList.add("cursor");
    this.svg.focus({ preventScroll: true });
  }

  enter() {
    if (this.cursor !== null) this.choose(this.cursor);
  }
}
