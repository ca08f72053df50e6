// Words on a chart, drawn over it: plotly measures and lays out each of its own annotations, which takes
// longer than all the lines of the chart. Annotations are written as plotly's; of its tags, <b> is known,
// and <span style="color:…">.

import { fill, spread } from "./dom.js";

const WIDTH = 0.52; // of a character, in font sizes: enough to keep words inside the chart
const GAP = 1.15; // from one of the words beside the lines to the next, in font sizes
const NEAR = 3; // pixels that need no line from a line's end to its words
const ON_PAPER = { yref: "paper" };
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

const OVER = { position: "absolute", inset: "0", width: "100%", height: "100%", overflow: "visible", "pointer-events": "none" };
const HALO = { "paint-order": "stroke", stroke: "var(--st-background-color)", "stroke-width": "3px" };

// Write annotations where the axes of the drawn chart put them; those beside it apart, with lines to those that moved.
export function label(element, annotations) {
  const [lines, words] = layerOf(element).children;
  const where = places(element);
  const ends = annotations.filter(beside);
  const [top, bottom] = [0.98, 0.02].map((share) => where.y(ON_PAPER, share));
  const spots = spread(ends.map((item) => where.y(item, item.y)), GAP * (ends[0]?.font.size ?? 0), top, bottom);
  const moved = new Map(ends.map((item, i) => [item, spots[i]]));
  const leader = (item) => {
    const from = where.y(item, Math.max(0, Math.min(1, item.y)));
    if (Math.abs(from - moved.get(item)) < NEAR) return [];
    return [["line", { x1: where.x(item, 1), x2: where.x(item, item.x), y1: from, y2: moved.get(item), stroke: item.font.color }]];
  };
  fill(lines, ends.flatMap(leader));
  const taken = [];
  const written = annotations.map((item) => {
    const pieces = parsed(item.text);
    const { look, box } = laid(item, pieces, where, moved.get(item) ?? where.y(item, item.y));
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
  return item.xref === "paper" && item.x > 1;
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

// The attributes of words, and the room that they take.
function laid(item, pieces, where, at) {
  const { size, color } = item.font;
  const length = pieces.reduce((sum, piece) => sum + piece.words.length, 0) * size * WIDTH;
  const anchor = { left: "start", right: "end" }[item.xanchor] ?? "middle";
  let x = where.x(item, item.x) + (item.xshift ?? 0);
  if (anchor === "middle") x = Math.max(length / 2, Math.min(where.width - length / 2, x));
  const lift = item.yanchor === "bottom" ? 0.3 * size : -0.35 * size;
  const y = at - (item.yshift ?? 0) - lift;
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
