// The win rate over a game, always from the first player's side. A click jumps to the move.

const NS = "http://www.w3.org/2000/svg";
const WIDTH = 300, HEIGHT = 96, LEFT = 4, FEW = 100;

function shape(tag, attributes, text) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

export class Graph {
  constructor(onJump) {
    this.svg = shape("svg", { class: "win-graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "win rate over the game" });
    this.svg.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      const share = ((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - 2 * LEFT);
      onJump(Math.max(0, Math.min(this.length, Math.round(share * this.length))));
    });
  }

  // `points`: [ply, rate, visits]; `verdicts`: one for each move, or null; visits −1: the end, which is certain.
  draw(points, verdicts, ply, length) {
    this.length = Math.max(1, length);
    const x = (at) => LEFT + (WIDTH - 2 * LEFT) * at / this.length, y = (rate) => 4 + (HEIGHT - 8) * (1 - rate);
    const parts = [shape("rect", { class: "ground", width: WIDTH, height: HEIGHT, rx: 6 }), shape("path", { class: "half", d: `M0 ${HEIGHT / 2}H${WIDTH}` })];
    if (points.length > 1) {
      const path = points.map(([at, rate]) => `${x(at).toFixed(1)} ${y(rate).toFixed(1)}`).join("L");
      parts.push(shape("path", { class: "area", d: `M${x(points[0][0])} ${HEIGHT}L${path}L${x(points.at(-1)[0])} ${HEIGHT}Z` }), shape("path", { class: "rate-line", d: `M${path}` }));
    }
    parts.push(shape("path", { class: "here", d: `M${x(ply)} 0V${HEIGHT}` }));
    for (const [at, rate, visits] of points) {
      const kind = at > 0 ? verdicts[at - 1]?.kind : undefined;
      const few = visits >= 0 && visits < FEW;
      const dot = shape("circle", { class: `spot ${kind || ""} ${few ? "few" : ""}`, cx: x(at), cy: y(rate), r: kind === "mistake" || kind === "blunder" ? 4 : 2.4 });
      dot.append(shape("title", {}, `after ${at} moves: ${Math.round(100 * rate)} %${few ? `, only ${visits} visits` : visits < 0 ? ", the end" : `, ${visits} visits`}`));
      parts.push(dot);
    }
    this.svg.replaceChildren(...parts);
  }
}
