// The form for a new game: rules, and who plays each side.

import { $, make, recall, remember } from "./app.js";

const KINDS = { gomoku: "Gomoku", hex: "Hex", other: "Other" };
const START = {
  kind: "gomoku", gomoku: { size: 15, line: 5, exact: false }, hex: { size: 7, swap: false, first: 0 }, other: "nim:3",
  seats: ["human", "medium"], specs: ["uct,simulations=5000", "uct,simulations=5000"],
};

export class NewGame {
  constructor(app) {
    this.app = app;
    this.dialog = $("#new-game");
    this.choice = { ...structuredClone(START), ...recall("choice", {}) };
    $("#new-cancel").onclick = () => this.dialog.close();
    $("form", this.dialog).onsubmit = (event) => { event.preventDefault(); this.start(); };
  }

  open() {
    $("#new-error").textContent = "";
    this.draw();
    this.dialog.showModal();
  }

  close() {
    if (this.dialog.open) this.dialog.close();
  }

  complain(text) {
    if (this.dialog.open) $("#new-error").textContent = text;
    return this.dialog.open;
  }

  spec() {
    const { kind, gomoku, hex, other } = this.choice;
    if (kind === "gomoku") return `gomoku:${gomoku.size},line=${gomoku.line}${gomoku.exact ? ",exact" : ""}`;
    if (kind === "hex") return `hex:${hex.size}${hex.swap ? ",swap" : ""}${Number(hex.first) ? ",first=1" : ""}`;
    return other;
  }

  isForOne() {
    return this.choice.kind === "other" && this.choice.other.startsWith("pig") && !this.choice.other.includes("seats=2");
  }

  start() {
    remember("choice", this.choice);
    const special = { adaptive: () => `adaptive,${recall("strength", 8)}`, spec: (i) => this.choice.specs[i] };
    const seats = this.choice.seats.map((seat, i) => special[seat]?.(i) ?? seat);
    this.app.send("new", { game: this.spec(), seats: this.isForOne() ? seats.slice(0, 1) : seats });
  }

  startLast() {
    this.start();
  }

  draw() {
    const { choice } = this;
    $("#new-kind").replaceChildren(...Object.entries(KINDS).map(([kind, name]) =>
      make("button", { type: "button", role: "radio", ariaChecked: String(kind === choice.kind), onclick: () => { choice.kind = kind; this.draw(); } }, name)));
    $("#new-rules").replaceChildren(...this.rules());
    const sides = choice.kind === "hex" ? ["Red", "Black"] : choice.kind === "gomoku" ? ["Black", "White"] : ["First", "Second"];
    const count = this.isForOne() ? 1 : 2;
    $("#new-seats").replaceChildren(...sides.slice(0, count).flatMap((side, i) => this.seat(side, i)));
  }

  number(text, place, name, low, high) {
    const input = make("input", { type: "number", min: low, max: high, value: place[name], required: true, name });
    input.onchange = () => { place[name] = Number(input.value); this.draw(); };
    return make("label", {}, text, input);
  }

  check(text, place, name) {
    const input = make("input", { type: "checkbox", checked: place[name], name });
    input.onchange = () => { place[name] = input.checked; };
    return make("label", { className: "check" }, input, text);
  }

  rules() {
    const { kind, gomoku, hex } = this.choice;
    if (kind === "gomoku") {
      gomoku.line = Math.min(gomoku.line, gomoku.size);
      return [this.number("Board", gomoku, "size", 3, 20), this.number("In a row", gomoku, "line", 2, gomoku.size), this.check("a longer row does not win", gomoku, "exact")];
    }
    if (kind === "hex") {
      const first = make("select", { name: "first", onchange: () => { hex.first = Number(first.value); } },
        make("option", { value: 0 }, "Red"), make("option", { value: 1 }, "Black"));
      first.value = hex.first;
      return [this.number("Board", hex, "size", 3, 19), make("label", {}, "Begins", first), this.check("swap allowed", hex, "swap")];
    }
    const spec = make("input", { type: "text", value: this.choice.other, list: "", name: "other", maxLength: 200 });
    spec.oninput = () => { this.choice.other = spec.value.trim(); };
    spec.onchange = () => this.draw();
    const known = this.app.offers.games.map((game) => make("button", { type: "button", className: "quiet", title: game.title,
      onclick: () => { this.choice.other = game.spec; this.draw(); } }, game.spec));
    return [make("label", {}, "Game", spec), make("div", { className: "row" }, ...known)];
  }

  seat(side, i) {
    const { choice } = this, { levels, agents, networks } = this.app.offers;
    const option = (value, text = value) => make("option", { value }, text);
    const group = (label, options) => (options.length ? [make("optgroup", { label }, ...options)] : []);
    const own = this.spec().replace(/,first=1|,line=5(?![\d])/g, "");
    const fitting = Object.entries(networks).filter(([, game]) => game === own).flatMap(([name]) => [option(name), option(`${name}, with search`)]);
    const select = make("select", { name: `seat${i}` },
      option("human", "You, or another person"),
      ...group("Computer", [option("adaptive", "adaptive: becomes as strong as you are"), ...levels.map(({ name, about }) => option(name, `${name}: ${about}`))]),
      ...group("Networks", fitting), ...group("Agents", [...agents.map((text) => option(text)), option("spec", "another agent …")]));
    select.value = choice.seats[i];
    if (!select.value) { choice.seats[i] = "medium"; select.value = "medium"; }
    select.onchange = () => { choice.seats[i] = select.value; this.draw(); };
    const found = [make("label", {}, side, select)];
    if (choice.seats[i] === "spec") {
      const text = make("input", { type: "text", value: choice.specs[i], maxLength: 200, placeholder: "uct,simulations=5000", name: `spec${i}` });
      text.oninput = () => { choice.specs[i] = text.value.trim(); };
      found.push(make("label", {}, `${side}: agent`, text));
    }
    return found;
  }
}
