// An attacker's ladder: what was found, and what came back under each mechanism (a row) at each budget (a column).
// data: {head, known: [cell], budgets: [text], rows: [{name, figures, cells: [cell or null]}], steps: [number]}
// image: the cell of the image that was attacked, or nothing where there are many
// cell: {images: [image], lines: [text], brief: [text], mark, label, frames: [{image, lines}] or nothing}; a frame for
// each step; brief are the lines of a cell in the table, where a row's `figures` say what they are

import { child, fill, picture, slider } from "./dom.js";
import { back, frameAt } from "./frames.js";
import { head } from "./head.js";

const FIRST = 8; // the budget that is looked at closely first, or the nearest below

export function render({ data, parentElement }) {
  const box = child(parentElement, "div", "es-ladder");
  if (data.head) head(parentElement, data.head);
  draw(box, data);
}

// A cell as it was at a step; at the last one as it is.
function then(cell, step, data) {
  const frame = frameAt(cell, step, data);
  if (!frame) return cell;
  return { images: [frame.image], lines: frame.lines, mark: "", label: frame.lines.join(", ").trim() };
}

function draw(box, given) {
  const again = () => draw(box, given);
  const { bar, step } = back(box, given.steps, again);
  const known = given.known.map((cell) => then(cell, step, given));
  const rows = given.rows.map((row) => ({ ...row, cells: row.cells.map((cell) => then(cell, step, given)) }));
  const data = { ...given, known, rows };
  const look = (rung) => {
    box.rung = rung;
    again();
  };
  const close = closer(box, data, look);
  const heads = data.budgets.map((words, i) => [`span.es-budget${i === box.rung ? ".es-here" : ""}`, at(0, i + 1), i ? words.replace("ε ", "") : words]);
  const names = rows.map(({ name, figures }, i) => [
    "strong.es-row-name",
    at(i + 1, 0),
    [["span.es-row-name-words", name], ["span.es-row-figures", figures ?? ""]],
  ]);
  const cells = rows.flatMap((row, r) =>
    row.cells.map((cell, c) => shot(cell, cell?.brief, { ...at(r + 1, c + 1), onclick: () => look(c) })),
  );
  fill(box, [
    bar,
    ["div.es-top", [close, [`div.es-known${data.image ? ".es-has-closer" : ""}`, known.map((cell) => shot(cell))]]],
    [
      "div.es-grid",
      { style: { "--budgets": data.budgets.length, "--rows": rows.length } },
      [["div.es-heads", heads], ["div.es-names", names], ["div.es-cells-all", cells]],
    ],
  ]);
}

// One budget looked at closely, under the hand: what came back at the rung that the slider stands on, large.
// Every picture is one that the attack gave at that budget; between two rungs there is nothing.
function closer(box, { budgets, rows, image }, look) {
  if (box.rungs !== budgets.length) {
    const values = budgets.map((words) => Number(words.replace(/[^0-9.]/g, "")));
    [box.rungs, box.rung] = [budgets.length, Math.max(0, values.findLastIndex((value) => value <= FIRST))];
  }
  const named = (cell, name) => cell && { ...cell, lines: [name, cell.lines.join(", ")] };
  const large = [...(image ? [image] : []), ...rows.map((row) => named(row.cells[box.rung], row.name))];
  const words = budgets[box.rung];
  const range = slider("es-closer-slider", budgets.length - 1, box.rung, look, { "aria-valuetext": words });
  return [
    "div.es-closer",
    { hidden: budgets.length < 2 },
    [
      ["div.es-closer-shots", large.map((cell) => shot(cell))],
      ["label.es-closer-bar", [["span.es-closer-words", `Budget: ${words}`], range]],
    ],
  ];
}

// Where it stands: CSS turns the table over on a narrow screen.
function at(row, column) {
  return { style: { "--r": row + 1, "--c": column + 1 } };
}

function shot(cell, words = cell?.lines ?? [], more = {}) {
  const images = cell?.images ?? [null];
  return [
    `figure.es-shot${cell ? "" : ".es-missing"}`,
    { ...more, "data-mark": cell?.mark ?? "" },
    [
      ["div.es-images", images.map((image) => picture("es-pixels", image, cell?.label ?? "not yet attacked"))],
      ["figcaption.es-lines", words.map((line) => ["span", line])],
    ],
  ];
}
