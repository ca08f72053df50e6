// A chart as a picture to take away: as it is drawn now, its words with it, on the colour of the page.

import { child, element, resize, text } from "./dom.js";
import { asPicture } from "./plot.js";

const KINDS = ["SVG", "PNG"];

// Two small buttons on a chart's frame, shown to whoever points at it or comes by keyboard.
export function saves(frame, chart, name) {
  const place = child(frame, "div", "es-save");
  resize(place, KINDS.length, () => element("button", "es-save-as")).forEach((button, i) => {
    text(button, KINDS[i]).type = "button";
    button.setAttribute("aria-label", `Save “${name}” as ${KINDS[i]}`);
    button.onclick = () => save(chart, name, KINDS[i].toLowerCase());
  });
}

async function save(chart, name, format) {
  const link = document.createElement("a");
  link.href = await asPicture(chart, format);
  link.download = `${name.toLowerCase().match(/[a-z0-9]+/g)?.join("-") ?? "chart"}.${format}`;
  link.click();
}
