// Train's three panels on one height: accuracy, noise variance, what the server sees.
// data: {accuracy, noise: {title, subtitle, figure, label}, server: {title, subtitle, columns, rows, empty}}
// A row is of an upload of one image (`cells`, one a column), or of one of many (`pairs` and `lines`).

import { child, element, resize, text } from "./dom.js";
import { paint } from "./pixels.js";
import { draw, erase } from "./plot.js";

const HEIGHT = { least: 340, most: 700 };

export function render({ data, parentElement }) {
  const panels = child(parentElement, "div", "es-panels");
  const [accuracy, noise, server] = ["es-accuracy", "es-noise", "es-server"].map((name) =>
    child(panels, "section", name),
  );
  heading(accuracy, data.accuracy);
  heading(noise, data.noise);
  gallery(server, data.server);
  const height = beside(server);
  chart(accuracy, data.accuracy, height);
  chart(noise, data.noise, height);
}

export function unmount({ parentElement }) {
  parentElement.querySelectorAll(".es-plot").forEach(erase);
}

function heading(section, panel) {
  text(child(section, "h3", "es-title"), panel.title);
  text(child(section, "p", "es-subtitle"), panel.subtitle);
}

// A chart is as tall as what stands below the gallery's heading, unless the panels are stacked.
function beside(server) {
  const panels = server.parentElement;
  if (getComputedStyle(panels).gridTemplateColumns.split(" ").length === 1) return HEIGHT.least;
  const top = server.querySelector(".es-subtitle").getBoundingClientRect().bottom;
  const bottom = Math.max(...[...server.children].map((node) => node.getBoundingClientRect().bottom));
  return Math.round(Math.min(HEIGHT.most, Math.max(HEIGHT.least, bottom - top)));
}

function chart(section, panel, height) {
  draw(child(section, "div", "es-plot"), JSON.parse(panel.figure), height, panel.label);
}

function gallery(section, panel) {
  heading(section, panel);
  const note = text(child(section, "p", "es-empty"), panel.empty ?? "");
  note.hidden = !panel.empty;
  const rows = resize(child(section, "div", "es-rows"), panel.rows.length, () => element("div", "es-row"));
  rows.forEach((row, i) => client(row, panel.rows[i], panel.columns));
  const foot = text(child(section, "p", "es-note"), panel.note ?? "");
  foot.hidden = !panel.note;
}

function client(row, data, columns) {
  const head = child(row, "div", "es-client");
  text(child(head, "strong", "es-name"), data.name);
  text(child(head, "span", "es-budget"), data.budget);
  oneImage(child(row, "div", "es-cells"), data, columns);
  manyImages(child(row, "div", "es-pairs"), data);
  resize(child(row, "div", "es-lines"), data.lines?.length ?? 0, () => element("p", "es-detail")).forEach((line, i) => text(line, data.lines[i]));
  const verdict = text(child(row, "p", "es-verdict"), data.verdict);
  verdict.dataset.kind = data.kind;
  const picked = text(child(row, "p", "es-picked"), data.picked?.text ?? "");
  picked.hidden = !data.picked;
  picked.dataset.kind = data.picked?.kind ?? "";
  text(child(row, "p", "es-small"), data.detail);
}

// The image, what each run gives away of it, and the average image.
function oneImage(place, data, columns) {
  const cells = resize(place, data.cells ? columns.length : 0, () => {
    const cell = element("figure", "es-cell");
    cell.append(element("canvas", "es-image"), element("figcaption", "es-caption"));
    return cell;
  });
  cells.forEach((cell, i) => {
    const { image, captions, mark } = data.cells[i];
    picture(cell.querySelector("canvas"), image, `${data.name}, ${columns[i]}: ${captions.join(", ") || "image"}`);
    cell.dataset.mark = mark ?? "";
    const words = [columns[i], ...captions];
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
