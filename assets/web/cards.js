// Charts in cards, several to a row: one message and one update for all that a slider moves.
// data: {cards: [{title, rest, caption, figure, height, label, row}], keys}; `row`: how many share its row; `keys`: of
// what was computed ahead (live.js), by which the cards follow the hand; or null

import { child, fill } from "./dom.js";
import { spelled } from "./law_decoding.js";
import { following, known, live } from "./live.js";
import { draw, erase } from "./plot.js";
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
  const card = ({ row, title, rest, caption }) => [
    "section.es-card",
    { style: { "grid-column": `span ${COLUMNS / row}` } },
    [
      ["p.es-head", [["strong.es-what", title], ["span.es-rest", rest]]],
      ["p.es-caption", caption],
      ["div.es-chart"],
    ],
  ];
  fill(box, cards.map(card)).forEach((node, i) => chart(node.querySelector(".es-chart"), cards[i]));
}

function chart(node, { figure, height, label }) {
  const { key } = palette(node);
  if (node.shown === figure && node.shownIn === key) return; // nothing moved it, and it is in these colours
  [node.shown, node.shownIn] = [figure, key];
  draw(node, typeof figure === "string" ? JSON.parse(figure) : figure, height, label);
}
