// A guess, and the truth over it, on a line from 0 to the most.
// data: {ends: [text, text], guess, truth, low, high, label}; places are shares of the line, or null.

import { child, fill } from "./dom.js";

export function render({ data, parentElement }) {
  const box = child(parentElement, "div", "es-scale");
  [box.role, box.ariaLabel] = ["img", data.label];
  const mark = (name, from, to = null) => {
    const style = { left: `${100 * (from ?? 0)}%`, width: to === null ? "" : `${100 * (to - from)}%` };
    return [`i.${name}`, { hidden: from === null, style }];
  };
  fill(box, [
    ["div.es-scale-line", [mark("es-seeds", data.low, data.high), mark("es-truth", data.truth), mark("es-guess", data.guess)]],
    ["div.es-scale-ends", data.ends.map((end) => ["span.es-scale-end", end])],
  ]);
}
