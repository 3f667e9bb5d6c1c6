// A game as a file, a link or a picture, and games that somebody brings.

import { $, make, toast } from "./app.js";

const NAMES = { link: "Copy link", sgf: "SGF", psq: "psq", hexworld: "HexWorld link" };
const LARGEST = 15_000;

export class SharePanel {
  constructor(app) {
    this.app = app;
    this.buttons = make("div", { className: "row" });
    this.text = make("textarea", { id: "bring-text", rows: 4, placeholder: "SGF, psq, or a link of HexWorld", ariaLabel: "a game as text", maxLength: LARGEST });
    this.file = make("input", { type: "file", id: "bring-file", accept: ".sgf,.psq,.txt,.hsgf", ariaLabel: "a file", onchange: () => this.readFile() });
    this.root = make("details", { className: "card share", id: "share" }, make("summary", {}, "Share, save, open"), make("div", { className: "stack" }, this.buttons,
      this.text, make("div", { className: "row" }, this.file, make("button", { type: "button", id: "bring", onclick: () => this.bring(this.text.value) }, "Open"))));
  }

  update(state) {
    const key = `${state.table} ${state.ply} ${this.app.layout}`;
    if (key === this.key) return;
    this.key = key;
    const button = (text, id, onclick) => make("button", { type: "button", id, onclick }, text);
    const picture = (kind) => `/picture/${state.table}.${kind}?ply=${state.ply}&layout=${this.app.layout}`;
    const links = state.shares.includes("sgf") ? ["png", "gif"].map((kind) => make("a", { className: "button", id: `share-${kind}`, href: picture(kind), download: `tengen.${kind}` }, kind.toUpperCase())) : [];
    this.buttons.replaceChildren(...state.shares.map((kind) => button(NAMES[kind], `share-${kind}`, () => this.app.send("share", { kind }))), ...links);
  }

  hear(message) {
    if (message.say !== "shared") return;
    if (message.kind === "sgf" || message.kind === "psq") this.save(message.text, `tengen.${message.kind}`);
    else this.copy(message.kind === "link" ? location.origin + location.pathname + message.text : message.text);
  }

  save(text, name) {
    const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    make("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  async copy(text) {
    this.text.value = text;  // where the clipboard is not to be had, it can be taken from there
    try {
      await navigator.clipboard.writeText(text);
      toast("The link is in the clipboard.");
    } catch {
      this.text.select();
      toast("The link stands in the field: copy it.");
    }
  }

  async readFile() {
    const [file] = this.file.files;
    if (!file) return;
    this.file.value = "";
    if (file.size > LARGEST) toast(`that file is larger than ${LARGEST / 1000} kB`);
    else this.bring(await file.text());
  }

  bring(text) {
    const own = text.match(/#\/game\/([^/\s]+)\/(\S*)/);
    if (own) location.hash = own[0];
    else if (text.trim()) this.app.send("bring", { text });
    if (!text.trim()) $("#bring-text").focus();
  }
}
