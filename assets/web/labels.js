// Words on a chart, drawn over it: plotly measures and lays out each of its own annotations, which takes
// longer than all the lines of the chart. Annotations are written as plotly's; of its tags, <b> is known,
// and <span style="color:…">.

import { resize } from "./dom.js";

const WIDTH = 0.52; // of a character, in font sizes: enough to keep words inside the chart
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

// Write annotations, and the lines that lead to them, where the axes of the drawn chart put them.
export function label(element, annotations, leaders) {
  const drawing = element.querySelector("svg").namespaceURI;
  const make = (tag) => document.createElementNS(drawing, tag);
  let layer = element.querySelector(".es-labels");
  if (!layer) {
    layer = make("svg");
    layer.classList.add("es-labels");
    layer.setAttribute("aria-hidden", "true"); // the chart's own label tells what it shows
    layer.style.cssText = "position:absolute;inset:0;width:100%;height:100%;overflow:visible;pointer-events:none;font-family:var(--st-font)";
    layer.append(make("g"), make("g"));
    layer.lastElementChild.style.cssText = "paint-order:stroke;stroke:var(--st-background-color);stroke-width:3px";
    element.style.position = "relative";
  }
  const tips = element.querySelector(".hoverlayer")?.closest("svg"); // they hide words, and words not them
  if (!tips) element.append(layer);
  else if (layer.nextElementSibling !== tips) tips.before(layer);
  const [lines, words] = layer.children;
  const where = places(element);
  resize(lines, leaders.length, () => make("line")).forEach((node, i) => {
    const item = leaders[i];
    const ends = { x1: where.x(item, item.x0), y1: where.y(item, item.y0), x2: where.x(item, item.x1), y2: where.y(item, item.y1) };
    set(node, { ...ends, stroke: item.line.color, "stroke-width": item.line.width });
  });
  resize(words, annotations.length, () => make("text")).forEach((node, i) => {
    write(node, annotations[i], where, make);
  });
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

function write(node, item, where, make) {
  const { size, color } = item.font;
  const pieces = parsed(item.text);
  const length = pieces.reduce((sum, piece) => sum + piece.words.length, 0) * size * WIDTH;
  const anchor = { left: "start", right: "end" }[item.xanchor] ?? "middle";
  let x = where.x(item, item.x) + (item.xshift ?? 0);
  if (anchor === "middle") x = Math.max(length / 2, Math.min(where.width - length / 2, x));
  const lift = item.yanchor === "bottom" ? 0.3 * size : -0.35 * size;
  const y = where.y(item, item.y) - (item.yshift ?? 0) - lift;
  set(node, { x, y, fill: color, "font-size": size, "text-anchor": anchor });
  if (node.written === item.text) return;
  node.written = item.text;
  node.replaceChildren(
    ...pieces.map((piece) => {
      const span = make("tspan");
      span.textContent = piece.words;
      if (piece.bold) span.setAttribute("font-weight", "600");
      if (piece.colour) span.setAttribute("fill", piece.colour);
      return span;
    }),
  );
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

function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
}
