// A chart of its own: {figure, height, label}.

import { child } from "./dom.js";
import { draw, erase } from "./plot.js";

export function render({ data, parentElement }) {
  draw(child(parentElement, "div", "es-chart"), JSON.parse(data.figure), data.height, data.label);
}

export function unmount({ parentElement }) {
  parentElement.querySelectorAll(".es-chart").forEach(erase);
}
