// A guess, and the truth over it, on a line from 0 to the most.
// data: {ends: [text, text], guess, truth, low, high, label}; places are shares of the line, or null.

import { child, element, resize, text } from "./dom.js";

export function render({ data, parentElement }) {
  const box = child(parentElement, "div", "es-scale");
  box.role = "img";
  box.ariaLabel = data.label;
  const line = child(box, "div", "es-scale-line");
  put(child(line, "i", "es-seeds"), data.low, data.high);
  put(child(line, "i", "es-truth"), data.truth);
  put(child(line, "i", "es-guess"), data.guess);
  resize(child(box, "div", "es-scale-ends"), 2, () => element("span", "es-scale-end")).forEach((end, i) =>
    text(end, data.ends[i]),
  );
}

function put(mark, from, to = null) {
  mark.hidden = from === null;
  mark.style.left = `${100 * (from ?? 0)}%`;
  mark.style.width = to === null ? "" : `${100 * (to - from)}%`;
}
