// Words on a chart, drawn over it: plotly measures and lays out each of its own annotations, which takes
// longer than all the lines of the chart. Annotations are written as plotly's; of its tags, <b> is known,
// and <span style="color:…">.

import { fill } from "./dom.js";

const WIDTH = 0.52; // of a character, in font sizes: enough to keep words inside the chart
const GAP = 1.15; // from one of the words beside the lines to the next, in font sizes
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

const OVER = { position: "absolute", inset: "0", width: "100%", height: "100%", overflow: "visible", "pointer-events": "none" };
const HALO = { "paint-order": "stroke", stroke: "var(--st-background-color)", "stroke-width": "3px" };

// Write annotations, and the lines that lead to them, where the axes of the drawn chart put them.
export function label(element, annotations, leaders) {
  const [lines, words] = layerOf(element).children;
  const where = places(element);
  const moved = apart(annotations.filter(beside), where);
  const leader = (item) => {
    const from = { x1: where.x(item, item.x0), y1: where.y(item, item.y0) };
    const to = { x2: where.x(item, item.x1), y2: where.y(item, item.y1) + (moved.get(item.y1) ?? 0) };
    return ["line", { ...from, ...to, stroke: item.line.color, "stroke-width": item.line.width }];
  };
  fill(lines, leaders.map(leader));
  const taken = [];
  const written = annotations.map((item) => {
    const pieces = parsed(item.text);
    const { look, box } = laid(item, pieces, where, item.xref === "paper" ? moved.get(item.y) : 0);
    const covers = item.name === "yields" && taken.some((other) => overlap(box, other));
    if (!covers) taken.push(box);
    const spans = pieces.map(({ words, bold, colour }) => ["tspan", { "font-weight": bold ? "600" : null, fill: colour }, words]);
    return ["text", { ...look, style: { display: covers ? "none" : "" } }, spans];
  });
  fill(words, written);
}

function layerOf(element) {
  let layer = element.querySelector(".es-labels");
  if (!layer) {
    // the chart's own label tells what it shows
    const made = ["svg.es-labels", { "aria-hidden": "true", style: { ...OVER, "font-family": "var(--st-font)" } }, [["g"], ["g", { style: HALO }]]];
    [layer] = fill(document.createElement("div"), [made]);
    element.style.position = "relative";
  }
  const tips = element.querySelector(".hoverlayer")?.closest("svg"); // they hide words, and words not them
  if (!tips) element.append(layer);
  else if (layer.nextElementSibling !== tips) tips.before(layer);
  return layer;
}

// Beside the plot, where lines end.
export function beside(item) {
  return item.xref === "paper" && (item.x > 1 || item.x1 > 1);
}

// From what an annotation says (a share of the plot, or a value on an axis) to pixels.
function places(element) {
  const { _size: size, xaxis, yaxis, width } = element._fullLayout;
  return {
    x: (item, x) => (item.xref === "paper" ? size.l + x * size.w : xaxis._offset + xaxis.r2p(x)),
    y: (item, y) => (item.yref === "paper" ? size.t + (1 - y) * size.h : yaxis._offset + yaxis.r2p(y)),
    width,
  };
}

// How far words beside the lines, one below another, are moved so that none covers the next: what is far enough
// apart on a wide screen may not be on a phone.
function apart(items, where) {
  const found = items.map((item) => ({ item, from: where.y(item, item.y) })).sort((one, other) => one.from - other.from);
  const ys = found.map(({ from }) => from);
  for (let turn = 0; turn < 12; turn += 1) {
    for (let i = 1; i < ys.length; i += 1) {
      const lacks = (GAP * found[i].item.font.size - (ys[i] - ys[i - 1])) / 2;
      if (lacks > 0) [ys[i - 1], ys[i]] = [ys[i - 1] - lacks, ys[i] + lacks];
    }
  }
  return new Map(found.map(({ item, from }, i) => [item.y, ys[i] - from]));
}

// The attributes of words, and the room that they take.
function laid(item, pieces, where, moved = 0) {
  const { size, color } = item.font;
  const length = pieces.reduce((sum, piece) => sum + piece.words.length, 0) * size * WIDTH;
  const anchor = { left: "start", right: "end" }[item.xanchor] ?? "middle";
  let x = where.x(item, item.x) + (item.xshift ?? 0);
  if (anchor === "middle") x = Math.max(length / 2, Math.min(where.width - length / 2, x));
  const lift = item.yanchor === "bottom" ? 0.3 * size : -0.35 * size;
  const y = where.y(item, item.y) - (item.yshift ?? 0) - lift + moved;
  const from = x - length * { start: 0, middle: 0.5, end: 1 }[anchor];
  const box = { from, to: from + length, above: y - 1.3 * size, below: y };
  return { look: { x, y, fill: color, "font-size": size, "text-anchor": anchor }, box };
}

function overlap(one, other) {
  return one.from < other.to && other.from < one.to && one.above < other.below && other.above < one.below;
}

function parsed(markup) {
  const pieces = [];
  let [bold, colour] = [false, null];
  for (const part of markup.split(/(<[^>]*>)/)) {
    const paint = part.match(/^<span style="color:([^"]*)">$/);
    if (part === "<b>" || part === "</b>") bold = part === "<b>";
    else if (paint || part === "</span>") colour = paint ? paint[1] : null;
    else if (part) pieces.push({ words: part.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name) => ENTITIES[name]), bold, colour });
  }
  return pieces;
}
