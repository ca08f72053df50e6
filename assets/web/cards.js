// Charts in cards, several to a row: one message and one update for all that a slider moves.
// data: {cards: [{title, rest, caption, figure, height, label, row}]}; `row`: how many share its row.

import { child, element, resize, text } from "./dom.js";
import { draw, erase } from "./plot.js";
import { saves } from "./save.js";

const COLUMNS = 6;

export function render({ data, parentElement }) {
  const cards = resize(child(parentElement, "div", "es-cards"), data.cards.length, () => element("section", "es-card"));
  cards.forEach((card, i) => fill(card, data.cards[i]));
}

export function unmount({ parentElement }) {
  parentElement.querySelectorAll(".es-chart").forEach((chart) => {
    chart.shown = undefined;
    erase(chart);
  });
}

function fill(card, data) {
  card.style.gridColumn = `span ${COLUMNS / data.row}`;
  const head = child(card, "p", "es-head");
  text(child(head, "strong", "es-what"), data.title);
  text(child(head, "span", "es-rest"), data.rest);
  text(child(card, "p", "es-caption"), data.caption);
  const chart = child(card, "div", "es-chart");
  saves(card, chart, data.title);
  if (chart.shown === data.figure) return; // nothing moved it
  chart.shown = data.figure;
  draw(chart, JSON.parse(data.figure), data.height, data.label);
}
