// Tetris in the page: sends keys, draws what the server says. The game itself runs in web/tetris.py.

const COLOURS = { I: "#6969ff", O: "#e1f229", T: "#f229c3", S: "#16b540", Z: "#cc1616", J: "#0affe2", L: "#f5900c" };
const SHAPES = { I: [[0, 0], [0, 1], [0, 2], [0, 3]], O: [[0, 0], [0, 1], [1, 0], [1, 1]], T: [[0, 1], [1, 0], [1, 1], [1, 2]],
  S: [[0, 1], [0, 2], [1, 0], [1, 1]], Z: [[0, 0], [0, 1], [1, 1], [1, 2]], J: [[0, 0], [1, 0], [1, 1], [1, 2]], L: [[0, 2], [1, 0], [1, 1], [1, 2]] };
const KEYS = { ArrowLeft: "left", KeyA: "left", ArrowRight: "right", KeyD: "right", ArrowDown: "down", KeyS: "down",
  ArrowUp: "rotate", KeyW: "rotate", Space: "drop", KeyP: "pause" };
const HIGH = "tengen-tetris-high", KEPT = 10;

const at = id => document.getElementById(id);
const well = at("well"), next = at("next"), form = at("form");
let state = null, scored = 0;

const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/tetris/ws`);
socket.onmessage = event => {
  const message = JSON.parse(event.data);
  if (message.error) { at("say").textContent = message.error; return; }
  state = message;
  show();
};
socket.onclose = () => { at("say").textContent = "The connection is lost: reload the page."; };
const send = message => { if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message)); };

function box(pen, size, row, column, colour, ghost) {
  const [x, y] = [column * size, row * size];
  if (ghost) {
    pen.strokeStyle = colour; pen.lineWidth = 2; pen.strokeRect(x + 2, y + 2, size - 4, size - 4);
    return;
  }
  pen.fillStyle = colour; pen.fillRect(x + 1, y + 1, size - 2, size - 2);
  pen.fillStyle = "#fff3"; pen.fillRect(x + 1, y + 1, size - 2, size / 6);
}

function showBeside(side) {
  at("beside").hidden = !side;
  if (!side) return;
  const other = at("other"), size = Math.max(5, Math.min(15, Math.floor(320 / state.rows))), pen = other.getContext("2d");
  other.width = size * state.columns; other.height = size * state.rows;
  side.cells.forEach((row, r) => [...row].forEach((name, c) => { if (name !== ".") box(pen, size, r, c, COLOURS[name]); }));
  for (const [r, c] of side.falling) box(pen, size, r, c, COLOURS[side.piece]);
  at("besays").textContent = `${side.player}: ${side.score} points, ${side.lines} ${side.lines === 1 ? "line" : "lines"}` + (side.over ? ", game over" : "");
  document.body.dataset.beside = side.pieces;
}

function show() {
  const size = Math.max(8, Math.min(30, Math.floor(640 / state.rows)));
  if (well.width !== size * state.columns || well.height !== size * state.rows) {
    well.width = size * state.columns; well.height = size * state.rows;
  }
  const pen = well.getContext("2d");
  pen.clearRect(0, 0, well.width, well.height);
  if (!state.paused) {
    state.cells.forEach((row, r) => [...row].forEach((name, c) => { if (name !== ".") box(pen, size, r, c, COLOURS[name]); }));
    for (const [r, c] of state.hint) box(pen, size, r, c, "#fff", true);
    for (const [r, c] of state.ghost) box(pen, size, r, c, COLOURS[state.piece] + "99", true);
    for (const [r, c] of state.falling) box(pen, size, r, c, COLOURS[state.piece]);
  }
  const small = next.getContext("2d");
  small.clearRect(0, 0, next.width, next.height);
  for (const [r, c] of SHAPES[state.next] ?? []) box(small, 22, r + .5, c + .5, COLOURS[state.next]);
  showBeside(state.beside);
  at("score").textContent = state.score;
  at("lines").textContent = state.lines;
  at("level").textContent = state.level;
  at("combo").textContent = `×${state.combo}`;
  document.body.dataset.pieces = state.pieces;
  at("say").textContent = state.number === 0 ? "Press New game." : state.over ? "Game over." : state.paused ? "Paused." :
    state.player === "person" ? "" : `${state.player} plays.`;
  if (state.over && state.player === "person" && scored !== state.number) {
    scored = state.number;
    remember(state.score, state.lines);
  }
}

function highScores() {
  try {
    const kept = JSON.parse(localStorage.getItem(HIGH) ?? "[]");
    return Array.isArray(kept) ? kept.filter(one => Number.isFinite(one?.score)) : [];
  } catch { return []; }
}

function remember(score, lines) {
  const all = [...highScores(), { score, lines, day: new Date().toISOString().slice(0, 10) }];
  all.sort((a, b) => b.score - a.score);
  try { localStorage.setItem(HIGH, JSON.stringify(all.slice(0, KEPT))); } catch { /* a browser that keeps nothing */ }
  showHigh();
}

function showHigh() {
  at("scores").hidden = highScores().length === 0;
  at("high").replaceChildren(...highScores().map(one => {
    const line = document.createElement("li");
    line.textContent = `${one.score} (${one.lines} lines, ${one.day})`;
    return line;
  }));
}

function begin() {
  const rules = form.elements;
  const beside = rules.player.value === "person" ? rules.beside.value : "";
  send({ do: "new", player: rules.player.value, ...(beside && { beside }), columns: Number(rules.columns.value), rows: Number(rules.rows.value),
    preview: rules.preview.checked ? 1 : 0, bag: rules.bag.checked });
  document.activeElement?.blur();
}

form.addEventListener("submit", event => { event.preventDefault(); begin(); });
addEventListener("keydown", event => {
  if (event.target.closest?.("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = KEYS[event.code];
  if (event.code === "Escape") { begin(); return; }
  if (event.code === "KeyH" && !event.repeat) { send({ do: "hint" }); return; }
  if (!key) return;
  event.preventDefault();
  if (!event.repeat) send({ do: "press", key });
});
addEventListener("keyup", event => { const key = KEYS[event.code]; if (key) send({ do: "release", key }); });
addEventListener("blur", () => { for (const key of ["left", "right", "down"]) send({ do: "release", key }); });
showHigh();

// Light or dark is what the other pages remember.
const dress = theme => { document.documentElement.dataset.theme = theme; };
let theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
try { theme = JSON.parse(localStorage.getItem("tengen.theme")) ?? theme; } catch { /* a browser that keeps nothing */ }
dress(theme);
at("theme").onclick = () => {
  dress(theme = theme === "dark" ? "light" : "dark");
  try { localStorage.setItem("tengen.theme", JSON.stringify(theme)); } catch { /* a browser that keeps nothing */ }
};
