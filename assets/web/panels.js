// Train's head and its three panels on one height: accuracy, noise variance, what the server sees.
// data: {head, accuracy, noise: {title, subtitle, figure, label}, server: {title, subtitle, columns, rows, empty}}
// With `steps` one goes back through how the pictures formed (frames.js).
// A row is of an upload of one image (`cells`, one a column), or of one of many (`pairs` and `lines`).

import { child, element, resize, text } from "./dom.js";
import { back, frameAt } from "./frames.js";
import { head } from "./head.js";
import { paint } from "./pixels.js";
import { draw, erase } from "./plot.js";
import { saves } from "./save.js";

// pixels: with its heading a panel is 400 high (panels.css); on a phone three of them are above one another
const PLOT = { wide: 322, narrow: 250 };

export function render({ data, parentElement }) {
  const panels = child(parentElement, "div", "es-panels");
  head(parentElement, data.head);
  const [accuracy, noise, server] = ["es-accuracy", "es-noise", "es-server"].map((name) =>
    child(panels, "section", name),
  );
  heading(accuracy, data.accuracy);
  heading(noise, data.noise);
  gallery(server, data.server);
  chart(accuracy, data.accuracy);
  chart(noise, data.noise);
}

export function unmount({ parentElement }) {
  parentElement.querySelectorAll(".es-plot").forEach(erase);
}

function heading(section, panel) {
  text(child(section, "h3", "es-title"), panel.title).title = panel.hint ?? "";
  text(child(section, "p", "es-subtitle"), panel.subtitle);
}

function chart(section, panel) {
  const height = matchMedia("(max-width: 640px)").matches ? PLOT.narrow : PLOT.wide;
  const plot = child(section, "div", "es-plot");
  draw(plot, JSON.parse(panel.figure), height, panel.label);
  saves(section, plot, panel.title);
}

function gallery(section, panel) {
  heading(section, panel);
  const note = text(child(section, "p", "es-empty"), panel.empty ?? "");
  note.hidden = !panel.empty;
  const place = child(section, "div", "es-rows");
  const draw = (step) => {
    const rows = resize(place, panel.rows.length, () => element("div", "es-row"));
    rows.forEach((row, i) => client(row, then(panel.rows[i], step, panel), panel.columns, i === 0));
  };
  draw(back(section, panel, draw, place));
  const foot = child(section, "details", "es-foot");
  text(child(foot, "summary", "es-foot-name"), "Controls, and how to read this");
  const lines = [...panel.rows.map((row) => `${row.name}. ${row.says}. ${row.detail}.`), panel.note ?? ""];
  resize(child(foot, "div", "es-foot-lines"), lines.length, () => element("p", "es-small")).forEach((line, i) => text(line, lines[i]));
  foot.hidden = !panel.note;
}

// A client's row as it was at a step of the search.
function then(row, step, panel) {
  const frames = (row.cells ?? []).map((cell) => frameAt(cell, step, panel));
  if (!frames.some(Boolean)) return row;
  const cells = row.cells.map((cell, i) => (frames[i] ? { image: frames[i].image, captions: frames[i].lines } : cell));
  return { ...row, cells, verdict: `step ${panel.steps[step]} of the search`, kind: "" };
}

function client(row, data, columns, first) {
  const who = child(row, "div", "es-client");
  text(child(who, "strong", "es-name"), data.name);
  text(child(who, "span", "es-budget"), data.budget);
  const verdict = text(child(who, "p", "es-verdict"), data.verdict);
  verdict.dataset.kind = data.kind;
  const shots = child(row, "div", "es-shots");
  oneImage(child(shots, "div", "es-cells"), data, columns, first);
  manyImages(child(shots, "div", "es-pairs"), data);
  resize(child(shots, "div", "es-lines"), data.lines?.length ?? 0, () => element("p", "es-detail")).forEach((line, i) => text(line, data.lines[i]));
  const picked = text(child(row, "p", "es-picked"), data.picked?.text ?? "");
  picked.hidden = !data.picked;
  picked.dataset.kind = data.picked?.kind ?? "";
}

// The image, what each run gives away of it, and the average image; the first client's are named.
function oneImage(place, data, columns, first) {
  const cells = resize(place, data.cells ? columns.length : 0, () => {
    const cell = element("figure", "es-cell");
    cell.append(element("canvas", "es-image"), element("figcaption", "es-caption"));
    return cell;
  });
  cells.forEach((cell, i) => {
    const { image, captions, mark } = data.cells[i];
    picture(cell.querySelector("canvas"), image, `${data.name}, ${columns[i]}: ${captions.join(", ") || "image"}`);
    cell.dataset.mark = mark ?? "";
    const words = first ? [columns[i], ...captions] : captions;
    resize(cell.querySelector("figcaption"), words.length, () => document.createElement("span")).forEach((line, n) => text(line, words[n]));
  });
}

// Images of a batch above what came back of them, best first.
function manyImages(place, data) {
  const pairs = data.pairs ?? [];
  const cells = resize(place, pairs.length, () => {
    const cell = element("figure", "es-pair");
    cell.append(element("canvas", "es-image"), element("canvas", "es-image"), element("figcaption", "es-caption"));
    return cell;
  });
  cells.forEach((cell, i) => {
    const { original, image, caption } = pairs[i];
    const [above, below] = cell.querySelectorAll("canvas");
    picture(above, original, `${data.name}, image ${i + 1} of the upload`);
    picture(below, image, `${data.name}, what came back of image ${i + 1}: ${caption}`);
    text(cell.querySelector("figcaption"), caption);
  });
}

function picture(canvas, image, words) {
  paint(canvas, image);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", words);
}
