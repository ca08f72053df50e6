// Train's head and its three panels on one height: accuracy, noise variance, what the server sees.
// data: {head, accuracy, noise: {title, subtitle, figure, label}, server: {title, subtitle, columns, rows, empty}}
// A row is of an upload of one image (`cells`, one a column), or of one of many (`pairs` and `lines`).

import { child, fill, picture } from "./dom.js";
import { head } from "./head.js";
import { draw, erase } from "./plot.js";

// pixels: with its heading a panel is 400 high (panels.css); on a phone three of them are above one another
const PLOT = { wide: 322, narrow: 250 };

export function render({ data, parentElement }) {
  const panels = child(parentElement, "div", "es-panels");
  head(parentElement, data.head);
  show(panels, data);
  const height = matchMedia("(max-width: 640px)").matches ? PLOT.narrow : PLOT.wide;
  panels.querySelectorAll(".es-plot").forEach((plot, i) => {
    const { figure, label } = [data.accuracy, data.noise][i];
    draw(plot, JSON.parse(figure), height, label);
  });
}

export function unmount({ parentElement }) {
  parentElement.querySelectorAll(".es-plot").forEach(erase);
}

function show(panels, data) {
  const chart = (panel) => [...heading(panel), ["div.es-plot"]];
  fill(panels, [
    ["section.es-accuracy", chart(data.accuracy)],
    ["section.es-noise", chart(data.noise)],
    ["section.es-server", gallery(data.server)],
  ]);
}

function heading(panel) {
  return [["h3.es-title", { title: panel.hint ?? "" }, panel.title], ["p.es-subtitle", panel.subtitle]];
}

function gallery(panel) {
  const notes = [...panel.rows.map((row) => `${row.name}. ${row.says}. ${row.detail}.`), panel.note ?? ""];
  return [
    ...heading(panel),
    ["p.es-empty", { hidden: !panel.empty }, panel.empty ?? ""],
    ["div.es-rows", panel.rows.map((row, i) => client(row, panel.columns, i === 0))],
    [
      "details.es-foot",
      { hidden: !panel.note },
      [
        ["summary.es-foot-name", "Controls, and how to read this"],
        ["div.es-foot-lines", notes.map((line) => ["p.es-small", line])],
      ],
    ],
  ];
}

function client(row, columns, first) {
  const who = [["strong.es-name", row.name], ["span.es-budget", row.budget], ["p.es-verdict", { "data-kind": row.kind }, row.verdict]];
  const shots = [
    ["div.es-cells", (row.cells ?? []).map((cell, i) => oneImage(cell, row.name, columns[i], first))],
    ["div.es-pairs", (row.pairs ?? []).map((pair, i) => manyImages(pair, row.name, i + 1))],
    ["div.es-lines", (row.lines ?? []).map((line) => ["p.es-detail", line])],
  ];
  const picked = { hidden: !row.picked, "data-kind": row.picked?.kind ?? "" };
  return ["div.es-row", [["div.es-client", who], ["div.es-shots", shots], ["p.es-picked", picked, row.picked?.text ?? ""]]];
}

// The image, what each run gives away of it, and the average image; the first client's are named.
function oneImage({ image, captions, mark }, name, column, first) {
  const words = first ? [column, ...captions] : captions;
  const label = `${name}, ${column}: ${captions.join(", ") || "image"}`;
  return [
    "figure.es-cell",
    { "data-mark": mark ?? "" },
    [picture("es-image", image, label), ["figcaption.es-caption", words.map((line) => ["span", line])]],
  ];
}

// An image of a batch above what came back of it; the best come first.
function manyImages({ original, image, caption }, name, number) {
  const above = picture("es-image", original, `${name}, image ${number} of the upload`);
  const below = picture("es-image", image, `${name}, what came back of image ${number}: ${caption}`);
  return ["figure.es-pair", [above, below, ["figcaption.es-caption", caption]]];
}
