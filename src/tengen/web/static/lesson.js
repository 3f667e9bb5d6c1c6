// The worked example of the slides: a tree that grows, step by step.

import { make } from "./app.js";

export class LessonPage {
  constructor(app, place) {
    this.place = place;
    this.steps = [];
    this.at = 0;
    this.waiting = make("p", { className: "waiting" }, "Asking for the example …");
    place.replaceChildren(this.waiting);
    app.send("example");
  }

  hear(message) {
    if (message.say === "wait") this.waiting.textContent = message.text;
    if (message.say !== "example") return;
    this.steps = message.steps;
    this.title = make("h2", { id: "step-title" });
    this.lines = make("dl", { className: "explain" });
    this.tree = make("div", { className: "scroll", id: "tree" });
    this.back = make("button", { type: "button", onclick: () => this.go(this.at - 1) }, "◀ Back");
    this.forward = make("button", { type: "button", className: "main", id: "forward", onclick: () => this.go(this.at + 1) }, "Next ▶");
    this.count = make("span", { className: "hint" });
    this.place.replaceChildren(make("div", { className: "stack" },
      make("h1", {}, "The search, step by step"),
      make("div", { className: "card stack" }, make("div", { className: "row" }, this.back, this.forward, this.count), this.title, this.lines),
      make("div", { className: "card" }, this.tree)));
    this.go(0);
  }

  go(step) {
    this.at = Math.max(0, Math.min(this.steps.length - 1, step));
    const { title, lines, svg } = this.steps[this.at];
    this.title.textContent = title;
    this.lines.replaceChildren(...lines.flatMap(([what, text]) => [make("dt", {}, what), make("dd", {}, text)]));
    this.tree.innerHTML = svg;
    this.count.textContent = `${this.at + 1} of ${this.steps.length}`;
    this.back.disabled = this.at === 0;
    this.forward.disabled = this.at === this.steps.length - 1;
    const leaf = this.tree.querySelector(".leaf");
    if (leaf && this.tree.scrollWidth > this.tree.clientWidth) {
      const box = leaf.getBoundingClientRect(), frame = this.tree.getBoundingClientRect();
      this.tree.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
    }
  }

  key(key) {
    if (key === "ArrowRight" || key === " " || key === "Enter") this.go(this.at + 1);
    else if (key === "ArrowLeft") this.go(this.at - 1);
    else return false;
    return true;
  }
}
