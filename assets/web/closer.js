// One budget looked at closely, under the hand: what came back at the rung that the slider stands on, large.
// Every picture is one that the attack gave at that budget; between two rungs there is nothing.

import { child, resize, text } from "./dom.js";

const FIRST = 8; // the budget that it begins at, or the nearest rung below

export function closer(box, data, { picture, fill }) {
  const top = child(box, "div", "es-top");
  const part = child(top, "div", "es-closer", top.firstChild);
  const last = data.budgets.length - 1;
  part.hidden = last < 1;
  const shots = child(part, "div", "es-closer-shots");
  const bar = child(part, "label", "es-closer-bar");
  const words = child(bar, "span", "es-closer-words");
  const slider = child(bar, "input", "es-closer-slider");
  if (slider.type !== "range" || Number(slider.max) !== last) {
    slider.type = "range";
    slider.min = 0;
    slider.max = Math.max(last, 0);
    slider.value = begin(data.budgets);
  }
  const show = () => {
    const rung = Number(slider.value);
    const large = data.rows.map((row) => named(row.cells[rung], row.name));
    if (data.image) large.unshift(data.image);
    resize(shots, large.length, picture).forEach((node, i) => fill(node, large[i]));
    text(words, `Drag the budget: ${data.budgets[rung]}`);
    slider.setAttribute("aria-valuetext", data.budgets[rung]);
    box.querySelectorAll(".es-budget").forEach((head, i) => head.classList.toggle("es-here", i === rung));
  };
  slider.oninput = show;
  box.querySelectorAll(".es-cells-all .es-shot").forEach((node, i) => {
    node.onclick = () => {
      slider.value = i % (last + 1);
      show();
    };
  });
  show();
}

function begin(budgets) {
  const values = budgets.map((words) => Number(words.replace(/[^0-9.]/g, "")));
  return Math.max(0, values.findLastIndex((value) => value <= FIRST));
}

// The picture of a cell under its mechanism's name.
function named(cell, name) {
  return cell && { ...cell, lines: [name, cell.lines.join(", ")] };
}
