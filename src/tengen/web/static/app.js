// The page: the line to the server, the address, light and dark. Each page of it has a module of its own.

import { LessonPage } from "./lesson.js";
import { PlayPage } from "./play.js";
import { RunPage, RunsPage } from "./runs.js";

export const $ = (selector, root = document) => root.querySelector(selector);

// An element from its tag, its properties and what is in it. Text stays text: nothing is read as HTML.
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function toast(text) {
  const box = $("#toast");
  box.textContent = text;
  box.classList.add("on");
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => box.classList.remove("on"), 3500);
}

export function remember(name, value) {
  try { localStorage.setItem(`tengen.${name}`, JSON.stringify(value)); } catch { /* a browser without storage */ }
}

export function recall(name, otherwise) {
  try { return JSON.parse(localStorage.getItem(`tengen.${name}`)) ?? otherwise; } catch { return otherwise; }
}

// A part of the address; one that was never encoded stays as it is.
function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

class App {
  constructor() {
    this.offers = null;
    this.page = null;
    this.wait = 300;
    this.layout = recall("layout", "diamond");
    this.dress(recall("theme", matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    $("#theme").onclick = () => this.otherTheme();
    addEventListener("hashchange", () => this.go());
    addEventListener("keydown", (event) => this.key(event));
    this.connect();
  }

  // --- the line to the server

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/ws`);
    this.socket.onopen = () => {
      this.wait = 300;
      $("#lost").hidden = true;
      this.send("hello");
      this.send("layout", { layout: this.layout });
    };
    this.socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    this.socket.onclose = () => {
      $("#lost").hidden = false;
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, 5000);
    };
  }

  send(verb, fields = {}) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ do: verb, ...fields }));
  }

  hear(message) {
    if (message.say === "hello") {
      this.offers = message;
      this.page = null;
      this.go();
    } else if (message.say === "error" && !this.page?.error?.(message.text)) {
      toast(message.text);
    } else {
      this.page?.hear(message);
    }
  }

  // --- the address: #/play, #/table/ID, #/game/GAME/MOVES, #/runs, #/run/NAME, #/lesson

  go() {
    if (!this.offers) return;
    const [, kind = "", name = "", more = ""] = location.hash.split("/");
    const wanted = decoded(name);
    if (!kind && this.offers.table) {
      this.move(`#/table/${this.offers.table}`);
      return;
    }
    if (this.page?.stays?.(kind, wanted)) return;
    this.page?.close?.();
    this.send("leave");
    const pages = { table: PlayPage, play: PlayPage, runs: RunsPage, run: RunPage, lesson: LessonPage };
    const Page = pages[kind] || PlayPage;
    for (const link of document.querySelectorAll("nav a")) {
      const here = { table: "play", game: "play", run: "runs" }[kind] || kind || "play";
      if (link.dataset.page === here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.page = kind === "game" ? new PlayPage(this, $("#page"), "", wanted, decoded(more)) : new Page(this, $("#page"), wanted);
  }

  move(address) {
    history.replaceState(null, "", address);
    this.go();
  }

  // --- light and dark, keys

  dress(theme) {
    document.documentElement.dataset.theme = theme;
  }

  otherTheme() {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    this.dress(theme);
    remember("theme", theme);
  }

  setLayout(layout) {
    this.layout = layout;
    remember("layout", layout);
    this.send("layout", { layout });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $("dialog[open]")) return;
    if (event.target.matches?.("input, select, textarea")) return;
    if (event.target.matches?.("button, a") && (event.key === "Enter" || event.key === " ")) return;
    if (event.key === "d") this.otherTheme();
    else if (event.key === "?") $("#keys").showModal();
    else if (!this.page?.key?.(event.key)) return;
    event.preventDefault();
  }
}

new App();
