// A chart as a picture to take away: as it is drawn now, its words with it, on the colour of the page.

import { download } from "./dom.js";
import { asPicture } from "./plot.js";

// Two small buttons on a chart's frame, for `fill`: shown to whoever points at it or comes by keyboard.
export function saves(name) {
  const buttons = ["SVG", "PNG"].map((kind) => [
    "button.es-save-as",
    { type: "button", "aria-label": `Save “${name}” as ${kind}`, onclick: ({ target }) => save(target, name, kind.toLowerCase()) },
    kind,
  ]);
  return ["div.es-save", buttons];
}

async function save(button, name, format) {
  const chart = button.closest("section").querySelector(".es-chart, .es-plot");
  download(await asPicture(chart, format), `${name.toLowerCase().match(/[a-z0-9]+/g)?.join("-") ?? "chart"}.${format}`);
}
