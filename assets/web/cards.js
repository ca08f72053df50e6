// Charts in cards, several to a row: one message and one update for all that a slider moves.
// data: {cards: [{title, rest, caption, figure, height, label, row, law}]}; `row`: how many share its row; `law`: of
// a card that follows the hand (law.js).

import { child, element, resize, text } from "./dom.js";
import { moved } from "./law.js";
import { following, live } from "./live.js";
import { draw, erase } from "./plot.js";
import { saves } from "./save.js";
import { palette } from "./theme.js";

const COLUMNS = 6;

export function render({ data, parentElement }) {
  const cards = resize(child(parentElement, "div", "es-cards"), data.cards.length, () => element("section", "es-card"));
  cards.forEach((card, i) => {
    const one = data.cards[i];
    if (!one.law || !live.place) fill(card, one);
    if (one.law) following(card, (place) => fill(card, moved(one, place)));
    else card.follow = undefined;
  });
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
  const { key } = palette(chart);
  if (chart.shown === data.figure && chart.shownIn === key) return; // nothing moved it, and it is in these colours
  [chart.shown, chart.shownIn] = [data.figure, key];
  draw(chart, typeof data.figure === "string" ? JSON.parse(data.figure) : data.figure, data.height, data.label);
}
