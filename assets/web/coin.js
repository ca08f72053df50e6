// A question that is answered by yes or no through a coin. The answer itself is neither sent nor kept.
// data: {at, keep, bit, words: {yes, no, coin, sent, may, …}, alone}; bit: what was sent before, 0 or 1, or null; at: the coin's name.
// What the coin leaves arrives as sent: {at, bit}; alone, nothing is sent at all.

import { child, fill } from "./dom.js";
import { say, tossed } from "./toss.js";

export function render(component) {
  const box = child(component.parentElement, "div", "es-coin");
  box.component = component;
  show(box);
}

function show(box) {
  const { at, bit, keep, words, alone, kept } = box.component.data;
  const left = box.left?.at === at ? box.left.bit : bit;
  const answer = (yes) => () => {
    box.left = { at, bit: Number(tossed(yes, keep)) };
    if (!alone) box.component.setStateValue("sent", box.left);
    show(box);
  };
  const side = (yes) => ["button.es-coin-side", { type: "button", onclick: answer(yes) }, yes ? words.yes : words.no];
  const asked = [
    ["div.es-coin-sides", [side(true), side(false)]],
    ["p.es-coin-words", say(words.coin, { kept: kept[0], tries: kept[1] })],
  ];
  const told = [
    ["strong.es-coin-left", say(words.sent, { bit: left ? words.yes : words.no })],
    ["p.es-coin-words", words.may],
  ];
  const open = left === null || left === undefined;
  fill(box, [[`div.es-coin-${open ? "asked" : "told"}`, { key: `${at} ${open}`, "aria-live": "polite" }, open ? asked : told]]);
}
