// What is drawn over a board: candidate moves with their figures, the network's policy, a hint, and a line of moves to come.

const NS = "http://www.w3.org/2000/svg";
const HEAT = 0.004;  // shares of the policy below this are not drawn

function shape(tag, attributes, text) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

export const short = (count) => (count < 1000 ? String(count) : count < 100_000 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`);
export const percent = (rate) => (rate === null ? "" : `${Math.round(100 * rate)}%`);

export class Overlay {
  constructor(board) {
    this.board = board;
  }

  // `insight`: of the position that is shown; `line`: moves to come; `hinted`: a move; `better`: what would have been better.
  draw({ insight, layers, line, hinted, better }) {
    const { svg, points } = this.board;
    if (!svg) return;
    svg.querySelector(".overlay")?.remove();
    const group = shape("g", { class: "overlay" });
    if (line?.length) this.drawLine(group, points, line, insight.player);
    else {
      if (insight && layers.policy) this.drawPolicy(group, points, insight.policy);
      if (insight && layers.moves) this.drawMoves(group, points, insight.moves);
    }
    for (const [move, kind] of [[hinted, "hinted"], [better, "better"]]) {
      const at = points.get(move);
      if (at) group.append(shape("circle", { class: kind, cx: at.x, cy: at.y, r: 18 }));
    }
    if (group.childNodes.length) svg.append(group);
  }

  drawPolicy(group, points, policy) {
    const most = Math.max(...Object.values(policy), 1e-9);
    for (const [move, share] of Object.entries(policy)) {
      const at = points.get(Number(move));
      if (!at || share < HEAT) continue;
      group.append(shape("circle", { class: "heat", cx: at.x, cy: at.y, r: 19, "fill-opacity": (0.12 + 0.68 * Math.sqrt(share / most)).toFixed(2) }));
    }
  }

  drawMoves(group, points, moves) {
    const most = Math.max(...moves.map(({ visits }) => visits), 1);
    moves.forEach(({ move, visits, rate }, rank) => {
      const at = points.get(move);
      if (!at) return;
      const one = shape("g", { class: rank ? "candidate" : "candidate first", transform: `translate(${at.x} ${at.y})` });
      one.append(shape("circle", { r: 17.5, "fill-opacity": (0.35 + 0.6 * Math.sqrt(visits / most)).toFixed(2) }));
      if (rate !== null) one.append(shape("text", { class: "rate", y: -3 }, percent(rate)));
      one.append(shape("text", { class: rate === null ? "rate" : "visits", y: rate === null ? 0 : 8.5 }, short(visits)));
      group.append(one);
    });
  }

  drawLine(group, points, line, player) {
    const numbers = new Map();
    line.forEach((move, i) => { if (!numbers.has(move)) numbers.set(move, i); });
    for (const [move, i] of numbers) {
      const at = points.get(move);
      if (!at) continue;
      const one = shape("g", { class: `cell p${(player + i) % 2} coming`, transform: `translate(${at.x} ${at.y})` });
      one.append(shape("circle", { class: "stone", r: 16.5 }), shape("text", { class: "number" }, i + 1));
      group.append(one);
    }
  }
}
