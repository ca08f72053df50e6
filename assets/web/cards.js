// Charts in cards, several to a row: one message and one update for all that a slider moves.
// data: {cards: [{title, rest, caption, figure, height, label, row}], keys}; `row`: how many share its row; `keys`: of
// what was computed ahead (live.js), by which the cards follow the hand; or null

import { child, element, resize, text } from "./dom.js";
import { spelled } from "./law.js";
import { following, known, live } from "./live.js";
import { draw, erase } from "./plot.js";
import { saves } from "./save.js";
import { palette } from "./theme.js";

const COLUMNS = 6;

export function render({ data, parentElement }) {
  const box = child(parentElement, "div", "es-cards");
  const ahead = (place) => data.keys && known(place, data.keys)?.cards;
  if (!live.place || !ahead(live.place)) show(box, data.cards);
  following(box, (place) => {
    const cards = ahead(place);
    if (cards) show(box, cards.map((card, i) => ({ ...card, figure: spelled(card.figure), label: data.cards[i]?.label ?? card.title })));
  });
}

export function unmount({ parentElement }) {
  parentElement.querySelectorAll(".es-chart").forEach((chart) => {
    chart.shown = undefined;
    erase(chart);
  });
}

function show(box, cards) {
  resize(box, cards.length, () => element("section", "es-card")).forEach((card, i) => fill(card, cards[i]));
}

function fill(card, data) {
  card.style.gridColumn = `span ${COLUMNS / data.row}`;
  const head = child(card, "p", "es-head");
  text(child(head, "strong", "es-what"), data.title);
  text(child(head, "span", "es-rest"), data.rest);
  text(child(card, "p", "es-caption"), data.caption);
  const chart = child(card, "div", "es-chart");
  saves(card, chart, data.title);
  const { key } = palette(chart);
  if (chart.shown === data.figure && chart.shownIn === key) return; // nothing moved it, and it is in these colours
  [chart.shown, chart.shownIn] = [data.figure, key];
  draw(chart, typeof data.figure === "string" ? JSON.parse(data.figure) : data.figure, data.height, data.label);
}
