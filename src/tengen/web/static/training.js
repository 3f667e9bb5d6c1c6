// A run from a form: a preset and the parameters that people change, by mouse.

import { $, make } from "./app.js";

const TEXTS = {
  game: "Game", games: "Games", search_games: "Search games a move", lr: "Learning rate", layers: "Neurons in each hidden layer",
  activation: "Activation", optimizer: "Optimizer", nets: "Networks kept (M)", topp_games: "Games of a pair in the TOPP (G)",
  batch: "Minibatch", threads: "Threads (0: all)", seed: "Seed",
};
const CHOICES = { activation: ["linear", "sigmoid", "tanh", "relu"], optimizer: ["adagrad", "sgd", "rmsprop", "adam"] };

export class TrainingForm {
  constructor(app) {
    this.app = app;
    this.error_line = make("p", { className: "hint problem", id: "train-error", role: "alert" });
    this.preset = make("select", { id: "train-preset", onchange: () => this.fill() });
    this.name = make("input", { type: "text", id: "train-name", maxLength: 60, required: true });
    this.about = make("p", { className: "hint" });
    this.fields = make("div", { className: "fields" });
    this.inputs = {};
    const form = make("form", { onsubmit: (event) => { event.preventDefault(); this.start(); } },
      make("div", { className: "fields" }, make("label", {}, "Preset", this.preset), make("label", {}, "Name", this.name)), this.about, this.fields, this.error_line,
      make("div", { className: "row end" }, make("button", { type: "submit", className: "main", id: "train-start" }, "Start training")));
    this.root = make("details", { className: "card", id: "train-box", ontoggle: () => this.root.open && !this.presets && app.send("train-form") },
      make("summary", {}, "Train a network …"), form);
  }

  hear(message) {
    if (message.say === "train-form") {
      this.presets = message.presets;
      this.preset.replaceChildren(...message.presets.map(({ name }) => make("option", { value: name }, name)));
      this.preset.value = message.presets.some(({ name }) => name === "on-policy") ? "on-policy" : message.presets[0].name;
      this.fill();
    }
    if (message.say === "started" && this.wanted) {
      this.wanted = false;
      location.hash = `#/run/${encodeURIComponent(message.name)}`;
    }
  }

  fill() {
    const { name, about, values } = this.presets.find(({ name: one }) => one === this.preset.value);
    this.name.value = name;
    this.about.textContent = about;
    this.given = values;
    this.fields.replaceChildren(...Object.entries(TEXTS).map(([key, text]) => {
      const input = CHOICES[key] ? make("select", { name: key }, ...CHOICES[key].map((value) => make("option", { value }, value)))
        : make("input", { type: "text", name: key, maxLength: 60 });
      input.value = String(values[key]);
      this.inputs[key] = input;
      return make("label", {}, text, input);
    }));
  }

  // Only what differs from the preset is said.
  start() {
    const values = Object.fromEntries(Object.entries(this.inputs).map(([key, { value }]) => [key, value.trim()]).filter(([key, value]) => value !== String(this.given[key])));
    this.error_line.textContent = "";
    this.wanted = true;
    this.app.send("train", { preset: this.preset.value, name: this.name.value.trim(), values });
  }

  error(text) {
    if (!this.wanted) return false;
    this.wanted = false;
    this.error_line.textContent = text;
    return true;
  }
}

// On a run's page: stop it, let it go on, what its curves stand over, and another run beside it.
export class RunControls {
  constructor(app, name) {
    this.app = app;
    this.name = name;
    this.stop = make("button", { type: "button", id: "stop-run", title: "after the game in progress; nothing is lost", onclick: () => { this.stop.disabled = true; app.send("stop-run", { name }); } }, "Stop");
    this.more = make("input", { type: "text", id: "resume-games", inputMode: "numeric", size: 6, ariaLabel: "games in all", onchange: () => { this.touched = true; } });
    this.resume = make("button", { type: "button", id: "resume-run", onclick: () => this.goOn() }, "Resume to");
    this.resumes = make("span", { className: "row inline" }, this.resume, this.more, "games");
    this.axis = make("select", { id: "axis", ariaLabel: "curves over", onchange: () => this.ask() }, make("option", { value: "games" }, "over games"), make("option", { value: "hours" }, "over hours"));
    this.beside = make("select", { id: "beside", ariaLabel: "compare with", onchange: () => this.ask() }, make("option", { value: "" }, "no other run"));
    this.problem = make("p", { className: "status problem", id: "run-problem", hidden: true });
    this.root = make("div", { className: "stack" }, make("div", { className: "row" }, this.stop, this.resumes, make("label", { className: "row inline" }, this.axis), make("label", { className: "row inline" }, "beside", this.beside)), this.problem);
    app.send("runs");
  }

  hear(message) {
    if (message.say !== "runs") return;
    const chosen = this.beside.value;
    this.beside.replaceChildren(make("option", { value: "" }, "no other run"), ...message.runs.filter(({ name, games }) => name !== this.name && games).map(({ name, game }) => make("option", { value: name }, `${name} (${game})`)));
    this.beside.value = chosen;
  }

  update(run) {
    this.stop.hidden = !run.stoppable;
    if (!run.stoppable) this.stop.disabled = false;
    this.resumes.hidden = run.stoppable || (run.live && run.games < run.wanted);
    if (!this.touched && document.activeElement !== this.more) this.more.value = run.games < run.wanted ? run.wanted : run.wanted + Math.max(10, Math.round(run.wanted / 2));
    this.problem.hidden = !run.complaint;
    this.problem.textContent = run.complaint;
  }

  ask() {
    this.app.send("run", { name: this.name, axis: this.axis.value, beside: this.beside.value });
    for (const one of [this.axis, this.beside]) one.blur();
  }

  goOn() {
    this.touched = false;
    this.app.send("resume", { name: this.name, values: { games: this.more.value.trim() } });
  }
}
