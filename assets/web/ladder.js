// An attacker's ladder: what came back under each mechanism (a row) at each budget (a column).
// data: {known: [cell], budgets: [text], rows: [{name, cells: [cell or null]}], caption, title}
// cell: {images: [image], lines: [text], mark, label}

import { child, element, resize, text } from "./dom.js";
import { paint } from "./pixels.js";
import { save } from "./picture.js";

export function render({ data, parentElement }) {
  const box = child(parentElement, "div", "es-ladder");
  const known = child(box, "div", "es-known");
  resize(known, data.known.length, picture).forEach((node, i) => fill(node, data.known[i]));
  const grid = child(box, "div", "es-grid");
  grid.style.setProperty("--budgets", data.budgets.length);
  grid.style.setProperty("--rows", data.rows.length);
  const heads = resize(child(grid, "div", "es-heads"), data.budgets.length, () => element("span", "es-budget"));
  heads.forEach((node, i) => at(text(node, data.budgets[i]), 0, i + 1));
  const names = resize(child(grid, "div", "es-names"), data.rows.length, () => element("strong", "es-row-name"));
  names.forEach((node, i) => at(text(node, data.rows[i].name), i + 1, 0));
  const cells = data.rows.flatMap((row, r) => row.cells.map((cell, c) => ({ cell, r: r + 1, c: c + 1 })));
  resize(child(grid, "div", "es-cells-all"), cells.length, picture).forEach((node, i) => {
    at(node, cells[i].r, cells[i].c);
    fill(node, cells[i].cell);
  });
  const button = child(box, "button", "es-save");
  text(button, "Save as a picture");
  button.type = "button";
  button.disabled = !cells.some(({ cell }) => cell); // nothing to take away yet
  button.onclick = () => save(data, box);
}

// Where it stands: CSS turns the table over on a narrow screen.
function at(node, row, column) {
  node.style.setProperty("--r", row + 1);
  node.style.setProperty("--c", column + 1);
  return node;
}

function picture() {
  const node = element("figure", "es-shot");
  node.append(element("div", "es-images"), element("figcaption", "es-lines"));
  return node;
}

function fill(node, cell) {
  node.dataset.mark = cell?.mark ?? "";
  node.classList.toggle("es-missing", !cell);
  const canvases = resize(node.firstElementChild, cell ? cell.images.length : 1, () => document.createElement("canvas"));
  canvases.forEach((canvas, i) => {
    if (cell) paint(canvas, cell.images[i]);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", cell ? cell.label : "not yet attacked");
  });
  const lines = resize(node.lastElementChild, cell ? cell.lines.length : 0, () => document.createElement("span"));
  lines.forEach((line, i) => text(line, cell.lines[i]));
}
