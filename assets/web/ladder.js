// An attacker's ladder: what was found, and what came back under each mechanism (a row) at each budget (a column).
// data: {head, known: [cell], budgets: [text], rows: [{name, figures, cells: [cell or null]}], steps: [number], caption, title}
// image: the cell of the image that was attacked, or nothing where there are many
// cell: {images: [image], lines: [text], brief: [text], mark, label, frames: [{image, lines}] or nothing}; a frame for
// each step; brief are the lines of a cell in the table, where a row's `figures` say what they are

import { closer } from "./closer.js";
import { child, element, resize, text } from "./dom.js";
import { back, frameAt } from "./frames.js";
import { head } from "./head.js";
import { paint } from "./pixels.js";
import { save } from "./picture.js";

export function render({ data, parentElement }) {
  const box = child(parentElement, "div", "es-ladder");
  if (data.head) head(parentElement, data.head);
  const at = back(box, data, (step) => draw(box, data, step));
  draw(box, data, at);
}

// A cell as it was at a step; at the last one as it is.
function then(cell, step, data) {
  const frame = frameAt(cell, step, data);
  if (!frame) return cell;
  return { images: [frame.image], lines: frame.lines, mark: "", label: frame.lines.join(", ").trim() };
}

function draw(box, given, step) {
  const data = {
    ...given,
    known: given.known.map((cell) => then(cell, step, given)),
    rows: given.rows.map((row) => ({ ...row, cells: row.cells.map((cell) => then(cell, step, given)) })),
  };
  const top = child(box, "div", "es-top");
  const known = child(top, "div", "es-known");
  known.classList.toggle("es-has-closer", Boolean(data.image));
  resize(known, data.known.length, picture).forEach((node, i) => fill(node, data.known[i]));
  const grid = child(box, "div", "es-grid");
  grid.style.setProperty("--budgets", data.budgets.length);
  grid.style.setProperty("--rows", data.rows.length);
  const heads = resize(child(grid, "div", "es-heads"), data.budgets.length, () => element("span", "es-budget"));
  heads.forEach((node, i) => at(text(node, data.budgets[i]), 0, i + 1));
  const names = resize(child(grid, "div", "es-names"), data.rows.length, () => element("strong", "es-row-name"));
  names.forEach((node, i) => {
    text(child(at(node, i + 1, 0), "span", "es-row-name-words"), data.rows[i].name);
    text(child(node, "span", "es-row-figures"), data.rows[i].figures);
  });
  const cells = data.rows.flatMap((row, r) => row.cells.map((cell, c) => ({ cell, r: r + 1, c: c + 1 })));
  resize(child(grid, "div", "es-cells-all"), cells.length, picture).forEach((node, i) => {
    at(node, cells[i].r, cells[i].c);
    fill(node, cells[i].cell, cells[i].cell?.brief);
  });
  closer(box, data, { picture, fill });
  const button = child(box, "button", "es-ladder-save");
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

function fill(node, cell, words = cell?.lines ?? []) {
  node.dataset.mark = cell?.mark ?? "";
  node.classList.toggle("es-missing", !cell);
  const canvases = resize(node.firstElementChild, cell ? cell.images.length : 1, () => document.createElement("canvas"));
  canvases.forEach((canvas, i) => {
    if (cell) paint(canvas, cell.images[i]);
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", cell ? cell.label : "not yet attacked");
  });
  const lines = resize(node.lastElementChild, words.length, () => document.createElement("span"));
  lines.forEach((line, i) => text(line, words[i]));
}
