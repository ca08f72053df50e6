// A chart of its own: {figure, height, label}.

import { draw, erase } from "./plot.js";

export function render({ data, parentElement }) {
  let node = parentElement.querySelector(".es-chart");
  if (!node) {
    node = document.createElement("div");
    node.className = "es-chart";
    parentElement.append(node);
  }
  draw(node, JSON.parse(data.figure), data.height, data.label);
}

export function unmount({ parentElement }) {
  parentElement.querySelectorAll(".es-chart").forEach(erase);
}
